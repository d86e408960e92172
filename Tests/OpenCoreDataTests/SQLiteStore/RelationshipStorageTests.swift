import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import SwormSQLite
import Testing
import SwormRows

@Suite("Each kind of relationship in the file")
struct RelationshipStorageTests {
    private let model = LibraryModel.model

    private func members(_ store: SQLiteStore, _ owner: RowID, _ name: String) throws -> [StoreMember] {
        guard case .relationship(let slot)? = model[owner.entity].slot(named: name) else { return [] }
        return try store.reading { try $0.members(ofRelationship: slot, entity: owner.entity, owners: [owner.key]) }
    }

    private func verify(_ folder: StoreFolder, _ store: SQLiteStore) throws {
        store.close()
        #expect(try StoreVerification.issues(of: folder.url(), model: model) == [])
    }

    @Test func `a polymorphic to-one keeps the key and the entity of its destination`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        var request = SaveRequest()
        let book = request.insert(model[LibraryModel.book], key: -1, ["title": .string("War")])
        let comic = request.insert(model[LibraryModel.comic], key: -2, ["title": .string("Maus")])
        request.insert(model[LibraryModel.page], key: -3, [:], ["book": book])
        request.insert(model[LibraryModel.page], key: -4, [:], ["book": comic])
        request.insert(model[LibraryModel.page], key: -5)
        let keys = try store.save(request).keys
        let raw = try folder.raw()
        #expect(try raw.lines("SELECT ZBOOK, Z2_BOOK FROM ZPAGE ORDER BY Z_PK") == ["1|2", "2|3", "NULL|NULL"])
        #expect(try raw.lines("SELECT Z_PK, Z_ENT, Z_OPT FROM ZBOOK ORDER BY Z_PK") == ["1|2|1", "2|3|1"])
        let found = try members(store, .init(entity: LibraryModel.comic, key: keys[-2] ?? 0), "pages")
        #expect(found.map(\.destination) == [.init(entity: LibraryModel.page, key: keys[-4] ?? 0)])

