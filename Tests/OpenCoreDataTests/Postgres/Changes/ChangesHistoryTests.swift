#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Changes on a server: the history", .enabled(if: PostgresServer.isEnabled))
struct ChangesHistoryTests {
    private let model = LibraryModel.model

    /// Runs a closure with a store in a file and with one on a server, and expects the same history of both.
    private func both(
        _ model: CompiledModel = LibraryModel.model, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (any ObjectStore) throws -> Void
    ) throws -> [[String]] {
        var histories: [[[String]]] = []
        for kind in SavingStore.Kind.allCases {
            let store = try SavingStore(kind, model, keepsHistory: true)
            try body(store.store)
            // The keys of each hierarchy, in the order in which its objects were inserted.
            var names: [RowID: Int64] = [:]
            func name(_ row: RowID) -> Int64 {
                let next = Int64(names.keys.lazy.filter { $0.entity == row.entity }.count) + 1
                return names[row]
                    ?? {
                        names[row] = next; return next
                    }()
            }
            histories.append(
                try store.store.waitForHistory(after: 0).map { transaction in
                    for change in transaction.changes where change.type == .insert {
                        _ = name(RowID(entity: model[change.row.entity].root, key: change.row.key))
                    }
                    return transaction.lines(model, name)
                })
        }
        #expect(histories[0] == histories[1], sourceLocation: sourceLocation)
        return histories[1]
    }

