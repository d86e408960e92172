#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import Sworm
@testable import SwormPostgres
@testable import SwormStore

@Suite("Calls over a server: waiting for a connection", .enabled(if: PostgresServer.isEnabled))
struct CallWaitingTests {
    @Test func `no thread waits for a connection, and calls get one in their order`() async throws {
        let pallets = try PalletStore(connections: 2)
        let (store, gate) = (pallets.container, Gate())
        let (order, threads) = (Locked<[Int]>([]), Locked<Set<UInt>>([]))
        let holders = (0..<2).map { _ in
            Task.detached(priority: .high) { try await store.schedule { _ in gate.wait() } }
        }
        try #require(await eventually { gate.running == 2 })
        var calls: [Task<Void, any Error>] = []
        for number in 0..<30 {
            calls.append(
                Task.detached(priority: .high) {
                    @Sendable func note(_ context: ManagedObjectContext) throws {
                        order.withLock { $0.append(number) }
                        _ = threads.withLock { $0.insert(PooledConnection.thread) }
                        _ = try context.count(of: Pallet.all)
                    }
                    switch number % 3 {
                    case 0: try await store.read { try note($0) }
                    case 1: try await store.schedule { try note($0) }
                    default: try await store.write(locking: Pallet.all.where(\.number == 1)) { try note($0) }
                    }
                })
            try #require(await eventually { pallets.pool.snapshot.waitingCount == number + 1 })
        }
        #expect(pallets.pool.snapshot.waitingCalls.allSatisfy { $0.thread == nil })
        // One connection runs them one after the other.
        gate.open()
        for call in calls { try await call.value }
        #expect(order.withLock { $0 } == Array(0..<30))
        #expect(threads.withLock { $0.count } == 1)
        gate.open()
        for holder in holders { try await holder.value }
        #expect(try await pallets.becomesIdle())
    }

    @Test func `a cancelled task leaves the queue at once, and other calls get its turn`() async throws {
        let pallets = try PalletStore(connections: 1)
        let (store, gate) = (pallets.container, Gate())
        let holder = Task.detached(priority: .high) { try await store.schedule { _ in gate.wait() } }
        try #require(await eventually { gate.running == 1 })
        let calls = (0..<3).map { number in
            Task.detached(priority: .high) {
                if number == 1 {
                    try await store.write { try addBox(to: 1, in: $0) }
                } else {
                    try await store.schedule { try addBox(to: 0, in: $0) }
                }
            }
        }
        try #require(await eventually { pallets.pool.snapshot.waitingCount == 3 })
        calls[1].cancel()
        // The holder still has the only connection.
        #expect(await callError { try await calls[1].value } is CancellationError)
        #expect(pallets.pool.snapshot.waitingCount == 2)
        gate.open()
        for call in [holder, calls[0], calls[2]] { try await call.value }
        #expect(try pallets.boxes(0) == 2)
        #expect(try pallets.boxes(1) == 0)
        #expect(try await pallets.becomesIdle())
    }

    @Test func `the deadline of a call and the timeout of the store end the wait`() async throws {
        let pallets = try PalletStore(connections: 1, timeout: 0.3)
        let (store, gate) = (pallets.container, Gate())
        let holder = Task.detached(priority: .high) { try await store.write { _ in gate.wait() } }
        try #require(await eventually { gate.running == 1 })
        let late = await callError {
            try await store.read(deadline: .now + .milliseconds(20)) { _ = try $0.count(of: Pallet.all) }
        }
        #expect((late as? StoreError)?.code == .timedOut)
        let full = await callError { try await store.read { _ = try $0.count(of: Pallet.all) } }
        #expect((full as? StoreError)?.code == .serverUnavailable)
        #expect("\(try #require(full))".contains("the limit is 1, and 0 calls were waiting in front of this one"))
        let turn = await callError { try await store.write { _ = try $0.count(of: Pallet.all) } }
        #expect((turn as? StoreError)?.code == .timedOut)
        #expect("\(try #require(turn))".contains("the turn to write"))
        gate.open()
        try await holder.value
        #expect(try await store.read { try $0.count(of: Pallet.all) } == 10)
        #expect(try await pallets.becomesIdle())
    }