        var update = SaveRequest()
        update.update(
            .init(entity: LibraryModel.page, key: 1), version: 1, in: model, [:], ["book": .init(entity: 3, key: 2)])
        update.update(
            .init(entity: LibraryModel.page, key: 2), version: 1, in: model, [:],
            ["book": Optional<RowID>.none])
        #expect(try store.save(update).updatedVersions == [2, 2])
        #expect(
            try raw.lines("SELECT ZBOOK, Z2_BOOK, Z_OPT FROM ZPAGE ORDER BY Z_PK") == [
                "2|3|2", "NULL|NULL|2", "NULL|NULL|1",
            ])
        try verify(folder, store)
    }

    @Test func `members of an ordered to-many get sparse keys, and lose them with their owner`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        var request = SaveRequest()
        let leo = request.insert(model[LibraryModel.author], key: -1, ["name": .string("Leo")])
        let anna = request.insert(model[LibraryModel.author], key: -2, ["name": .string("Anna")])
        for key in 1...3 as ClosedRange<Int64> {
            request.insert(model[LibraryModel.book], key: -10 - key, ["year": .int(key)], ["author": leo])
        }
        request.insert(model[LibraryModel.comic], key: -20, [:], ["author": anna])
        try store.save(request)
        let raw = try folder.raw()
        let sql = "SELECT Z_PK, ZAUTHOR, Z_FOK_AUTHOR FROM ZBOOK ORDER BY Z_PK"
        #expect(try raw.lines(sql) == ["1|1|2048", "2|1|3072", "3|1|4096", "4|2|2048"])

        var change = SaveRequest()
        let (first, second, third) = (
            RowID(entity: 2, key: 1), RowID(entity: 2, key: 2), RowID(entity: 2, key: 3)
        )
        let leoRow = RowID(entity: 1, key: 1)
        change.update(first, version: 1, in: model, [:], ["author": Optional<RowID>.none])
        change.update(second, version: 1, in: model, [:], ["author": .init(entity: 1, key: 2)])
        change.update(third, version: 1, in: model, ["year": .int(9)], ["author": leoRow])
        try store.save(change)
        #expect(try raw.lines(sql) == ["1|NULL|NULL", "2|2|3072", "3|1|4096", "4|2|2048"])

        var positions = SaveRequest()
        let annaRow = RowID(entity: 1, key: 2)
        positions.positions = [
            .init(link: SaveRequest.link(annaRow, "books", second, in: model), orderKey: 1024),
            // Not a member: its order must stay empty.
            .init(link: SaveRequest.link(annaRow, "books", first, in: model), orderKey: 5),
        ]
        try store.save(positions)
        #expect(try raw.lines(sql) == ["1|NULL|NULL", "2|2|1024", "3|1|4096", "4|2|2048"])
        #expect(try members(store, annaRow, "books").map(\.destination.key) == [2, 4])
        try verify(folder, store)
    }

    @Test func `a many-to-many relationship is stored in a join table, ordered on one side`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        var request = SaveRequest()
        let book = request.insert(model[LibraryModel.book], key: -1)
        let comic = request.insert(model[LibraryModel.comic], key: -2)
        let red = request.insert(model[LibraryModel.tag], key: -3, ["name": .string("red")])
        let blue = request.insert(model[LibraryModel.tag], key: -4, ["name": .string("blue")])
        request.addedLinks = [
            SaveRequest.link(book, "tags", red, in: model), SaveRequest.link(book, "tags", blue, in: model),
            // Named from the other side, and twice.
            SaveRequest.link(red, "books", comic, in: model), SaveRequest.link(red, "books", comic, in: model),
        ]
        request.positions = [.init(link: SaveRequest.link(book, "tags", blue, in: model), orderKey: 100)]
        try store.save(request)
        let raw = try folder.raw()
        let sql = "SELECT Z_2BOOKS, Z_7TAGS, Z_FOK_7TAGS FROM Z_2TAGS ORDER BY 1, 2"
        #expect(
            try raw.lines(sql) == ["1|1|1124", "1|2|100", "2|1|2048"]
                || raw.lines(sql) == ["1|1|2048", "1|2|100", "2|1|2048"])
        let bookRow = RowID(entity: 2, key: 1)
        #expect(try members(store, bookRow, "tags").map(\.destination.key) == [2, 1])
        #expect(
            try members(store, .init(entity: 7, key: 1), "books").map(\.destination) == [
                bookRow, .init(entity: 3, key: 2),
            ])

        var removal = SaveRequest()
        removal.removedLinks = [SaveRequest.link(.init(entity: 7, key: 2), "books", bookRow, in: model)]
        removal.deletions = [.init(row: .init(entity: 3, key: 2), version: 1)]
        try store.save(removal)
        #expect(try raw.lines("SELECT Z_2BOOKS, Z_7TAGS FROM Z_2TAGS") == ["1|1"])
        try verify(folder, store)
    }

    @Test func `a relationship that is its own inverse is seen from both ends`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        var request = SaveRequest()
        let one = request.insert(model[LibraryModel.friend], key: -1)
        let two = request.insert(model[LibraryModel.friend], key: -2)
        let three = request.insert(model[LibraryModel.friend], key: -3)
        request.addedLinks = [
            SaveRequest.link(one, "friends", two, in: model), SaveRequest.link(three, "friends", one, in: model),
        ]
        try store.save(request)
        let rows = (1...3).map { RowID(entity: LibraryModel.friend, key: $0) }
        #expect(try members(store, rows[0], "friends").map(\.destination.key) == [2, 3])
        #expect(try members(store, rows[1], "friends").map(\.destination.key) == [1])
        var removal = SaveRequest()
        removal.removedLinks = [SaveRequest.link(rows[1], "friends", rows[0], in: model)]
        try store.save(removal)
        #expect(try members(store, rows[0], "friends").map(\.destination.key) == [3])
        removal = SaveRequest()
        removal.deletions = [.init(row: rows[2], version: nil)]
        try store.save(removal)
        #expect(try members(store, rows[0], "friends") == [])
        try verify(folder, store)
    }

    @Test func `a one-way to-many relationship is stored in a column of its destination`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        var request = SaveRequest()
        let shelf = request.insert(model[LibraryModel.shelf], key: -1)
        let first = request.insert(model[LibraryModel.page], key: -2)
        let second = request.insert(model[LibraryModel.page], key: -3)
        request.addedLinks = [
            SaveRequest.link(shelf, "contents", first, in: model),
            SaveRequest.link(shelf, "contents", second, in: model),
        ]
        try store.save(request)
        let raw = try folder.raw()
        #expect(try raw.lines("SELECT Z6CONTENTS FROM ZPAGE ORDER BY Z_PK") == ["1", "1"])
        let shelfRow = RowID(entity: LibraryModel.shelf, key: 1)
        var removal = SaveRequest()
        removal.removedLinks = [
            SaveRequest.link(shelfRow, "contents", .init(entity: LibraryModel.page, key: 1), in: model)
        ]
        try store.save(removal)
        #expect(try members(store, shelfRow, "contents").map(\.destination.key) == [2])
        removal = SaveRequest()
        removal.deletions = [.init(row: shelfRow, version: 1)]
        try store.save(removal)
        #expect(try raw.lines("SELECT Z6CONTENTS FROM ZPAGE ORDER BY Z_PK") == ["NULL", "NULL"])
        try verify(folder, store)
    }

    @Test func `a request that does not fit the model is rejected`() throws {
        let store = try SQLiteStore.inMemory(model: model)
        var wrong = SaveRequest()
        wrong.insertions = [.init(row: .init(entity: 99, key: -1), attributes: [], toOnes: [])]
        #expect(throws: CoreDataError.self) { try store.save(wrong) }
        wrong = SaveRequest()
        wrong.insertions = [.init(row: .init(entity: 1, key: -1), attributes: [.null], toOnes: [nil])]
        #expect(throws: CoreDataError.self) { try store.save(wrong) }
        wrong = SaveRequest()
        wrong.insert(model[LibraryModel.page], key: -1, [:], ["book": .init(entity: LibraryModel.book, key: -77)])
        let dangling = try #require(throws: CoreDataError.self) { try store.save(wrong) }
        #expect(dangling.errorCode == NSManagedObjectReferentialIntegrityError)
        wrong = SaveRequest()
        wrong.insert(model[LibraryModel.page], key: -1, [:], ["book": .init(entity: LibraryModel.tag, key: 1)])
        let stranger = try #require(throws: CoreDataError.self) { try store.save(wrong) }
        #expect(stranger.message.contains("Page.book"))
        wrong = SaveRequest()
        wrong.addedLinks = [SaveRequest.link(.init(entity: 1, key: 1), "books", .init(entity: 2, key: 1), in: model)]
        #expect(throws: CoreDataError.self) { try store.save(wrong) }
        wrong.addedLinks = [
            .init(owner: .init(entity: 1, key: 1), relationship: 9, destination: .init(entity: 2, key: 1))
        ]
        #expect(throws: CoreDataError.self) { try store.save(wrong) }
        #expect(try store.rows(LibraryModel.author).0.count == 0)
    }
}
