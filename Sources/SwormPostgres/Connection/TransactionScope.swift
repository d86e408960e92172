#if PostgreSQL
/// A transaction, or a savepoint inside of one. A cursor ends with the scope in which it was opened.
final class TransactionScope {
    let parent: TransactionScope?
    /// The number of savepoints around, which is 0 for a transaction.
    let depth: Int
    /// Whether the transaction has ended, or was rolled back to before the savepoint.
    private var isEnded = false

    init(in parent: TransactionScope? = nil) {
        self.parent = parent
        depth = parent.map { $0.depth + 1 } ?? 0
    }

    /// Whether everything in the scope still exists. A savepoint that was released is a part of the scope around it.
    var exists: Bool { !isEnded && parent?.exists ?? true }

    /// The name of the savepoint.
    var name: String { "sworm_\(depth)" }

    func end() { isEnded = true }
}
#endif
