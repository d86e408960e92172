#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// The history of an open store on a server, as far as its writers must know it.
final class ServerHistory: Sendable {
    /// The writers whose changes are recorded.
    enum Level: Int16, Sendable, Comparable {
        case none
        /// The stores of this library.
        case own
        /// All programs, by triggers.
        case everybody

        static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
    }

    private struct State: Sendable {
        var level = Level.none
        var isOutdated = false
    }

    let sql: HistorySQL
    /// The identifier of the open store in its transactions. Those of one process have the same first half.
    let instance: UUID
    private let state = Locked(State())
    private let origins = Locked(TransactionOrigins())

    init(prefix: String) {
        sql = HistorySQL(prefix: prefix)
        instance = Self.newInstance()
    }

    // MARK: Level

    var level: Level {
        get { state.withLock { $0.level } }
        set { state.withLock { $0 = State(level: newValue) } }
    }

    /// Whether the store must look what the server says about the history before it writes again.
    var isOutdated: Bool { state.withLock { $0.isOutdated } }

    func setOutdated() { state.withLock { $0.isOutdated = true } }

    /// Returns an error of the server, as a conflict if it means that another program has started or restored the history.
    func checked(_ error: ServerError) -> ServerError {
        let isMissing = error.state == .checkViolation && error.constraint == HistorySQL.constraint
        let isRestored =
            error.state == .notNullViolation && error.column == "number"
            && (error.table == "_sworm_change" || error.table == "_sworm_transaction")
        guard isMissing || isRestored else { return error }
        setOutdated()
        var conflict = error
        conflict.kind = .conflict
        conflict.message =
            isMissing
            ? "another program has started the history of the store, which this transaction does not write. Run the transaction again"
            : "the store was restored, and its history has to be continued first. Run the transaction again"
        return conflict
    }

    // MARK: Origins

    private static let process = UUID()
    private static let lastInstance = Locked<UInt64>(0)

    private static func newInstance() -> UUID {
        let number = lastInstance.withLock { last in
            last += 1
            return last
        }
        var bytes = process.uuid
        withUnsafeMutableBytes(of: &bytes) { bytes in
            withUnsafeBytes(of: number.bigEndian) { bytes[8...].copyBytes(from: $0) }
        }
        return UUID(uuid: bytes)
    }

    /// The first half of the identifiers of this process, as the text of an identifier has it.
    static let processText = String(process.uuidString.lowercased().prefix(18))

    /// Whether a transaction was written by this process.
    static func isOfThisProcess(_ instance: UUID?) -> Bool {
        guard let instance else { return false }
        return withUnsafeBytes(of: instance.uuid) { one in
            withUnsafeBytes(of: process.uuid) { other in one.prefix(8).elementsEqual(other.prefix(8)) }
        }
    }

    /// Notes the program that has written a transaction that was read.
    func note(_ number: Int64, from instance: UUID?) {
        guard Self.isOfThisProcess(instance) else { return }
        origins.withLock { $0.note(number, isOfThisStore: instance == self.instance) }
    }

    func origin(of number: Int64) -> TransactionOrigin {
        origins.withLock { $0.isOfThisStore(number) }.map { $0 ? .thisStore : .thisProcess } ?? .elsewhere
    }
}

/// The transactions of this process that were read lately, each with whether the store that reads has written it.
struct TransactionOrigins: Sendable {
    /// The number of transactions above which the older half is forgotten. It then counts as that of another process.
    private static let limit = 100_000

    private var known: [Int64: Bool] = [:]

    mutating func note(_ number: Int64, isOfThisStore: Bool) {
        if known.count >= Self.limit {
            let middle = known.keys.sorted()[Self.limit / 2]
            known = known.filter { $0.key >= middle }
        }
        known[number] = isOfThisStore
    }

    func isOfThisStore(_ number: Int64) -> Bool? { known[number] }
}
#endif
