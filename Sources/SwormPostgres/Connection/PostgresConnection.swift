#if PostgreSQL
import CSwormPQ
package import SwormRows

/// A connection to a database on a server.
///
/// Only one thread at a time may use it and its results; the exception is a ``canceller``. It is closed when it is
/// deallocated; the server then rolls an open transaction back.
package final class PostgresConnection {
    let handle: OpaquePointer
    let notices = NoticeReceiver()
    package let address: PostgresAddress
    /// The server of the address to which the connection leads.
    package let host: PostgresAddress.Host
    /// Whether the connection is encrypted.
    let isEncrypted: Bool
    /// The running statement, which other threads may stop.
    let statement: RunningStatement
    var cache: StatementCache

    // MARK: Transactions

    /// Whether a transaction is open, or begins with the next statement.
    package internal(set) var isInTransaction = false
    /// The open transaction with its savepoints; nil outside of a transaction.
    var scope: TransactionScope?
    /// The statements that go to the server with the next one: the beginning of a transaction, its settings and
    /// savepoints.
    var pending: [PendingStatement] = []
    /// The cursors that are no longer used, which the next statement of the transaction closes.
    var unusedCursors: [UnusedCursor] = []
    /// Whether COMMIT was given to libpq, and no earlier command of its trip is known to have failed.
    var mayHaveCommitted = false
    var lastCursor = 0
    var lastSavepoint = 0
    /// The last error of a statement, apart from those that only follow from another one.
    var lastFailure: ServerError?

    // MARK: Waiting

    /// The answer that the server is sending while other work is done.
    var answer: PendingAnswer?
    /// Whether rows are being received, so that no statement can be run.
    var isReceivingRows = false
    /// The COPY into a table that is running.
    var copy: RunningCopy?
    /// Whether the connection can no longer be used.
    package internal(set) var isLost = false
    /// Whether a request to stop a statement was sent, which may arrive late.
    var mayBeStopped = false
    /// The limit of the running transaction's statements, after which the server stops them; nil for none.
    var statementTimeout: Duration?
    /// The time that the server has to stop a statement, or to report that it has.
    var patience = Duration.seconds(5)
    /// The number of commands whose results have not arrived. Most of them are sent when all commands have run.
    var outstanding = 0
    /// The time that a statement on the way may wait for a lock, in addition to the timeout of statements.
    var lockWait = Duration.zero
    /// The time since which a wait that goes on has seen nothing of the server; nil between waits.
    var silentSince: ContinuousClock.Instant?
    /// Whether libpq's encryption may hold input that the socket no longer reports.
    var mayHoldInput = false
    /// The time from which on the running statement is stopped, because nobody needs its answer.
    var abandonTime: ContinuousClock.Instant?
    /// The limits of the opening, until the connection is open.
    var opening: OpeningLimits?

    /// The token by which other threads stop the work of the connection.
    package var interruption: InterruptToken? {
        didSet { if interruption !== oldValue { changeInterruption(from: oldValue) } }
    }
    private var listener: Int?

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
        isEncrypted = PQsslInUse(handle) == 1
        statement = RunningStatement(handle)
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

    /// A handle that stops the statements of the connection's current user, from any thread.
    package var canceller: StatementCanceller { StatementCanceller(statement) }

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

    /// The error of the statement that failed, if the open transaction accepts only its end.
    package var transactionFailure: ServerError? { hasFailedTransaction ? lastFailure : nil }

    private func changeInterruption(from old: InterruptToken?) {
        // A listener of the old token that is about to be called does nothing from here on.
        let number = statement.changeListener()
        if let listener { old?.removeListener(listener) }
        listener = interruption?.addListener { [statement] _ in statement.stop(by: .listener(number)) }
    }

    /// Runs a closure that no token stops, such as the end of a transaction.
    package func uninterrupted<R>(_ body: () throws -> R) rethrows -> R {
        guard let token = interruption else { return try body() }
        interruption = nil
        defer { interruption = token }
        return try body()
    }
}
#endif
