extension ManagedObject {
    /// The destination of a relation to one, or nil.
    ///
    /// Setting the destination also sets the inverse. Neither access can throw: a read that fails returns nil and is
    /// reported to `logError`. A write that fails makes the whole `perform` throw at its end, so that nothing is saved
    /// without it.
    public subscript<Destination: ManagedObjectConvertible>(
        dynamicMember keyPath: KeyPath<PlainObject.Relations, ToOneRelation<Destination>>
    ) -> ManagedObject<Destination>? {
        get {
            do {
                try check()
                let name = PlainObject.relations[keyPath: keyPath].name
                if let found = try translatingErrors({ try rowDestination(of: name, as: Destination.self) }) {
                    return found
                }
                return try translatingErrors { try binding.destination(of: instance, along: name) }
                    .map { try handle($0, as: Destination.self) }
            } catch {
                scope.note(error)
                return nil
            }
        }
        set {
            do {
                try link(PlainObject.relations[keyPath: keyPath].name, to: newValue)
            } catch {
                scope.fail(error, with: newValue?.scope)
            }
        }
    }

    /// The destinations of a relation to many.
    public subscript<Destination: ManagedObjectConvertible>(
        dynamicMember keyPath: KeyPath<PlainObject.Relations, ToManyRelation<Destination>>
    ) -> ManagedObjectSet<Destination> {
        ManagedObjectSet(RelationHandle(of: self, named: PlainObject.relations[keyPath: keyPath].name))
    }

    /// The destinations of an ordered relation to many.
    public subscript<Destination: ManagedObjectConvertible>(
        dynamicMember keyPath: KeyPath<PlainObject.Relations, ToManyOrderedRelation<Destination>>
    ) -> ManagedObjectOrderedSet<Destination> {
        ManagedObjectOrderedSet(RelationHandle(of: self, named: PlainObject.relations[keyPath: keyPath].name))
    }

    /// Sets the destination of a relation to one to a new object, created from a value, or clears the relation if the
    /// value is nil.
    ///
    /// The previous destination is unlinked. It remains in the store, otherwise unchanged.
    ///
    /// - Parameters:
    ///   - keyPath: The relation.
    ///   - value: The value of the new object, or nil.
    ///   - context: The context of this `perform`.
    /// - Returns: The handle itself.
    /// - Throws: A ``StoreError`` if the handle is no longer valid, and the errors of
    ///   ``ManagedObjectContext/insert(_:)``.
    @discardableResult
    public func set<Destination: ManagedObjectConvertible>(
        _ keyPath: KeyPath<PlainObject.Relations, ToOneRelation<Destination>>, value: Destination?,
        context: ManagedObjectContext
    ) throws -> Self {
        try context.requireOwn(self)
        let new = try value.map { try context.insert($0) }
        try link(PlainObject.relations[keyPath: keyPath].name, to: new)
        return self
    }

    /// Deletes the destination of a relation to one, if it has one.
    ///
    /// - Parameters:
    ///   - keyPath: The relation.
    ///   - context: The context of this `perform`.
    /// - Returns: The handle itself.
    /// - Throws: A ``StoreError`` if the handle is no longer valid.
    @discardableResult
    public func delete<Destination: ManagedObjectConvertible>(
        _ keyPath: KeyPath<PlainObject.Relations, ToOneRelation<Destination>>, context: ManagedObjectContext
    ) throws -> Self {
        try context.requireOwn(self)
        let name = PlainObject.relations[keyPath: keyPath].name
        guard let object = try translatingErrors({ try binding.destination(of: instance, along: name) }) else {
            return self
        }
        try context.delete(try handle(object, as: Destination.self))
        return self
    }

    private func link<Destination>(_ name: String, to destination: ManagedObject<Destination>?) throws {
        try checkWriting()
        if let destination { try requireRelatable(destination, by: name) }
        try translatingErrors { try binding.setDestination(destination?.instance, of: instance, along: name) }
    }
}
