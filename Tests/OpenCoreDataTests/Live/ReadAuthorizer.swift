import CSwormSQLite

@testable import SwormSQLite

/// A column that a statement reads. The name is empty if a statement reads rows, and none of their columns.
struct ReadColumn: Hashable {
    var table: String
    var column: String
}

/// The authorizer of a connection, which allows everything and notes the columns that statements read.
final class ReadAuthorizer {
    private var columns: Set<ReadColumn> = []

    /// Returns the columns that SQLite reports as read when it compiles a statement.
    static func columns(of sql: String, on connection: Connection) throws -> Set<ReadColumn> {
        let authorizer = ReadAuthorizer()
        sqlite3_set_authorizer(
            connection.pointer,
            { context, action, table, column, _, _ in
                guard action == SQLITE_READ, let context, let table else { return SQLITE_OK }
                let authorizer = Unmanaged<ReadAuthorizer>.fromOpaque(context).takeUnretainedValue()
                authorizer.columns.insert(
                    ReadColumn(table: String(cString: table), column: column.map { String(cString: $0) } ?? ""))
                return SQLITE_OK
            }, Unmanaged.passUnretained(authorizer).toOpaque())
        defer { sqlite3_set_authorizer(connection.pointer, nil, nil) }
        sqlite3_finalize(try connection.prepare(sql))
        return authorizer.columns
    }
}
