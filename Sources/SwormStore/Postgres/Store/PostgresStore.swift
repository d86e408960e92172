#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
package import SwormRows

/// A store in a schema of a database on a PostgreSQL server.
///
/// A store can be used from any thread. Each view and each transaction has a connection of the store's pool until it ends.
package final class PostgresStore: ObjectStore {
    package let identifier: String
    package let model: CompiledModel
    package let options: StoreOptions
    let serverOptions: PostgresOptions
    let pool: PostgresPool
    let schema: ServerSchema
    /// The listeners for the commits of this process, also of other stores that use the same tables.
    let commits: CommitListeners
    let history: ServerHistory
    /// The listeners for the commits of other processes.
    let foreignListeners = CommitListeners()
    let watching = Locked(Watching())
    let bell: CommitBell
    /// The keys that were drawn from the sequences of the tables and are not used yet.
    let keys = ServerKeys()
    /// The work that a migration has left.
    let upkeep = ServerUpkeep()
    private let state: Locked<State>
    /// A lock that lets one thread at a time suspend, resume or close the store.
    let turn = NSLock()

    private struct State: Sendable {
        /// The reason why no work may start; nil while the store is open.
        var shutReason: CoreDataError?
        var metadata: StoreMetadata
        var newMetadata: StoreMetadata?
        var lastLease = 0
        var leases: [Int: ServerLease] = [:]
        var watches: StatementWatches
    }

    init(
        model: CompiledModel, options: StoreOptions, serverOptions: PostgresOptions, pool: PostgresPool,
        schema: ServerSchema, metadata: StoreMetadata, home: ServerHome
    ) {
        self.model = model
        self.options = options
        self.serverOptions = serverOptions
        self.pool = pool
        self.schema = schema
        identifier = metadata.identifier
        commits = ServerCommits.listeners(of: home)
        history = ServerHistory(prefix: schema.prefix)
        bell = CommitBell(CommitBell.channel(of: metadata.identifier), pool: pool)
        state = Locked(State(metadata: metadata, watches: StatementWatches(options.watch)))
    }

    deinit { try? close(until: .now) }

    package var isReadOnly: Bool { options.isReadOnly }
    package var readOnlyReason: String? {
        isReadOnly
            ? "the store '\(place)' was opened read-only. Open it for writing, or discard the changes" : nil
    }
    /// The store in messages: the address without secrets, and the schema.
    var place: String { serverOptions.place }

    // A view that stayed open during a save would keep a connection from other saves.
    package var viewsKeepFiles: Bool { false }

    // MARK: Metadata

    package var metadata: [String: Any] { state.withLock { $0.newMetadata ?? $0.metadata }.dictionary }

    package func setMetadata(_ metadata: [String: Any]) throws {
        let current = state.withLock { $0.newMetadata ?? $0.metadata }
        let new = try current.replacingApplicationKeys(with: metadata)
        state.withLock { $0.newMetadata = new }
    }

    package var hasNewMetadata: Bool { newMetadata != nil }
    /// The metadata to write with the next save, or nil if they are unchanged.
    var newMetadata: StoreMetadata? { state.withLock { $0.newMetadata } }

    /// The metadata that were read or written last.
    var writtenMetadata: StoreMetadata { state.withLock { $0.metadata } }

    /// Replaces the metadata to write with those that a transaction writes instead.
    func adopt(_ written: StoreMetadata, insteadOf new: StoreMetadata) {
        state.withLock { if $0.newMetadata == new { $0.newMetadata = written } }
    }

    /// Records the metadata that a committed transaction has written.
    func wrote(_ metadata: StoreMetadata) {
        state.withLock { state in
            state.metadata = metadata
            if state.newMetadata == metadata { state.newMetadata = nil }
        }
    }

    // MARK: Connections

    /// Returns the observer of statements.
    ///
    /// - Throws: An error if the store is closed or suspended.
    func currentWatch() throws -> StatementWatch? {
        let (reason, watch) = state.withLock { ($0.shutReason, $0.watches.combined) }
        if let reason { throw reason }
        return watch
    }

    package func add(_ watch: StatementWatch) -> Int { state.withLock { $0.watches.add(watch) } }
    package func removeWatch(_ number: Int) { state.withLock { $0.watches.remove(number) } }

    /// Takes a connection of the pool, on which the caller begins a transaction.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the call, for messages: "read", "save".
    ///   - token: Ends the wait.
    ///   - takesTurn: Whether only one call at a time may have such a connection.
    func take(
        for purpose: String, _ token: InterruptToken, takingTurn takesTurn: Bool = false
    ) throws -> PooledConnection {
        let watch = try currentWatch()
        return try translating(purpose, token: token) {
            let waiting = min(options.busyTimeout, StoreOptions.longestTimeout)
            let end = ContinuousClock.now.advanced(by: .seconds(waiting))
            let pooled = try pool.take(
                for: purpose, until: min(end, token.deadline ?? end), token: token, takingTurn: takesTurn)
            pooled.connection?.interruption = token
            pooled.connection?.watch = watch
            return pooled
        }
    }

    /// Returns a lease on a connection that was taken. When it ends, the connection's transaction is rolled back.
    ///
    /// - Parameter atEnd: Called when the connection was returned.
    func lease(
        _ pooled: PooledConnection, isWriting: Bool, atEnd: @escaping @Sendable () -> Void = {}
    ) -> ServerLease {
        let number = state.withLock { state in
            state.lastLease += 1
            return state.lastLease
        }
        let lease = ServerLease(pooled, isWriting: isWriting) { [weak self, pool] pooled in
            pooled.connection?.rollback()
            pooled.connection?.interruption = nil
            pooled.connection?.watch = nil
            pool.giveBack(pooled)
            atEnd()
            self?.state.withLock { $0.leases[number] = nil }
        }
        let reason = state.withLock { state in
            state.leases[number] = lease
            return state.shutReason
        }
        // The store was suspended after the connection was taken.
        if let reason, reason.condition == .suspended || !isWriting { lease.revoke(reason) }
        return lease
    }

    /// Takes the connection of a lease that is in its only use, for another owner.
    func handOver(_ lease: ServerLease) -> PooledConnection? {
        guard let pooled = lease.handOver() else { return nil }
        state.withLock { state in state.leases = state.leases.filter { $0.value !== lease } }
        return pooled
    }

    // MARK: Closing

    package func close() { try? close(until: .now + .seconds(min(options.busyTimeout, StoreOptions.longestTimeout))) }

    package func close(until end: ContinuousClock.Instant?) throws {
        try turning("closed", until: end) {
            for lease in shut(.storeIsClosed) where !lease.isWriting {
                lease.interrupt()
                lease.revoke(.storeIsClosed)
            }
            stopWatching()
            bell.finish(until: end)
            upkeep.end(until: end)
            try translating("close") {
                try pool.close(within: end.map { max(.zero, $0 - .now) } ?? .seconds(StoreOptions.longestTimeout))
            }
        }
    }

    /// Lets no more work start, and returns the leases of the work that is running.
    func shut(_ reason: CoreDataError) -> [ServerLease] {
        state.withLock { state in
            if state.shutReason?.condition != .storeClosed { state.shutReason = reason }
            return Array(state.leases.values)
        }
    }

    /// Lets work start again, unless the store is closed.
    func unshut() { state.withLock { if $0.shutReason?.condition == .suspended { $0.shutReason = nil } } }

    var shutReason: CoreDataError? { state.withLock { $0.shutReason } }

    /// Whether work is running. A state that a view outside of any call keeps does not count.
    var isWorking: Bool {
        pool.hasSeats || state.withLock { $0.leases.values.contains { $0.isWriting || $0.isUsed } }
    }

    // MARK: Errors

    /// Runs a closure and translates the errors of the driver. If a token stopped the work, the error has its reason.
    ///
    /// - Parameter writeTimeout: The limit of statements that keep all other programs from writing, if it applied.
    func translating<Result>(
        _ action: String, token: InterruptToken? = nil, writeTimeout: Duration? = nil, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch {
            throw translated(error, while: action, token: token, writeTimeout: writeTimeout)
        }
    }
}
#endif
