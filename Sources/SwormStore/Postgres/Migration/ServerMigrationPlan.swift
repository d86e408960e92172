#if PostgreSQL
import Foundation

/// The changes of a store on a server from one version of a model to another.
struct ServerMigrationPlan: Sendable, Hashable {
    /// A change that cannot be made, or not while older versions are used.
    struct Obstacle: Sendable, Hashable {
        /// The change, as a part of a sentence.
        var reason: String
        var entity: String
        var property: String?

        init(_ reason: String, entity: String, property: String? = nil) {
            self.reason = reason
            self.entity = entity
            self.property = property
        }

        var text: String { "'\(entity)\(property.map { "." + $0 } ?? "")': \(reason)" }
    }

    /// The names of the new version, with those that are left over.
    var names: PostgresNames
    /// The statements that change the tables, in one transaction.
    var statements: [String] = []
    /// The values that must be there before the new version is used.
    var fills: [ServerFill] = []
    /// The triggers that the tables have afterwards.
    var syncs: [ServerSync] = []
    var leftovers = ServerLeftovers()
    /// The indexes of the new version.
    var indexes: ServerIndexes?
    /// The work that is done while the store is used.
    var work: [ServerWork] = []
    /// Whether derived values are computed for all rows.
    var derivesValues = false
    /// Whether programs with the old version can go on.
    var keepsOlderVersions = true
    var obstacles: [Obstacle] = []
}

extension ServerMigrationPlan {
    /// Returns all statements in the order in which they are run.
    ///
    /// - Parameter prefix: The schema with a period.
    func sql(in prefix: String) -> [String] {
        statements + fills.map { $0.sql(in: prefix) } + work.flatMap { $0.sql(in: prefix) }
    }
}

extension ServerFill {
    /// Returns the statement that treats all rows at once.
    func sql(in prefix: String) -> String {
        "UPDATE \(prefix)\(SQLName.alwaysQuoted(table)) SET \(assignments) WHERE \(condition)"
    }

    /// The largest number of rows of a part.
    static let portion = 5000

    /// Returns the statement that treats the next rows behind the key `$1`, and returns their number and the highest key.
    func portion(in prefix: String) -> String {
        let (target, key) = (prefix + SQLName.alwaysQuoted(table), SystemColumns.postgres.key)
        // Rows are locked in the order of their keys, as savers do it.
        return
            "WITH k AS (SELECT \(key) FROM \(target) WHERE \(key) > $1 AND (\(condition)) ORDER BY \(key) LIMIT \(Self.portion) FOR NO KEY UPDATE), u AS (UPDATE \(target) AS t SET \(assignments) FROM k WHERE t.\(key) = k.\(key)) SELECT pg_catalog.count(*), pg_catalog.max(\(key)) FROM k"
    }
}

extension ServerWork {
    /// Returns the statements of the step.
    ///
    /// - Parameter prefix: The schema with a period.
    func sql(in prefix: String) -> [String] {
        switch task {
        case .index(let name, let definition, let isUnique):
            return [
                "CREATE \(isUnique ? "UNIQUE " : "")INDEX CONCURRENTLY \(SQLName.alwaysQuoted(name)) \(definition)"
            ]
        case .reference(let table, let constraint, _, _):
            return [
                "ALTER TABLE \(prefix)\(SQLName.alwaysQuoted(table)) VALIDATE CONSTRAINT \(SQLName.alwaysQuoted(constraint))"
            ]
        case .required(let table, let column):
            let (target, name) = ("ALTER TABLE \(prefix)\(SQLName.alwaysQuoted(table))", SQLName.alwaysQuoted(column))
            let check = SQLName.alwaysQuoted(Self.checkName(table, column: column))
            return [
                "\(target) ADD CONSTRAINT \(check) CHECK (\(name) IS NOT NULL) NOT VALID",
                "\(target) VALIDATE CONSTRAINT \(check)", "\(target) ALTER COLUMN \(name) SET NOT NULL",
                "\(target) DROP CONSTRAINT \(check)",
            ]
        }
    }

    /// The name of the constraint by which the server learns that a column has no NULL.
    static func checkName(_ table: String, column: String) -> String {
        PostgresNames.shortened("\(table)_\(column)_required")
    }
}
#endif
