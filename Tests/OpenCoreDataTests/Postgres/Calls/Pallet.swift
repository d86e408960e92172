#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import Sworm
@testable import SwormPostgres
@testable import SwormStore

/// The objects of the tests of calls.
struct Pallet: Equatable, Sendable {
    var number = 0
    var boxes = 0
}

extension Pallet: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Pallet>> = [
        .init(\.number, "number", .unique), .init(\.boxes, "boxes"),
    ]
}

/// A container over a store on the server of the tests, in a schema of its own, and what is below it.
struct PalletStore {
    let configuration: PostgresConfiguration
    let container: PersistentContainer
    let store: PostgresStore
    let statements = Locked<[String]>([])

    var pool: PostgresPool { store.pool }

    /// - Parameters:
    ///   - folder: The folder of the server's socket; nil for that of the server of the tests.
    ///   - pallets: The number of pallets in the store.
    init(
        connections: Int = 10, timeout: TimeInterval = 240, folder: String? = nil, pallets: Int = 10,
        history: Bool = false
    ) throws {
        let server = try PostgresServer.shared()
        var configuration = PostgresConfiguration(
            host: folder ?? server.folder.path, port: server.port, database: "postgres", user: server.user,
            schema: server.newSchema())
        configuration.connections = connections
        // Tests may pause for longer than usual, while other tests run.
        configuration.timeouts.statement = nil
        configuration.timeouts.idle = nil
        self.configuration = configuration
        container = try PersistentContainer(
            for: Pallet.self, at: .postgres(configuration), timeout: timeout, history: history,
            trace: { [statements] trace in statements.withLock { $0.append(trace.sql) } })
        store = try Self.store(of: container)
        try container.write { try $0.insert(contentsOf: (0..<pallets).map { Pallet(number: $0) }) }
    }

    /// The store of a container.
    static func store(of container: PersistentContainer) throws -> PostgresStore {
        let context = try container.makeContext()
        return try #require(context.persistentStoreCoordinator?.persistentStores.first?.objectStore as? PostgresStore)
    }

    /// Runs a statement with a connection of its own, in which `@` is the schema.
    @discardableResult
    func run(_ sql: String) throws -> [String?] {
        try PostgresStores.run(sql.replacingOccurrences(of: "@", with: store.schema.prefix))
    }

    /// Waits until no connection is used and no call waits: the store announces the last commits after their calls have ended.
    func becomesIdle() async throws -> Bool {
        try await eventually {
            let state = pool.snapshot
            return state.holders.isEmpty && state.waitingCount == 0 && state.turn == nil && !pool.hasSeats
        }
    }

    func boxes(_ number: Int) throws -> Int? {
        try container.read { try $0.decodeOne(Pallet.all.where(\.number == number))?.boxes }
    }
}

/// Adds a box to a pallet.
func addBox(to number: Int, in context: ManagedObjectContext) throws {
    let pallet = try #require(try context.fetchOne(Pallet.all.where(\.number == number)))
    try pallet.encode(\.boxes, try pallet.decode(\.boxes) + 1)
}

/// Waits until a condition is true, without blocking the thread.
func eventually(_ condition: () throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now.advanced(by: .seconds(120))
    while ContinuousClock.now < end {
        if try condition() { return true }
        try await Task.sleep(for: .milliseconds(2))
    }
    return try condition()
}

/// The error of a call.
func callError(_ body: () async throws -> Void) async -> (any Error)? {
    do {
        try await body()
        return nil
    } catch { return error }
}

/// Closures that wait until they are released, and note that they run.
final class Gate: Sendable {
    private let count = Locked(0)
    private let gate = DispatchSemaphore(value: 0)

    var running: Int { count.withLock { $0 } }

    func wait() {
        count.withLock { $0 += 1 }
        gate.wait()
    }

    func open(_ times: Int = 1) { for _ in 0..<times { gate.signal() } }
}
#endif
