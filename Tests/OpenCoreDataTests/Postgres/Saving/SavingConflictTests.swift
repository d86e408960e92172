#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Saving: rows that changed, and unique values", .enabled(if: PostgresServer.isEnabled))
struct SavingConflictTests {
    private let model = LibraryModel.model

    private func author(_ key: Int64) -> RowID { .init(entity: LibraryModel.author, key: key) }

    @Test(arguments: SavingStore.Kind.allCases)
    func `all conflicts of a save are reported, and nothing is written`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        for name in ["a", "b", "c", "d"] { try store.insert(LibraryModel.author, ["name": .string(name)]) }
        var other = SaveRequest()
        other.update(author(1), version: 1, in: model, ["age": .int(1)])
        other.deletions = [.init(row: author(2), version: 1)]
        #expect(try store.save(other).updatedVersions == [2])
        let before = try stores.content()

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
        #expect(try stores.content() == before)
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `the only update of a save finds its row by the version, and reports a changed one`(
        kind: SavingStore.Kind
    ) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        try stores.store.insert(LibraryModel.author)
        var request = SaveRequest()
        request.update(author(1), version: 1, in: model, ["age": .int(5)])
        #expect(try stores.store.save(request).updatedVersions == [2])
        let error = try #require(throws: SaveConflicts.self) { try stores.store.save(request) }
        #expect(error.conflicts.map(\.row) == [author(1)] && error.conflicts[0].exists)
        request = SaveRequest()
        request.update(author(77), version: 1, in: model, ["age": .int(5)])
        let missing = try #require(throws: SaveConflicts.self) { try stores.store.save(request) }
        #expect(missing.conflicts.map(\.exists) == [false])
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `a save that finds a changed row and has to stop is stopped, without an error of its own`(
        kind: SavingStore.Kind
    ) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        try stores.store.insert(LibraryModel.author)
        var request = SaveRequest()
        request.update(author(1), version: 1, in: model, ["age": .int(5)])
        try stores.store.save(request)
        let token = InterruptToken()
        let watch = stores.store.add(
            StatementWatch { run in if run.sql.contains("UPDATE") { token.interrupt(.cancelled) } })
        defer { stores.store.removeWatch(watch) }
        let error = try #require(throws: (any Error).self) { try stores.store.save(request, token: token) }
        #expect(token.reason == .cancelled)
        let code = (error as? CoreDataError)?.errorCode
        #expect(code == CocoaError.Code.userCancelled.rawValue || error is SaveConflicts, "\(error)")
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `a write without a version succeeds, and increments the version`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
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

