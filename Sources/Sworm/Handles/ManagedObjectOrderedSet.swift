/// The objects at the end of an ordered relation to many, in their order.
///
/// It shows the relation as it is at each call. An iteration goes over the members that there were when it began, so the
/// relation may be changed meanwhile.
public final class ManagedObjectOrderedSet<PlainObject: ManagedObjectConvertible>: Sequence {
    let relation: RelationHandle<PlainObject>

    init(_ relation: RelationHandle<PlainObject>) { self.relation = relation }

    /// Begins an iteration over the present members.
    public func makeIterator() -> ManagedObjectSetIterator<PlainObject> { ManagedObjectSetIterator(relation) }

    /// The number of members.
    public var count: Int { relation.count }

    /// Whether there are no members.
    public var isEmpty: Bool { relation.count == 0 }

    /// A number that is not greater than the number of members.
    public var underestimatedCount: Int { relation.count }

    /// The first member, or nil.
    public var first: ManagedObject<PlainObject>? { self[0] }

    /// The last member, or nil.
    public var last: ManagedObject<PlainObject>? { self[count - 1] }

    /// The member at a place, or nil when there are not so many.
    ///
    /// - Parameter index: The place, from 0.
    public subscript(index: Int) -> ManagedObject<PlainObject>? {
        relation.handle(at: index)
    }

    /// Whether an object is a member.
    ///
    /// - Parameter object: A handle of the same `perform`.
    public func contains(_ object: ManagedObject<PlainObject>) -> Bool { relation.contains(object) }

    /// The place of a member, or nil.
    ///
    /// - Parameter object: A handle of the same `perform`.
    public func index(of object: ManagedObject<PlainObject>) -> Int? {
        relation.index(of: object)
    }

    /// Adds an object at the end, and sets the inverse. Does nothing when it is a member already.
    ///
    /// - Parameter object: A handle of the same `perform`.
    /// - Throws: A ``StoreError`` when one of the handles may not be used any more.
    public func add(_ object: ManagedObject<PlainObject>) throws { try relation.add(object) }

    /// Puts an object in at a place. A member is moved there.
    ///
    /// - Parameters:
    ///   - object: A handle of the same `perform`.
    ///   - index: The place; beyond the end it means the end.
    /// - Throws: A ``StoreError`` when one of the handles may not be used any more.
    public func insert(_ object: ManagedObject<PlainObject>, at index: Int) throws {
        try relation.insert(object, at: index)
    }

    /// Moves a member to another place.
    ///
    /// - Parameters:
    ///   - source: Its present place.
    ///   - destination: Its place afterwards.
    /// - Throws: A ``StoreError`` when there is no such member, or the handle may not be used any more.
    public func move(from source: Int, to destination: Int) throws {
        try relation.move(from: source, to: destination)
    }

    /// Takes an object out, and clears the inverse. The object stays in the store.
    ///
    /// - Parameter object: A handle of the same `perform`.
    /// - Throws: A ``StoreError`` when one of the handles may not be used any more.
    public func remove(_ object: ManagedObject<PlainObject>) throws { try relation.remove(object) }

    /// Takes an object out and deletes it.
    ///
    /// - Parameters:
    ///   - object: A handle of the same `perform`.
    ///   - context: The context of this `perform`.
    /// - Throws: A ``StoreError`` when one of the handles may not be used any more.
    public func delete(_ object: ManagedObject<PlainObject>, context: ManagedObjectContext) throws {
        try context.requireOwn(object)
        try relation.remove(object)
        try context.delete(object)
    }

    /// Makes the members exactly the given objects, in their order.
    ///
    /// - Parameter objects: Handles of the same `perform`.
    /// - Throws: A ``StoreError`` when one of the handles may not be used any more.
    public func replace(with objects: [ManagedObject<PlainObject>]) throws { try relation.set(objects) }

    /// Takes all members out. They stay in the store.
    ///
    /// - Throws: A ``StoreError`` when the handle may not be used any more.
    public func removeAll() throws { try relation.set([]) }

    /// The members as values, in their order.
    ///
    /// - Throws: What ``ManagedObject/decode()`` throws.
    public func decode() throws -> [PlainObject] { try relation.handles().map { try $0.decode() } }
}
