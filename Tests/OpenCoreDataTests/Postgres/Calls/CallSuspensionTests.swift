#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import Sworm
@testable import SwormPostgres
@testable import SwormStore

@Suite("Calls over a server: suspending", .enabled(if: PostgresServer.isEnabled))
struct CallSuspensionTests {
    /// The connections of a store that the server has, by the name of the schema in their last statements.
    private func sessions(_ pallets: PalletStore) throws -> Int {
        let schema = pallets.configuration.schema
        return try pallets.run(
            "SELECT count(*)::text FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND (query LIKE '%\(schema)\"%' OR query LIKE 'LISTEN%\(pallets.store.identifier.lowercased())%')"
        ).first?.flatMap { Int($0) } ?? -1
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch { return (error as? StoreError)?.code }
    }

    @Test func `a suspended store has no connections, rejects calls, and goes on after it`() async throws {
        let pallets = try PalletStore(history: true)
        let store = pallets.container
        let results = store.values(of: Pallet.all.where(\.number == 0))
        var iterator = results.makeAsyncIterator()
        #expect(try await iterator.next()?.first?.boxes == 0)
        for round in 1...3 {
            _ = try await store.read { try $0.decode(Pallet.all) }
            try store.suspend()
            try await #require(eventually { try sessions(pallets) == 0 })
            #expect(code { _ = try store.read { try $0.count(of: Pallet.all) } } == .suspended)
            let error = await callError { try await store.schedule { try addBox(to: 0, in: $0) } }
            #expect((error as? StoreError)?.code == .suspended)
            let context = try store.makeContext()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Pallet")
            #expect(coreDataError { _ = try context.count(for: request) }?.condition == .suspended)
            // Another process writes in the meantime.
            try pallets.run(
                "UPDATE @\"Pallet\" SET \"boxes\" = \(round), \"_version\" = \"_version\" + 1 WHERE \"number\" = 0")
            try store.suspend()
            try store.resume()
            #expect(try await store.read { try $0.count(of: Pallet.all) } == 10)
            #expect(try await iterator.next()?.first?.boxes == round)
        }
        try store.close()
    }

    @Test func `calls that run too long are undone, wherever they are`() async throws {
        let pallets = try PalletStore()
        let store = pallets.container
        let goOn = Gate()
        let bodies: [@Sendable (ManagedObjectContext) throws -> Void] = [
            { context in while true { _ = try context.count(of: Pallet.all) } },
            { context in
                try context.update(Pallet.all, set: (\.boxes, 3))
                while true { _ = try context.count(of: Pallet.all) }
            },
            { context in
                try context.update(Pallet.all, set: (\.boxes, 3))
                goOn.wait()
                try context.insert(Pallet(number: 100))
            },
        ]
        for (index, body) in bodies.enumerated() {
            let began = Locked(false)
            let task = Task.detached(priority: .high) {
                try await store.schedule { context in
                    _ = try context.count(of: Pallet.all)
                    began.withLock { $0 = true }
                    try body(context)
                }
            }
            try #require(await eventually { began.withLock { $0 } })
            if index == 2 { try #require(await eventually { goOn.running == 1 }) }
            try store.suspend(grace: .milliseconds(20), deadline: .now + .seconds(120))
            if index == 2 { goOn.open() }
            let error = await callError { try await task.value }
            #expect((error as? StoreError)?.code == .suspended, "\(index): \(String(describing: error))")
            try store.resume()
            #expect(try await store.read { try $0.count(of: Pallet.all.where(\.boxes == 3)) } == 0)
            #expect(try await store.read { try $0.count(of: Pallet.all) } == 10)
        }
    }

    @Test func `a call that waits for a lock of another program does not hold up suspend`() async throws {
        let pallets = try PalletStore()
        let other = try PersistentContainer(for: Pallet.self, at: .postgres(pallets.configuration))
        let gate = Gate()
        let holder = Task.detached(priority: .high) { try await other.write { _ in gate.wait() } }
        try #require(await eventually { gate.running == 1 })
        let store = pallets.container
        let task = Task.detached(priority: .high) { try await store.write { try addBox(to: 0, in: $0) } }
        try #require(
            await eventually {
                try pallets.run(
                    "SELECT 1::bigint FROM pg_locks WHERE NOT granted AND relation = '@\"_sworm_writer\"'::regclass"
                ).count == 1
            })
        try store.suspend(grace: .milliseconds(20), deadline: .now + .seconds(120))
        let error = await callError { try await task.value }
        #expect((error as? StoreError)?.code == .suspended)
        gate.open()
        try await holder.value
        try store.resume()
        #expect(try pallets.boxes(0) == 0)
    }

    @Test func `a store that was replaced while it was suspended stays suspended`() async throws {
        let pallets = try PalletStore()
        let store = pallets.container
        try store.suspend()
        try pallets.run("UPDATE @\"_sworm\" SET \"store\" = gen_random_uuid()")
        #expect(code { try store.resume() } == .storeFailed)
        #expect(code { _ = try store.read { try $0.count(of: Pallet.all) } } == .suspended)
        let id = pallets.store.identifier
        try pallets.run("UPDATE @\"_sworm\" SET \"store\" = '\(id)'")
        try store.resume()
        #expect(try await store.read { try $0.count(of: Pallet.all) } == 10)
    }

    @Test func `a thread that reads rows of its own context cannot suspend, and its view ends otherwise`() throws {
        let pallets = try PalletStore()
        let (store, other) = (pallets.container, pallets.container.withTransactions(settings: [:]))
        // The call of another container over the same store uses a connection on this thread.
        try other.read { context in
            _ = try context.count(of: Pallet.all)
            #expect(code { try store.suspend(grace: .zero, deadline: .now + .milliseconds(200)) } == nil)
            #expect(code { _ = try context.count(of: Pallet.all) } == .suspended)
        }
        try store.resume()
        #expect(try store.read { try $0.count(of: Pallet.all) } == 10)
    }

    @Test func `a checkpoint of a server moves nothing`() throws {
        let result = try PalletStore().container.checkpoint()
        #expect(result.frames == 0 && result.moved == 0)
    }
}
#endif
