#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Saving: relationships of each kind", .enabled(if: PostgresServer.isEnabled))
struct SavingRelationshipTests {
    private let model = LibraryModel.model

    private func row(_ entity: Int, _ key: Int64) -> RowID { RowID(entity: entity, key: key) }

    @Test(arguments: SavingStore.Kind.allCases)
    func `a to-one leads to rows of sub-entities, and members are found through it`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        var request = SaveRequest()
        let book = request.insert(model[LibraryModel.book], key: -1, ["title": .string("War")])
        let comic = request.insert(model[LibraryModel.comic], key: -2, ["title": .string("Maus")])
        request.insert(model[LibraryModel.page], key: -3, [:], ["book": book])
        request.insert(model[LibraryModel.page], key: -4, [:], ["book": comic])
        request.insert(model[LibraryModel.page], key: -5)
        let keys = try store.save(request).keys
        #expect((1...5).compactMap { keys[-$0] } == [1, 2, 1, 2, 3])
        #expect(
            try store.members(row(LibraryModel.comic, 2), "pages").map(\.destination) == [row(LibraryModel.page, 2)])
        var update = SaveRequest()
        update.update(row(LibraryModel.page, 1), version: 1, in: model, [:], ["book": row(LibraryModel.comic, 2)])
        update.update(row(LibraryModel.page, 2), version: 1, in: model, [:], ["book": Optional<RowID>.none])
        #expect(try store.save(update).updatedVersions == [2, 2])
        #expect(try store.members(row(LibraryModel.comic, 2), "pages").map(\.destination.key) == [1])
        #expect(try store.members(row(LibraryModel.book, 1), "pages") == [])
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `members of an ordered to-many get sparse keys, and lose them with their owner`(
        kind: SavingStore.Kind
    ) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        var request = SaveRequest()
        let leo = request.insert(model[LibraryModel.author], key: -1, ["name": .string("Leo")])
        let anna = request.insert(model[LibraryModel.author], key: -2, ["name": .string("Anna")])
        for key in 1...3 as ClosedRange<Int64> {
            request.insert(model[LibraryModel.book], key: -10 - key, ["year": .int(key)], ["author": leo])
        }
        request.insert(model[LibraryModel.comic], key: -20, [:], ["author": anna])
        try store.save(request)
        let (leoRow, annaRow) = (row(LibraryModel.author, 1), row(LibraryModel.author, 2))
        func places(_ owner: RowID) throws -> [String] {
            try store.members(owner, "books").map { "\($0.destination.key) \($0.orderKey ?? -1)" }
        }
        #expect(try places(leoRow) == ["1 2048", "2 3072", "3 4096"])
        #expect(try places(annaRow) == ["4 2048"])
        let (first, second, third) = (row(2, 1), row(2, 2), row(2, 3))
        var change = SaveRequest()
        change.update(first, version: 1, in: model, [:], ["author": Optional<RowID>.none])
        change.update(second, version: 1, in: model, [:], ["author": annaRow])
        change.update(third, version: 1, in: model, ["year": .int(9)], ["author": leoRow])
        try store.save(change)
        #expect(try places(leoRow) == ["3 4096"])
        #expect(try places(annaRow) == ["4 2048", "2 3072"])
        var positions = SaveRequest()
        positions.positions = [
            .init(link: SaveRequest.link(annaRow, "books", second, in: model), orderKey: 1024),
            // Not a member, so that its order stays empty.
            .init(link: SaveRequest.link(annaRow, "books", first, in: model), orderKey: 5),
        ]
        #expect(try store.save(positions).rearranged.isEmpty)
        #expect(try places(annaRow) == ["2 1024", "4 2048"])
        positions.positions = [.init(link: SaveRequest.link(annaRow, "books", second, in: model), orderKey: 2048)]
        #expect(try store.save(positions).rearranged.map(\.owner) == [annaRow])
        #expect(try places(annaRow) == ["4 2048", "2 3072"])
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `a list whose keys are used up ends at the largest one`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        var request = SaveRequest()
        let leo = request.insert(model[LibraryModel.author], key: -1)
        for key in 1...2 as ClosedRange<Int64> {
            request.insert(model[LibraryModel.book], key: -key - 1, [:], ["author": leo])
        }
        request.positions = [
            .init(link: SaveRequest.link(leo, "books", row(2, -2), in: model), orderKey: .max - 100)
        ]
        try store.save(request)
        #expect(try store.members(row(1, 1), "books").map(\.orderKey) == [.max - 100, .max])
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `a many-to-many relationship is ordered on one side`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
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
        let bookRow = row(LibraryModel.book, 1)
        #expect(try store.members(bookRow, "tags").map(\.destination.key) == [2, 1])
        #expect(
            try store.members(row(LibraryModel.tag, 1), "books").map(\.destination) == [
                bookRow, row(LibraryModel.comic, 2),
            ])
        var removal = SaveRequest()
        removal.removedLinks = [SaveRequest.link(row(LibraryModel.tag, 2), "books", bookRow, in: model)]
        removal.deletions = [.init(row: row(LibraryModel.comic, 2), version: 1)]
        try store.save(removal)
        #expect(try store.members(row(LibraryModel.tag, 1), "books").map(\.destination) == [bookRow])
        #expect(try store.members(bookRow, "tags").map(\.destination.key) == [1])
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `a relationship that is its own inverse is seen from both ends`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        var request = SaveRequest()
        let friends = (1...3).map { request.insert(model[LibraryModel.friend], key: -$0) }
        request.addedLinks = [
            SaveRequest.link(friends[0], "friends", friends[1], in: model),
            SaveRequest.link(friends[2], "friends", friends[0], in: model),
        ]
        try store.save(request)
        let rows = (1...3).map { row(LibraryModel.friend, $0) }
        #expect(try store.members(rows[0], "friends").map(\.destination.key) == [2, 3])
        #expect(try store.members(rows[1], "friends").map(\.destination.key) == [1])
        var removal = SaveRequest()
        removal.removedLinks = [SaveRequest.link(rows[1], "friends", rows[0], in: model)]
        try store.save(removal)
        #expect(try store.members(rows[0], "friends").map(\.destination.key) == [3])
        removal = SaveRequest()
        removal.deletions = [.init(row: rows[2], version: nil)]
        try store.save(removal)
        #expect(try store.members(rows[0], "friends") == [])
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `a one-way to-many relationship is emptied with its owner`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        var request = SaveRequest()
        let shelf = request.insert(model[LibraryModel.shelf], key: -1)
        let other = request.insert(model[LibraryModel.shelf], key: -2)
        let pages = (3...4).map { request.insert(model[LibraryModel.page], key: -$0) }
        request.addedLinks = [
            SaveRequest.link(shelf, "contents", pages[0], in: model),
            SaveRequest.link(other, "contents", pages[1], in: model),
            // The last owner counts.
            SaveRequest.link(shelf, "contents", pages[1], in: model),
        ]
        try store.save(request)
        let shelfRow = row(LibraryModel.shelf, 1)
        #expect(try store.members(shelfRow, "contents").map(\.destination.key) == [1, 2])
        var removal = SaveRequest()
        removal.removedLinks = [
            SaveRequest.link(shelfRow, "contents", row(LibraryModel.page, 1), in: model),
            SaveRequest.link(row(LibraryModel.shelf, 2), "contents", row(LibraryModel.page, 2), in: model),
        ]
        try store.save(removal)
        #expect(try store.members(shelfRow, "contents").map(\.destination.key) == [2])
        removal = SaveRequest()
        removal.deletions = [.init(row: shelfRow, version: 1)]
        try store.save(removal)
        #expect(try stores.content() == ["Page 1 v1 number=nil", "Page 2 v1 number=nil", "Shelf 2 v1 name=nil"])
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `links that another context has made are conflicts of a deletion`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        let author = try store.insert(LibraryModel.author)
        let book = try store.insert(LibraryModel.book, [:], ["author": author])
        let tag = try store.insert(LibraryModel.tag)
        var link = SaveRequest()
        link.addedLinks = [SaveRequest.link(book, "tags", tag, in: model)]
        try store.save(link)
        var request = SaveRequest()
        request.deletions = [.init(row: author, version: 1)]
        let error = try #require(throws: LinkConflicts.self) { try store.save(request) }
        #expect(error.conflicts.map(\.row) == [book] && error.conflicts.map(\.destination) == [author])
        #expect(error.conflicts[0].isDeletion)
        guard case .relationship(let tags)? = model[LibraryModel.book].slot(named: "tags") else { return }
        request = SaveRequest()
        request.deletions = [.init(row: book, version: 1, emptied: [.init(relationship: tags, unlinked: [])])]
        let members = try #require(throws: LinkConflicts.self) { try store.save(request) }
        #expect(members.members.map(\.member) == [tag] && members.members.map(\.owner) == [book])
        request.deletions = [.init(row: book, version: 1, emptied: [.init(relationship: tags, unlinked: [tag.key])])]
        try store.save(request)
        #expect(try store.members(tag, "books") == [])
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `a request that does not fit the model is rejected`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        func reject(_ change: (inout SaveRequest) -> Void) throws -> CoreDataError {
            var request = SaveRequest()
            change(&request)
            return try #require(coreDataError { try store.save(request) })
        }
        _ = try reject { $0.insertions = [.init(row: .init(entity: 99, key: -1), attributes: [], toOnes: [])] }
        _ = try reject { $0.insertions = [.init(row: .init(entity: 1, key: -1), attributes: [.null], toOnes: [nil])] }
        let dangling = try reject {
            $0.insert(model[LibraryModel.page], key: -1, [:], ["book": .init(entity: LibraryModel.book, key: -77)])
        }
        #expect(dangling.errorCode == NSManagedObjectReferentialIntegrityError)
        let stranger = try reject {
            $0.insert(model[LibraryModel.page], key: -1, [:], ["book": .init(entity: LibraryModel.tag, key: 1)])
        }
        #expect(stranger.message.contains("Page.book"))
        let author = try store.insert(LibraryModel.author)
        let book = try store.insert(LibraryModel.book)
        let misplaced = try reject { $0.addedLinks = [SaveRequest.link(author, "books", book, in: model)] }
        #expect(misplaced.message.contains("inverse"))
        _ = try reject { $0.addedLinks = [.init(owner: author, relationship: 9, destination: book)] }
        let unordered = try reject {
            $0.positions = [
                .init(link: SaveRequest.link(book, "pages", row(LibraryModel.page, 1), in: model), orderKey: 1)
            ]
        }
        #expect(unordered.message.contains("not ordered"))
        #expect(try stores.content().count == 2)
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `a row that is inserted again has a version far above the last one`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        let tag = try store.insert(LibraryModel.tag)
        var request = SaveRequest()
        request.deletions = [.init(row: tag, version: 1)]
        try store.save(request)
        request = SaveRequest()
        request.insert(model[LibraryModel.tag], key: tag.key)
        request.insertions[0].lostVersion = 1
        #expect(try store.save(request).renewedVersions[tag] == 2 + (1 << 20))
        #expect(try store.versions(LibraryModel.tag) == [2 + (1 << 20)])
    }
}
#endif
