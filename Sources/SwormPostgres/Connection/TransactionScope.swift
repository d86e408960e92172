#if PostgreSQL
/// A transaction, or a savepoint inside of one. A cursor ends with the scope in which it was opened.
final class TransactionScope {
    let parent: TransactionScope?
    /// The name of the savepoint, which no other savepoint of the connection has; empty for a transaction. A name that was
    /// used again could be that of a savepoint that has ended for the driver, but not yet on the server.
    let name: String
    /// Whether the server has begun the savepoint.
    var isOnServer = false
    /// Whether the transaction has ended, or was rolled back to before the savepoint.
    private var isEnded = false

    init(in parent: TransactionScope? = nil, name: String = "") {
        self.parent = parent
        self.name = name
    }

    /// Whether everything in the scope still exists. A savepoint that was released is a part of the scope around it.
    var exists: Bool { !isEnded && parent?.exists ?? true }

    /// Whether the scope is a savepoint inside of another one.
    func isInside(_ other: TransactionScope) -> Bool {
        var next = parent
        while let current = next {
            if current === other { return true }
            next = current.parent
        }
        return false
    }

    func end() { isEnded = true }
}
#endif
