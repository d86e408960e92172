#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Saving: requests that cannot be written", .enabled(if: PostgresServer.isEnabled))
struct SavingErrorOrderTests {
    private let model = LibraryModel.model

    private func row(_ entity: Int, _ key: Int64) -> RowID { .init(entity: entity, key: key) }

    /// A request with a stale version, a value out of range and a taken unique value, or with some of them.
    private func request(isStale: Bool, isInvalid: Bool, isTaken: Bool, alone: Bool) -> SaveRequest {
        var request = SaveRequest()
        request.update(row(LibraryModel.author, 1), version: isStale ? 7 : 1, in: model, ["age": .int(2)])
        if !alone { request.update(row(LibraryModel.author, 2), version: 1, in: model, ["age": .int(3)]) }
        if isTaken { request.insert(model[LibraryModel.author], key: -1, ["name": .string("taken")]) }
        if isInvalid { request.insert(model[LibraryModel.comic], key: -2, ["year": .int(100_000)]) }
        return request
    }

    @Test(arguments: SavingStore.Kind.allCases, [false, true])
    func `versions count for more than values out of range, and those for more than unique values`(
        kind: SavingStore.Kind, alone: Bool
    ) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        for name in ["a", "b", "taken"] { try stores.store.insert(LibraryModel.author, ["name": .string(name)]) }
        let before = try stores.content()
        for mayRepeat in [false, true] {
            func save(isStale: Bool, isInvalid: Bool, isTaken: Bool) throws {
                var request = request(isStale: isStale, isInvalid: isInvalid, isTaken: isTaken, alone: alone)
                request.mayRepeatValues = mayRepeat
                try stores.store.save(request)
            }
            for (isInvalid, isTaken) in [(true, true), (true, false), (false, true), (false, false)] {
                let error = try #require(throws: SaveConflicts.self) {
                    try save(isStale: true, isInvalid: isInvalid, isTaken: isTaken)
                }
                #expect(error.conflicts.map(\.row) == [row(LibraryModel.author, 1)])
            }
            for isTaken in [false, true] {
                let error = try #require(
                    coreDataError { try save(isStale: false, isInvalid: true, isTaken: isTaken) })
                #expect(error.errorCode == NSValidationNumberTooLargeError && error.key == "year")
            }
            let taken = try #require(throws: UniquenessConflicts.self) {
                try save(isStale: false, isInvalid: false, isTaken: true)
            }
            #expect(taken.conflicts.map(\.existing) == [row(LibraryModel.author, 3)])
        }
        #expect(try stores.content() == before)
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `the first value out of range is named, in the order of writing`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let author = try stores.store.insert(LibraryModel.author, ["name": .string("taken")])
        for isTaken in [false, true] {
            var request = SaveRequest()
            if isTaken { request.insert(model[LibraryModel.author], key: -1, ["name": .string("taken")]) }
            request.insert(model[LibraryModel.comic], key: -2, ["year": .int(-100_000)])
            request.insert(model[LibraryModel.author], key: -3, ["age": .int(100_000)])
            let inserted = try #require(coreDataError { try stores.store.save(request) })
            #expect(inserted.entity == "Author" && inserted.errorCode == NSValidationNumberTooLargeError)
            request.update(author, version: 1, in: model, ["age": .int(-100_000)])
            let updated = try #require(coreDataError { try stores.store.save(request) })
            #expect(updated.entity == "Author" && updated.errorCode == NSValidationNumberTooSmallError)
        }
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `a link of an object that the same save deletes is rejected`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        let (book, tag) = (try store.insert(LibraryModel.book), try store.insert(LibraryModel.tag))
        let before = try stores.content()
        for deleted in [book, tag] {
            var request = SaveRequest()
            request.deletions = [.init(row: deleted, version: 1)]
            request.addedLinks = [SaveRequest.link(book, "tags", tag, in: model)]
            let error = try #require(coreDataError { try store.save(request) })
            #expect(error.errorCode == NSManagedObjectReferentialIntegrityError)
            #expect(error.entity == "Book" && error.key == "tags")
        }
        #expect(try stores.content() == before)
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `a deletion of another entity's row leaves the row and its links`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        let (comic, tag) = (try store.insert(LibraryModel.comic), try store.insert(LibraryModel.tag))
        var link = SaveRequest()
        link.addedLinks = [SaveRequest.link(comic, "tags", tag, in: model)]
        try store.save(link)
        let before = try stores.content()
        var request = SaveRequest()
        request.deletions = [.init(row: row(LibraryModel.book, comic.key), version: nil)]
        try store.save(request)
        #expect(try stores.content() == before)
        #expect(try store.members(comic, "tags").count == 1)
    }

    @Test(arguments: SavingStore.Kind.allCases, [false, true])
    func `a row cannot be inserted under the key of another one`(kind: SavingStore.Kind, inTransaction: Bool) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        let tag = try store.insert(LibraryModel.tag, ["name": .string("a")])
        var request = SaveRequest()
        request.insert(model[LibraryModel.tag], key: tag.key, ["name": .string("b")])
        let error = try #require(
            coreDataError {
                guard inTransaction else { return _ = try store.save(request) }
                let transaction = try store.beginTransaction()
                defer { transaction.end() }
                _ = try transaction.save(request)
            })
        #expect(error.errorCode == NSManagedObjectConstraintMergeError && error.condition == nil)
        // The row that is deleted gives its key to the new one.
        request.deletions = [.init(row: tag, version: 1)]
        try store.save(request)
        #expect(try store.values(LibraryModel.tag, "name") == [.string("b")])
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `a new row that refers to a deleted one is named by the key of the request`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let author = try stores.store.insert(LibraryModel.author)
        var request = SaveRequest()
        request.deletions = [.init(row: author, version: 1)]
        let book = request.insert(model[LibraryModel.book], key: -5, [:], ["author": author])
        let error = try #require(throws: LinkConflicts.self) { try stores.store.save(request) }
        #expect(error.conflicts.map(\.row) == [book])
        #expect(error.conflicts.map(\.destination) == [author])
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `members get positions in the order of the request`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        let author = try store.insert(LibraryModel.author)
        let books = try [LibraryModel.book, LibraryModel.comic, LibraryModel.book].map { try store.insert($0) }
        var request = SaveRequest()
        for book in books { request.update(book, version: 1, in: model, [:], ["author": author]) }
        try store.save(request)
        #expect(try store.members(author, "books").map(\.destination) == books)
        let tags = try (0..<3).map { _ in try store.insert(LibraryModel.tag) }
        request = SaveRequest()
        request.addedLinks = [
            SaveRequest.link(books[0], "tags", tags[2], in: model),
            SaveRequest.link(tags[0], "books", books[0], in: model),
            SaveRequest.link(books[0], "tags", tags[1], in: model),
        ]
        try store.save(request)
        #expect(try store.members(books[0], "tags").map(\.destination) == [tags[2], tags[0], tags[1]])
    }
}
#endif
