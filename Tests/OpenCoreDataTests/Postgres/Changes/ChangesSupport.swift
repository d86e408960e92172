#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

extension StoredTransaction {
    /// The transaction and its changes as lines, in an order that does not depend on the store.
    ///
    /// - Parameter name: Returns the number by which an object is known in all stores.
    func lines(_ model: CompiledModel, _ name: (RowID) -> Int64) -> [String] {
        let head = [author, contextName, processID, bundleID].map { $0 ?? "-" }.joined(separator: " | ")
        return [head] + changes.map { $0.line(model, name) }.sorted()
    }
}

extension StoredChange {
    func line(_ model: CompiledModel, _ name: (RowID) -> Int64) -> String {
        let entity = model[row.entity]
        let number = name(RowID(entity: entity.root, key: row.key))
        let values = tombstone.sorted { $0.key < $1.key }.map { slot, value in
            "\(entity.attributes[slot].name)=\(value.object(as: entity.attributes[slot].type)?.description ?? "\(value)")"
        }
        return "\(type) \(entity.name) \(number) \(properties?.sorted().joined(separator: ",") ?? "-") \(values)"
    }
}

extension ObjectStore {
    /// Returns the transactions of the history after a number.
    func history(after number: Int64? = nil, limit: Int? = nil) throws -> [StoredTransaction] {
        let session = try beginSession()
        defer { session.end() }
        return try #require(
            try session.history(after: number.map { .transaction($0) }, includingChanges: true, limit: limit))
    }

    func extent() throws -> HistoryExtent {
        let session = try beginSession()
        defer { session.end() }
        return try #require(try session.historyExtent())
    }

    /// Returns the transactions after a number once all that are committed by now can be read. Other tests on the same server
    /// may hold them back.
    func waitForHistory(after number: Int64) throws -> [StoredTransaction] {
        try (self as? PostgresStore)?.waitForHorizon()
        return try history(after: number)
    }
}

extension PostgresStore {
    /// Waits until everything that is committed by now is behind the horizon of the history.
    func waitForHorizon(within limit: Duration = .seconds(60)) throws {
        let last = try number("SELECT COALESCE(max(\"number\"), 0) FROM \(history.sql.transactions)")
        let end = ContinuousClock.now + limit
        while try number("SELECT \(history.sql.horizon)") <= last {
            guard ContinuousClock.now < end else {
                Issue.record("the history is held back for \(limit)")
                return
            }
            Thread.sleep(forTimeInterval: 0.002)
        }
    }

    func number(_ sql: String) throws -> Int64 {
        try pool.withConnection(for: "test") { try $0.run(sql).int64(0, column: 0) ?? 0 }
    }

    /// Runs statements past the store, with a connection of their own. `@` stands for the schema with its period.
    @discardableResult
    func pass(_ statements: String...) throws -> PostgresConnection {
        let connection = try PostgresConnection.open(serverOptions.address)
        for sql in statements { try connection.run(.command(sql.replacing("@", with: schema.prefix))) }
        return connection
    }
}

/// A server of one test, so that the transactions of other tests do not hold its history back.
final class HistoryServer {
    let server: PostgresServer

    init() throws { server = try PostgresServer() }

    deinit { server.stop() }

    func options(_ change: (inout PostgresOptions) -> Void = { _ in }) throws -> PostgresOptions {
        var options = try PostgresOptions(server.entrance().address("schema=\(server.newSchema())"))
        change(&options)
        return options
    }

    static func open(
        _ options: PostgresOptions, _ model: CompiledModel = LibraryModel.model, keepsHistory: Bool = true
    ) throws -> PostgresStore {
        var storeOptions = StoreOptions()
        storeOptions.tracksHistory = keepsHistory
        return try PostgresStores.store(of: model, at: options, storeOptions)
    }
}

/// The changes that listeners have received.
///
/// @unchecked: the changes are accessed only while the lock is held.
final class HeardChanges: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [CommittedChanges] = []

    func note(_ changes: CommittedChanges) { lock.withLock { all.append(changes) } }

    var changes: [CommittedChanges] { lock.withLock { all } }

    /// Waits until a condition holds.
    func wait(
        _ limit: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation,
        until condition: ([CommittedChanges]) -> Bool
    ) {
        let end = ContinuousClock.now + limit
        while !condition(changes) {
            guard ContinuousClock.now < end else {
                Issue.record("only \(changes) were heard", sourceLocation: sourceLocation)
                return
            }
            Thread.sleep(forTimeInterval: 0.002)
        }
    }
}
#endif
