/// An iterator over the members that a relation has when the iteration starts.
public struct ManagedObjectSetIterator<PlainObject: ManagedObjectConvertible>: IteratorProtocol {
    @usableFromInline let handles: [ManagedObject<PlainObject>]
    @usableFromInline var index = 0
    @usableFromInline let scope: Scope
    private let relation: RelationHandle<PlainObject>

    init(_ relation: RelationHandle<PlainObject>) {
        self.relation = relation
        scope = relation.scope
        handles = relation.present
    }

    // Inlinable, so that a loop knows the type. Otherwise, every step requests it from the runtime.
    /// Returns the next member, or nil at the end or if the handles are no longer valid.
    @inlinable
    public mutating func next() -> ManagedObject<PlainObject>? {
        guard index < handles.count, scope.isActive || isUsable else { return nil }
        defer { index += 1 }
        return handles[index]
    }

    /// Whether the handles can be used. Reports an error if they cannot.
    @usableFromInline var isUsable: Bool { relation.isUsable }
}

/// The destinations of an unordered relation to many.
///
/// Every call reads the current state of the relation. An iteration visits the members at the time it starts, so you
/// can change the relation during the iteration.
public final class ManagedObjectSet<PlainObject: ManagedObjectConvertible>: Sequence {
    let relation: RelationHandle<PlainObject>

    init(_ relation: RelationHandle<PlainObject>) { self.relation = relation }

    /// Returns an iterator over the current members.
    ///
    /// - Complexity: O(*n*), where *n* is the number of members.
    public func makeIterator() -> ManagedObjectSetIterator<PlainObject> { ManagedObjectSetIterator(relation) }

    /// The number of members.
    ///
    /// - Complexity: O(1), after the first access to the members, which reads all of them with one statement.
    public var count: Int { relation.count }

    /// Whether there are no members.
    ///
    /// - Complexity: O(1), after the first access to the members, which reads all of them with one statement.
    public var isEmpty: Bool { relation.count == 0 }

    /// A number that is not greater than the number of members.
    ///
    /// - Complexity: O(1), after the first access to the members, which reads all of them with one statement.
    public var underestimatedCount: Int { relation.count }

    /// Returns whether an object is a member.
    ///
    /// - Parameter object: A handle of the same `perform`.
    /// - Complexity: O(1), after the first access to the members, which reads all of them with one statement.
    public func contains(_ object: ManagedObject<PlainObject>) -> Bool { relation.contains(object) }

    /// Adds an object, and sets the inverse.
    ///
    /// Does nothing if the object is already a member.
    ///
    /// - Parameter object: A handle of the same `perform`.
    /// - Throws: A ``StoreError`` if one of the handles is no longer valid.
    public func add(_ object: ManagedObject<PlainObject>) throws { try relation.add(object) }

    /// Removes an object from the relation, and clears the inverse.
    ///
    /// The object remains in the store.
    ///
    /// - Parameter object: A handle of the same `perform`.
    /// - Throws: A ``StoreError`` if one of the handles is no longer valid.
    public func remove(_ object: ManagedObject<PlainObject>) throws { try relation.remove(object) }

    /// Removes an object from the relation and deletes it.
    ///
    /// - Parameters:
    ///   - object: A handle of the same `perform`.
    ///   - context: The context of this `perform`.
    /// - Throws: A ``StoreError`` if one of the handles is no longer valid.
    public func delete(_ object: ManagedObject<PlainObject>, context: ManagedObjectContext) throws {
        try context.requireOwn(object)
        try relation.remove(object)
        try context.delete(object)
    }

    /// Replaces the members with the given objects.
    ///
    /// - Parameter objects: Handles of the same `perform`.
    /// - Throws: A ``StoreError`` if one of the handles is no longer valid.
    /// - Complexity: O(*n* + *m*), where *n* and *m* are the numbers of old and new members.
    public func replace(with objects: [ManagedObject<PlainObject>]) throws { try relation.set(objects) }

    /// Removes all members from the relation.
    ///
    /// The objects remain in the store.
    ///
    /// - Throws: A ``StoreError`` if the handle is no longer valid.
    public func removeAll() throws { try relation.set([]) }

    /// Returns the members as values, in no particular order.
    ///
    /// - Throws: The errors of ``ManagedObject/decode()``.
    /// - Complexity: O(*n*), where *n* is the number of members.
    public func decode() throws -> [PlainObject] { try relation.handles().map { try $0.decode() } }
}
