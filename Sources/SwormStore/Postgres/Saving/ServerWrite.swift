#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// One write of a transaction: a save, or statements that bypass objects. It runs behind a savepoint, or alone in its
/// transaction.
final class ServerWrite {
    /// A statement to send, and the work with its result.
    struct Step {
        var statement: SQLStatement
        var take: (PostgresResult) throws -> Void

        init(_ statement: SQLStatement, take: @escaping (PostgresResult) throws -> Void = { _ in }) {
            self.statement = statement
            self.take = take
        }

        init(
            _ sql: String, with parameters: Parameters? = nil,
            take: @escaping (PostgresResult) throws -> Void = { _ in }
        ) {
            self.init(SQLStatement(sql, with: parameters), take: take)
        }
    }

    let store: PostgresStore
    let connection: PostgresConnection
    /// The changes for the listeners of the store; nil if nobody listens.
    let changes: ServerChanges?
    /// Whether each statement reads what was committed last, so that locked rows cannot have newer versions than the
    /// statements that follow see. Otherwise the statements read one state, and the server rejects changes of rows that have
    /// newer versions.
    let readsLatest: Bool
    /// Whether no other transaction of this library can write.
    let isExclusive: Bool
    /// Whether the write is a save in the state of a view, which compares versions only by the statements that write the rows.
    let continuesView: Bool
    /// Whether the owners of changed members are written, so that the server finds conflicts of transactions that change
    /// members of one owner.
    let touchesOwners: Bool
    /// The derived values that this write affects; nil if the model has none that depend on other rows.
    let derivation: DerivationRun?
    /// The changes for the history of the store; nil if it keeps none.
    let history: ServerHistoryNotes?
    /// The number of the write in its transaction, for the history.
    private let ordinal: Int
    private let clock: TransactionClock

    init(
        _ store: PostgresStore, connection: PostgresConnection, changes: ServerChanges?, mode: PostgresTransaction.Mode,
        history: ServerHistoryNotes? = nil, ordinal: Int = 1, clock: TransactionClock
    ) {
        self.store = store
        self.connection = connection
        self.changes = changes
        self.history = history
        self.ordinal = ordinal
        self.clock = clock
        readsLatest = mode == .single
        isExclusive = mode == .exclusive
        continuesView = mode == .continued
        touchesOwners = mode == .snapshot || mode == .rows
        derivation = DerivationRun(store.schema.derivations)
    }

    var schema: ServerSchema { store.schema }
    var model: CompiledModel { store.model }

    /// Sends statements in one trip to the server, and passes each result on.
    func run(_ steps: [Step]) throws {
        guard !steps.isEmpty else { return }
        let results = try connection.run(steps.map(\.statement))
        for (step, result) in zip(steps, results) { try step.take(result) }
    }

    /// The time of the transaction by the server's clock, in whole microseconds.
    func time() throws -> Date {
        if let time = clock.time { return time }
        try run([timeStep])
        guard let time = clock.time else { throw ServerError(.server, "the server sent no time") }
        return time
    }

    /// A step that reads the time of the transaction, which ``time()`` then returns without asking.
    var timeStep: Step { Step("SELECT pg_catalog.now()") { [clock] in clock.time = try $0.date(0, column: 0) } }

    /// Returns a step that asks whether rows can be written into a table by COPY: the server has no COPY into a table with
    /// policies that apply to the user.
    ///
    /// The answer is never kept. Policies, and the roles to which they apply, change while a store is open.
    static func copyQuestion(_ table: String, take: @escaping (Bool) -> Void) -> Step {
        Step("SELECT pg_catalog.row_security_active(\(SQLName.literal(table))::pg_catalog.regclass)") {
            take(try $0.bool(0, column: 0) == false)
        }
    }

    /// Returns the statements that write the noted changes into the history, the first time it is called.
    func historySteps() throws -> [Step] {
        try history?.statements(store.history, schema: schema, ordinal: ordinal) ?? []
    }

    /// Computes the derived values that the noted changes affect.
    ///
    /// - Returns: The values of the rows that were computed, by row and attribute slot.
    func settleDerivedValues() throws -> [RowID: [Int: AttributeValue]] {
        try derivation?.settle(self) ?? [:]
    }
}

/// The time of a transaction, once it is known.
final class TransactionClock {
    var time: Date?
}
#endif
