#if PostgreSQL
import SwormPostgres

/// The links from remaining rows to rows that a batch deletes, as far as the delete rule sets them to null.
struct DeletionCuts {
    /// A to-one relationship of remaining rows that refers to deleted rows.
    struct Reference {
        /// The name of the relationship.
        var name: String
        var column: String
        var orderColumn: String?
        /// The keys of the deleted rows.
        var deleted: [Int64]
    }

    /// The references by the number of the root entity, whose table has the columns.
    var references: [Int: [Reference]] = [:]
    /// Remaining rows that lose members, so that the number of their members must be checked.
    var shrunk: [(link: ServerLink, owners: [Int64])] = []

    /// Returns the statement that sets the references of the remaining rows of a table to NULL. Each row gets its next version
    /// once, however many of its links are cut.
    ///
    /// - Parameter root: The number of the root entity.
    /// - Returns: Nil without such relationships.
    func statement(of root: Int, in work: ServerBatch) -> SQLStatement? {
        let references = (references[root] ?? []).filter { !$0.deleted.isEmpty }
        let table = work.schema.columns[root - 1].table
        guard !references.isEmpty else { return nil }
        let parameters = Parameters()
        var (assignments, tests): ([String], [String]) = ([], [])
        for (index, reference) in references.enumerated() {
            parameters.append(keys: reference.deleted)
            let test = "\(reference.column) = ANY($\(index + 1))"
            tests.append(test)
            for column in [reference.column, reference.orderColumn].compactMap(\.self) {
                assignments.append(
                    references.count == 1
                        ? "\(column) = NULL" : "\(column) = CASE WHEN \(test) THEN NULL ELSE \(column) END")
            }
        }
        assignments.append(work.compiler.versionAssignment())
        return SQLStatement(
            "UPDATE \(table) SET \(assignments.joined(separator: ", ")) WHERE \(tests.joined(separator: " OR ")) RETURNING \(work.key)",
            with: parameters)
    }

    /// Checks the number of remaining members against the limits of the model. Called after the links are cut.
    func checkCounts(in work: ServerBatch) throws {
        guard !shrunk.isEmpty else { return }
        let statements = shrunk.map { SQLStatement($0.link.counts(of: "SELECT unnest($1)"), keys: $0.owners) }
        for (part, result) in zip(shrunk, try work.connection.run(statements)) {
            var counts: [Int64: Int] = [:]
            for row in 0..<result.rowCount {
                if let owner = try result.int64(row, column: 0) { counts[owner] = try result.int(row, column: 1) ?? 0 }
            }
            for owner in part.owners {
                let error = CoreDataError.lostMembers(
                    leaving: counts[owner] ?? 0, in: part.link.relationship, of: owner, part.link.entity)
                if let error { throw error }
            }
        }
    }
}
#endif
