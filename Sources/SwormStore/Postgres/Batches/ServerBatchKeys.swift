#if PostgreSQL
import SwormPostgres

/// The rows of a batch, in the order in which they were found.
struct ServerBatchKeys {
    private(set) var rows: [RowID] = []
    /// The numbers of the root entities of the rows.
    private var roots: [Int] = []
    private var known: [Int: Set<Int64>] = [:]

    /// The number of rows.
    var count: Int { rows.count }

    /// Adds rows of a hierarchy, and returns the number of those that were not added before.
    mutating func add(_ found: some Sequence<RowID>, root: Int) -> Int {
        let before = rows.count
        for row in found where known[root, default: []].insert(row.key).inserted {
            rows.append(row)
            roots.append(root)
        }
        return rows.count - before
    }

    /// Returns the keys of the rows of an entity and its sub-entities.
    ///
    /// - Parameter start: The number of rows to skip.
    func keys(of entity: CompiledEntity, after start: Int = 0) -> [Int64] {
        let isRoot = entity.number == entity.root
        return (start..<rows.count).lazy
            .filter { roots[$0] == entity.root && (isRoot || entity.family.contains(rows[$0].entity)) }
            .map { rows[$0].key }
    }

    /// Returns the rows of a statement that yields entity numbers and keys.
    static func rows(of result: PostgresResult) throws -> [RowID] {
        try (0..<result.rowCount).map { row in
            RowID(entity: try result.int(row, column: 0) ?? 0, key: try result.int64(row, column: 1) ?? 0)
        }
    }
}
#endif
