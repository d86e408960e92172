#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Transactions: lost connections, and their outcomes", .enabled(if: PostgresServer.isEnabled))
struct TransactionsLossTests: TagSteps {
    /// A proxy between the store and the server, which can cut the connections.
    private func makeProxy() throws -> (CuttingProxy, PostgresOptions) {
        let entrance = try PostgresServer.shared().entrance()
        let proxy = try CuttingProxy(to: "\(entrance.folder)/.s.PGSQL.\(entrance.port)")
        var options = try PostgresStores.options()
        options.address.hosts = [.init(proxy.folder, port: CuttingProxy.port)]
        return (proxy, options)
    }

    private func committed(_ stores: SavingStore) throws -> [String?] {
        try stores.run("SELECT \"name\" FROM @\"Tag\" ORDER BY \"_key\"")
    }

    @Test func `a connection that ends before the commit saves nothing, and says that the server is not available`()
        throws
    {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        let transaction = try stores.store.beginTransaction()
        _ = try transaction.save(insertion("a"))
        try stores.run(
            "SELECT pg_terminate_backend(pid)::text FROM pg_locks WHERE granted AND mode = 'ExclusiveLock' AND relation = '@\"_sworm_writer\"'::regclass"
        )
        usleep(200_000)
        let error = try #require(coreDataError { _ = try transaction.save(insertion("b")) })
        #expect(error.condition == .serverUnavailable)
        #expect(coreDataError { try transaction.commit() } != nil)
        transaction.end()
        #expect(try committed(stores).isEmpty)
        try stores.store.save(insertion("c"))
        #expect(try committed(stores) == ["c"])
    }

