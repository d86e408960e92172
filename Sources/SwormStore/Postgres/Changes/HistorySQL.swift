#if PostgreSQL
/// The names and the common expressions of the tables that have the history of a store on a server.
///
/// - `_sworm_history` has one row if the store keeps a history.
/// - `_sworm_transaction` has a row for each write of a transaction, with the number by which the history is ordered.
/// - `_sworm_change` has a row for each object that a write has inserted, changed or deleted.
struct HistorySQL: Sendable, Hashable {
    /// The name of the schema, quoted and with a period.
    let prefix: String

    var history: String { prefix + "\"_sworm_history\"" }
    var transactions: String { prefix + "\"_sworm_transaction\"" }
    var changes: String { prefix + "\"_sworm_change\"" }
    var outcomes: String { prefix + "\"_sworm_outcome\"" }

    /// The name of the constraint that keeps programs from writing without a history. It was made by one that keeps it.
    static let constraint = "_sworm_history"

    // MARK: Numbers

    /// The number of low bits beside the server's number of the transaction.
    static let shift = 18
    /// The number of bits that count the writes of a transaction. Between them and the transaction is the server's timeline.
    static let ordinalBits = 12
    /// The largest number of a write within its transaction.
    static let lastOrdinal = 1 << ordinalBits - 1

    /// The number of the server's timeline, which changes when a standby takes over or the server is restored. It is an error
    /// on servers that do not show it.
    static let timeline =
        "('x' || pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8))::bit(32)::bigint"

    /// Returns the number in the history of a write of the running transaction; NULL if the history was restored from a dump
    /// and has not been continued yet.
    ///
    /// The number ascends with the server's numbers of transactions, and names the timeline, so that a transaction that was
    /// lost with an older timeline has another number than one that follows it.
    ///
    /// - Parameter ordinal: The number of the write within its transaction, from 1 on. 0 is for the writes of other programs.
    func number(_ ordinal: Int) -> String {
        let timeline =
            "(CASE WHEN h.\"timelines\" THEN \(Self.timeline) & 63 ELSE 0 END) << \(Self.ordinalBits)"
        return
            "(SELECT (\(Self.transaction) + h.\"base\") << \(Self.shift) | (\(timeline)) | \(ordinal) FROM \(history) AS h WHERE h.\"home\" = h.tableoid::bigint)"
    }

    /// The server's number of the running transaction.
    private static let transaction = "(pg_catalog.pg_current_xact_id()::text::bigint)"
    /// The number of the oldest transaction that has not ended in the state that is read.
    private static let oldest =
        "(pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::text::bigint)"

    /// The number below which no transaction will be added any more, in a statement with the row `h` of the history.
    ///
    /// A transaction of a lower number may be committed later than one of a higher number. Whoever reads up to this number
    /// reads each transaction once.
    static let horizon = "((\(oldest) + h.\"base\") << \(shift))"

    /// The same as a subquery.
    var horizon: String { "(SELECT \(Self.horizon) FROM \(history) AS h)" }

    /// The number below which transactions were deleted, as a subquery.
    var purged: String { "(SELECT h.\"purged\" FROM \(history) AS h)" }

    /// The server's number of the transaction of a row `t`, in a statement with the row `h` of the history.
    static let transactionID = "((t.\"number\" >> \(shift)) - h.\"base\")::text::xid8"

    /// The lowest number that a transaction can have which is not visible in a snapshot.
    static func lowest(in snapshot: String) -> String {
        "((pg_catalog.pg_snapshot_xmin(\(snapshot))::text::bigint + h.\"base\") << \(shift))"
    }

    /// Whether all transactions have ended that have a lower number than the running one.
    static let isBehindHorizon = """
        (SELECT o.own - o.low < 1000 AND NOT EXISTS (SELECT 1 FROM pg_catalog.generate_series(o.low, o.own - 1) AS x \
        WHERE pg_catalog.pg_xact_status(x::text::xid8) = 'in progress') FROM (SELECT \(oldest) AS low, \(transaction) AS own) AS o)
        """

    /// Whether tables of the schema `$1` have triggers that are not the store's, whose changes the history may lack.
    static let hasForeignTriggers = """
        EXISTS (SELECT 1 FROM pg_catalog.pg_trigger AS g JOIN pg_catalog.pg_class AS c ON c.oid = g.tgrelid \
        JOIN pg_catalog.pg_namespace AS s ON s.oid = c.relnamespace \
        WHERE s.nspname = $1 AND NOT g.tgisinternal AND g.tgenabled <> 'D' AND NOT pg_catalog.starts_with(g.tgname::text, '_sworm_'))
        """

    // MARK: Continuing

    /// The statement that continues a history that was restored from a dump, on a server whose numbers of transactions are
    /// lower. The gap keeps the numbers of transactions free that the dump does not have.
    var continuation: String {
        """
        UPDATE \(history) AS h SET "home" = h.tableoid::bigint, "base" = GREATEST(h."base", \
        (GREATEST(h."purged", COALESCE((SELECT pg_catalog.max(t."number") FROM \(transactions) AS t), 0)) >> \(Self.shift)) \
        - \(Self.transaction) + \(1 << 30)) WHERE h."home" <> h.tableoid::bigint
        """
    }

    /// Lets a commit be durable before it becomes visible: a crash would give its number to another transaction.
    static let durability =
        "SELECT pg_catalog.set_config('synchronous_commit', 'on', true) WHERE pg_catalog.current_setting('synchronous_commit') IN ('off', 'local')"

    /// The setting by which the triggers of the history know transactions that record their changes themselves.
    static let setting = (name: "sworm.history", own: "own")
}
#endif
