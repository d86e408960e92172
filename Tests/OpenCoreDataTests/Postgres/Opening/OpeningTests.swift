#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: opening a store", .enabled(if: PostgresServer.isEnabled))
struct OpeningOnServerTests {
    private func error(_ body: () throws -> Void) throws -> CoreDataError {
        try #require(throws: CoreDataError.self) { try body() }
    }

    // MARK: New stores

    @Test func `a missing store is created, and opened again with the same identifier and names`() throws {
        let server = try PostgresStores.options()
        let identifier = UUID()
        var options = StoreOptions()
        options.identifier = identifier
        let first = try PostgresStores.store(of: BookshopModel.model, at: server, options)
        #expect(first.identifier == identifier.uuidString)
        #expect(first.metadata[NSStoreTypeKey] as? String == SwormPostgreSQLStoreType)
        #expect(first.metadata[NSStoreModelVersionHashesKey] as? [String: Data] == BookshopModel.model.versionHashes)
        let second = try PostgresStores.store(of: BookshopModel.model, at: server)
        #expect(second.identifier == first.identifier && second.schema.names == first.schema.names)
        #expect(second.schema.layout.tables.mapValues(\.name) == first.schema.layout.tables.mapValues(\.name))
        #expect(second.metadata as NSDictionary == first.metadata as NSDictionary)
    }

    @Test func `the server accepts the tables of every kind of property`() throws {
        let server = try PostgresStores.options()
        for model in [CompiledModel.library, LibraryModel.model, TypesModel.model] {
            var server = server
            server.schema += "_\(model.entities.count)"
            let store = try PostgresStores.store(of: model, at: server)
            let tables = store.schema.tables
            let catalog = try store.pool.withConnection(for: "test") { try ServerCatalog($0, schema: server.schema) }
            for table in tables.tables {
                let columns = try #require(catalog.columns[table.name])
                #expect(table.columns.allSatisfy { columns[$0.name]?.type == $0.catalogType })
            }
            let names = try PostgresStores.run(
                "SELECT indexname::text FROM pg_indexes WHERE schemaname = '\(server.schema)'")
            #expect(Set(tables.indexes.map(\.name)).isSubset(of: names.compactMap(\.self)))
        }
        let storage = try PostgresStores.run(
            "SELECT attname::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = '\(server.schema)_6'::regnamespace AND c.relname = 'Book' AND a.attstorage = 'e'"
        )
        #expect(storage == ["scan"])
    }

    @Test func `a schema that exists already gets the tables, and names of any kind are quoted`() throws {
        var server = try PostgresStores.options()
        server.schema = "Straße \"\(server.schema)\" $1"
        try PostgresStores.run("CREATE SCHEMA \(SQLName.alwaysQuoted(server.schema))")
        let model = ModelSketch([
            .init(
                name: "select", attributes: ["from": .string, "Größe": .integer16, "a\"b": .date],
                relationships: ["table ->> select.table"])
        ]).compiled()
        let store = try PostgresStores.store(of: model, at: server)
        #expect(try PostgresStores.store(of: model, at: server).identifier == store.identifier)
    }

    @Test func `of ten openings at once, one creates the store`() async throws {
        let server = try PostgresStores.options()
        let identifiers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    try await withCheckedThrowingContinuation { continuation in
                        // Each has a thread of its own, as in ten programs.
                        Thread.detachNewThread {
                            let store = Result { try PostgresStores.store(of: BookshopModel.model, at: server) }
                            continuation.resume(with: store.map(\.identifier))
                        }
                    }
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(identifiers.count == 1)
        #expect(try PostgresStores.run("SELECT count(*)::text FROM \(server.schema)._sworm") == ["1"])
    }

    @Test(arguments: ["read-only", "not created", "never"])
    func `a missing store is an error if it must not be created`(_ reason: String) throws {
        var server = try PostgresStores.options()
        var options = StoreOptions()
        switch reason {
        case "read-only": options.isReadOnly = true
        case "not created": options.createsMissingFile = false
        default: server.changes = .never
        }
        let error = try error { _ = try PostgresStores.store(of: BookshopModel.model, at: server, options) }
        #expect(error.errorCode == CocoaError.Code.fileReadNoSuchFile.rawValue)
        #expect(error.message.hasPrefix("There is no store in the schema '\(server.schema)' at postgres://"))
        let schemas = try PostgresStores.run("SELECT 1 FROM pg_namespace WHERE nspname = '\(server.schema)'")
        #expect(schemas.isEmpty)
    }

