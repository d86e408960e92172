#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Saving: keys, derived values and many rows", .enabled(if: PostgresServer.isEnabled))
struct SavingKeyTests {
    private let model = LibraryModel.model

    private func row(_ entity: Int, _ key: Int64) -> RowID { RowID(entity: entity, key: key) }

    @Test(arguments: SavingStore.Kind.allCases)
    func `keys are counted for a whole hierarchy, and reserved ones are left out`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        #expect(try store.insert(LibraryModel.book).key == 1)
        #expect(try store.insert(LibraryModel.comic).key == 2)
        #expect(try store.reserveKeys(root: LibraryModel.book, count: 10) == 3)
        #expect(try store.insert(LibraryModel.book).key == 13)
        #expect(throws: CoreDataError.self) { try store.reserveKeys(root: LibraryModel.comic, count: 1) }
        #expect(throws: CoreDataError.self) { try store.reserveKeys(root: LibraryModel.book, count: 0) }
        let first = try store.reserveKeys(root: LibraryModel.book, count: 1000)
        #expect(first >= 14)
        let next = try store.insert(LibraryModel.comic).key
        #expect(!(first..<first + 1000).contains(next) && next > 13)
        let transaction = try store.beginTransaction()
        let later = try transaction.reserveKeys(root: LibraryModel.book, count: 3)
        #expect(later > next)
        transaction.end()
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `a row with a key that no one has reserved keeps later rows from getting it`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        try store.insert(LibraryModel.tag)
        try store.insert(LibraryModel.tag, key: 5)
        try store.insert(LibraryModel.tag, key: 1000)
        var keys: Set<Int64> = [1, 5, 1000]
        for _ in 0..<100 { #expect(keys.insert(try store.insert(LibraryModel.tag).key).inserted) }
        let other = try stores.open()
        for _ in 0..<10 { #expect(keys.insert(try other.insert(LibraryModel.tag).key).inserted) }
        other.close()
        try store.insert(LibraryModel.tag, key: .max)
        let error = try #require(
            coreDataError {
                for _ in 0..<200 { try store.insert(LibraryModel.tag) }
            })
        #expect(error.message.contains("no primary keys left"))
    }

    @Test func `stores of one schema never give the same key`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        let all = try [stores.store, stores.open(), stores.open()]
        var keys: Set<Int64> = []
        for round in 0..<100 {
            let key = try all[round % 3].insert(LibraryModel.tag).key
            #expect(keys.insert(key).inserted)
            let first = try all[(round + 1) % 3].reserveKeys(root: LibraryModel.tag, count: 70)
            for key in first..<first + 70 { #expect(keys.insert(key).inserted) }
        }
        for store in all { store.close() }
    }

    // MARK: Many rows

    @Test(arguments: SavingStore.Kind.allCases)
    func `thousands of rows of several entities are inserted, changed and deleted`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        var request = SaveRequest()
        let author = request.insert(model[LibraryModel.author], key: -1)
        for key in 2...5001 as ClosedRange<Int64> {
            let entity = key % 3 == 0 ? LibraryModel.comic : LibraryModel.book
            request.insert(
                model[entity], key: -key,
                [
                    "title": .string("t\(key)"), "year": .int(key % 100),
                    "cover": .data(Data([1, 2, UInt8(key % 200)])),
                ],
                ["author": author])
        }
        let keys = try store.save(request).keys
        #expect(keys[-2] != nil && keys[-5001] != nil)
        let books = try store.members(row(LibraryModel.author, 1), "books")
        #expect(books.count == 5000 && books.map(\.orderKey) == (0..<5000).map { 2048 + $0 * 1024 })
        #expect(try store.values(LibraryModel.comic, "title").count == 1667)
        let covers = try store.values(LibraryModel.book, "cover")
        #expect(covers.count == 5000 && covers[0] == .data(Data([1, 2, 2])))
        var change = SaveRequest()
        for book in books.prefix(3000) {
            change.update(book.destination, version: 1, in: model, ["year": .int(7)])
        }
        for book in books.dropFirst(3000) { change.deletions.append(.init(row: book.destination, version: 1)) }
        #expect(try store.save(change).updatedVersions == Array(repeating: 2, count: 3000))
        #expect(try store.members(row(LibraryModel.author, 1), "books").count == 3000)
        #expect(Set(try store.values(LibraryModel.book, "year")) == [.int(7)])
    }

    @Test func `a small save takes two trips to the server`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        let row = try stores.store.insert(LibraryModel.author, ["age": .int(1)])
        let count = Locked(0)
        let number = stores.store.add(StatementWatch { _ in count.withLock { $0 += 1 } })
        defer { stores.store.removeWatch(number) }
        var request = SaveRequest()
        request.update(row, version: 1, in: model, ["age": .int(2)])
        try stores.store.save(request)
        // BEGIN, the lock of writers with its timeout, the update, the check of links, the marker, COMMIT.
        #expect(count.withLock { $0 } <= 8)
    }
}
#endif
