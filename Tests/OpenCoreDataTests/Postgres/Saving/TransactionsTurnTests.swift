#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormPostgres
@testable import SwormStore

@Suite("Transactions: turns of writers", .enabled(if: PostgresServer.isEnabled))
struct TransactionsTurnTests: TagSteps {
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

    private func waitingForTurn(_ stores: SavingStore) throws -> Int {
        try #require(stores.store as? PostgresStore).pool.snapshot.waitingCount
    }

    private func wait(until condition: () throws -> Bool) throws {
        for _ in 0..<500 where try !condition() { usleep(10_000) }
        #expect(try condition())
    }

    @Test func `writers that begin with a turn wait for each other, and see the work of the one before`() throws {
        let stores = try SavingStore(.server, timeout: 20)
        defer { stores.close() }
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
        // Of the transactions of this process that begin with a turn, the first one in line waits at the server.
        try wait { try waiters(stores) + waitingForTurn(stores) == 4 }
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
        defer { stores.close() }
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
        defer { stores.close() }
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
        let options = try PostgresStores.options()
        let stores = try SavingStore(.server, timeout: 0.3, server: options)
        defer { stores.close() }
        let store = stores.store
        // The stores are opened before, because opening one waits no longer either.
        let others = try (0..<3).map { _ in try stores.open() }
        let isHeld = DispatchSemaphore(value: 0)
        let isReleased = DispatchSemaphore(value: 0)
        let holder = Work {
            defer { isHeld.signal() }
            let transaction = try others[0].beginTransaction()
            isHeld.signal()
            isReleased.wait()
            transaction.end()
        }
        defer { isReleased.signal() }
        isHeld.wait()
        let session = try store.beginSession()
        let view = try store.beginTransaction(from: session, nil)
        #expect(coreDataError { _ = try view.save(insertion("a")) }?.condition == .timedOut)
        #expect(try view.count(tags) == 0)
        // The view has written nothing, so a save of the same thread waits for the turn of the other thread only.
        #expect(coreDataError { try store.save(insertion("a")) }?.condition == .timedOut)
        let waiting = Work { try others[1].beginTransaction().end() }
        #expect(coreDataError { try waiting.value() }?.condition == .timedOut)
        let saving = Work { [model] in
            var request = SaveRequest()
            request.insert(model[LibraryModel.tag], key: -1)
            try others[2].save(request)
        }
        #expect(coreDataError { _ = try saving.value() }?.condition == .timedOut)
        isReleased.signal()
        try holder.value()
        _ = try view.save(insertion("b"))
        try view.commit()
        #expect(try names(store) == [.string("b")])
    }

    @Test func `a token and its deadline end the wait for a turn`() throws {
        let stores = try SavingStore(.server, timeout: 20)
        defer { stores.close() }
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
        defer { stores.close() }
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
        try SavingStore(.server, server: options).close()
        var readOnly = StoreOptions()
        readOnly.isReadOnly = true
        let store = try PostgresStores.store(of: model, at: options, readOnly)
        #expect(coreDataError { try store.save(insertion("a")) }?.condition == .readOnly)
        #expect(coreDataError { _ = try store.beginTransaction(nil) }?.condition == .readOnly)
        #expect(coreDataError { _ = try store.reserveKeys(root: 1, count: 1, nil) }?.condition == .readOnly)
    }

    @Test func `new metadata are written with the next commit`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
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
