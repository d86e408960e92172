import OpenCoreData
import SwormSQLite
import SwormStore

/// Triggers and virtual tables that an application has added to its store. A new store of the model does not contain
/// them.
enum PrivateSchema {
    /// Warns about those that a dump omits.
    static func report(in store: StoreReader, to console: Console) throws {
        let connection = try Connection(.memory(name: "schema"))
        for statement in StoreSchema(model: store.model).statements() { try connection.execute(statement) }
        let own = try names(connection)
        let names = try names(StoreInspector(url: store.url).connection).filter { !own.contains($0) }
        for name in names { console.warn("the \(name) belongs to the application and is not part of the dump") }
    }

    private static func names(_ connection: Connection) throws -> [String] {
        var statement = try connection.statement(
            """
            SELECT CASE type WHEN 'trigger' THEN 'trigger ''' ELSE 'virtual table ''' END || name || '''' FROM sqlite_master
            WHERE type = 'trigger' OR type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY type, name
            """)
        var names: [String] = []
        while try statement.step() { if let name = statement.text(0) { names.append(name) } }
        return names
    }
}
