#if !canImport(CoreData)
import Foundation
import SwormSQLite

/// A program that writes a store without this library.
struct ForeignProgram {
    let connection: Connection

    init(_ url: URL) throws {
        connection = try Connection(.file(path: url.path), options: .init(access: .readWrite, busyTimeout: 20))
    }

    func integer(_ sql: String) throws -> Int64 {
        var statement = try connection.statement(sql)
        _ = try statement.step()
        return statement.int64(0)
    }

    func rename(_ number: Int, _ title: String) throws {
        try connection.transaction(.immediate) { try change(number, title) }
    }

    private func change(_ number: Int, _ title: String) throws {
        try connection.execute("UPDATE ZFOLDER SET ZTITLE = '\(title)', Z_OPT = Z_OPT + 1 WHERE ZNUMBER = \(number)")
    }

    /// Renames a folder and records that in the history, like the latest update in it.
    func renameWithHistory(_ number: Int, _ title: String) throws {
        try connection.transaction(.immediate) {
            try change(number, title)
            let transaction = try integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'TRANSACTION'") + 1
            let change = try integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'CHANGE'") + 1
            try connection.execute(
                """
                UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_NAME IN ('TRANSACTION', 'CHANGE');
                INSERT INTO ATRANSACTION (Z_PK, Z_ENT, Z_OPT, ZTIMESTAMP) VALUES (\(transaction), 16002, 1, 7e8);
                INSERT INTO ACHANGE (Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
                SELECT \(change), Z_ENT, 1, 1, ZENTITY, (SELECT Z_PK FROM ZFOLDER WHERE ZNUMBER = \(number)),
                \(transaction), ZCOLUMNS FROM ACHANGE WHERE ZCHANGETYPE = 1 ORDER BY Z_PK DESC LIMIT 1
                """)
        }
    }
}
#endif
