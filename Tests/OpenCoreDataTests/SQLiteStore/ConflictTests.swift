import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import SwormSQLite
import Testing
import SwormRows

@Suite("Rows that changed concurrently, and unique values")
struct ConflictTests {
    private let model = LibraryModel.model

    private func author(_ key: Int64) -> RowID { .init(entity: LibraryModel.author, key: key) }

    @Test func `all conflicts of a save are reported, and nothing is written`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        for name in ["a", "b", "c", "d"] { try store.insert(LibraryModel.author, ["name": .string(name)]) }
        var other = SaveRequest()
        other.update(author(1), version: 1, in: model, ["age": .int(1)])
        other.deletions = [.init(row: author(2), version: 1)]
        #expect(try store.save(other).updatedVersions == [2])

        var request = SaveRequest()
        request.update(author(1), version: 1, in: model, ["age": .int(50)])
        request.update(author(2), version: 1, in: model, ["age": .int(50)])
        request.update(author(3), version: 1, in: model, ["age": .int(50)])
        request.deletions = [.init(row: author(4), version: 7)]
        request.insert(model[LibraryModel.tag], key: -1)
        let error = try #require(throws: SaveConflicts.self) { try store.save(request) }
        #expect(error.conflicts.map(\.row) == [author(1), author(2), author(4)])
        #expect(error.conflicts.map(\.exists) == [true, false, true])
        #expect(error.conflicts.map(\.expected) == [1, 1, 7])
        let raw = try folder.raw()
        #expect(try raw.lines("SELECT Z_PK, ZAGE, Z_OPT FROM ZAUTHOR ORDER BY 1") == ["1|1|2", "3|NULL|1", "4|NULL|1"])
        #expect(try raw.lines("SELECT count(*) FROM ZTAG") == ["0"])
    }

    @Test func `a write without a version succeeds, and increments the version`() throws {
        let store = try SQLiteStore.inMemory(model: model)
        try store.insert(LibraryModel.author)
        var request = SaveRequest()
        request.update(author(1), version: nil, in: model, ["age": .int(5)])
        #expect(try store.save(request).updatedVersions == [2])
        #expect(try store.save(request).updatedVersions == [3])
        request = SaveRequest()
        request.deletions = [.init(row: author(1), version: nil), .init(row: author(9), version: nil)]
        try store.save(request)
        request = SaveRequest()
        request.update(author(1), version: nil, in: model, ["age": .int(5)])
        let gone = try #require(throws: SaveConflicts.self) { try store.save(request) }
        #expect(gone.conflicts.map(\.exists) == [false])
    }

    @Test func `a row of another entity of the same table is not the row that was read`() throws {
        let store = try SQLiteStore.inMemory(model: model)
        try store.insert(LibraryModel.comic)
        var request = SaveRequest()
        request.update(.init(entity: LibraryModel.book, key: 1), version: 1, in: model, ["year": .int(5)])
        #expect(throws: SaveConflicts.self) { try store.save(request) }
    }

    @Test func `every conflict of unique values is named, with the row that has them`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.insert(LibraryModel.author, ["name": .string("Leo")])
        try store.insert(LibraryModel.comic, ["title": .string("War"), "year": .int(1869)])
        var request = SaveRequest()
        let leo = request.insert(model[LibraryModel.author], key: -1, ["name": .string("Leo")])
        request.insert(model[LibraryModel.author], key: -2, ["name": .null])
        request.insert(model[LibraryModel.author], key: -3, ["name": .null])
        let war = request.insert(model[LibraryModel.book], key: -4, ["title": .string("War"), "year": .int(1869)])
        request.insert(model[LibraryModel.book], key: -5, ["title": .string("War"), "year": .int(1870)])
        let twin = request.insert(model[LibraryModel.author], key: -6, ["name": .string("Anna")])
        let other = request.insert(model[LibraryModel.author], key: -7, ["name": .string("Anna")])
        let error = try #require(throws: UniquenessConflicts.self) { try store.save(request) }
        #expect(error.conflicts.count == 3)
        let byRow = Dictionary(error.conflicts.map { ($0.row, $0) }, uniquingKeysWith: { first, _ in first })
        #expect(byRow[leo]?.existing == author(1) && byRow[leo]?.constraint == ["name"])
        #expect(
            byRow[war]?.existing == .init(entity: LibraryModel.comic, key: 1)
                && byRow[war]?.constraint == ["title", "year"])
        #expect(byRow[other]?.existing == twin)
        let raw = try folder.raw()
        #expect(try raw.lines("SELECT count(*) FROM ZAUTHOR") == ["1"])
        #expect(try raw.lines("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 1") == ["1"])
    }

    @Test func `an update conflicts too, and a deleted row does not`() throws {
        let store = try SQLiteStore.inMemory(model: model)
        for name in ["a", "b", "c"] { try store.insert(LibraryModel.author, ["name": .string(name)]) }
        var request = SaveRequest()
        request.update(author(1), version: 1, in: model, ["name": .string("b")])
        let error = try #require(throws: UniquenessConflicts.self) { try store.save(request) }
        #expect(error.conflicts.map(\.existing) == [author(2)])
        request.deletions = [.init(row: author(2), version: 1)]
        try store.save(request)
        #expect(try store.rows(LibraryModel.author).0.count == 2)
    }

    @Test func `rows may hand unique values to each other`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        for name in ["a", "b", "c"] { try store.insert(LibraryModel.author, ["name": .string(name)]) }
        var request = SaveRequest()
        request.update(author(1), version: 1, in: model, ["name": .string("b")])
        request.update(author(2), version: 1, in: model, ["name": .string("c")])
        request.update(author(3), version: 1, in: model, ["name": .string("a")])
        try store.save(request)
        #expect(try folder.raw().lines("SELECT ZNAME, Z_OPT FROM ZAUTHOR ORDER BY Z_PK") == ["b|2", "c|2", "a|2"])
    }

    @Test func `a constraint that the model does not know is an error that says so`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try folder.raw().execute("CREATE UNIQUE INDEX own ON ZTAG (ZNAME)")
        try store.insert(LibraryModel.tag, ["name": .string("x")])
        let error = try #require(throws: CoreDataError.self) {
            try store.insert(LibraryModel.tag, ["name": .string("x")])
        }
        #expect(error.errorCode == NSManagedObjectConstraintMergeError)
        #expect(error.message.contains("model does not have"))
    }
}
