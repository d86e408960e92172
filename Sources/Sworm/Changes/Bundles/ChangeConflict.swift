public import SwormPredicates

/// Two changes of one property in two stores that did not know each other's change.
///
/// ``PersistentContainer/apply(_:policy:)-32ih2`` decides which one is kept, and reports the conflict.
public struct ChangeConflict: Sendable, Hashable {
    /// One side of a conflict.
    public enum Value: Sendable, Hashable {
        /// The value of an attribute.
        case attribute(AttributeValue)
        /// The object of a to-one relation; nil for none.
        case object(ChangeBundle.Key?)
        /// The objects of an ordered relation, in their order.
        case objects([ChangeBundle.Key])
        /// Whether an object belongs to a relation that is to-many at both ends.
        case member(ChangeBundle.Key, Bool)
        /// The object was deleted.
        case deleted
        /// The object was inserted, or its attributes were changed.
        case changed
    }

    /// The side of a conflict that was kept.
    public enum Side: String, Sendable, Hashable, Codable {
        /// The value that the store had.
        case local
        /// The value in the bundle.
        case remote
        /// A value that the policy has returned.
        case other
    }

    /// The identity of the object.
    public let key: ChangeBundle.Key
    /// The name of the attribute or relation; nil if one side has deleted the object.
    public let property: String?
    /// The value in this store.
    public let local: Value
    /// The value in the bundle.
    public let remote: Value
    /// The identifier of the store that has written the value in the bundle.
    public let origin: String
    /// The number of the transaction that has written the value in the bundle, at its origin.
    public let number: Int64
    /// The side that was kept. Before a policy has decided, it is the later one.
    public internal(set) var kept: Side

    /// The name of the entity.
    public var entity: String { key.entity }
}

/// A rule that decides conflicts between the changes of two stores.
///
/// The default, ``laterWins``, decides alike in every store, so that stores with the same changes have the same content. All
/// other decisions become changes of the store that has decided, and reach the other stores with its next bundle. Use them in
/// one store only: two stores that both decide against the later change are in conflict about their decisions again.
public struct ConflictPolicy: Sendable {
    /// A decision about one conflict.
    public enum Choice: Sendable, Hashable {
        /// Keeps the change with the later time; of two with the same time that of the greater origin.
        case later
        /// Keeps the value of this store.
        case local
        /// Keeps the value of the bundle.
        case remote
        /// Stores another value, for an attribute only.
        case value(AttributeValue)
    }

    let choose: @Sendable (ChangeConflict) throws -> Choice

    /// Creates a policy.
    ///
    /// Conflicts about members and the order of to-many relations are always decided by ``Choice/later``; the closure is
    /// not called for them.
    ///
    /// - Parameter choose: A closure that decides about a conflict. It must not use the container.
    public init(_ choose: @escaping @Sendable (ChangeConflict) throws -> Choice) { self.choose = choose }

    /// Keeps the change with the later time; of two with the same time that of the greater origin.
    public static let laterWins = ConflictPolicy { _ in .later }
    /// Keeps the values of this store.
    public static let keepLocal = ConflictPolicy { _ in .local }
    /// Keeps the values of the bundle.
    public static let takeRemote = ConflictPolicy { _ in .remote }
}

/// The result of applying a bundle.
public struct AppliedBundle: Sendable, Hashable {
    /// Whether the bundle was already applied, or comes from this store, so that nothing has changed.
    public let isRepeated: Bool
    /// The conflicts with changes that the origin of the bundle did not know. Each is reported once.
    public let conflicts: [ChangeConflict]
}
