#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Transactions: states and marks", .enabled(if: PostgresServer.isEnabled))
struct TransactionsTests: TagSteps {
    // MARK: Marks

    @Test(arguments: SavingStore.Kind.allCases)
    func `marks undo and keep what was written since`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        let transaction = try store.beginTransaction()
        defer { transaction.end() }
        let first = transaction.mark()
        _ = try transaction.save(insertion("a"))
        let second = transaction.mark()
        _ = try transaction.save(insertion("b"))
        let third = transaction.mark()
        _ = try transaction.save(insertion("c"))
        #expect(try transaction.count(tags) == 3)
        try transaction.undo(to: third)
        #expect(try transaction.count(tags) == 2)
        try transaction.release(second)
        #expect(try transaction.count(tags) == 2)
        let unused = transaction.mark()
        try transaction.undo(to: unused)
        #expect(try names(store).isEmpty)
        let fourth = transaction.mark()
        _ = try transaction.save(insertion("d"))
        let fifth = transaction.mark()
        _ = try transaction.save(insertion("e"))
        try transaction.undo(to: fourth)
        try transaction.release(fifth)
        #expect(try transaction.count(tags) == 2)
        try transaction.release(first)
        try transaction.commit()
        #expect(try names(store) == [.string("a"), .string("b")])
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `everything can be undone up to the snapshot that was kept`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        try store.insert(LibraryModel.tag, ["name": .string("old")])
        let session = try store.beginSession()
        #expect(try session.count(tags) == 1)
        let transaction = try store.beginTransaction(from: session, nil)
        defer { transaction.end() }
        #expect(try transaction.undoToSnapshot() == false)
        try transaction.keepSnapshot()
        for _ in 0..<2 {
            let mark = transaction.mark()
            _ = try transaction.save(insertion("a"))
            _ = transaction.mark()
            _ = try transaction.save(insertion("b"))
            #expect(try transaction.count(tags) == 3)
            #expect(try transaction.undoToSnapshot())
            try transaction.release(mark)
            #expect(try transaction.count(tags) == 1)
        }
        _ = try transaction.save(insertion("c"))
        try transaction.commit()
        #expect(try names(store) == [.string("old"), .string("c")])
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `a transaction that ends without a commit leaves nothing`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        let transaction = try store.beginTransaction()
        _ = try transaction.save(insertion("a"))
        #expect(try transaction.count(tags) == 1)
        transaction.end()
        #expect(throws: CoreDataError.self) { try transaction.count(tags) }
        #expect(throws: CoreDataError.self) { try transaction.save(insertion("b")) }
        #expect(throws: CoreDataError.self) { try transaction.commit() }
        #expect(try names(store).isEmpty)
        let empty = try store.beginTransaction()
        try empty.commit()
        #expect(throws: CoreDataError.self) { try empty.count(tags) }
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `a save that fails leaves the transaction open, with what it had written`(kind: SavingStore.Kind) throws {
        let stores = try SavingStore(kind)
        defer { stores.close() }
        let store = stores.store
        let leo = try store.insert(LibraryModel.author, ["name": .string("Leo")])
        let transaction = try store.beginTransaction()
        defer { transaction.end() }
        _ = try transaction.save(insertion("a"))
        var taken = SaveRequest()
        taken.insert(model[LibraryModel.author], key: -1, ["name": .string("Leo")])
        for _ in 0..<2 {
            #expect(throws: UniquenessConflicts.self) { try transaction.save(taken) }
            #expect(throws: SaveConflicts.self) {
                try transaction.save(update(.init(entity: 7, key: 1), version: 9, "x"))
            }
            var invalid = SaveRequest()
            invalid.update(leo, version: 1, in: model, ["age": .int(1 << 40)])
            #expect(coreDataError { _ = try transaction.save(invalid) }?.key == "age")
        }
        #expect(try transaction.save(update(.init(entity: 7, key: 1), version: 1, "b")).updatedVersions == [2])
        try transaction.commit()
        #expect(try names(store) == [.string("b")])
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `further stores are committed when only the commit itself can still fail`(kind: SavingStore.Kind) throws {
        let stores = [try SavingStore(kind), try SavingStore(kind)]
        defer { for store in stores { store.close() } }
        let (first, second) = (stores[0].store, stores[1].store)
        for fails in [true, false] {
            let (one, other) = (try first.beginTransaction(), try second.beginTransaction())
            defer {
                one.end()
                other.end()
            }
            _ = try one.save(insertion("a"))
            _ = try other.save(insertion("b"))
            struct Refusal: Error {}
            do {
                try one.commit(after: {
                    if fails { throw Refusal() }
                    try other.commit()
                })
                #expect(!fails)
            } catch is Refusal { #expect(fails) }
        }
        #expect(try names(first).count == 1 && names(second).count == 1)
    }

    // MARK: Conflicts of snapshots

    @Test func `a transaction in the snapshot of a view conflicts with changes of the same rows only`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        let (store, other) = (stores.store, try stores.open())
        let rows = try ["a", "b"].map { try store.insert(LibraryModel.tag, ["name": .string($0)]) }
        let session = try store.beginSession()
        #expect(try session.count(tags) == 2)
        try other.save(update(rows[0], version: 1, "theirs"))
        try other.save(insertion("new"))
        let transaction = try store.beginTransaction(from: session, nil)
        defer { transaction.end() }
        #expect(throws: CoreDataError.self) { try session.count(tags) }
        #expect(try transaction.save(update(rows[1], version: 1, "mine")).updatedVersions == [2])
        #expect(try transaction.count(tags) == 2)
        let error = try #require(coreDataError { _ = try transaction.save(update(rows[0], version: 1, "mine")) })
        #expect(error.condition == .conflict && error.errorCode == NSManagedObjectMergeError)
        // The failed save is undone, and the rest can be committed.
        try transaction.commit()
        #expect(try names(store) == ["theirs", "mine", "new"].map { .string($0) })
        other.close()
    }