    @Test func `writes that wait for their turn hold no connections, and reads go on`() async throws {
        let pallets = try PalletStore(connections: 3)
        let (store, gate, order) = (pallets.container, Gate(), Locked<[Int]>([]))
        let holder = Task.detached(priority: .high) { try await store.write { _ in gate.wait() } }
        try #require(await eventually { gate.running == 1 })
        var writes: [Task<Void, any Error>] = []
        for number in 0..<8 {
            writes.append(
                Task.detached(priority: .high) {
                    if number == 4 {
                        // A call on a thread of its own waits in the same queue.
                        try await withCheckedThrowingContinuation { continuation in
                            Thread.detachNewThread {
                                continuation.resume(
                                    with: Result {
                                        try store.write { context in
                                            order.withLock { $0.append(number) }
                                            try addBox(to: 0, in: context)
                                        }
                                    })
                            }
                        }
                    } else {
                        try await store.write { context in
                            order.withLock { $0.append(number) }
                            try addBox(to: 0, in: context)
                        }
                    }
                })
            try #require(await eventually { pallets.pool.snapshot.waitingCount == number + 1 })
        }
        for _ in 0..<5 { #expect(try await store.read { try $0.count(of: Pallet.all) } == 10) }
        #expect(pallets.pool.snapshot.waitingCount == 8)
        gate.open()
        try await holder.value
        for write in writes { try await write.value }
        #expect(order.withLock { $0 } == Array(0..<8))
        #expect(try pallets.boxes(0) == 8)
    }

    @Test func `a call uses the connection for which it has waited, also in nested calls of another container`()
        async throws
    {
        let pallets = try PalletStore(connections: 1)
        let store = pallets.container
        let other = store.withTransactions(settings: ["app.tenant": "7"])
        for _ in 0..<3 {
            let counts = try await store.schedule { context in
                let inner = try other.read { try $0.count(of: Pallet.all) }
                return [inner, try context.count(of: Pallet.all)]
            }
            #expect(counts == [10, 10])
        }
        // A snapshot keeps the connection, so that a second one would be needed.
        let error = await callError {
            try await store.read { context in
                _ = try context.count(of: Pallet.all)
                _ = try other.read { try $0.count(of: Pallet.all) }
            }
        }
        #expect((error as? StoreError)?.code == .wouldDeadlock)
        #expect(try await store.schedule { try $0.count(of: Pallet.all) } == 10)
        #expect(try await pallets.becomesIdle())
    }

    @Test func `a closed store ends the calls that wait`() async throws {
        let pallets = try PalletStore(connections: 1)
        let (store, gate) = (pallets.container, Gate())
        let holder = Task.detached(priority: .high) { try await store.schedule { _ in gate.wait() } }
        try #require(await eventually { gate.running == 1 })
        let call = Task.detached(priority: .high) { try await store.read { try $0.count(of: Pallet.all) } }
        try #require(await eventually { pallets.pool.snapshot.waitingCount == 1 })
        try pallets.store.close(until: .now + .seconds(60))
        let error = await callError { _ = try await call.value }
        #expect((error as? StoreError)?.code == .storeClosed)
        gate.open()
        try await holder.value
    }

    @Test func `a read runs in a transaction that the server knows to be read-only, without a statement more`() throws {
        let pallets = try PalletStore()
        func statements(_ body: () throws -> Void) throws -> [String] {
            pallets.statements.withLock { $0 = [] }
            try body()
            return pallets.statements.withLock { $0 }
        }
        let read = try statements { _ = try pallets.container.read { try $0.count(of: Pallet.all) } }
        let perform = try statements { _ = try pallets.container.perform { try $0.count(of: Pallet.all) } }
        #expect(read.count == perform.count)
        #expect(read.contains { $0.contains("REPEATABLE READ READ ONLY") })
        #expect(!read.contains { $0.contains("READ WRITE") })
        #expect(perform.contains { $0.contains("REPEATABLE READ READ WRITE") })
        // A perform that follows on the same context can write.
        try pallets.container.perform { try addBox(to: 0, in: $0) }
        #expect(try pallets.boxes(0) == 1)
    }
}
#endif
