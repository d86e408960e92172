#if PostgreSQL
extension ServerError.Kind {
    /// The kind of an error of the server.
    init(_ state: SQLState) {
        self =
            switch state {
            case .serializationFailure, .deadlockDetected: .conflict
            case .uniqueViolation: .uniqueViolation
            case .foreignKeyViolation: .foreignKeyViolation
            case .numericValueOutOfRange: .overflow
            case .divisionByZero: .divisionByZero
            case .queryCanceled, .lockNotAvailable, .idleInTransactionTimeout: .timeout
            case .adminShutdown, .crashShutdown, .cannotConnectNow, .databaseDropped, .idleSessionTimeout,
                .tooManyConnections:
                .unavailable
            case .insufficientPrivilege: .permission
            case .statementCompletionUnknown, .transactionResolutionUnknown: .outcomeUnknown
            default: Self.ofCategory[state.category] ?? .server
            }
    }

    private static let ofCategory: [String: ServerError.Kind] = [
        "08": .unavailable, "0A": .notSupported, "22": .invalidValue, "23": .constraintViolation, "25": .transaction,
        "26": .statement, "28": .permission, "2D": .transaction, "3B": .transaction, "3D": .statement,
        "3F": .statement,
        "40": .conflict, "42": .statement, "44": .constraintViolation, "54": .limit,
    ]
}

extension SQLState {
    /// Whether the server's message consists of names and numbers, and cannot contain a value.
    ///
    /// - Parameters:
    ///   - function: The function of the server that reports the error.
    ///   - hasPosition: Whether the error is at a position of the statement, which contains no values. A wrong name may also
    ///     be a value, as in `$1::regclass`.
    ///   - hasContext: Whether the error comes from inside of something, such as a function of the database.
    func hasHarmlessMessage(from function: String?, hasPosition: Bool, hasContext: Bool) -> Bool {
        guard !hasContext, let function, function != "exec_stmt_raise" else { return false }
        switch category {
        case "54": return hasPosition || Self.harmlessLimits.contains(function)
        case "0A", "42": return hasPosition || self == .insufficientPrivilege && Self.harmlessChecks.contains(function)
        default: return false
        }
    }

    /// Functions of the server that report a limit with the name of an index or with numbers alone.
    private static let harmlessLimits: Set<String> = [
        "_bt_check_third_page", "check_stack_depth", "index_form_tuple", "index_form_tuple_context",
        "RelationGetBufferForTuple", "stack_is_too_deep", "heap_form_tuple", "heap_form_minimal_tuple",
    ]
    /// Functions of the server that report a missing permission with the name of an object.
    private static let harmlessChecks: Set<String> = ["aclcheck_error", "aclcheck_error_col", "ExecWithCheckOptions"]

    /// The reason for the error and the way out.
    var explanation: String { Self.explanations[self] ?? Self.ofCategory[category] ?? "the server reported an error" }

    private static let explanations: [SQLState: String] = [
        .serializationFailure:
            "another transaction has changed rows that this one read or wrote; run the transaction again",
        .deadlockDetected:
            "this transaction and another one were waiting for each other's locks, and the server ended this one; run it again",
        .uniqueViolation: "a row with the same unique values exists already",
        .foreignKeyViolation: "a row refers to a row that does not exist, or is still referred to",
        .notNullViolation: "a required column would become NULL",
        .checkViolation: "a CHECK constraint rejected a row",
        .exclusionViolation: "an exclusion constraint rejected a row",
        .numericValueOutOfRange: "a number is out of the range of its type",
        .divisionByZero: "a number was divided by zero",
        .characterNotInRepertoire: "a string contains a character that the server cannot store, such as NUL",
        .queryCanceled: "the statement ran longer than the statement timeout",
        .lockNotAvailable:
            "another transaction held a lock for longer than the lock timeout; keep transactions short, or raise the address's lock_timeout",
        .idleInTransactionTimeout:
            "the transaction was idle for longer than the idle timeout, and the server ended the connection; do no other work inside of a transaction",
        .inFailedTransaction: "an earlier statement of the transaction failed; roll the transaction back",
        .readOnlyTransaction: "the transaction or the server is read-only",
        .invalidStatementName:
            "the server does not know a prepared statement; if connections go through a pooler that assigns them to transactions, write pooler=transaction",
        .duplicatePreparedStatement:
            "another client has prepared a statement of the same name; connections go through a pooler that assigns them to transactions: write pooler=transaction",
        .invalidAuthorization:
            "the server does not accept the user from this host, with this encryption, or at all; see its pg_hba.conf",
        .invalidPassword: "the server rejected the user or the password",
        .invalidCatalogName: "the database does not exist",
        .insufficientPrivilege: "the user lacks a permission",
        .statementCompletionUnknown: "it is unknown whether the statement took effect",
        .transactionResolutionUnknown: "it is unknown whether the transaction was committed",
        .diskFull: "the server's disk is full",
        .tooManyConnections:
            "the server accepts no more connections; use fewer connections, or raise its max_connections",
        .adminShutdown: "the server ended the connection, or was shut down",
        .crashShutdown: "the server ended all connections after a crash of one of its processes",
        .cannotConnectNow: "the server is starting or shutting down",
        .databaseDropped: "the database was removed",
        .idleSessionTimeout: "the server ended a connection that was idle for too long",
    ]

    private static let ofCategory: [String: String] = [
        "08": "the connection to the server failed",
        "0A": "the server does not support a feature",
        "22": "a value does not fit its type or its use",
        "23": "a constraint rejected a row",
        "25": "the transaction does not allow the statement",
        "28": "the server rejected the user",
        "40": "the server rolled the transaction back; run it again",
        "42": "the statement is wrong, or names something that does not exist",
        "53": "the server is out of resources",
        "54": "a limit of the server was exceeded",
        "55": "the server cannot do this in the state of an object",
        "57": "the server was stopped",
        "58": "the server's system reported an error",
        "P0": "a function or a trigger of the database raised an error",
        "XX": "the server reported an internal error",
    ]
}
#endif
