#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: errors in the words of the model")
struct ErrorsOnServerTests {
    private func translated(
        _ kind: ServerError.Kind, _ state: String? = nil, constraint: String? = nil, table: String? = nil,
        column: String? = nil, schema: String = "shop", while action: String = "save"
    ) -> CoreDataError {
        var error = ServerError(
            kind, "the server reported an error", state: state.map { SQLState(rawValue: $0) }, sql: "SELECT $1")
        (error.constraint, error.table, error.column, error.schema) = (constraint, table, column, schema)
        let layout = StoreLayout(postgres: BookshopModel.model, schema: "shop")
        return CoreDataError(
            error, while: action, place: "postgres://db/x (schema shop)",
            schema: ServerSchema(
                model: BookshopModel.model, layout: layout, names: PostgresNames(), identifier: UUID().uuidString))
    }

    @Test func `a constraint of the model is named by its properties`() {
        let unique = translated(.uniqueViolation, "23505", constraint: "Book_isbn_key", table: "Book")
        #expect(unique.errorCode == NSManagedObjectConstraintMergeError)
        #expect(unique.entity == "Book" && unique.key == "isbn" && unique.message.contains("'isbn' of Book"))
        let missing = translated(.constraintViolation, "23502", table: "Book", column: "title")
        #expect(missing.errorCode == NSValidationMissingMandatoryPropertyError)
        #expect(missing.entity == "Book" && missing.key == "title")
        let link = translated(.foreignKeyViolation, "23503", constraint: "Book_author_fkey", table: "Book")
        #expect(link.errorCode == NSManagedObjectReferentialIntegrityError && link.condition == .conflict)
        #expect(link.entity == "Book" && link.key == "author")
        let join = translated(.foreignKeyViolation, "23503", constraint: "Book_tags_Tag_fkey", table: "Book_tags")
        #expect(join.entity == "Book" && join.key == "tags")
        let long = translated(.limit, "54000", constraint: "Book_title", table: "Book")
        #expect(long.errorCode == NSManagedObjectValidationError && long.key == "title")
        #expect(long.message.contains("2704 bytes"))
        let range = translated(.overflow, "22003", table: "Book", column: "year")
        #expect(range.errorCode == NSManagedObjectValidationError && range.key == "year")
    }

    @Test func `a constraint of others is named by its own name`() {
        for kind in [ServerError.Kind.uniqueViolation, .constraintViolation, .foreignKeyViolation] {
            let error = translated(kind, "23000", constraint: "their_rule", table: "Book")
            #expect(error.message.contains("\"their_rule\" of the table \"Book\"") && error.entity == nil)
        }
        // A table of another schema is not the store's.
        #expect(translated(.constraintViolation, "23502", table: "Book", column: "title", schema: "log").entity == nil)
    }

    @Test(
        arguments: [
            (ServerError.Kind.unavailable, "08006", NSPersistentStoreOperationError, StoreCondition.serverUnavailable),
            (.outcomeUnknown, nil, NSPersistentStoreSaveError, .outcomeUnknown),
            (.conflict, "40001", NSManagedObjectMergeError, .conflict),
            (.timeout, "57014", NSPersistentStoreTimeoutError, .timedOut),
            (.cancelled, "57014", CocoaError.Code.userCancelled.rawValue, nil),
            (.permission, "42501", CocoaError.Code.fileWriteNoPermission.rawValue, nil),
            (.transaction, "25006", CocoaError.Code.fileWriteNoPermission.rawValue, .readOnly),
            (.statement, "42703", NSPersistentStoreIncompatibleSchemaError, .schemaDiffers),
            (.statement, "42601", NSPersistentStoreOperationError, nil),
            (.notSupported, "0A000", NSPersistentStoreOperationError, .unsupported),
            (.server, "53100", CocoaError.Code.fileWriteOutOfSpace.rawValue, nil),
            (.misuse, nil, NSPersistentStoreOperationError, nil),
        ] as [(ServerError.Kind, String?, Int, StoreCondition?)])
    func `every kind has a code and a condition`(
        _ kind: ServerError.Kind, _ state: String?, _ code: Int, _ condition: StoreCondition?
    ) {
        let error = translated(kind, state)
        #expect(error.errorCode == code && error.condition == condition)
        #expect(error.message.hasPrefix("Cannot save the store 'postgres://db/x (schema shop)': "))
        #expect(error.message.hasSuffix(".") || kind == .timeout)
    }

    @Test func `a timeout names the statement by its shape`() {
        #expect(translated(.timeout, "57014").message.contains("The statement was: SELECT $1"))
    }

    @Test func `an error while opening is one of opening`() {
        #expect(translated(.notSupported, while: "open").errorCode == NSPersistentStoreOpenError)
        #expect(translated(.unavailable, while: "open").errorCode == NSPersistentStoreOpenError)
    }
}

