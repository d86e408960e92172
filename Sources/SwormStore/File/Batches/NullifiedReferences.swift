import SwormPredicates
import SwormSQLite

/// The links from remaining rows to rows that a batch deletes, if the delete rule sets them to null.
struct NullifiedReferences {
    /// A to-one relationship that refers to deleted rows.
    private struct Reference {
        var toOne: EntityColumns.ToOne
        /// The keys of the deleted rows, as a SELECT.
        var deleted: String
    }

    /// Remaining rows that lose members, so that the number of their members must be checked.
    private struct Shrunk {
        var link: StoredLink
        var owners: [Int64]
    }

    private let transaction: SaveTransaction
    /// The references by the number of the root entity, whose table has the columns.
    private var references: [Int: [Reference]] = [:]
    private var shrunk: [Shrunk] = []

    private var connection: StoreConnection { transaction.connection }

    /// Finds the links, and notes their ends for the history, before anything is changed.
    ///
    /// - Parameter links: The links that start at deleted rows.
    init(_ links: [StoredLink], in transaction: SaveTransaction) throws {
        self.transaction = transaction
        var columns: Set<[String]> = []
        for link in links where link.relationship.deleteRule == .nullifyDeleteRule {
            guard let inverse = link.inverse(transaction) else { continue }
            let deleted = BatchKeys.keys(of: link.entity)
            let staying = BatchKeys.lacks("t0.Z_PK", root: link.destination.root)
            guard inverse.relationship.isToMany else {
                guard let toOne = transaction.columns[link.destination.number - 1].toOne(inverse.slot),
                    columns.insert([link.table, toOne.column]).inserted
                else { continue }
                let rows = "FROM \(link.table) t0 WHERE t0.\(toOne.column) IN (\(deleted)) AND \(staying)"
                if !inverse.relationship.isOptional { try refuse(link, inverse: inverse, rows: rows) }
                if transaction.keepsHistory { try note(inverse, rows: rows) }
                references[link.destination.root, default: []].append(Reference(toOne: toOne, deleted: deleted))
                continue
            }
            guard inverse.relationship.hasCountRules else { continue }
            var owners: [Int64] = []
            try connection.rows(
                "SELECT t0.Z_PK FROM \(link.table) t0 WHERE \(link.leads(from: deleted)) AND \(staying)"
            ) { owners.append($0.int64(0)) }
            if !owners.isEmpty { shrunk.append(Shrunk(link: inverse, owners: owners)) }
        }
    }

    /// Throws an error if there are rows whose relationship is required.
    private func refuse(_ link: StoredLink, inverse: StoredLink, rows: String) throws {
        var found: (count: Int, first: Int64) = (0, 0)
        try connection.rows("SELECT count(*), min(t0.Z_PK) \(rows)") { found = ($0.int(0), $0.int64(1)) }
        guard found.count > 0 else { return }
        throw CoreDataError.requiredLink(
            to: link.entity, by: inverse.relationship, of: inverse.entity, count: found.count, key: found.first)
    }

    private func note(_ inverse: StoredLink, rows: String) throws {
        try connection.rows("SELECT t0.Z_PK \(rows)") { statement in
            transaction.notes.change(
                HistoryNotes.Object(root: inverse.entity.root, key: statement.int64(0)),
                properties: [.relationship(inverse.slot)])
        }
    }

    /// Sets the columns of the remaining rows to NULL. Each row gets its next version once, however many of its links
    /// are cut.
    func clear() throws {
        for (root, references) in references.sorted(by: { $0.key < $1.key }) {
            var assignments: [String] = []
            for reference in references {
                let toOne = reference.toOne
                for column in [toOne.column, toOne.entityColumn, toOne.orderColumn].compactMap(\.self) {
                    assignments.append(
                        references.count == 1
                            ? "\(column) = NULL"
                            : "\(column) = CASE WHEN \(toOne.column) IN (\(reference.deleted)) THEN NULL ELSE \(column) END"
                    )
                }
            }
            assignments.append("Z_OPT = \(SQLCompiler.nextVersion)")
            let tests = references.map { "\($0.toOne.column) IN (\($0.deleted))" }
            try connection.run(
                "UPDATE \(transaction.columns[root - 1].table) SET \(assignments.joined(separator: ", ")) WHERE \(tests.joined(separator: " OR "))"
            )
        }
    }

    /// Throws an error if a trigger has kept a link that should have been cut.
    func requireCleared() throws {
        for (root, references) in references {
            for reference in references {
                try transaction.requireNone(
                    "\(reference.toOne.column) IN (\(reference.deleted))", in: transaction.columns[root - 1].table,
                    else: "remove links to deleted objects", of: transaction.model[root])
            }
        }
    }

    /// Checks the number of remaining members against the limits of the model. Called after the links are cut.
    func check() throws {
        for part in shrunk {
            let count = "SELECT count(*) FROM \(part.link.table) t0 WHERE \(part.link.leads(from: "?1"))"
            for owner in part.owners {
                let left = try connection.integer(count, binding: [.integer(owner)]) ?? 0
                let error = CoreDataError.lostMembers(
                    leaving: Int(left), in: part.link.relationship, of: owner, part.link.entity)
                if let error { throw error }
            }
        }
    }
}
