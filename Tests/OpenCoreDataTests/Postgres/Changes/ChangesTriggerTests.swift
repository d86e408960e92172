#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Histories that have the changes of programs without this library.
@Suite("Changes on a server: the changes of everybody", .enabled(if: PostgresServer.isEnabled))
struct ChangesTriggerTests {
    private let model = LibraryModel.model

    private func options() throws -> PostgresOptions {
        var options = try PostgresStores.options()
        options.recordsOtherPrograms = true
        return options
    }

    private func lines(_ transactions: [StoredTransaction]) -> [[String]] {
        transactions.map { transaction in transaction.changes.map { $0.line(model) { $0.key } }.sorted() }
    }

    @Test func `other programs' rows are in the history, and own ones are there once`() throws {
        let store = try HistoryServer.open(options(), keepsHistory: false)
        #expect(store.history.level == .everybody)
        let author = try store.insert(LibraryModel.author, ["name": .string("a")])
        let comic = try store.insert(LibraryModel.comic, ["title": .string("own")], ["author": author])
        let own = try store.waitForHistory(after: 0)
        #expect(own.count == 2 && own.flatMap(\.changes).count == 3)
        let entity = store.schema.columns[LibraryModel.comic - 1].storedNumber
        func pass(_ statements: String...) throws -> [StoredTransaction] {
            let last = try store.extent().highest
            try store.pass("SET application_name = 'psql'")
            let connection = try PostgresConnection.open(store.serverOptions.address)
            try connection.run(.command("SET application_name = 'psql'"))
            try connection.transaction(TransactionOptions(.readCommitted)) {
                for sql in statements { try connection.run(.command(sql.replacing("@", with: store.schema.prefix))) }
            }
            return try store.waitForHistory(after: last)
        }
        let inserted = try pass(
            "INSERT INTO @\"Tag\" (\"_key\", \"name\") VALUES (7001, 'x'), (7002, 'y')",
            "INSERT INTO @\"Book\" (\"_key\", \"_entity\", \"title\") VALUES (7003, \(entity), 'z')")
        #expect(inserted.count == 1)
        #expect(inserted[0].processID == "psql" && inserted[0].author == nil)
        #expect(store.origin(ofTransaction: inserted[0].number) == .elsewhere)
        #expect(lines(inserted) == [["insert Comic 7003 - []", "insert Tag 7001 - []", "insert Tag 7002 - []"]])
        let updated = try pass(
            "UPDATE @\"Tag\" SET \"name\" = 'w' WHERE \"_key\" = 7001", "UPDATE @\"Tag\" SET \"name\" = 'w' WHERE FALSE"
        )
        #expect(lines(updated) == [["update Tag 7001 - []"]])
        #expect(try pass("DELETE FROM @\"Tag\" WHERE FALSE").isEmpty)
        let renamed = try pass("UPDATE @\"Tag\" SET \"_key\" = 7010 WHERE \"_key\" = 7001")
        #expect(lines(renamed) == [["delete Tag 7001 - []", "insert Tag 7010 - []"]])
        guard case .relationship(let slot)? = model[LibraryModel.book].slot(named: "tags"),
            case .join(let join)? = store.schema.layout.toMany(slot, in: LibraryModel.book)
        else { Issue.record("there is no join table"); return }
        let linked = try pass(
            "INSERT INTO @\"\(join.table)\" (\"\(join.ownColumn)\", \"\(join.otherColumn)\") VALUES (\(comic.key), 7010), (\(comic.key), 7002)"
        )
        #expect(
            lines(linked) == [
                ["update Comic \(comic.key) tags []", "update Tag 7002 books []", "update Tag 7010 books []"]
            ])
        let deleted = try pass("DELETE FROM @\"Tag\" WHERE \"_key\" = 7010")
        #expect(lines(deleted) == [["delete Tag 7010 - []", "update Comic \(comic.key) tags []"]])
        let emptied = try pass("TRUNCATE @\"Page\", @\"Tag\", @\"\(join.table)\"")
        #expect(
            lines(emptied) == [
                ["delete Tag 7002 - []", "update Comic \(comic.key) tags []", "update Tag 7002 books []"]
            ]
        )
        let failed = try? pass("INSERT INTO @\"Tag\" (\"name\") VALUES ('never')", "SELECT 1 / 0")
        #expect(failed == nil)
        // Own writes of all kinds are recorded with more than a trigger knows.
        let last = try store.extent().highest
        var request = SaveRequest()
        request.update(comic, version: 1, in: model, ["title": .string("new")])
        try store.save(request)
        let transaction = try store.beginTransaction(from: store.beginSession(), nil)
        request = SaveRequest()
        request.insert(model[LibraryModel.tag], key: -1)
        let result = try transaction.save(request)
        try transaction.commit()
        transaction.end()
        #expect(
            lines(try store.waitForHistory(after: last)) == [
                ["update Comic \(comic.key) title []"], ["insert Tag \(try #require(result.keys[-1])) - []"],
            ])
    }

    @Test func `values are preserved that other programs delete`() throws {
        let model = CompiledModel(entities: [
            CompiledEntity(
                number: 1, name: "Thing", root: 1, family: 1...2,
                attributes: [
                    CompiledAttribute(
                        name: "code", owner: 1, type: .string, preservesValueInHistoryOnDeletion: true),
                    CompiledAttribute(name: "other", owner: 1, type: .string),
                    CompiledAttribute(
                        name: "time", owner: 1, type: .date, preservesValueInHistoryOnDeletion: true),
                ], relationships: [], versionHash: LibraryModel.hash(1)),
            CompiledEntity(
                number: 2, name: "Special", superentity: 1, root: 1, family: 2...2,
                attributes: [
                    CompiledAttribute(
                        name: "code", owner: 1, type: .string, preservesValueInHistoryOnDeletion: true),
                    CompiledAttribute(name: "other", owner: 1, type: .string),
                    CompiledAttribute(
                        name: "time", owner: 1, type: .date, preservesValueInHistoryOnDeletion: true),
                    CompiledAttribute(
                        name: "extra", owner: 2, type: .integer64, preservesValueInHistoryOnDeletion: true),
                ], relationships: [], versionHash: LibraryModel.hash(2)),
        ])
        let store = try HistoryServer.open(options(), model)
        let date = Date(timeIntervalSinceReferenceDate: 7e8)
        try store.insert(1, ["code": .string("it's"), "other": .string("o"), "time": .date(date)])
        try store.insert(2, ["code": .string("s"), "extra": .int(.min)])
        try store.insert(2, [:])
        let last = try store.waitForHistory(after: 0).last?.number ?? 0
        try store.pass("DELETE FROM @\"Thing\"")
        let changes = try store.waitForHistory(after: last).flatMap(\.changes)
        #expect(changes.count == 3)
        #expect(changes[0].tombstone == [0: .text("it's"), 2: .real(7e8)])
        #expect(changes[1].tombstone == [0: .text("s"), 3: .integer(.min)])
        #expect(changes[2].tombstone.isEmpty)
    }

    @Test func `a listener hears of other programs`() throws {
        let store = try HistoryServer.open(options())
        let heard = HeardChanges()
        let end = store.listen(concerning: nil) { heard.note($0) }
        defer { end() }
        try store.pass("INSERT INTO @\"Tag\" (\"_key\") VALUES (5)")
        heard.wait { !$0.isEmpty }
        #expect(heard.changes[0].isForeign && !heard.changes[0].isUnknown)
        #expect(heard.changes[0].rows["Tag"]?.inserted == [5])
        // Triggers of others may change what no history has.
        try store.pass(
            "CREATE FUNCTION @other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$",
            "CREATE TRIGGER other BEFORE INSERT ON @\"Tag\" FOR EACH ROW EXECUTE FUNCTION @other()",
            "INSERT INTO @\"Tag\" (\"_key\") VALUES (6)")
        heard.wait { $0.count > 1 }
        #expect(heard.changes[1].isUnknown)
        #expect(try store.reading { try $0.hasForeignTriggers() })
    }

    @Test func `triggers are made once for each version of the model, and removed with the store`() throws {
        let options = try options()
        var plain = options
        plain.recordsOtherPrograms = false
        let early = try HistoryServer.open(plain)
        #expect(early.history.level == .own)
        #expect(try !early.reading { try $0.hasForeignTriggers() })
        let store = try HistoryServer.open(options)
        let triggers =
            "SELECT sum(oid::bigint)::bigint FROM pg_trigger WHERE tgname LIKE '\\_sworm\\_history\\_%' AND tgrelid = '@\"Tag\"'::regclass"
            .replacing("@", with: store.schema.prefix)
        let sum = try store.number(triggers)
        #expect(sum > 0)
        let again = try HistoryServer.open(options)
        #expect(try HistoryServer.open(plain).history.level == .everybody)
        #expect(try again.number(triggers) == sum)
        // A transaction that the triggers would not know is run again.
        try early.insert(LibraryModel.tag)
        #expect(early.history.level == .everybody)
        try early.insert(LibraryModel.tag)
        #expect(try store.waitForHistory(after: 0).flatMap(\.changes).count == 2)
        for store in [early, store, again] { try store.close(until: nil) }
        try StoreOnServer(options, options: StoreOptions()).destroy(isForced: false)
        #expect(
            try PostgresStores.run("SELECT count(*) FROM pg_namespace WHERE nspname = '\(options.schema)'") == ["0"])
    }
}
#endif
