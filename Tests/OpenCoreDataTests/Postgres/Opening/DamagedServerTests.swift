#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: damaged content is an error", .enabled(if: PostgresServer.isEnabled))
struct DamagedServerTests {
    private let model = LibraryModel.model

    @Test(arguments: ["9223372036854775807", "32768", "0", "-5"])
    func `a number of an entity that its column cannot have`(_ number: String) throws {
        let server = try PostgresStores.store(of: model).serverOptions
        try PostgresStores.run(
            "UPDATE \(server.schema)._sworm SET \"names\" = pg_catalog.jsonb_set(\"names\" #- '{numbers,Page}', '{numbers,Tag}', '\(number)')"
        )
        let error = coreDataError { _ = try PostgresStores.store(of: model, at: server) }
        #expect(error?.errorCode == NSPersistentStoreIncompatibleSchemaError)
        #expect(error?.message.contains("Restore the table _sworm") == true, "\(error as Any)")
    }

    @Test func `new entities get numbers that their columns can have`() {
        func number(_ numbers: Int...) -> Int {
            var names = PostgresNames()
            for number in numbers { names.numbers["E\(number)"] = number }
            return names.freeNumber
        }
        #expect(number() == 1 && number(1, 2) == 3 && number(2, 7) == 8)
        #expect(number(1, 2, 32_767) == 3 && number(1, 2, .max) == 3 && number(.max) == 1)
        var names = PostgresNames()
        names.numbers = ["Tag": .max]
        _ = StoreLayout(postgres: model, schema: "x", names: &names)
        #expect(names.numbers.count == model.entities.count && names.numbers["Author"] == 1)
    }

    @Test func `a history from which everything was deleted that can exist`() throws {
        let store = try HistoryServer.open(try PostgresStores.options())
        try PostgresStores.run("UPDATE \(store.history.sql.history) SET \"purged\" = 9223372036854775807")
        let error = coreDataError { _ = try store.extent() }
        #expect(error?.errorCode == NSPersistentStoreIncompatibleSchemaError, "\(error as Any)")
        #expect(try store.history(after: nil).isEmpty)
    }

    @Test(arguments: [0, 1, 62, 63, 64] as [Int64]) func `a sequence near its end is copied`(distance: Int64) throws {
        let last = Int64.max - distance
        let store = try PostgresStores.store(of: model)
        let table = SQLName.literal("\(store.schema.prefix)\"Tag\"")
        try PostgresStores.run("SELECT setval(pg_get_serial_sequence(\(table), '_key')::regclass, \(last))")
        let session = try #require(store.beginSession() as? PostgresSession)
        defer { session.end() }
        let (end, overflow) = last.addingReportingOverflow(63)
        let highest = try ServerCopySource(session: session).highestKeys()[LibraryModel.tag]
        #expect(highest == (overflow ? last - 1 : end))
    }

    @Test func `a row for a value that was not asked for`() throws {
        struct Item { var name = "" }
        let store = try PostgresStores.store(of: model)
        let server = try PostgresStores.user(of: store)
        try store.insert(LibraryModel.author, ["name": .string("x")])
        // A function that another schema has under the name of the server's own, and that returns each value twice.
        try PostgresStores.run(
            "CREATE FUNCTION \(server.schema).unnest(text[]) RETURNS SETOF text LANGUAGE sql AS 'SELECT x FROM pg_catalog.unnest($1) x UNION ALL SELECT x FROM pg_catalog.unnest($1) x'"
        )
        let role = try #require(server.address.user)
        try PostgresStores.run("ALTER ROLE \(role) SET search_path = \(server.schema), pg_catalog")
        let user = try PostgresStores.store(of: model, at: server)
        let plan = try WritePlan<Item>(
            model[LibraryModel.author], [BatchField("name", \Item.name) { .string($0) }])
        var batch = RowBatch([Item(name: "x")], plan: plan)
        batch.takenValues = .keepRow
        let transaction = try user.beginTransaction()
        defer { transaction.end() }
        let error = coreDataError { _ = try transaction.insert(batch) }
        #expect(error?.message.contains("was not asked for") == true, "\(error as Any)")
    }
}
#endif
