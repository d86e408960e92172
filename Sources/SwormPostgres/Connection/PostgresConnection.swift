#if PostgreSQL
import CSwormPQ
package import SwormRows

/// A connection to a database on a server.
///
/// Only one thread at a time may use it and its results; the exception is ``canceller``. It is closed when it is
/// deallocated; the server then rolls an open transaction back.
package final class PostgresConnection {
    let handle: OpaquePointer
    private let notices = NoticeReceiver()
    package let address: PostgresAddress
    /// The server of the address to which the connection leads.
    package let host: PostgresAddress.Host
    /// A handle that stops the running statement, from any thread.
    package let canceller: StatementCanceller
    var cache: StatementCache

    /// Whether a transaction is open, or begins with the next statement.
    package internal(set) var isInTransaction = false
    /// The open transaction with its savepoints; nil outside of a transaction.
    var scope: TransactionScope?
    /// The statements that go to the server with the next one: the beginning of a transaction, its settings and
    /// savepoints.
    var pending: [SQLStatement] = []
    /// The cursors that are no longer used, which the next statement of the transaction closes.
    var unusedCursors: [UnusedCursor] = []
    /// The answer that the server is sending while other work is done.
    var answer: PendingAnswer?
    /// Whether rows are being received, so that no statement can be run.
    var isReceivingRows = false
    /// Whether the connection can no longer be used.
    package internal(set) var isLost = false
    /// Whether a request to stop a statement was sent, which may arrive late.
    var mayBeStopped = false
    var lastCursor = 0
    /// The limit of the running transaction's statements, after which the server stops them; nil for none.
    var statementTimeout: Duration?

    /// The token by which other threads stop the work of the connection.
    package var interruption: InterruptToken? {
        didSet { if interruption !== oldValue { changeInterruption(from: oldValue) } }
    }
    var listener: Int?

    /// The observer of statements that have run.
    package var watch: StatementWatch?

    struct UnusedCursor {
        let name: String
        let scope: TransactionScope
    }

    init(_ handle: OpaquePointer, to host: PostgresAddress.Host, of address: PostgresAddress) {
        self.handle = handle
        self.host = host
        self.address = address
        canceller = StatementCanceller(handle)
        cache = StatementCache(limit: address.pooler == .none ? 256 : 0)
        statementTimeout = address.timeouts.statement
        notices.install(on: handle)
    }

    /// Whether the server has announced the end of the connection.
    var isEnding: Bool { notices.isEnding }

    deinit {
        if let listener { interruption?.removeListener(listener) }
        PQfinish(handle)
    }

    /// The version of the server as a number: 150004 for 15.4.
    package var serverVersion: Int { Int(PQserverVersion(handle)) }

    /// The number of the server's process.
    package var processID: Int { Int(PQbackendPID(handle)) }

    /// Whether the server has an open transaction, or one that failed.
    var hasTransaction: Bool {
        switch PQtransactionStatus(handle) {
        case PQTRANS_INTRANS, PQTRANS_INERROR, PQTRANS_ACTIVE: true
        default: false
        }
    }

    /// Whether a statement of the open transaction failed, so that the server accepts only its end.
    package var hasFailedTransaction: Bool { PQtransactionStatus(handle) == PQTRANS_INERROR }

    private func changeInterruption(from old: InterruptToken?) {
        if let listener { old?.removeListener(listener) }
        listener = interruption?.addListener { [canceller] _ in canceller.stop() }
    }

    /// Runs a closure that no token stops, such as the end of a transaction.
    package func uninterrupted<R>(_ body: () throws -> R) rethrows -> R {
        guard let token = interruption else { return try body() }
        interruption = nil
        defer { interruption = token }
        return try body()
    }
}

/// The answer to a statement that was sent before its rows are needed.
final class PendingAnswer {
    let command: PostgresConnection.Command
    /// The time at which the statement was sent, if an observer wants to know the duration.
    let start: ContinuousClock.Instant?
    /// The outcome, once it was received.
    var outcome: Result<PostgresResult, any Error>?

    init(_ command: PostgresConnection.Command, start: ContinuousClock.Instant?) {
        self.command = command
        self.start = start
    }
}
#endif
