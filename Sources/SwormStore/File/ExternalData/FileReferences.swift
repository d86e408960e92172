import Foundation
import SwormSQLite

/// The columns of a database whose values can refer to files of external data, regardless of the model.
struct FileReferences {
    struct Table: Codable, Hashable, Sendable {
        let name: String
        var columns: [String]
    }

    /// The position of the row with which a search continues.
    struct Position: Codable, Hashable, Sendable {
        var table = 0
        var row = Int64.min
    }

    let tables: [Table]
    private let connection: StoreConnection

    /// Finds the columns of the tables whose rows have numbers, by which a search can continue.
    init(_ connection: StoreConnection) throws {
        tables = try Self.tables(connection, condition: "m.sql NOT LIKE '%)%WITHOUT%ROWID'")
        self.connection = connection
    }

    private static func tables(_ connection: StoreConnection, condition: String = "true") throws -> [Table] {
        var tables: [Table] = []
        try connection.rows(
            """
            SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
            WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%'
                AND upper(c.type) NOT IN ('INTEGER', 'VARCHAR', 'FLOAT', 'TIMESTAMP', 'DECIMAL')
                AND \(condition)
                AND m.name NOT IN ('Z_METADATA', 'Z_MODELCACHE', 'ATRANSACTION', 'ATRANSACTIONSTRING', 'ACHANGE')
            ORDER BY m.name, c.cid
            """
        ) { row in
            guard let table = row.text(0), let column = row.text(1) else { return }
            if tables.last?.name != table { tables.append(Table(name: table, columns: [])) }
            tables[tables.count - 1].columns.append(column)
        }
        return tables
    }

    /// Returns the files to which the rows of all tables refer.
    static func all(_ connection: StoreConnection) throws -> Set<UUID> {
        var files: Set<UUID> = []
        for table in try tables(connection) {
            for column in table.columns.map(quoted) {
                try connection.rows("SELECT \(column) FROM \(quoted(table.name)) WHERE length(\(column)) = 38") { row in
                    let file = row.withBlob(0) { $0.flatMap(ExternalDataFolder.reference) }
                    if let file { files.insert(file) }
                }
            }
        }
        return files
    }

    /// Removes the files to which rows refer from a set.
    ///
    /// - Parameters:
    ///   - position: The first row.
    ///   - limit: The largest number of rows to inspect.
    /// - Returns: The position of the row to continue with, which is nil if there are no more rows or no more files,
    ///   and the number of inspected rows.
    @discardableResult
    func removeNamed(
        from files: inout Set<UUID>, at position: Position = Position(), limit: Int = .max
    ) throws -> (next: Position?, rows: Int) {
        var (position, left) = (position, limit)
        while tables.indices.contains(position.table), !files.isEmpty {
            guard left > 0 else { return (position, limit) }
            let table = tables[position.table]
            var (count, last) = (0, Int64.max)
            try connection.rows(Self.query(table), binding: [.integer(position.row), .integer(Int64(left))]) {
                statement in
                count += 1
                last = statement.int64(0)
                for index in table.columns.indices {
                    let file = statement.withBlob(index + 1) { $0.flatMap(ExternalDataFolder.reference) }
                    if let file { files.remove(file) }
                }
            }
            left -= count
            if left > 0 || last == .max {
                position = Position(table: position.table + 1)
            } else {
                position.row = last + 1
            }
        }
        return (nil, limit - left)
    }

    /// Returns a query whose parameters are the first row's number and a limit. SQLite knows the length of a value
    /// without reading it.
    private static func query(_ table: Table) -> String {
        let columns = table.columns.map(quoted).map { "CASE WHEN length(\($0)) = 38 THEN \($0) END" }
        return "SELECT _rowid_, \(columns.joined(separator: ", ")) FROM \(quoted(table.name)) "
            + "WHERE _rowid_ >= ?1 ORDER BY _rowid_ LIMIT ?2"
    }

    /// Returns a name that is always quoted, because a table of unknown origin can have a keyword as its name.
    private static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
}

extension StoreConnection {
    /// Returns the files that any value of any table references, independent of the model.
    ///
    /// The tables of a mirroring to CloudKit refer to files, too. The history does not need the files that it names.
    func namedExternalFiles() throws -> Set<UUID> { try FileReferences.all(self) }
}
