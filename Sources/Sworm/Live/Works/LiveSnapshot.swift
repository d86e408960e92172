import SwormPredicates

/// The snapshot in which a center refreshes its works after commits, with the changed rows that several works need.
final class LiveSnapshot {
    /// The number of changed rows above which requests are run again instead of looking at the rows one by one.
    private static var limit: Int { 200 }

    let context: ManagedObjectContext
    /// The changes since the works were read; nil for works that were not read yet.
    let changes: CommittedChanges?
    /// The changed rows of each type, in the form of `ChangedRecords`.
    private var records: [ObjectIdentifier: AnyObject] = [:]

    private final class ChangedRecords<T: ManagedObjectConvertible> {
        let records: [Int64: LiveRecord<T>]
        init(_ records: [Int64: LiveRecord<T>]) { self.records = records }
    }

    init(_ context: ManagedObjectContext, changes: CommittedChanges?) {
        self.context = context
        self.changes = changes
    }

    /// Returns the inserted and updated rows of a type by their keys; nil if they are not known or too many.
    ///
    /// - Parameter root: The name of the root entity of the type's entity.
    func changedRecords<T: ManagedObjectConvertible>(
        of type: T.Type, root: String
    ) throws -> [Int64: LiveRecord<T>]? {
        guard let changes, !changes.isUnknown, !changes.unknownRows.contains(root) else { return nil }
        guard let rows = changes.rows[root] else { return [:] }
        let keys = rows.inserted.union(rows.updated)
        guard keys.count <= Self.limit else { return nil }
        if keys.isEmpty { return [:] }
        if let known = records[ObjectIdentifier(type)] as? ChangedRecords<T> { return known.records }
        let read = try context.liveRows(of: type, RequestContent(), keys: keys.sorted()).records
        let found = Dictionary(read.map { ($0.identity.key, $0) }, uniquingKeysWith: { first, _ in first })
        // Rows of several stores may have the same key.
        guard found.count == read.count else { return nil }
        records[ObjectIdentifier(type)] = ChangedRecords(found)
        return found
    }
}
