// Values with further values that belong to them.
extension ManagedObjectContext {
    /// Returns the objects that a request finds, with the values that belong to them.
    ///
    /// - Parameter request: The request; see ``Request/with(_:_:)``.
    /// - Throws: A ``StoreError`` if the request is invalid or the store fails. ``AttributeError/badAttribute(_:)`` if a type
    ///   cannot hold a value. The error of a closure that creates values.
    public func decode<Entity, Value>(_ request: TreeRequest<Entity, Value>) throws -> sending [Value] {
        try scope.check(Entity.entityName, id: nil)
        // This call created every value, and nothing else references it.
        nonisolated(unsafe) let values =
            try request.content.isEmpty()
            ? [] : translatingErrors { try request.read(request.content, TreeReader(instance, bindings: bindings)) }
        return values
    }

    /// Returns the first object that a request finds, with the values that belong to it, or nil if it finds none.
    ///
    /// - Parameter request: The request; see ``Request/with(_:_:)``.
    /// - Throws: The errors of ``decode(_:)->[Value]``.
    public func decodeOne<Entity, Value>(_ request: TreeRequest<Entity, Value>) throws -> sending Value? {
        let values = try decode(TreeRequest<Entity, Value>(content: request.content.limitedToFirst, read: request.read))
        // This call created the value, and nothing else references it.
        nonisolated(unsafe) let first = values.first
        return first
    }
}
