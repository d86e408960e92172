#if PostgreSQL
/// A table on a server, with everything that its declaration says.
struct ServerTable: Sendable, Hashable {
    struct Column: Sendable, Hashable {
        var name: String
        /// The type as the declaration has it, with the key's identity and the constraints of system columns.
        var type: String
        /// Whether the column is declared NOT NULL.
        var isRequired = false
        /// The default of new rows as SQL text, so that programs that do not know the column can insert rows.
        var defaultValue: String?
        /// The table to whose keys the column refers, if the server checks that.
        var reference: String?
        /// Whether values are stored outside of the row, uncompressed, and read separately.
        var isExternal = false
        /// The property that the column stores, or for which it exists; nil for a column of all tables.
        var subject: ServerSubject?
    }

    var name: String
    var columns: [Column]
    /// The columns of the primary key of a join table; empty for a table of entities, whose key is a column of its own.
    var key: [String] = []
    /// The entities of a table in messages.
    var entity: String
}

/// The properties of an entity that an error of a server is about.
struct ServerSubject: Sendable, Hashable {
    var entity: String
    var properties: [String]

    /// The properties in messages.
    var list: String { properties.map { "'\($0)'" }.joined(separator: ", ") }
}

extension ServerTable.Column {
    /// The type by the server's own name.
    var catalogType: String {
        let word = String(type.prefix { $0 != " " })
        return switch word {
        case "float8": "double precision"
        case "timestamptz": "timestamp with time zone"
        default: word
        }
    }

    /// Whether the column has strings, which are sorted by their bytes.
    var hasCollation: Bool { catalogType == "text" }

    /// The declaration in a CREATE TABLE or ADD COLUMN.
    var declaration: String {
        var text = "\(SQLName.alwaysQuoted(name)) \(type)"
        if isRequired { text += " NOT NULL" }
        if let defaultValue { text += " DEFAULT \(defaultValue)" }
        return text
    }
}

extension ServerTable {
    /// Returns the statement that creates the table, without its foreign keys.
    ///
    /// - Parameter prefix: The schema with a period.
    func creation(in prefix: String) -> String {
        var parts = columns.map(\.declaration)
        if !key.isEmpty { parts.append("PRIMARY KEY (\(key.map(SQLName.alwaysQuoted).joined(separator: ", ")))") }
        return "CREATE TABLE \(prefix)\(SQLName.alwaysQuoted(name)) (\(parts.joined(separator: ", ")))"
    }

    /// Returns the clause that adds the foreign key of a column, or nil for a column without one.
    ///
    /// A foreign key is deferred, because rows can refer to each other. The rows of a join table go with those that they
    /// relate.
    func foreignKey(of column: Column, in prefix: String) -> String? {
        guard let reference = column.reference else { return nil }
        let name = SQLName.alwaysQuoted(foreignKeyName(of: column))
        let action = key.isEmpty ? "" : " ON DELETE CASCADE"
        return
            "ADD CONSTRAINT \(name) FOREIGN KEY (\(SQLName.alwaysQuoted(column.name))) REFERENCES \(prefix)\(SQLName.alwaysQuoted(reference))\(action) DEFERRABLE INITIALLY DEFERRED"
    }

    func foreignKeyName(of column: Column) -> String { PostgresNames.shortened("\(name)_\(column.name)_fkey") }

    /// Returns the start of a statement that changes the table.
    func alteration(in prefix: String) -> String { "ALTER TABLE \(prefix)\(SQLName.alwaysQuoted(name))" }
}
#endif
