#if PostgreSQL
/// The prepared statements of a connection, by their shape. The least recently used statement is removed first.
///
/// A statement is prepared when it is run for the second time: statements that are run once need no name.
struct StatementCache {
    /// The way to run a statement.
    enum Way: Hashable {
        case unnamed
        /// The statement must be prepared under the name, and is then run by it.
        case prepare(String)
        case prepared(String)
    }

    private struct Entry {
        /// The name of the prepared statement; nil if the shape was seen once.
        var name: String?
        var lastUse: UInt64
    }

    /// The number of shapes, prepared or not, that are remembered for each prepared statement.
    private static let seenShapes = 4
    private var entries: [StatementShape: Entry] = [:]
    private var preparedCount = 0
    private let limit: Int
    /// The start of the names.
    private let label: String
    private var clock: UInt64 = 0
    private var lastName: UInt64 = 0
    /// The names of statements that the server can forget.
    private(set) var removed: [String] = []

    /// Creates a cache whose names no other connection has.
    ///
    /// A pooler may give the connections of the server to other clients after each transaction. A name that another client has
    /// used too would run that client's statement; the server does not know a name of its own, which is an error.
    ///
    /// - Parameters:
    ///   - limit: The number of prepared statements; 0 to prepare none.
    ///   - label: The part of the names that differs between connections.
    init(limit: Int = 256, label: String = String(UInt64.random(in: 0...UInt64.max), radix: 16)) {
        self.limit = max(0, limit)
        self.label = "sworm_\(label)_"
    }

    /// The number of prepared statements.
    var count: Int { preparedCount }

    /// Returns the way to run a statement, and notes its use.
    mutating func way(of shape: StatementShape) -> Way {
        guard limit > 0 else { return .unnamed }
        clock += 1
        guard let entry = entries[shape] else {
            if entries.count >= limit * Self.seenShapes { entries = entries.filter { $0.value.name != nil } }
            entries[shape] = Entry(lastUse: clock)
            return .unnamed
        }
        entries[shape]?.lastUse = clock
        if let name = entry.name { return .prepared(name) }
        lastName += 1
        return .prepare(label + String(lastName))
    }

    /// Notes that the server has prepared a statement.
    mutating func didPrepare(_ shape: StatementShape, as name: String) {
        guard entries[shape]?.name == nil else { return removed.append(name) }
        if preparedCount >= limit { removeOldest() }
        entries[shape] = Entry(name: name, lastUse: clock)
        preparedCount += 1
    }

    /// Forgets all prepared statements, so that each is prepared again when it is run next.
    ///
    /// - Parameter areKnown: Whether the server still knows the statements.
    mutating func forgetAll(areKnown: Bool) {
        for (shape, entry) in entries {
            guard let name = entry.name else { continue }
            entries[shape]?.name = nil
            if areKnown { removed.append(name) }
        }
        preparedCount = 0
        if !areKnown { removed = [] }
    }

    /// Returns the names of statements that the server can forget, once.
    mutating func takeRemoved() -> [String] {
        defer { removed = [] }
        return removed
    }

    // A search of the whole cache is cheap compared with the preparation of the new statement.
    private mutating func removeOldest() {
        let prepared = entries.lazy.filter { $0.value.name != nil }
        guard let oldest = prepared.min(by: { $0.value.lastUse < $1.value.lastUse }), let name = oldest.value.name
        else { return }
        entries[oldest.key] = nil
        preparedCount -= 1
        removed.append(name)
    }
}
#endif