    @Test func `a deleted row, a linked deletion and a unique value are conflicts of a snapshot`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        let (store, other) = (stores.store, try stores.open())
        let author = try store.insert(LibraryModel.author)
        func conflict(_ change: (inout SaveRequest) -> Void, after theirs: (inout SaveRequest) -> Void) throws {
            let session = try store.beginSession()
            _ = try session.count(tags)
            var request = SaveRequest()
            theirs(&request)
            try other.save(request)
            let transaction = try store.beginTransaction(from: session, nil)
            defer { transaction.end() }
            request = SaveRequest()
            change(&request)
            let error = coreDataError {
                _ = try transaction.save(request)
                try transaction.commit()
            }
            #expect(error?.condition == .conflict, "\(String(describing: error))")
        }
        try conflict {
            $0.insert(model[LibraryModel.author], key: -1, ["name": .string("Leo")])
        } after: {
            $0.insert(model[LibraryModel.author], key: -1, ["name": .string("Leo")])
        }
        try conflict {
            $0.insert(model[LibraryModel.book], key: -1, [:], ["author": author])
        } after: {
            $0.deletions = [.init(row: author, version: 1)]
        }
        let second = try store.insert(LibraryModel.author)
        try conflict {
            $0.deletions = [.init(row: second, version: 1)]
        } after: {
            $0.insert(model[LibraryModel.book], key: -1, [:], ["author": second])
        }
        other.close()
    }

    @Test func `a transaction that reads nothing sends nothing to the server`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        let session = try stores.store.beginSession()
        let transaction = try stores.store.beginTransaction(from: session, nil)
        let count = Locked(0)
        let number = stores.store.add(StatementWatch { _ in count.withLock { $0 += 1 } })
        defer { stores.store.removeWatch(number) }
        try transaction.commit()
        #expect(count.withLock { $0 } == 0)
    }
}
#endif
