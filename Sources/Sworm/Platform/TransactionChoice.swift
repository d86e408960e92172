/// The degree to which the transactions of a container are isolated from concurrent transactions.
public enum TransactionIsolation: Sendable, Hashable {
    /// A call reads one state of the store. Its save conflicts if another transaction has changed a row that it writes.
    case snapshot
    /// The calls have the same result as if they had run one after the other. A `perform` conflicts also if another
    /// transaction has changed what it has only read; use `retrying`.
    case serializable
}

/// The properties that a container chooses for its transactions.
struct TransactionChoice: Sendable, Hashable {
    var isolation = TransactionIsolation.snapshot
    var settings: [String: String] = [:]
}

extension TransactionChoice: CustomStringConvertible, CustomReflectable {
    /// The isolation and the names of the settings, whose values can be secrets.
    var description: String { "\(isolation), settings: \(settings.keys.sorted())" }
    /// The same properties as in the description.
    var customMirror: Mirror { Mirror(self, children: ["isolation": isolation, "settings": settings.keys.sorted()]) }
}
