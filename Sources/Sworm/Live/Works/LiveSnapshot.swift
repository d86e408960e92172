import SwormPredicates

/// The snapshot in which a center refreshes its works after commits, with the changed rows that several works need.
final class LiveSnapshot {
    /// The number of changed rows above which requests are run again instead of looking at the rows one by one.
    private static var limit: Int { 200 }

    let context: ManagedObjectContext
    /// The changes since the works were read; nil for works that were not read yet.
    let changes: CommittedChanges?
    /// Whether the properties that the changes name are known to be none.
    private let namesNoProperties: Bool
    /// The changed rows of each type that was asked for; nil if they are not known or too many.
    private var rows: [ObjectIdentifier: ChangedRows?] = [:]
    /// The changed rows of the type that was last asked for, because most requests are of the same type as the one before.
    private var last: (type: ObjectIdentifier, rows: ChangedRows?)?

    init(_ context: ManagedObjectContext, changes: CommittedChanges?) {
        self.context = context
        self.changes = changes
        namesNoProperties = changes.map { !$0.isUnknown && $0.properties.isEmpty } ?? false
    }

    /// Whether anything may have changed, also the values of a row that has the same version as before.
    var isUnknown: Bool { changes?.isUnknown ?? false }

    /// Returns whether the changes may change which objects a request with this region finds, or their order, without an
    /// insertion or a deletion.
    func decides(_ region: TrackedRegion) -> Bool {
        if namesNoProperties { return false }
        return changes.map { $0.isUnknown || region.isDecided(by: $0) } ?? true
    }

    /// Returns the changed rows of a type; nil if they are not known or too many.
    ///
    /// - Parameter root: The name of the root entity of the type's entity.
    func changedRows<T: ManagedObjectConvertible>(of type: T.Type, root: String) throws -> ChangedRows? {
        let id = ObjectIdentifier(type)
        if let last, last.type == id { return last.rows }
        let found = try rows[id] ?? readRows(of: type, root: root)
        rows[id] = .some(found)
        last = (id, found)
        return found
    }

    private func readRows<T: ManagedObjectConvertible>(of type: T.Type, root: String) throws -> ChangedRows? {
        guard let changes, !changes.isUnknown, !changes.unknownRows.contains(root) else { return nil }
        let rows = changes.rows[root] ?? CommittedChanges.Rows()
        let keys = rows.inserted.union(rows.updated)
        guard keys.count <= Self.limit else { return nil }
        if keys.isEmpty { return ChangedRows(rows, [Int64: LiveRecord<T>]()) }
        let read = try context.liveRows(of: type, RequestContent(), keys: keys.sorted()).records
        let found = Dictionary(read.map { ($0.identity.key, $0) }, uniquingKeysWith: { first, _ in first })
        // Rows of several stores may have the same key.
        return found.count == read.count ? ChangedRows(rows, found) : nil
    }
}
