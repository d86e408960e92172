#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import Sworm
@testable import SwormPostgres
@testable import SwormStore

@Suite("Calls over a server: repetition after a lost connection", .enabled(if: PostgresServer.isEnabled))
struct CallLossTests {
    /// Ends the connections of a store at the server.
    private func cut(_ pallets: PalletStore) throws {
        let processes = pallets.pool.withLock { pallets.pool.all.compactMap { $0.connection?.processID } }
        for process in processes { try pallets.run("SELECT pg_terminate_backend(\(process))::text") }
        let list = processes.map { String($0) }.joined(separator: ", ")
        while try pallets.run("SELECT count(*)::text FROM pg_stat_activity WHERE pid IN (\(list))") != ["0"] {
            usleep(1000)
        }
    }

    /// Adds a box, and reads again after the connection was cut in the first runs.
    private func add(_ context: ManagedObjectContext, run: Int, losses: Int, _ pallets: PalletStore) throws {
        try addBox(to: 0, in: context)
        guard run <= losses else { return }
        try cut(pallets)
        _ = try context.count(of: Pallet.all)
    }

    @Test func `a call whose connection was lost before the commit is run again`() async throws {
        let pallets = try PalletStore()
        var runs = 0
        try pallets.container.perform(retrying: 3) { context in
            runs += 1
            try add(context, run: runs, losses: 2, pallets)
        }
        #expect(runs == 3)
        #expect(try pallets.boxes(0) == 1)
        let scheduled = Locked(0)
        try await pallets.container.schedule(retrying: 3) { context in
            let run = scheduled.withLock { runs in
                runs += 1
                return runs
            }
            try add(context, run: run, losses: 2, pallets)
        }
        #expect(scheduled.withLock { $0 } == 3)
        #expect(try pallets.boxes(0) == 2)
        #expect(try await pallets.becomesIdle())
    }

    @Test func `without repetitions, and after the last one, the loss is thrown`() throws {
        let pallets = try PalletStore()
        for repetitions in [0, 2] {
            var runs = 0
            #expect(throws: StoreError.Code.serverUnavailable.expected) {
                try pallets.container.perform(retrying: repetitions) { context in
                    runs += 1
                    try add(context, run: runs, losses: 10, pallets)
                }
            }
            #expect(runs == repetitions + 1)
        }
        #expect(try pallets.boxes(0) == 0)
    }

    @Test func `a save does not need the connection of the reads before it`() throws {
        let pallets = try PalletStore()
        var runs = 0
        try pallets.container.perform(retrying: 3) { context in
            runs += 1
            try addBox(to: 0, in: context)
            try cut(pallets)
        }
        #expect(runs == 1)
        #expect(try pallets.boxes(0) == 1)
    }

    @Test func `a commit that is known not to have happened is repeated, and one with an unknown outcome is not`()
        throws
    {
        let server = try PostgresServer.shared()
        let proxy = try CuttingProxy(to: server.folder.appending(path: ".s.PGSQL.\(server.port)").path)
        let pallets = try PalletStore(timeout: 1, folder: proxy.folder)
        for cut in [CuttingProxy.Cut.beforeCommit, .afterCommit, .beforeAnswer] {
            let before = try #require(try pallets.boxes(0))
            var runs = 0
            proxy.cut(cut)
            try pallets.container.perform(retrying: 3) { context in
                runs += 1
                try addBox(to: 0, in: context)
            }
            #expect(try pallets.boxes(0) == before + 1)
            if cut == .beforeCommit { #expect(runs == 2) }
            if cut == .beforeAnswer { #expect(runs == 1) }
        }
        var runs = 0
        proxy.cut(.beforeAnswer)
        proxy.refusesAfterCut = true
        #expect(throws: StoreError.Code.outcomeUnknown.expected) {
            try pallets.container.perform(retrying: 3) { context in
                runs += 1
                try addBox(to: 1, in: context)
            }
        }
        #expect(runs == 1)
    }

    @Test func `a commit that is lost after that of another store is not one that can be repeated`() throws {
        let server = try PostgresServer.shared()
        let proxy = try CuttingProxy(to: server.folder.appending(path: ".s.PGSQL.\(server.port)").path)
        var options = try PostgresStores.options()
        options.address.hosts = [.init(proxy.folder, port: CuttingProxy.port)]
        let stores = try SavingStore(.server, server: options)
        defer { stores.close() }
        for cut in [CuttingProxy.Cut.beforeCommit, .afterCommit] {
            var request = SaveRequest()
            request.insert(stores.store.model[LibraryModel.tag], key: -1, ["name": .string("\(cut)")])
            let transaction = try stores.store.beginTransaction()
            defer { transaction.end() }
            _ = try transaction.save(request)
            var isOtherSaved = false
            let error = coreDataError {
                try transaction.commit {
                    isOtherSaved = true
                    proxy.cut(cut)
                }
            }
            #expect(isOtherSaved)
            if let error { #expect(error.condition == .outcomeUnknown, "\(cut): \(error)") }
            if cut == .beforeCommit { #expect(error != nil) }
        }
    }

    @Test func `a call for which no connection became free is not run again`() async throws {
        let pallets = try PalletStore(connections: 1, timeout: 0.2)
        let (store, gate) = (pallets.container, Gate())
        let holder = Task.detached(priority: .high) { try await store.schedule { _ in gate.wait() } }
        try #require(await eventually { gate.running == 1 })
        let waits = Locked(0)
        let watch = Task.detached(priority: .high) {
            // A repetition would wait in the queue again.
            var wasWaiting = false
            while !Task.isCancelled {
                let isWaiting = pallets.pool.snapshot.waitingCount > 0
                if isWaiting, !wasWaiting { waits.withLock { $0 += 1 } }
                wasWaiting = isWaiting
                try? await Task.sleep(for: .milliseconds(2))
            }
        }
        let error = await callError { try await store.schedule(retrying: 3) { _ = try $0.count(of: Pallet.all) } }
        #expect((error as? StoreError)?.code == .serverUnavailable)
        watch.cancel()
        await watch.value
        #expect(waits.withLock { $0 } <= 1)
        gate.open()
        try await holder.value
    }

    @Test func `the deadline and the cancellation of a call end its repetitions`() async throws {
        let pallets = try PalletStore()
        var runs = 0
        let start = ContinuousClock.now
        #expect(throws: StoreError.Code.timedOut.expected) {
            try pallets.container.perform(retrying: 1000, deadline: .now + .seconds(2)) { context in
                runs += 1
                try add(context, run: runs, losses: .max, pallets)
            }
        }
        #expect(runs > 1 && ContinuousClock.now - start < .seconds(60))
        let scheduled = Locked(0)
        let task = Task.detached(priority: .high) {
            try await pallets.container.schedule(retrying: 1000) { context in
                scheduled.withLock { $0 += 1 }
                try add(context, run: 1, losses: 1, pallets)
            }
        }
        try #require(await eventually { scheduled.withLock { $0 } > 1 })
        task.cancel()
        #expect(await callError { try await task.value } is CancellationError)
        #expect(try pallets.boxes(0) == 0)
    }
}
#endif