    @Test(arguments: SavingStore.Kind.allCases)
    func `a row of another entity of the same table is not the row that was read`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        try stores.store.insert(LibraryModel.comic)
        for other in [false, true] {
            var request = SaveRequest()
            request.update(.init(entity: LibraryModel.book, key: 1), version: 1, in: model, ["year": .int(5)])
            if other { request.insert(model[LibraryModel.tag], key: -1) }
            #expect(throws: SaveConflicts.self) { try stores.store.save(request) }
            request = SaveRequest()
            request.deletions = [.init(row: .init(entity: LibraryModel.book, key: 1), version: 1)]
            #expect(throws: SaveConflicts.self) { try stores.store.save(request) }
            request.deletions = [.init(row: .init(entity: LibraryModel.book, key: 1), version: nil)]
            try stores.store.save(request)
        }
        #expect(try stores.content().count == 1)
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `an expected version and a missing destination are compared too`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        try stores.store.insert(LibraryModel.author)
        var request = SaveRequest()
        request.insert(model[LibraryModel.tag], key: -1)
        request.expectations = [.init(row: author(1), version: 3), .init(row: author(4), version: 1)]
        request.insert(model[LibraryModel.page], key: -2, [:], ["book": .init(entity: LibraryModel.comic, key: 8)])
        let error = try #require(throws: SaveConflicts.self) { try stores.store.save(request) }
        #expect(error.conflicts.map(\.row.key) == [1, 4, 8])
        #expect(error.conflicts.map(\.exists) == [true, false, false])
        request.expectations = [.init(row: author(1), version: 1)]
        let missing = try #require(throws: SaveConflicts.self) { try stores.store.save(request) }
        #expect(missing.conflicts.map(\.row.key) == [8])
        request.insertions.removeLast()
        try stores.store.save(request)
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `every conflict of unique values is named, with the row that has them`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        try store.insert(LibraryModel.author, ["name": .string("Leo")])
        try store.insert(LibraryModel.comic, ["title": .string("War"), "year": .int(1869)])
        let before = try stores.content()
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
        #expect(byRow[leo]?.isInSave == false)
        #expect(
            byRow[war]?.existing == .init(entity: LibraryModel.comic, key: 1)
                && byRow[war]?.constraint == ["title", "year"])
        #expect(byRow[other]?.existing == twin && byRow[other]?.isInSave == true)
        #expect(try stores.content() == before)
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `an update conflicts too, and a deleted row does not`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        for name in ["a", "b", "c"] { try store.insert(LibraryModel.author, ["name": .string(name)]) }
        var request = SaveRequest()
        request.update(author(1), version: 1, in: model, ["name": .string("b")])
        let error = try #require(throws: UniquenessConflicts.self) { try store.save(request) }
        #expect(error.conflicts.map(\.existing) == [author(2)])
        request.deletions = [.init(row: author(2), version: 1)]
        try store.save(request)
        #expect(try store.values(LibraryModel.author, "name") == [.string("b"), .string("c")])
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `a value of a constraint that the save does not write is read from the row`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        let book = { (key: Int64) in RowID(entity: LibraryModel.book, key: key) }
        for year in [1, 2] { try store.insert(LibraryModel.book, ["title": .string("a"), "year": .int(Int64(year))]) }
        try store.insert(LibraryModel.book, ["title": .string("b"), "year": .int(1)])
        var request = SaveRequest()
        request.update(book(1), version: 1, in: model, ["year": .int(2)])
        let error = try #require(throws: UniquenessConflicts.self) { try store.save(request) }
        #expect(error.conflicts.map(\.existing) == [book(2)])
        request = SaveRequest()
        request.update(book(1), version: 1, in: model, ["title": .string("b")])
        request.update(book(3), version: 1, in: model, ["title": .string("a")])
        try store.save(request)
        #expect(try store.values(LibraryModel.book, "title") == [.string("b"), .string("a"), .string("a")])
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `rows may hand unique values to each other`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        for name in ["a", "b", "c"] { try store.insert(LibraryModel.author, ["name": .string(name)]) }
        var request = SaveRequest()
        request.update(author(1), version: 1, in: model, ["name": .string("b")])
        request.update(author(2), version: 1, in: model, ["name": .string("c")])
        request.update(author(3), version: 1, in: model, ["name": .string("a"), "age": .int(3)])
        #expect(try store.save(request).updatedVersions == [2, 2, 2])
        #expect(try store.values(LibraryModel.author, "name") == ["b", "c", "a"].map { .string($0) })
        request = SaveRequest()
        request.update(author(1), version: 2, in: model, ["name": .string("d")])
        request.insert(model[LibraryModel.author], key: -1, ["name": .string("b")])
        try store.save(request)
        #expect(try store.values(LibraryModel.author, "name") == ["d", "c", "a", "b"].map { .string($0) })
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `rows of one save with the same unique values are compared if they may repeat`(
        kind: SavingStore.Kind
    ) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        try store.insert(LibraryModel.author, ["name": .string("a")])
        var request = SaveRequest()
        request.mayRepeatValues = true
        let first = request.insert(model[LibraryModel.author], key: -1, ["name": .string("a")])
        let second = request.insert(model[LibraryModel.author], key: -2, ["name": .string("a")])
        let error = try #require(throws: UniquenessConflicts.self) { try store.save(request) }
        #expect(error.conflicts.map(\.row) == [first, second, second])
        #expect(error.conflicts.map(\.isInSave) == [false, true, false])
    }

    @Test func `taken values among thousands of new rows are found by the index, and then named`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        try stores.store.insert(LibraryModel.author, ["name": .string("n1500")])
        var request = SaveRequest()
        for key in 1...2000 as ClosedRange<Int64> {
            request.insert(model[LibraryModel.author], key: -key, ["name": .string("n\(key)")])
        }
        let error = try #require(throws: UniquenessConflicts.self) { try stores.store.save(request) }
        #expect(error.conflicts.map(\.row.key) == [-1500] && error.conflicts.map(\.existing) == [author(1)])
        let transaction = try stores.store.beginTransaction()
        defer { transaction.end() }
        #expect(throws: UniquenessConflicts.self) { try transaction.save(request) }
        request.insertions.remove(at: 1499)
        _ = try transaction.save(request)
        try transaction.commit()
        #expect(try stores.store.values(LibraryModel.author, "name").count == 2000)
    }

    @Test func `a constraint of the server that the model does not know is an error that says so`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        try stores.run("CREATE UNIQUE INDEX own ON @\"Tag\" (\"name\")")
        try stores.store.insert(LibraryModel.tag, ["name": .string("x")])
        let error = try #require(throws: CoreDataError.self) {
            try stores.store.insert(LibraryModel.tag, ["name": .string("x")])
        }
        #expect(error.errorCode == NSManagedObjectConstraintMergeError)
        #expect(error.message.contains("model does not have"))
    }

    @Test func `a trigger that skips changes is an error`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        let tag = try stores.store.insert(LibraryModel.tag, ["name": .string("x")])
        try stores.run(
            "CREATE FUNCTION @skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
        try stores.run(
            "CREATE TRIGGER skip BEFORE INSERT OR UPDATE OR DELETE ON @\"Tag\" FOR EACH ROW EXECUTE FUNCTION @skip()")
        var request = SaveRequest()
        request.insert(model[LibraryModel.tag], key: -1)
        #expect(coreDataError { try stores.store.save(request) }?.errorCode == NSPersistentStoreSaveError)
        // So many rows are written by COPY.
        for key in 2...1500 as ClosedRange<Int64> { request.insert(model[LibraryModel.tag], key: -key) }
        #expect(coreDataError { try stores.store.save(request) }?.message.contains("skips the change") == true)
        request = SaveRequest()
        request.deletions = [.init(row: tag, version: 1)]
        #expect(coreDataError { try stores.store.save(request) }?.errorCode == NSPersistentStoreSaveError)
        request = SaveRequest()
        request.update(tag, version: 1, in: model, ["name": .string("y")])
        #expect(coreDataError { try stores.store.save(request) }?.errorCode == NSPersistentStoreSaveError)
        #expect(try stores.store.values(LibraryModel.tag, "name") == [.string("x")])
    }
}
#endif
