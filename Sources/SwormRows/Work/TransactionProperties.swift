/// The properties that a call wishes for its transactions. A store without such properties ignores them.
package struct TransactionProperties: Sendable, Hashable {
    /// Whether concurrent transactions must have the same result as if they had run one after the other.
    package var isSerializable = false
    /// The settings of a server for the time of each transaction, by name.
    package var settings: [String: String] = [:]

    package init(isSerializable: Bool = false, settings: [String: String] = [:]) {
        self.isSerializable = isSerializable
        self.settings = settings
    }
}

extension TransactionProperties: CustomStringConvertible, CustomReflectable {
    /// The isolation and the names of the settings, whose values can be secrets.
    package var description: String { "serializable: \(isSerializable), settings: \(settings.keys.sorted())" }
    /// The same properties as in the description.
    package var customMirror: Mirror {
        Mirror(self, children: ["isSerializable": isSerializable, "settings": settings.keys.sorted()])
    }
}