    @Test func `a creation that fails leaves nothing`() throws {
        let server = try PostgresStores.options()
        try PostgresStores.run("CREATE SCHEMA \(server.schema)")
        // The index would have the name of this table.
        try PostgresStores.run("CREATE VIEW \(server.schema).\"Book_title\" AS SELECT 1 AS x")
        let error = try error { _ = try PostgresStores.store(of: BookshopModel.model, at: server) }
        #expect(error.errorCode == NSPersistentStoreOpenError)
        let tables = try PostgresStores.run("SELECT 1 FROM pg_tables WHERE schemaname = '\(server.schema)'")
        #expect(tables.isEmpty)
    }

    @Test func `tables of others with the same names are not touched`() throws {
        let server = try PostgresStores.options()
        try PostgresStores.run("CREATE SCHEMA \(server.schema)")
        try PostgresStores.run("CREATE TABLE \(server.schema).\"Book\" (x int)")
        let error = try error { _ = try PostgresStores.store(of: BookshopModel.model, at: server) }
        #expect(error.condition == .notAStore && error.message.contains("already has the table \"Book\""))
    }

    @Test(arguments: ["", "pg_shop", String(repeating: "x", count: 64)])
    func `a schema that no server can have is rejected`(_ name: String) throws {
        let server = try PostgresStores.options(schema: "public")
        var other = server
        other.schema = name
        let error = try error { _ = try PostgresStores.store(of: BookshopModel.model, at: other) }
        #expect(error.errorCode == NSPersistentStoreOpenError && error.message.contains("cannot have a store"))
    }

    @Test func `a database with another encoding is rejected`() throws {
        let name = "ascii_\(try PostgresServer.shared().newSchema())"
        let sql = "CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'"
        // A server with the order of a language has another provider of locales, which version 14 does not know.
        do { try PostgresStores.run(sql + " LOCALE_PROVIDER 'libc'") } catch { try PostgresStores.run(sql) }
        let server = try PostgresStores.options(schema: "shop", database: name)
        let error = try error { _ = try PostgresStores.store(of: BookshopModel.model, at: server) }
        #expect(error.condition == .unsupported)
        #expect(error.message.contains("has the encoding SQL_ASCII") && error.message.contains("ENCODING 'UTF8'"))
    }

    @Test func `a database that does not exist is named`() throws {
        let server = try PostgresStores.options(schema: "shop", database: "nowhere")
        let error = try error { _ = try PostgresStores.store(of: BookshopModel.model, at: server) }
        #expect(error.errorCode == NSPersistentStoreOpenError && error.message.contains("\"nowhere\""))
        #expect(error.message.contains("the database does not exist"))
    }

    @Test func `a server that is not there is unavailable`() throws {
        let server = try PostgresOptions("host=/nowhere-at-all dbname=shop user=shop password=hidden")
        let error = try error { _ = try PostgresStores.store(of: BookshopModel.model, at: server) }
        #expect(error.condition == .serverUnavailable && error.errorCode == NSPersistentStoreOpenError)
        #expect(!"\(error) \(error.errorUserInfo) \(String(reflecting: error))".contains("hidden"))
    }

    // MARK: Stores that exist

    @Test func `opening a store again writes nothing`() throws {
        let server = try PostgresStores.options()
        _ = try PostgresStores.store(of: BookshopModel.model, at: server)
        func state() throws -> [String?] {
            try PostgresStores.run(
                "SELECT xmin::text || ' ' || relname FROM pg_class WHERE relnamespace = '\(server.schema)'::regnamespace UNION ALL SELECT xmin::text FROM \(server.schema)._sworm UNION ALL SELECT xmin::text || ' ' || proname FROM pg_proc WHERE pronamespace = '\(server.schema)'::regnamespace ORDER BY 1"
            )
        }
        let before = try state()
        let statements = Locked<[String]>([])
        var options = StoreOptions()
        options.watch = StatementWatch { statement in statements.withLock { $0.append(statement.sql) } }
        _ = try PostgresStores.store(of: BookshopModel.model, at: server, options)
        #expect(try state() == before)
        let words = Set(statements.withLock { $0 }.map { $0.prefix { $0.isLetter } })
        #expect(words.isSubset(of: ["SET", "BEGIN", "WITH", "SELECT", "COMMIT"]), "\(words)")
        #expect(statements.withLock { $0 }.contains { $0.hasSuffix("READ ONLY") })
    }