    @Test func `a backend that is terminated before it gets COMMIT has not committed, which is found out`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        let transaction = try stores.store.beginTransaction()
        _ = try transaction.save(insertion("a"))
        try stores.run(
            "SELECT pg_terminate_backend(pid)::text FROM pg_locks WHERE granted AND mode = 'ExclusiveLock' AND relation = '@\"_sworm_writer\"'::regclass"
        )
        let error = try #require(coreDataError { try transaction.commit() })
        #expect(error.condition == .serverUnavailable)
        #expect(try committed(stores).isEmpty)
    }

    @Test(arguments: [CuttingProxy.Cut.beforeCommit, .afterCommit, .beforeAnswer])
    func `a connection that is cut at the commit has the outcome that the server has`(_ cut: CuttingProxy.Cut) throws {
        let (proxy, options) = try makeProxy()
        let stores = try SavingStore(.server, server: options)
        defer { stores.close() }
        for round in 0..<3 {
            proxy.cut(cut)
            let error = coreDataError { try stores.store.save(insertion("\(round)")) }
            let isThere = try committed(stores).contains("\(round)")
            #expect(isThere == (error == nil))
            if let error { #expect(error.condition == .serverUnavailable, "\(error)") }
            if cut == .beforeCommit { #expect(!isThere) } else if cut == .beforeAnswer { #expect(isThere) }
        }
        let changes = Locked(0)
        let stop = stores.store.listen(concerning: nil) { _ in changes.withLock { $0 += 1 } }
        defer { stop() }
        proxy.cut(.beforeAnswer)
        let transaction = try stores.store.beginTransaction()
        _ = try transaction.save(insertion("last"))
        try transaction.commit()
        #expect(try committed(stores).contains("last"))
        #expect(changes.withLock { $0 } == 1 && !stores.store.isCommitting)
    }

    @Test func `a commit whose answer cannot be understood took effect, which is found out`() throws {
        let (proxy, options) = try makeProxy()
        let stores = try SavingStore(.server, server: options)
        defer { stores.close() }
        for round in 0..<3 {
            proxy.cut(.garbledAnswer)
            #expect(coreDataError { try stores.store.save(insertion("\(round)")) } == nil)
            #expect(try committed(stores).count == round + 1)
        }
    }

    @Test func `an outcome that no one can be asked about is unknown, and names the marker`() throws {
        let (proxy, options) = try makeProxy()
        let stores = try SavingStore(.server, timeout: 0.5, server: options)
        defer { stores.close() }
        proxy.cut(.beforeAnswer)
        proxy.refusesAfterCut = true
        let error = try #require(coreDataError { try stores.store.save(insertion("a")) })
        #expect(error.condition == .outcomeUnknown)
        let ids = try PostgresStores.run(
            "SELECT \"id\"::text FROM \(stores.server.schema.prefix)\"_sworm_outcome\" WHERE \"time\" < now()")
        #expect(ids.count == 1)
        #expect(error.message.contains(try #require(ids.first ?? nil)))
        #expect(!stores.store.isCommitting)
    }

    @Test(arguments: [3, Int.max])
    func `an outcome is not forgotten because the source of passwords fails`(failures: Int) throws {
        struct Unreachable: Error {}
        var (proxy, options) = try makeProxy()
        let left = Locked(0)
        options.address.password = .asked {
            try left.withLock { left in
                guard left <= 0 else {
                    left -= 1
                    throw Unreachable()
                }
            }
            return "unused"
        }
        let stores = try SavingStore(.server, timeout: failures == .max ? 0.5 : 20, server: options)
        defer { stores.close() }
        left.withLock { $0 = failures }
        proxy.cut(.beforeAnswer)
        let error = coreDataError { try stores.store.save(insertion("a")) }
        #expect(try committed(stores) == ["a"])
        if failures == .max {
            #expect(error?.condition == .outcomeUnknown && error?.message.contains("Unreachable") == true)
        } else {
            #expect(error == nil)
        }
    }

    @Test func `an outcome can be asked for repeatedly, and an answer that was lost does not change it`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        let store = try stores.server
        let marker = UUID()
        for _ in 0..<2 {
            // The first call inserts the marker, and no transaction can do so from then on.
            #expect(try !store.isCommitted(marker))
        }
        let error = coreDataError {
            try store.translating("save") {
                try store.pool.withConnection(for: "test") { connection in
                    try connection.begin(TransactionOptions(.readCommitted))
                    defer { connection.rollback() }
                    try connection.commit(
                        after: store.lastStatements(marker, keeping: .none, checkingConstraints: true))
                }
            }
        }
        #expect(error != nil)
        let other = UUID()
        try store.pool.withConnection(for: "test") { connection in
            try connection.begin(TransactionOptions(.readCommitted))
            try connection.commit(after: store.lastStatements(other, keeping: .none, checkingConstraints: true))
        }
        for _ in 0..<2 { #expect(try store.isCommitted(other)) }
    }

    @Test func `old markers are removed, and new ones stay`() throws {
        let stores = try SavingStore(.server)
        defer { stores.close() }
        for name in ["a", "b"] { try stores.store.save(insertion(name)) }
        try stores.run(
            "INSERT INTO @\"_sworm_outcome\" SELECT gen_random_uuid(), now() - interval '25 hours' FROM generate_series(1, 10)"
        )
        let store = try stores.server
        try store.pool.withConnection(for: "test") { store.removeOldOutcomes(on: $0) }
        #expect(try stores.run("SELECT count(*)::text FROM @\"_sworm_outcome\"") == ["2"])
    }

    @Test func `saves whose connections are killed at random moments are there completely or not at all`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("killed saves: seed \(seed)")
        var random = SeededRandom(seed: seed)
        let stores = try SavingStore(.server)
        defer { stores.close() }
        let schema = try stores.server.schema.prefix
        // The connection is open before a save begins, which takes a few milliseconds.
        let connection = Handed(try PostgresConnection.open(PostgresStores.options(schema: "public").address))
        var failures = 0
        for round in 0..<40 {
            let pause = UInt32(random.pick(6000))
            // On a busy machine a save can begin late. Half of the killers look for its connection until it ends.
            let attempts = random.pick(2) == 0 ? 1 : 10_000
            let hasEnded = Locked(false)
            let killer = Thread {
                usleep(pause)
                for _ in 0..<attempts where !hasEnded.withLock({ $0 }) {
                    let killed = try? connection.value.run(
                        "SELECT pg_terminate_backend(pid)::text FROM pg_locks WHERE relation = '\(schema)\"_sworm_writer\"'::regclass"
                    )
                    guard killed?.rowCount == 0 else { return }
                    usleep(200)
                }
            }
            killer.start()
            var request = SaveRequest()
            for key in 1...20 as ClosedRange<Int64> {
                request.insert(model[LibraryModel.tag], key: -key, ["name": .string("\(round)")])
            }
            let error = coreDataError { try stores.store.save(request) }
            hasEnded.withLock { $0 = true }
            while !killer.isFinished { usleep(1000) }
            let count = try stores.run("SELECT count(*)::text FROM @\"Tag\" WHERE \"name\" = '\(round)'")
            #expect(count == [error == nil ? "20" : "0"], "seed \(seed), round \(round): \(String(describing: error))")
            if let error {
                failures += 1
                #expect(error.condition == .serverUnavailable, "\(error)")
            }
        }
        print("killed saves: \(failures) of 40")
        #expect(failures > 0)
    }
}
#endif
