#if PostgreSQL
/// The properties of a transaction.
package struct TransactionOptions: Sendable, Hashable {
    package enum Isolation: String, Sendable, Hashable {
        /// Each statement reads what was committed before it.
        case readCommitted = "READ COMMITTED"
        /// All statements read one state, which the first one determines.
        case repeatableRead = "REPEATABLE READ"
        case serializable = "SERIALIZABLE"
    }

    /// A setting for the time of the transaction, which policies of row-level security can read.
    package struct Setting: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package var isolation: Isolation
    package var isReadOnly: Bool
    /// The timeouts; nil for those of the address.
    package var timeouts: PostgresAddress.Timeouts?
    /// Statements that lock tables. They run first: such a lock takes no snapshot, but a wait for one after the snapshot would
    /// end with the old state.
    package var locks: [String] = []
    /// The longest wait for the locks, if it can be longer than the timeout of statements.
    package var lockWait = Duration.zero
    /// The longest time that a statement after the locks may run; nil for that of the timeouts. The wait for a lock may be longer.
    package var statementTimeoutAfterLocks: Duration?
    package var settings: [Setting] = []
    /// Statements that lock rows. They run after the settings, on which the policies of row-level security for them may
    /// depend.
    package var rowLocks: [String] = []

    package init(_ isolation: Isolation = .repeatableRead, isReadOnly: Bool = false) {
        self.isolation = isolation
        self.isReadOnly = isReadOnly
    }

    /// The statements that begin the transaction.
    func statements(on address: PostgresAddress) throws -> [SQLStatement] {
        var statements: [SQLStatement] = [
            .command("BEGIN ISOLATION LEVEL \(isolation.rawValue) READ \(isReadOnly ? "ONLY" : "WRITE")")
        ]
        // Behind a pooler, nothing of a session lasts.
        let usual = address.pooler == .none ? Self.settings(address.timeouts) : []
        for setting in Self.settings(timeouts ?? address.timeouts) where !usual.contains(setting) {
            statements.append(.command("SET LOCAL " + setting))
        }
        statements += locks.map { .command($0) }
        if let statementTimeoutAfterLocks {
            statements.append(
                .command("SET LOCAL statement_timeout = \(Self.milliseconds(statementTimeoutAfterLocks))"))
        }
        if !settings.isEmpty { statements.append(try assignment()) }
        return statements + rowLocks.map { .command($0) }
    }

    /// The statement that assigns the settings.
    private func assignment() throws -> SQLStatement {
        let parameters = Parameters()
        var calls: [String] = []
        for setting in settings {
            guard parameters.append(setting.name), parameters.append(setting.value) else {
                throw ServerError(.invalidValue, "a setting of a transaction contains a NUL character")
            }
            calls.append("pg_catalog.set_config($\(parameters.count - 1), $\(parameters.count), true)")
        }
        return SQLStatement("SELECT " + calls.joined(separator: ", "), with: parameters)
    }

    /// Returns timeouts as assignments to the server's settings.
    static func settings(_ timeouts: PostgresAddress.Timeouts) -> [String] {
        [
            "statement_timeout = \(milliseconds(timeouts.statement))",
            "lock_timeout = \(milliseconds(timeouts.lock))",
            "idle_in_transaction_session_timeout = \(milliseconds(timeouts.idle))",
        ]
    }

    /// Returns a duration as the server's settings have it, in milliseconds; 0 for none.
    package static func milliseconds(_ duration: Duration?) -> Int64 {
        guard let (seconds, attoseconds) = duration?.components else { return 0 }
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
        // A duration below one millisecond is not none.
        return isTooLong
            ? Int64(Int32.max) : min(max(1, whole &+ attoseconds / 1_000_000_000_000_000), Int64(Int32.max))
    }
}

extension TransactionOptions.Setting: CustomStringConvertible, CustomReflectable {
    /// The name of the setting, whose value can be a secret.
    package var description: String { name }
    /// The same property as in the description.
    package var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
#endif
