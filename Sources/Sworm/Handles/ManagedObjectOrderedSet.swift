/// The destinations of an ordered relation to many, in order.
///
/// Every call reads the current state of the relation. An iteration visits the members at the time it starts, so you
/// can change the relation during the iteration.
public final class ManagedObjectOrderedSet<PlainObject: ManagedObjectConvertible>: Sequence {
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

    /// The first member, or nil.
    ///
    /// - Complexity: O(1) like ``count``, or O(log *n*) after a move.
    public var first: ManagedObject<PlainObject>? { self[0] }

    /// The last member, or nil.
    ///
    /// - Complexity: O(1) like ``count``.
    public var last: ManagedObject<PlainObject>? { self[count - 1] }

    /// Returns the member at the given index, or nil if the index is out of bounds.
    ///
    /// - Parameter index: The index, starting at 0.
    /// - Complexity: O(1), or O(log *n*) after a move within the set. Creating the handle of an object is O(1).
    public subscript(index: Int) -> ManagedObject<PlainObject>? {
        relation.handle(at: index)
    }

    /// Returns whether an object is a member.
    ///
    /// - Parameter object: A handle of the same `perform`.
    /// - Complexity: O(1), after the first access to the members, which reads all of them with one statement.
    public func contains(_ object: ManagedObject<PlainObject>) -> Bool { relation.contains(object) }

    /// Returns the index of a member, or nil if the object is not a member.
    ///
    /// - Parameter object: A handle of the same `perform`.
    /// - Complexity: O(1), or O(log *n*) after a move within the set.
    public func index(of object: ManagedObject<PlainObject>) -> Int? {
        relation.index(of: object)
    }

    /// Adds an object at the end, and sets the inverse.
    ///
    /// Does nothing if the object is already a member.
    ///
    /// - Parameter object: A handle of the same `perform`.
    /// - Throws: A ``StoreError`` if one of the handles is no longer valid.
    public func add(_ object: ManagedObject<PlainObject>) throws { try relation.add(object) }

    /// Inserts an object at an index.
    ///
    /// An existing member is moved there.
    ///
    /// - Parameters:
    ///   - object: A handle of the same `perform`.
    ///   - index: The index. An index beyond the end appends the object.
    /// - Throws: A ``StoreError`` if one of the handles is no longer valid.
    public func insert(_ object: ManagedObject<PlainObject>, at index: Int) throws {
        try relation.insert(object, at: index)
    }

    /// Moves a member to another index.
    ///
    /// - Parameters:
    ///   - source: The current index of the member.
    ///   - destination: The index of the member after the move.
    /// - Throws: A ``StoreError`` if there is no such member, or the handle is no longer valid.
    public func move(from source: Int, to destination: Int) throws {
        try relation.move(from: source, to: destination)
    }

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

    /// Replaces the members with the given objects, in their order.
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

    /// Returns the members as values, in order.
    ///
    /// - Throws: The errors of ``ManagedObject/decode()``.
    /// - Complexity: O(*n*), where *n* is the number of members.
    public func decode() throws -> [PlainObject] { try relation.handles().map { try $0.decode() } }
}
