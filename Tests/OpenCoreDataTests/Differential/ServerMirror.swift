#if PostgreSQL
import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// The objects of a random world as rows on a server, in the tables that a store has there.
final class ServerMirror {
    let compiler: SQLCompiler
    let model: CompiledModel
    private let layout: StoreLayout
    private let connection: DriverConnection
    private let schema: String
    /// The indexes of the objects, by the root of their hierarchy and their key.
    private var indexes: [RowID: Int] = [:]

    init(of world: RandomWorld, on connection: DriverConnection, schema: String) throws {
        let coordinator = try #require(world.context.persistentStoreCoordinator)
        let store = try #require(coordinator.persistentStores.first).objectStore
        model = store.model
        layout = StoreLayout(postgres: model, schema: schema)
        compiler = SQLCompiler(model: model, layout: layout, storeIdentifier: store.identifier, dialect: .postgres)
        (self.connection, self.schema) = (connection, schema)
        try createTables()
        for (index, object) in world.objects.enumerated() {
            let reference = object.objectID.reference
            let entity = try #require(model.entity(named: reference.entityName))
            indexes[RowID(entity: entity.root, key: reference.key)] = index
        }
        try rows.insert(world.objects)
    }

    private var rows: ServerRows { ServerRows(compiler: compiler, connection: connection) }

    func drop() throws { try connection.execute("DROP SCHEMA \(SQLName.alwaysQuoted(schema)) CASCADE") }

    /// Returns the indexes of the objects that a statement of identities finds.
    func objects(_ statement: CompiledStatement) throws -> [Int] {
        try connection.rows(statement.sql, statement.bindings).map { row in
            let number = try #require(layout.server?.entityNumbers.firstIndex { Int64($0) == row[0] })
            let key = try #require(row[1])
            return try #require(indexes[RowID(entity: model.entities[number].root, key: key)])
        }
    }

    // MARK: Tables

    private func createTables() throws {
        try connection.execute("CREATE SCHEMA \(SQLName.alwaysQuoted(schema))")
        for statement in FoldingFunctions.statements(schema: schema) { try connection.execute(statement) }
        for (root, table) in layout.tables {
            let columns = table.columns.map { "\(SQLName.alwaysQuoted($0.name)) \($0.declaredType)" }
            try connection.execute("CREATE TABLE \(compiler.table(of: root)) (\(columns.joined(separator: ", ")))")
        }
        var created: Set<String> = []
        for case .join(let join)? in layout.toManys.joined() where created.insert(join.table).inserted {
            let columns = [join.ownColumn, join.otherColumn, join.orderColumn, join.inverseOrderColumn].compactMap {
                $0
            }
            .map { "\(SQLName.alwaysQuoted($0)) bigint" }
            try connection.execute("CREATE TABLE \(rows.name(of: join)) (\(columns.joined(separator: ", ")))")
        }
    }

}
#endif
