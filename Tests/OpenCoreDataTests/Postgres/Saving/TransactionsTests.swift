#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Transactions: states, marks and turns", .enabled(if: PostgresServer.isEnabled))
struct TransactionsTests {
    private let model = LibraryModel.model
    private let tags = FetchSpecification(entity: LibraryModel.tag)

    private func insertion(_ name: String) -> SaveRequest {
        var request = SaveRequest()
        request.insert(model[LibraryModel.tag], key: -1, ["name": .string(name)])
        return request
    }

    private func update(_ row: RowID, version: Int64, _ name: String) -> SaveRequest {
        var request = SaveRequest()
        request.update(row, version: version, in: model, ["name": .string(name)])
        return request
    }

    private func names(_ store: any ObjectStore) throws -> [AttributeValue] {
        try store.values(LibraryModel.tag, "name")
    }

    // MARK: Marks

    @Test(arguments: SavingStore.Kind.allCases)
    func `marks undo and keep what was written since`(kind: SavingStore.Kind) throws {
        let store = try SavingStore(kind).store
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
        let store = try SavingStore(kind).store
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
        let store = try SavingStore(kind).store
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
        let (first, second) = (try SavingStore(kind).store, try SavingStore(kind).store)
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
        let session = try stores.store.beginSession()
        let transaction = try stores.store.beginTransaction(from: session, nil)
        let count = Locked(0)
        let number = stores.store.add(StatementWatch { _ in count.withLock { $0 += 1 } })
        defer { stores.store.removeWatch(number) }
        try transaction.commit()
        #expect(count.withLock { $0 } == 0)
    }

    // MARK: Turns

    /// Runs a closure on a thread of its own, and returns its result when asked.
    private final class Work<Output: Sendable>: Sendable {
        private let result = Locked<Result<Output, any Error>?>(nil)
        private let done = DispatchSemaphore(value: 0)

        init(_ body: @escaping @Sendable () throws -> Output) {
            let (result, done) = (result, done)
            Thread.detachNewThread {
                let outcome = Result { try body() }
                result.withLock { $0 = outcome }
                done.signal()
            }
        }

        var isDone: Bool { result.withLock { $0 != nil } }

        func value() throws -> Output {
            _ = done.wait(timeout: .now() + 30)
            return try #require(result.withLock { $0 }).get()
        }
    }

    private func waiters(_ stores: SavingStore) throws -> Int {
        try stores.run(
            "SELECT count(*)::text FROM pg_locks WHERE NOT granted AND relation = '@\"_sworm_writer\"'::regclass"
        ).first?.flatMap { Int($0) } ?? 0
    }

    private func wait(until condition: () throws -> Bool) throws {
        for _ in 0..<500 where try !condition() { usleep(10_000) }
        #expect(try condition())
    }

    @Test func `writers that begin with a turn wait for each other, and see the work of the one before`() throws {
        let stores = try SavingStore(.server, timeout: 20)
        let store = stores.store
        let row = try store.insert(LibraryModel.tag, ["name": .string("0")])
        let first = try store.beginTransaction()
        let model = model
        let others = (1...3).map { _ in
            Work {
                let transaction = try store.beginTransaction()
                defer { transaction.end() }
                let shape = RowShape(model: model, entity: LibraryModel.tag)
                let rows = try transaction.rows(withKeys: [row.key], shape: shape)
                let version = rows.int64(row: 0, cell: RowShape.versionCell)
                var request = SaveRequest()
                request.update(row, version: version, in: model, ["name": .string("\(version)")])
                _ = try transaction.save(request)
                try transaction.commit()
            }
        }
        let save = Work { try store.insert(LibraryModel.tag, ["name": .string("saved")]) }
        try wait { try waiters(stores) == 4 }
        #expect(others.allSatisfy { !$0.isDone } && !save.isDone)
        _ = try first.save(update(row, version: 1, "1"))
        try first.commit()
        for other in others { try other.value() }
        _ = try save.value()
        #expect(try store.versions(LibraryModel.tag) == [5, 1])
    }

    @Test func `a writer waits for a transaction of a view that has written, and is waited for by one that has not`()
        throws
    {
        let stores = try SavingStore(.server, timeout: 20)
        let store = stores.store
        let row = try store.insert(LibraryModel.tag, ["name": .string("0")])
        let session = try store.beginSession()
        _ = try session.count(tags)
        let view = try store.beginTransaction(from: session, nil)
        _ = try view.save(update(row, version: 1, "1"))
        let writer = Work { [model] in
            let transaction = try store.beginTransaction()
            defer { transaction.end() }
            var request = SaveRequest()
            request.update(row, version: 2, in: model, ["name": .string("2")])
            _ = try transaction.save(request)
            try transaction.commit()
        }
        try wait { try waiters(stores) == 1 }
        try view.commit()
        try writer.value()
        #expect(try store.versions(LibraryModel.tag) == [3])
        // A view that began before the writer meets a conflict.
        let old = try store.beginSession()
        _ = try old.count(tags)
        let exclusive = try store.beginTransaction()
        let handed = Handed(old)
        let late = Work { [model] in
            let transaction = try store.beginTransaction(from: handed.value, nil)
            defer { transaction.end() }
            var request = SaveRequest()
            request.update(row, version: 3, in: model, ["name": .string("late")])
            _ = try transaction.save(request)
        }
        try wait { try waiters(stores) == 1 }
        _ = try exclusive.save(update(row, version: 3, "3"))
        try exclusive.commit()
        #expect(coreDataError { try late.value() }?.condition == .conflict)
    }

