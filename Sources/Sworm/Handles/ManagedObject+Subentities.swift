extension ManagedObject where PlainObject: SuperentityConvertible {
    /// Returns a handle to the object as one of a sub-entity; nil if it belongs to another entity.
    ///
    /// ```swift
    /// for media in try context.fetch(Media.all) {
    ///     if let book = media.as(Book.self) { print(try book.decode(\.pages)) }
    /// }
    /// ```
    /// If the handle is no longer valid, the result is nil, and the error is reported to `logError`.
    ///
    /// - Parameter type: The struct of a case.
    public func `as`<Sub: ManagedObjectConvertible>(_ type: Sub.Type) -> ManagedObject<Sub>?
    where Sub.Superentity == PlainObject {
        do {
            try check()
            let binding = try family.workspace.bindings.binding(for: Sub.self)
            return binding.represents(entityKey) ? try retyped(as: Sub.self) : nil
        } catch {
            scope.note(error)
            return nil
        }
    }
}

extension ManagedObject where PlainObject.Superentity: SuperentityConvertible {
    /// A handle to the object as one of its super-entity, for relations that the cases share, and to link it as a destination.
    ///
    /// If the handle is no longer valid, or the model lacks the super-entity, reading the property throws the error that
    /// decoding would throw.
    public var asSuperentity: ManagedObject<PlainObject.Superentity> {
        get throws {
            try check()
            return try retyped(as: PlainObject.Superentity.self)
        }
    }
}

extension ManagedObjectID where PlainObject.Superentity: SuperentityConvertible {
    /// The id of the object as one of its super-entity.
    public var asSuperentity: ManagedObjectID<PlainObject.Superentity> {
        ManagedObjectID<PlainObject.Superentity>(reference)
    }
}