    @Test func `objects that are inserted, changed and deleted are the same changes as in a file`() throws {
        let found = try both { store in
            var request = SaveRequest()
            request.author = "ann"
            request.contextName = "main"
            let author = request.insert(model[LibraryModel.author], key: -1, ["name": .string("Leo")])
            request.insert(
                model[LibraryModel.comic], key: -2, ["title": .string("Maus")],
                ["author": author])
            let result = try store.save(request)
            let key = try #require(result.keys[-1])
            request = SaveRequest()
            request.author = ""
            request.update(
                RowID(entity: LibraryModel.author, key: key), version: 1, in: model,
                ["name": .string("Lev"), "age": .int(82)])
            try store.save(request)
            request = SaveRequest()
            request.deletions = [
                .init(row: RowID(entity: LibraryModel.author, key: key), version: 2),
                .init(
                    row: RowID(entity: LibraryModel.comic, key: try #require(result.keys[-2])), version: nil),
            ]
            try store.save(request)
        }
        let process = ProcessInfo.processInfo.processName
        let program = "\(process) | \(Bundle.main.bundleIdentifier ?? "local.\(process)")"
        #expect(
            found == [
                ["ann | main | \(program)", "insert Author 1 - []", "insert Comic 1 - []"],
                ["- | - | \(program)", "update Author 1 age,name []"],
                ["- | - | \(program)", "delete Author 1 - []", "delete Comic 1 - []"],
            ])
    }

    @Test func `links change both of their objects, and another order changes the owner`() throws {
        let found = try both { store in
            let comic = try store.insert(LibraryModel.comic)
            let tags = try (1...2).map { _ in try store.insert(LibraryModel.tag) }
            let friends = try (1...2).map { _ in try store.insert(LibraryModel.friend) }
            let authors = try ["a", "b"].map { try store.insert(LibraryModel.author, ["name": .string($0)]) }
            let (shelf, page) = (try store.insert(LibraryModel.shelf), try store.insert(LibraryModel.page))
            func save(_ change: (inout SaveRequest) throws -> Void) throws {
                var request = SaveRequest()
                try change(&request)
                try store.save(request)
            }
            let asBook = RowID(entity: LibraryModel.book, key: comic.key)
            try save { request in
                request.addedLinks = tags.map { SaveRequest.link(asBook, "tags", $0, in: model) }
                request.addedLinks.append(SaveRequest.link(friends[0], "friends", friends[1], in: model))
                request.update(comic, version: 1, in: model, ["title": .string("Maus")])
            }
            // A link that exists is no change.
            try save { $0.addedLinks = [SaveRequest.link(comic, "tags", tags[0], in: model)] }
            try save { $0.update(comic, version: 2, in: model, [:], ["author": authors[0]]) }
            try save { $0.update(comic, version: 3, in: model, [:], ["author": authors[1]]) }
            try save { $0.update(comic, version: 4, in: model, [:], ["author": authors[1]]) }
            try save {
                $0.positions = [.init(link: SaveRequest.link(authors[1], "books", asBook, in: model), orderKey: 7)]
            }
            try save { $0.addedLinks = [SaveRequest.link(shelf, "contents", page, in: model)] }
            try save { $0.removedLinks = [SaveRequest.link(shelf, "contents", page, in: model)] }
            try save { $0.removedLinks = [SaveRequest.link(friends[1], "friends", friends[0], in: model)] }
            try save { $0.addedLinks = [SaveRequest.link(friends[1], "friends", friends[0], in: model)] }
            try save {
                $0.deletions = [
                    .init(row: tags[1], version: 1), .init(row: friends[0], version: 1), .init(row: comic, version: 5),
                ]
            }
        }
        // All saves but the one of a link that exists.
        #expect(found.count == 9 + 10)
        #expect(found.last?.contains("update Friend 2 friends []") == true)
        #expect(found.last?.contains("update Author 2 books []") == true)
    }

    @Test func `a save that changes nothing, or fails, has no transaction`() throws {
        let found = try both { store in
            let authors = try ["a", "b"].map { try store.insert(LibraryModel.author, ["name": .string($0)]) }
            var request = SaveRequest()
            request.author = "nobody"
            try store.save(request)
            request.deletions = [.init(row: RowID(entity: LibraryModel.author, key: 9_999), version: nil)]
            try store.save(request)
            try store.setMetadata(["key": "value"])
            try store.save(SaveRequest())
            request = SaveRequest()
            request.update(authors[0], version: 9, in: model, ["age": .int(1)])
            #expect(throws: SaveConflicts.self) { try store.save(request) }
            let transaction = try store.beginTransaction()
            request = SaveRequest()
            request.update(authors[0], version: 1, in: model, ["age": .int(1)])
            let mark = transaction.mark()
            _ = try transaction.save(request)
            try transaction.undo(to: mark)
            request = SaveRequest()
            request.update(authors[1], version: 1, in: model, ["age": .int(2)])
            _ = try transaction.save(request)
            try transaction.commit()
            transaction.end()
        }
        #expect(found.count == 3)
    }

    @Test func `values are preserved after a deletion`() throws {
        let types = TypesModel.model[1]
        let model = CompiledModel(entities: [
            CompiledEntity(
                number: 1, name: "Everything", root: 1, family: 1...1,
                attributes: types.attributes.map { attribute in
                    CompiledAttribute(
                        name: attribute.name, owner: 1, type: attribute.type,
                        allowsExternalStorage: attribute.allowsExternalStorage,
                        preservesValueInHistoryOnDeletion: attribute.name != "int16")
                }, relationships: [], versionHash: LibraryModel.hash(9))
        ])
        let values: [[String: AttributeValue]] = [
            [
                "binary": .data(Data((0...255).map { UInt8($0) } + Data(count: 300))), "boolean": .bool(true),
                "date": .date(Date(timeIntervalSinceReferenceDate: 700_000_000.123456)),
                "decimal": .decimal(try #require(Decimal(string: "12345678901234567890.000000000000000001"))),
                "double": .double(0.1 + 0.2), "external": .data(Data(repeating: 7, count: 300_000)),
                "float": .double(Double(Float(1) / 3)), "int16": .int(-7), "int32": .int(Int64(Int32.min)),
                "int64": .int(.max), "string": .string("a \"quoted\" \\ Ä\n\u{1}"), "transformable": .data(Data([1])),
                "uri": .url(try #require(URL(string: "https://example.org/a?b=c%20d"))), "uuid": .uuid(UUID()),
            ],
            [
                "boolean": .bool(false), "date": .date(.distantPast), "decimal": .decimal(-3),
                "double": .double(-.infinity), "binary": .data(Data()), "string": .string(""),
            ],
            ["date": .date(.distantFuture), "double": .double(.leastNonzeroMagnitude)], [:],
        ]
        let found = try both(model) { store in
            for values in values {
                let row = try store.insert(1, values)
                var request = SaveRequest()
                request.deletions = [.init(row: row, version: 1)]
                try store.save(request)
            }
        }
        #expect(found.count == 2 * values.count)
        #expect(found[1][1].contains("int64=9223372036854775807"))
        #expect(!found[1][1].contains("int16"))
        #expect(found[7][1] == "delete Everything 4 - []")
    }

    @Test func `a store continues a history, and other stores that do not know it run their saves again`() throws {
        let options = try PostgresStores.options()
        let early = try HistoryServer.open(options, keepsHistory: false)
        let transaction = try early.beginTransaction()
        var request = SaveRequest()
        request.insert(model[LibraryModel.tag], key: -1, ["name": .string("before")])
        _ = try transaction.save(request)
        try transaction.commit()
        transaction.end()
        #expect(try early.reading { try $0.historyExtent() } == nil)
        #expect(try !early.deleteHistory(before: .date(.distantFuture)))

        // A transaction that is open while another program starts the history cannot be committed without it.
        let open = try early.beginTransaction(from: early.beginSession(), nil)
        // The start of a history waits for transactions that have written.
        let late = try HistoryServer.open(options)
        _ = try open.save(request)
        #expect(early.history.level == .none)
        do {
            try open.commit()
            Issue.record("the transaction was committed without a history")
        } catch let error as CoreDataError {
            #expect(error.condition == .conflict)
            #expect(error.message.contains("history"))
        }
        open.end()
        #expect(early.history.isOutdated)
        let row = try early.insert(LibraryModel.tag, ["name": .string("after")])
        #expect(early.history.level == .own)
        let again = try HistoryServer.open(options, keepsHistory: false)
        try again.insert(LibraryModel.tag, ["name": .string("later")])
        let found = try late.waitForHistory(after: 0)
        #expect(found.flatMap(\.changes).first?.row == row)
        #expect(found.count == 2)
        #expect(late.origin(ofTransaction: found[0].number) == .thisProcess)
        _ = try early.history(after: 0)
        #expect(early.origin(ofTransaction: found[0].number) == .thisStore)
        #expect(early.origin(ofTransaction: 1) == .elsewhere)
    }

    @Test(arguments: [false, true])
    func `a transaction writes the history that it has begun with, although the store learns of another one`(
        _ recordsEverybody: Bool
    ) throws {
        var options = try PostgresStores.options()
        let early = try HistoryServer.open(options, keepsHistory: recordsEverybody)
        let transaction = try early.beginTransaction(from: early.beginSession(), nil)
        options.recordsOtherPrograms = recordsEverybody
        let late = try HistoryServer.open(options)
        early.history.setOutdated()
        try early.beginSession(nil).end()
        #expect(early.history.level == (recordsEverybody ? .everybody : .own))

        let error = coreDataError {
            var request = SaveRequest()
            request.insert(model[LibraryModel.tag], key: -1, ["name": .string("early")])
            _ = try transaction.save(request)
            try transaction.commit()
        }
        #expect(error?.condition == .conflict, "\(String(describing: error))")
        transaction.end()
        let row = try early.insert(LibraryModel.tag, ["name": .string("last")])
        let found = try late.waitForHistory(after: 0)
        #expect(found.map { $0.changes.map(\.row) } == [[row]])
        #expect(try late.values(LibraryModel.tag, "name") == [.string("last")])
    }

    @Test func `a save that meets a history for the first time is run again`() throws {
        let options = try PostgresStores.options()
        let early = try HistoryServer.open(options, keepsHistory: false)
        try early.insert(LibraryModel.tag)
        let late = try HistoryServer.open(options)
        try early.insert(LibraryModel.tag)
        #expect(try late.waitForHistory(after: 0).count == 1)
        #expect(try late.values(LibraryModel.tag, "name").count == 2)
    }

    @Test func `a store that may not be changed does not start a history`() throws {
        var options = try PostgresStores.options()
        #expect(try HistoryServer.open(options, keepsHistory: false).history.level == .none)
        options.changes = .never
        #expect(throws: CoreDataError.self) { try HistoryServer.open(options) }
        options.changes = .additive
        #expect(try HistoryServer.open(options).history.level == .own)
        options.changes = .never
        #expect(try HistoryServer.open(options).history.level == .own)
    }

    @Test func `a commit with a history is durable before it is visible`() throws {
        let options = try PostgresStores.options()
        let store = try HistoryServer.open(options)
        try store.pass(
            "ALTER TABLE @\"_sworm_change\" ADD COLUMN mode text DEFAULT pg_catalog.current_setting('synchronous_commit')"
        )
        try store.pass(
            "ALTER TABLE @\"_sworm_transaction\" ADD COLUMN mode text DEFAULT pg_catalog.current_setting('synchronous_commit')"
        )
        try store.insert(LibraryModel.tag)
        // The server of the tests does not wait for its disk.
        #expect(try store.number("SELECT count(*) FROM \(store.history.sql.changes) WHERE mode = 'off'") == 1)
        #expect(try store.number("SELECT count(*) FROM \(store.history.sql.transactions) WHERE mode = 'on'") == 1)
    }
}
#endif
