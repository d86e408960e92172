#if PostgreSQL
import SwormPredicates

/// The differences between the tables that a store needs and those that a server has.
///
/// A column that the model does not have is no difference if a new row can be inserted without it: programs with an
/// older or a newer model use the same tables. Neither is a column that allows NULL, or an index that only makes
/// requests faster.
struct ServerDifferences {
    private struct Difference {
        var message: String
        /// The statements that would remove the difference.
        var sql: [String]
        var subject: ServerSubject?
    }

    private let writer: ServerSchemaWriter
    private let catalog: ServerCatalog
    private let migration: ServerMigrationState
    private let isOlder: Bool
    private var found: [Difference] = []

    /// - Parameters:
    ///   - migration: Its triggers fill columns that the model does not have, and its work creates indexes.
    ///   - isOlder: Whether a newer version of the model uses the tables. It may have given up a constraint whose index had
    ///     not been created yet.
    init(
        writer: ServerSchemaWriter, catalog: ServerCatalog, migration: ServerMigrationState = .init(),
        isOlder: Bool = false
    ) {
        self.writer = writer
        self.isOlder = isOlder
        self.catalog = catalog
        self.migration = migration
        for table in writer.ownTables where catalog.columns[table.name] == nil {
            add("the table \"\(table.name)\" is missing", table.sql)
        }
        if !catalog.hasFoldingFunctions {
            add(
                "functions for [c] and [d] are missing; a program that may change the store creates them when it opens it"
            )
        }
        for table in writer.tables.tables { compare(table) }
        for index in writer.tables.indexes where index.isUnique { compare(index) }
    }

    private mutating func add(_ message: String, _ sql: String..., subject: ServerSubject? = nil) {
        found.append(Difference(message: message, sql: sql, subject: subject))
    }

    private mutating func compare(_ table: ServerTable) {
        guard let present = catalog.columns[table.name] else {
            found.append(
                Difference(
                    message: "the table \"\(table.name)\" of \(table.entity) is missing",
                    sql: writer.creation(of: table)))
            return
        }
        let sync = migration.syncs.first { $0.table == table.name }
        let neverEmpty = Set(sync?.fills.map(\.column) ?? [])
        for column in table.columns {
            guard let existing = present[column.name] else {
                add(
                    "the table \"\(table.name)\" has no column \"\(column.name)\"\(Self.use(of: column))",
                    writer.addition(of: column, to: table), subject: column.subject)
                continue
            }
            compare(column, with: existing, in: table, isFilled: neverEmpty.contains(column.name))
        }
        let filled = sync?.columns ?? []
        let known = Set(table.columns.map(\.name)).union(filled)
        for (name, column) in present.sorted(by: { SQLName.precedes($0.key, $1.key) }) where !known.contains(name) {
            guard column.isRequired, !column.hasDefault else { continue }
            add(
                "the column \"\(name)\" of the table \"\(table.name)\" requires a value, and the model does not have it",
                writer.alteration(of: name, in: table, "DROP NOT NULL"))
        }
    }

    /// - Parameter isFilled: Whether a trigger replaces NULL in the column, which a newer version requires.
    private mutating func compare(
        _ column: ServerTable.Column, with existing: ServerCatalog.Column, in table: ServerTable, isFilled: Bool
    ) {
        let place = "the column \"\(column.name)\" of the table \"\(table.name)\"\(Self.use(of: column))"
        let isOther = existing.type != column.catalogType
        if isOther || column.hasCollation && existing.collation != "C" {
            let type = column.catalogType + (column.hasCollation ? " COLLATE \"C\"" : "")
            let reason =
                isOther
                ? "has the type \(existing.type) and not \(column.catalogType)"
                : "sorts by the collation \"\(existing.collation ?? "")\" and not by \"C\""
            let conversion = isOther ? " USING \(SQLName.alwaysQuoted(column.name))::\(column.catalogType)" : ""
            add(
                "\(place) \(reason)", writer.alteration(of: column.name, in: table, "TYPE \(type)\(conversion)"),
                subject: column.subject)
        }
        let allowsNull = !column.isRequired && column.subject != nil && table.key.isEmpty
        if allowsNull, existing.isRequired, !isFilled {
            add(
                "\(place) requires a value", writer.alteration(of: column.name, in: table, "DROP NOT NULL"),
                subject: column.subject)
        }
        if column.name == "_key", table.key.isEmpty, !existing.hasDefault {
            add(
                "\(place) has no sequence",
                writer.alteration(of: "_key", in: table, "ADD GENERATED BY DEFAULT AS IDENTITY (INCREMENT 64)"))
        }
        if let reference = column.reference {
            let keys = catalog.references[table.name, default: []].filter { $0.column == column.name }
            if !keys.contains(where: { $0.table == reference && $0.isDeferrable }),
                let sql = writer.foreignKey(of: column, in: table)
            {
                add("\(place) has no deferrable foreign key to \"\(reference)\"", sql, subject: column.subject)
            }
        }
    }

    private mutating func compare(_ index: ServerIndex) {
        let columns = Set(index.columns.map(\.name))
        // The columns themselves have been reported.
        guard let present = catalog.columns[index.table], columns.allSatisfy({ present[$0] != nil }),
            catalog.uniqueColumns[index.table]?.contains(columns) != true, !isOlder, !migration.creates(index)
        else { return }
        let names = index.columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        add(
            "the table \"\(index.table)\" has no unique index of \(names)", writer.creation(of: index),
            subject: index.subject)
    }

    private static func use(of column: ServerTable.Column) -> String {
        column.subject.map { " for \($0.list) of \($0.entity)" } ?? ""
    }

    /// The differences, and the properties that they are about.
    var list: [(message: String, subject: ServerSubject?)] { found.map { ($0.message, $0.subject) } }

    // MARK: The error

    /// The error that lists all differences and the SQL that removes them, or nil without differences.
    func error(place: String) -> CoreDataError? {
        guard !found.isEmpty else { return nil }
        let list = found.map { "\n- \($0.message)" }.joined()
        let sql = found.flatMap(\.sql).map { "\n\($0);" }.joined()
        let count = found.count == 1 ? "in one point" : "in \(found.count) points"
        return CoreDataError(
            NSPersistentStoreIncompatibleSchemaError,
            "The tables of the store '\(place)' differ from those of the model \(count):\(list)\nOpen the store with the model that it was written with, or change the tables. This SQL would do so:\(sql)",
            details: found.map { difference in
                CoreDataError(
                    NSPersistentStoreIncompatibleSchemaError, difference.message, entity: difference.subject?.entity,
                    key: difference.subject?.properties.first)
            }, condition: .schemaDiffers)
    }
}
#endif
