extension ManagedObject {
    /// The object at the end of a relation to one, or nil.
    ///
    /// Setting it sets the inverse too. Neither can throw: a read that fails is nil and reported to `logError`; a write that
    /// fails makes the whole `perform` throw at its end, so that nothing is saved without it.
    public subscript<Destination: ManagedObjectConvertible>(
        dynamicMember keyPath: KeyPath<PlainObject.Relations, ToOneRelation<Destination>>
    ) -> ManagedObject<Destination>? {
        get {
            do {
                try check()
                let name = PlainObject.relations[keyPath: keyPath].name
                if let found = try Engine.translating({ try rowDestination(of: name, as: Destination.self) }) {
                    return found.handle
                }
                return try Engine.translating { try Engine.destination(instance, name, binding) }
                    .map { try handle($0, as: Destination.self) }
            } catch {
                scope.note(error)
                return nil
            }
        }
        set {
            do {
                try link(PlainObject.relations[keyPath: keyPath].name, newValue)
            } catch {
                scope.fail(error, newValue?.scope)
            }
        }
    }

    /// The objects at the end of a relation to many.
    public subscript<Destination: ManagedObjectConvertible>(
        dynamicMember keyPath: KeyPath<PlainObject.Relations, ToManyRelation<Destination>>
    ) -> ManagedObjectSet<Destination> {
        ManagedObjectSet(RelationHandle(self, PlainObject.relations[keyPath: keyPath].name))
    }

    /// The objects at the end of an ordered relation to many.
    public subscript<Destination: ManagedObjectConvertible>(
        dynamicMember keyPath: KeyPath<PlainObject.Relations, ToManyOrderedRelation<Destination>>
    ) -> ManagedObjectOrderedSet<Destination> {
        ManagedObjectOrderedSet(RelationHandle(self, PlainObject.relations[keyPath: keyPath].name))
    }

    /// Links a new object, made from a value, by a relation to one; with nil, unlinks the present one.
    ///
    /// The object that was linked before is unlinked, and stays in the store as it was.
    ///
    /// - Parameters:
    ///   - keyPath: The relation.
    ///   - value: The value of the new object, or nil.
    ///   - context: The context of this `perform`.
    /// - Returns: The handle itself.
    /// - Throws: A ``StoreError`` when the handle may not be used any more, and what ``ManagedObjectContext/insert(_:)``
    ///   throws.
    @discardableResult
    public func set<Destination: ManagedObjectConvertible>(
        _ keyPath: KeyPath<PlainObject.Relations, ToOneRelation<Destination>>, value: Destination?,
        context: ManagedObjectContext
    ) throws -> Self {
        try context.requireOwn(self)
        let new = try value.map { try context.insert($0) }
        try link(PlainObject.relations[keyPath: keyPath].name, new)
        return self
    }

    /// Deletes the object at the end of a relation to one, if there is one.
    ///
    /// - Parameters:
    ///   - keyPath: The relation.
    ///   - context: The context of this `perform`.
    /// - Returns: The handle itself.
    /// - Throws: A ``StoreError`` when the handle may not be used any more.
    @discardableResult
    public func delete<Destination: ManagedObjectConvertible>(
        _ keyPath: KeyPath<PlainObject.Relations, ToOneRelation<Destination>>, context: ManagedObjectContext
    ) throws -> Self {
        try context.requireOwn(self)
        let name = PlainObject.relations[keyPath: keyPath].name
        guard let object = try Engine.translating({ try Engine.destination(instance, name, binding) }) else {
            return self
        }
        try context.delete(try handle(object, as: Destination.self))
        return self
    }

    private func link<Destination>(_ name: String, _ destination: ManagedObject<Destination>?) throws {
        try checkWriting()
        if let destination { try requireRelatable(destination, by: name) }
        try Engine.translating { try Engine.setDestination(instance, name, destination?.instance, binding) }
    }
}
