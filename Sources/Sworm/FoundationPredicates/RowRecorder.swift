import SwormPredicates

/// Finds out what a key path from a ``Row`` leads to: it is followed once, and the row's subscripts tell.
///
/// A table could not be written beforehand: no one can list the key paths to the properties of a type of relations.
final class RowRecorder: Sendable {
    @TaskLocal static var current: RowRecorder?

    private struct Finding {
        let keyPath: AnyKeyPath
        let member: RowMember?
    }

    private let found = Locked<Finding?>(nil)

    private init() {}

    /// Called by the subscripts of a row while a key path is followed.
    func record(_ keyPath: AnyKeyPath, _ member: () -> RowMember?) {
        let finding = Finding(keyPath: keyPath, member: member())
        found.withLock { $0 = finding }
    }

    /// The member at a key path from a row; nil when it leads to none.
    static func member<T: ManagedObjectConvertible>(of type: T.Type, at keyPath: AnyKeyPath) -> RowMember? {
        if let known = table.withLock({ $0[keyPath] }) { return known }
        if keyPath == \Row<T>.objectID { return .identity }
        let recorder = RowRecorder()
        _ = $current.withValue(recorder) { Row<T>()[keyPath: keyPath] }
        // A computed property of the user's own may read a member too, and is not that member.
        guard let finding = recorder.found.withLock({ $0 }), finding.keyPath == keyPath else { return nil }
        if let member = finding.member, member.isNamed { table.withLock { $0[keyPath] = member } }
        return finding.member
    }
}

/// The members of all types that predicates named so far. There are no more than the tables have lines.
private let table = Locked<[AnyKeyPath: RowMember]>([:])

extension RowMember {
    fileprivate var isNamed: Bool {
        switch self {
        case .attribute, .toOne, .toMany: true
        case .identity, .part: false
        }
    }
}