@Suite("PostgreSQL: errors of a server", .enabled(if: PostgresServer.isEnabled))
struct ErrorsOfServerTests {
    private func translated(
        _ store: PostgresStore, token: InterruptToken? = nil, _ body: (PostgresConnection) throws -> Void
    ) throws -> CoreDataError {
        try #require(throws: CoreDataError.self) {
            try store.translating("save", token: token) {
                try store.pool.withConnection(for: "test", token: token, body)
            }
        }
    }

    @Test func `errors of constraints name properties, and no values`() throws {
        let store = try PostgresStores.store(of: BookshopModel.model)
        let prefix = store.schema.prefix
        let secret = "s3cret-value"
        func error(_ sql: String) throws -> CoreDataError {
            let error = try translated(store) { try $0.run(sql) }
            #expect(
                !"\(error)\(error.errorUserInfo)\(String(reflecting: error.cause))".contains(secret)
                    || sql.contains("_sworm"))
            return error
        }
        let identifier = UUID().uuidString
        func book(_ columns: String, _ values: String) -> String {
            "INSERT INTO \(prefix)\"Book\" (_entity, \(columns)) VALUES (2, \(values))"
        }
        try store.pool.withConnection(for: "test") {
            _ = try $0.run(book("title, isbn", "'\(secret)', '\(identifier)'"))
        }
        let unique = try error(book("title, isbn", "'x', '\(identifier)'"))
        #expect(unique.entity == "Book" && unique.key == "isbn" && !unique.message.contains(identifier.lowercased()))
        #expect(try error(book("year", "7")).key == "title")
        let link = try error(book("title, author", "'x', 12345"))
        #expect(link.key == "author" && !link.message.contains("12345"))
        let long = try error(
            "INSERT INTO \(prefix)\"Book\" (_entity, title) SELECT 2, string_agg(md5(i::text), '') FROM generate_series(1, 200) i"
        )
        #expect(long.errorCode == NSManagedObjectValidationError && long.key == "title", "\(long)")
        let gone = try error("SELECT nothing FROM \(prefix)\"Book\"")
        #expect(gone.condition == .schemaDiffers)
    }

    @Test func `the reason of a token wins`() throws {
        let store = try PostgresStores.store(of: BookshopModel.model)
        let token = InterruptToken()
        token.interrupt(.suspended)
        let error = try translated(store, token: token) { try $0.run("SELECT 1") }
        #expect(error.condition == .suspended)
        let late = InterruptToken()
        late.deadline = .now + .milliseconds(50)
        let timeout = try translated(store, token: late) { try $0.run("SELECT pg_sleep(5)") }
        #expect(timeout.condition == .timedOut && timeout.message.contains("deadline"))
    }

    @Test func `work of a closed store fails because it is closed`() throws {
        let store = try PostgresStores.store(of: BookshopModel.model)
        store.close()
        let error = #expect(throws: CoreDataError.self) { try store.beginSession() }
        #expect(error?.condition == .storeClosed)
        let other = try translated(store) { try $0.run("SELECT 1") }
        #expect(other.condition == .storeClosed)
    }

    @Test func `a nested call without another connection says so`() throws {
        var server = try PostgresStores.options()
        server.address.connections = 1
        let store = try PostgresStores.store(of: BookshopModel.model, at: server)
        let error = try translated(store) { _ in
            try store.translating("read") { try store.pool.withConnection(for: "inner") { _ in } }
        }
        #expect(error.condition == .wouldDeadlock)
    }

    @Test func `a user without permission is told`() throws {
        let server = try PostgresStores.options()
        _ = try PostgresStores.store(of: BookshopModel.model, at: server)
        let role = "reader_\(server.schema)"
        try PostgresStores.run("CREATE ROLE \(role) LOGIN")
        try PostgresStores.run("GRANT USAGE ON SCHEMA \(server.schema) TO \(role)")
        try PostgresStores.run("GRANT SELECT ON ALL TABLES IN SCHEMA \(server.schema) TO \(role)")
        var other = server
        other.address.user = role
        let store = try PostgresStores.store(of: BookshopModel.model, at: other)
        let error = try translated(store) { try $0.run("DELETE FROM \(store.schema.prefix)\"Book\"") }
        #expect(error.errorCode == CocoaError.Code.fileWriteNoPermission.rawValue)
        let missing = try PostgresStores.options(schema: "missing_\(server.schema)")
        var forbidden = missing
        forbidden.address.user = role
        let creation = #expect(throws: CoreDataError.self) {
            _ = try PostgresStores.store(of: BookshopModel.model, at: forbidden)
        }
        #expect(creation?.errorCode == CocoaError.Code.fileReadNoPermission.rawValue, "\(String(describing: creation))")
    }
}
#endif
