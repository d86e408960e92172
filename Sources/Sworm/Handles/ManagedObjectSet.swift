/// Steps through the members that a relation had when the iteration began.
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

    // Inlinable, so that a loop knows the type: without that every step asks the runtime for it.
    /// The next member; nil at the end, or once the handles may not be used any more.
    @inlinable
    public mutating func next() -> ManagedObject<PlainObject>? {
        guard index < handles.count, scope.isActive || isUsable else { return nil }
        defer { index += 1 }
        return handles[index]
    }

    /// Reports where the handles may not be used any more.
    @usableFromInline var isUsable: Bool { relation.isUsable }
}

/// The objects at the end of an unordered relation to many.
///
/// It shows the relation as it is at each call. An iteration goes over the members that there were when it began, so the
/// relation may be changed meanwhile.
public final class ManagedObjectSet<PlainObject: ManagedObjectConvertible>: Sequence {
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

    /// Whether an object is a member.
    ///
    /// - Parameter object: A handle of the same `perform`.
    public func contains(_ object: ManagedObject<PlainObject>) -> Bool { relation.contains(object) }

    /// Adds an object, and sets the inverse. Does nothing when it is a member already.
    ///
    /// - Parameter object: A handle of the same `perform`.
    /// - Throws: A ``StoreError`` when one of the handles may not be used any more.
    public func add(_ object: ManagedObject<PlainObject>) throws { try relation.add(object) }

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

    /// Makes the members exactly the given objects.
    ///
    /// - Parameter objects: Handles of the same `perform`.
    /// - Throws: A ``StoreError`` when one of the handles may not be used any more.
    public func replace(with objects: [ManagedObject<PlainObject>]) throws { try relation.set(objects) }

    /// Takes all members out. They stay in the store.
    ///
    /// - Throws: A ``StoreError`` when the handle may not be used any more.
    public func removeAll() throws { try relation.set([]) }

    /// The members as values, in no order.
    ///
    /// - Throws: What ``ManagedObject/decode()`` throws.
    public func decode() throws -> [PlainObject] { try relation.handles().map { try $0.decode() } }
}