    @Test func `a store of another model is rejected with every difference`() throws {
        let server = try PostgresStores.options()
        _ = try PostgresStores.store(of: BookshopModel.model, at: server)
        let tent = CompiledEntity(
            number: 5, name: "Tent", root: 5, family: 5...5, attributes: [], relationships: [],
            versionHash: LibraryModel.hash(5))
        let model = BookshopModel.compiled([BookshopModel.attribute("weight", .double)], hash: 77, others: [tent])
        let error = try error { _ = try PostgresStores.store(of: model, at: server) }
        #expect(error.errorCode == NSPersistentStoreIncompatibleVersionHashError)
        #expect(error.details.map(\.entity) == ["Book", "Tent"])
        #expect(
            error.message.contains("'Book' has changed: 'weight' is in the model only; 'Tent' is in the model only"))
    }

    @Test func `an entity that the store does not know is not numbered without a migration`() throws {
        let server = try PostgresStores.options()
        _ = try PostgresStores.store(of: BookshopModel.model, at: server)
        let tent = CompiledEntity(
            number: 5, name: "Tent", root: 5, family: 5...5, attributes: [], relationships: [])
        var options = StoreOptions()
        options.ignoresVersion = true
        let error = try error {
            _ = try PostgresStores.store(of: BookshopModel.compiled(others: [tent]), at: server, options)
        }
        #expect(error.errorCode == NSPersistentStoreIncompatibleVersionHashError && error.entity == "Tent")
        #expect(try PostgresStores.store(of: BookshopModel.compiled(hash: 9), at: server, options).isReadOnly == false)
    }

    @Test func `all differences of the tables are reported together, and the SQL removes them`() throws {
        let server = try PostgresStores.options()
        let (schema, book) = (server.schema, "\(server.schema).\"Book\"")
        _ = try PostgresStores.store(of: BookshopModel.model, at: server)
        for sql in [
            "DROP TABLE \(schema)._sworm_outcome", "DROP TABLE \(schema).\"Book_tags\"",
            "ALTER TABLE \(book) DROP COLUMN price", "ALTER TABLE \(book) DROP COLUMN author",
            "ALTER TABLE \(book) ALTER COLUMN year TYPE float8", "ALTER TABLE \(book) ALTER COLUMN isbn SET NOT NULL",
            "ALTER TABLE \(book) ADD COLUMN extra int NOT NULL", "ALTER TABLE \(book) ADD COLUMN harmless int",
            "ALTER TABLE \(schema).\"Tag\" ALTER COLUMN name TYPE text COLLATE \"default\"",
            "ALTER TABLE \(schema).\"Tag\" ALTER COLUMN _key DROP IDENTITY", "DROP INDEX \(schema).\"Book_isbn_key\"",
            "DROP INDEX \(schema).\"Book_title\"",
        ] { try PostgresStores.run(sql) }
        let error = try error { _ = try PostgresStores.store(of: BookshopModel.model, at: server) }
        #expect(error.errorCode == NSPersistentStoreIncompatibleSchemaError && error.condition == .schemaDiffers)
        #expect(
            error.details.map(\.message)
                == [
                    #"the table "_sworm_outcome" is missing"#,
                    #"the table "Book" has no column "price" for 'price' of Book"#,
                    #"the column "year" of the table "Book" for 'year' of Book has the type double precision and not integer"#,
                    #"the column "isbn" of the table "Book" for 'isbn' of Book requires a value"#,
                    #"the table "Book" has no column "author" for 'author' of Book"#,
                    #"the column "extra" of the table "Book" requires a value, and the model does not have it"#,
                    #"the table "Book_tags" of Book is missing"#,
                    #"the column "_key" of the table "Tag" has no sequence"#,
                    #"the column "name" of the table "Tag" for 'name' of Tag sorts by the collation "default" and not by "C""#,
                ].sorted { first, second in
                    let all = error.details.map(\.message)
                    return (all.firstIndex(of: first) ?? 99) < (all.firstIndex(of: second) ?? 99)
                })
        #expect(error.details.first { $0.message.contains("price") }?.key == "price")
        let sql = try #require(error.message.range(of: "This SQL would do so:")).upperBound
        for statement in error.message[sql...].split(separator: ";") { try PostgresStores.run(String(statement)) }
        // The indexes are created again in the background.
        let store = try PostgresStores.store(of: BookshopModel.model, at: server)
        #expect(store.upkeep.wait(until: .now + .seconds(240)))
        for index in ["Book_isbn_key", "Book_title"] {
            #expect(try PostgresStores.run("SELECT to_regclass('\(schema).\"\(index)\"')::text") != [nil], "\(index)")
        }
    }

    @Test func `a foreign key that is missing or not deferrable is a difference`() throws {
        let server = try PostgresStores.options()
        let book = "\(server.schema).\"Book\""
        _ = try PostgresStores.store(of: BookshopModel.model, at: server)
        try PostgresStores.run("ALTER TABLE \(book) DROP CONSTRAINT \"Book_author_fkey\"")
        try PostgresStores.run(
            "ALTER TABLE \(book) ADD CONSTRAINT x FOREIGN KEY (author) REFERENCES \(server.schema).\"Author\"")
        let error = try error { _ = try PostgresStores.store(of: BookshopModel.model, at: server) }
        #expect(
            error.details.map(\.message) == [
                #"the column "author" of the table "Book" for 'author' of Book has no deferrable foreign key to "Author""#
            ])
    }

    @Test func `folding functions of another version are added, unless nothing may be changed`() throws {
        var server = try PostgresStores.options()
        _ = try PostgresStores.store(of: BookshopModel.model, at: server)
        try PostgresStores.run("DROP FUNCTION \(server.schema)._sworm_fold1_cd")
        server.changes = .never
        #expect(
            try error { _ = try PostgresStores.store(of: BookshopModel.model, at: server) }.condition == .schemaDiffers)
        server.changes = .additive
        _ = try PostgresStores.store(of: BookshopModel.model, at: server)
        server.changes = .never
        _ = try PostgresStores.store(of: BookshopModel.model, at: server)
        #expect(try PostgresStores.run("SELECT \(server.schema)._sworm_fold1_cd('ÄB')") == ["ab"])
    }

    @Test func `a store of a later format is rejected`() throws {
        let server = try PostgresStores.options()
        _ = try PostgresStores.store(of: BookshopModel.model, at: server)
        try PostgresStores.run("UPDATE \(server.schema)._sworm SET format = 2")
        let error = try error { _ = try PostgresStores.store(of: BookshopModel.model, at: server) }
        #expect(error.condition == .unsupported && error.message.contains("has the format 2"))
    }

    @Test(arguments: ["metadata = '\\x00'", "names = '5'"])
    func `damage is reported`(_ change: String) throws {
        let server = try PostgresStores.options()
        _ = try PostgresStores.store(of: BookshopModel.model, at: server)
        try PostgresStores.run("UPDATE \(server.schema)._sworm SET \(change)")
        let error = try error { _ = try PostgresStores.store(of: BookshopModel.model, at: server) }
        #expect(error.errorCode == NSPersistentStoreIncompatibleSchemaError && error.message.contains("_sworm"))
    }

    @Test func `the form of dates is that of the existing columns`() throws {
        var server = try PostgresStores.options()
        server.dates = .doubles
        let first = try PostgresStores.store(of: BookshopModel.model, at: server)
        server.dates = .timestamps
        let second = try PostgresStores.store(of: BookshopModel.model, at: server)
        #expect(first.schema.layout.server?.secondsColumns.count == 1)
        #expect(second.schema.layout.server?.secondsColumns == first.schema.layout.server?.secondsColumns)
    }
}
#endif
