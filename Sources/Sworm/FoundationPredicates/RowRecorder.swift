import SwormPredicates

/// A recorder that determines the member that a key path from a ``Row`` refers to: the key path is followed once, and
/// the row's subscripts report the member.
///
/// The members cannot be listed in advance, because the key paths to the properties of a relations type cannot be
/// enumerated.
final class RowRecorder: Sendable {
    @TaskLocal static var current: RowRecorder?

    private struct Finding {
        let keyPath: AnyKeyPath
        let member: RowMember?
    }

    private let found = Locked<Finding?>(nil)

    private init() {}

    /// Records a member. The subscripts of a row call this while a key path is followed.
    func record(_ keyPath: AnyKeyPath, _ member: () -> RowMember?) {
        let finding = Finding(keyPath: keyPath, member: member())
        found.withLock { $0 = finding }
    }

    /// Returns the member at a key path from a row; nil if it does not refer to a member.
    static func member<T: ManagedObjectConvertible>(of type: T.Type, at keyPath: AnyKeyPath) -> RowMember? {
        if let known = table.withLock({ $0[keyPath] }) { return known }
        if keyPath == \Row<T>.objectID { return .identity }
        let recorder = RowRecorder()
        _ = $current.withValue(recorder) { Row<T>()[keyPath: keyPath] }
        // A computed property that the user declared may read a member too, but is not that member.
        guard let finding = recorder.found.withLock({ $0 }), finding.keyPath == keyPath else { return nil }
        if let member = finding.member, member.isNamed { table.withLock { $0[keyPath] = member } }
        return finding.member
    }
}

/// The members that predicates have used so far, of all types. Their number is limited by the sizes of the tables.
private let table = Locked<[AnyKeyPath: RowMember]>([:])

extension RowMember {
    fileprivate var isNamed: Bool {
        switch self {
        case .attribute, .toOne, .toMany, .composite: true
        case .identity, .part: false
        }
    }
}
