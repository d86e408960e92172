import SwormPredicates

/// The changes of one store as values, for a server of one's own to pass to other stores.
///
/// ```swift
/// if let bundle = try store.changeBundle(after: lastNumber) {
///     try await upload(JSONEncoder().encode(bundle))
/// }
/// let outcome = try other.apply(JSONDecoder().decode(ChangeBundle.self, from: data))
/// ```
/// A bundle names objects by the values of their unique attributes, because row numbers differ between stores. It contains
/// the transactions of one store, its ``origin``, after the number ``after`` and up to ``number``. It does not contain
/// changes that the store has received in bundles, except those of ``restored`` objects.
///
/// Bundles of one origin must be applied in the order of their numbers. See <doc:Syncing>.
public struct ChangeBundle: Sendable, Hashable {
    /// The identity of an object: its entity, and the values of the attributes of the entity's first uniqueness
    /// constraint.
    public struct Key: Sendable, Hashable {
        /// The name of the entity.
        public let entity: String
        /// The values of the unique attributes, in the order of the constraint.
        public let values: [AttributeValue]

        /// Creates the identity of an object.
        ///
        /// - Parameters:
        ///   - entity: The name of the entity.
        ///   - values: The values of the unique attributes.
        public init(entity: String, values: [AttributeValue]) {
            self.entity = entity
            self.values = values
        }
    }

    /// The changes of one transaction.
    public struct Transaction: Sendable, Hashable {
        /// The store that has made the changes.
        public internal(set) var origin: String
        /// The number of the transaction at its origin.
        public internal(set) var number: Int64
        /// The time of the transaction in microseconds since 2001-01-01 00:00:00 UTC. It is later than those of all
        /// transactions that its origin knew.
        public internal(set) var time: Int64
        /// The numbers up to which the origin had applied the bundles of other stores then, by their identifiers.
        public internal(set) var seen: [String: Int64] = [:]
        /// The changes, each object once.
        public internal(set) var changes: [Change] = []
    }

    /// The changes of one object in a transaction. Values that a later transaction has replaced are left out, unless their
    /// store did not know of each other's change.
    public struct Change: Sendable, Hashable {
        /// The identity of the object.
        public internal(set) var key: Key
        /// Whether the object was inserted, updated or deleted.
        public internal(set) var kind: ChangeKind
        /// Whether an insertion replaces an object with the same key, which the same transaction has deleted.
        public internal(set) var replaces = false
        /// Whether attributes were changed whose values are unknown now, because their store has applied a deletion of the
        /// object since.
        public internal(set) var isWithoutValues = false
        /// Numbers that the origin knew of this object then, beside the transaction's ``Transaction/seen``. See
        /// ``ChangeBundle/restored``.
        public internal(set) var seen: [String: Int64] = [:]
        /// The changed attributes, without those of the key.
        public internal(set) var attributes: [String: AttributeValue] = [:]
        /// The objects of the changed to-one relations; nil for none.
        public internal(set) var links: [String: Key?] = [:]
        /// The objects that were added to relations that are to-many at both ends.
        public internal(set) var added: [String: [Key]] = [:]
        /// The objects that were removed from relations that are to-many at both ends.
        public internal(set) var removed: [String: [Key]] = [:]
        /// The objects of ordered relations, in their new order.
        public internal(set) var orders: [String: [Key]] = [:]
    }

    /// The identifier of the store that the bundle comes from.
    public internal(set) var origin: String
    /// The number of the origin's last transaction before the bundle.
    public internal(set) var after: Int64
    /// The number of the origin's last transaction in the bundle.
    public internal(set) var number: Int64
    /// The numbers up to which the origin had applied the bundles of other stores, by their identifiers.
    public internal(set) var seen: [String: Int64]
    /// Whether the bundle contains the whole content of the store, including all that it has received. It can be
    /// applied to any store. See ``PersistentContainer/changeSnapshot()``.
    public internal(set) var isSnapshot: Bool
    /// The transactions, by origin and number.
    public internal(set) var transactions: [Transaction]
    /// The objects of which the bundle contains everything that its origin knows, with the numbers up to which the origin
    /// knows the changes of each store.
    ///
    /// They are objects that were deleted, and changed later by a store that did not know the deletion. Stores that have
    /// deleted them need the values again, also those of other stores.
    public internal(set) var restored: [Key: [String: Int64]] = [:]
    /// The names of the attributes and to-one relations that the origin's model has, of the entities with insertions.
    ///
    /// A receiver whose model has more of them inserts the objects with their default values.
    public internal(set) var properties: [String: [String]] = [:]
}

// Strings are compared by their code units, as stores compare unique values, and not by the characters that they show.
extension ChangeBundle.Key {
    /// Returns whether two identities are equal: their entities, and the values with their code units.
    ///
    /// - Parameters:
    ///   - left: An identity.
    ///   - right: Another identity.
    public static func == (left: Self, right: Self) -> Bool {
        left.entity == right.entity && left.values.count == right.values.count
            && zip(left.values, right.values).allSatisfy { one, other in
                if case (.string(let one), .string(let other)) = (one, other) {
                    return one.utf8.elementsEqual(other.utf8)
                }
                return one == other
            }
    }

    /// Hashes the identity.
    ///
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(values)
    }
}

extension ChangeBundle {
    /// The author of the transactions in which stores apply bundles and keep their records, as the history states it.
    public static let author = "Sworm.bundles"
}

extension ChangeBundle.Key: CustomStringConvertible {
    /// The entity and the values, for messages.
    public var description: String { "\(entity)(\(values.map(\.description).joined(separator: ", ")))" }
}