    @Test func `a thread that would wait for itself gets an error at once`() throws {
        let stores = try SavingStore(.server, timeout: 20)
        let (store, other) = (stores.store, try stores.open())
        let transaction = try store.beginTransaction()
        for store in [store, other] {
            #expect(coreDataError { _ = try store.beginTransaction() }?.condition == .wouldDeadlock)
            #expect(coreDataError { try store.save(insertion("a")) }?.condition == .wouldDeadlock)
            let session = try store.beginSession()
            #expect(coreDataError { _ = try store.beginTransaction(from: session, nil) }?.condition == .wouldDeadlock)
            #expect(try session.count(tags) == 0)
            session.end()
        }
        transaction.end()
        let session = try store.beginSession()
        let view = try store.beginTransaction(from: session, nil)
        #expect(coreDataError { _ = try other.beginTransaction() }?.condition == .wouldDeadlock)
        view.end()
        try other.beginTransaction().end()
        other.close()
    }

    @Test func `a turn that does not come in time is an error, and the view can still be used`() throws {
        let stores = try SavingStore(.server, timeout: 0.3)
        let store = stores.store
        let holder = Work { [stores] in
            let transaction = try stores.open().beginTransaction()
            usleep(1_500_000)
            transaction.end()
        }
        try wait {
            try stores.run(
                "SELECT count(*)::text FROM pg_locks WHERE granted AND mode = 'ExclusiveLock' AND relation = '@\"_sworm_writer\"'::regclass"
            ) == ["1"]
        }
        let session = try store.beginSession()
        let view = try store.beginTransaction(from: session, nil)
        #expect(coreDataError { _ = try view.save(insertion("a")) }?.condition == .timedOut)
        #expect(try view.count(tags) == 0)
        #expect(coreDataError { try store.save(insertion("a")) }?.condition == .wouldDeadlock || true)
        let waiting = Work { [stores] in try stores.open().beginTransaction().end() }
        #expect(coreDataError { try waiting.value() }?.condition == .timedOut)
        let saving = Work { [stores, model] in
            var request = SaveRequest()
            request.insert(model[LibraryModel.tag], key: -1)
            try stores.open().save(request)
        }
        #expect(coreDataError { _ = try saving.value() }?.condition == .timedOut)
        try holder.value()
        _ = try view.save(insertion("b"))
        try view.commit()
        #expect(try names(store) == [.string("b")])
    }

    @Test func `a token and its deadline end the wait for a turn`() throws {
        let stores = try SavingStore(.server, timeout: 20)
        let holder = try stores.store.beginTransaction()
        let token = InterruptToken()
        let waiting = Work { [stores] in try stores.open().beginTransaction(token).end() }
        try wait { try waiters(stores) == 1 }
        token.interrupt(.cancelled)
        #expect(
            coreDataError { try waiting.value() }?.errorCode == CocoaError.Code.userCancelled.rawValue)
        let late = InterruptToken()
        late.deadline = .now + .milliseconds(200)
        let limited = Work { [stores] in try stores.open().beginTransaction(late).end() }
        #expect(coreDataError { try limited.value() }?.condition == .timedOut)
        holder.end()
    }

    @Test func `a store is closed after its transaction has ended`() throws {
        let stores = try SavingStore(.server, timeout: 20)
        let store = stores.store
        let transaction = try store.beginTransaction()
        _ = try transaction.save(insertion("a"))
        let closing = Work { try store.close(until: nil) }
        usleep(100_000)
        #expect(!closing.isDone)
        _ = try transaction.save(insertion("b"))
        try transaction.commit()
        try closing.value()
        #expect(coreDataError { _ = try store.beginTransaction() }?.condition == .storeClosed)
        #expect(try names(stores.open()).count == 2)
    }

    @Test func `read-only stores are not written`() throws {
        let options = try PostgresStores.options()
        _ = try SavingStore(.server, server: options)
        var readOnly = StoreOptions()
        readOnly.isReadOnly = true
        let store = try PostgresStores.store(of: model, at: options, readOnly)
        #expect(coreDataError { try store.save(insertion("a")) }?.condition == .readOnly)
        #expect(coreDataError { _ = try store.beginTransaction(nil) }?.condition == .readOnly)
        #expect(coreDataError { _ = try store.reserveKeys(root: 1, count: 1, nil) }?.condition == .readOnly)
    }

    @Test func `new metadata are written with the next commit`() throws {
        let stores = try SavingStore(.server)
        try stores.store.setMetadata(["own": "a"])
        #expect(stores.store.hasNewMetadata)
        try stores.store.save(SaveRequest())
        #expect(!stores.store.hasNewMetadata)
        #expect(try stores.open().metadata["own"] as? String == "a")
        try stores.store.setMetadata(["own": "b"])
        let transaction = try stores.store.beginTransaction()
        _ = try transaction.save(insertion("a"))
        try transaction.commit()
        #expect(!stores.store.hasNewMetadata)
        #expect(try stores.open().metadata["own"] as? String == "b")
    }
}
#endif
