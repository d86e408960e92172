import SwormPredicates

// Changes of all objects of a request at once, without making the objects.
extension ManagedObjectContext {
    /// Gives properties of all objects that a request finds other values, by one statement.
    ///
    /// ```swift
    /// try context.update(Book.all.where { $0.year < 1900 }, set: (\.rating, 3), (\.remark, nil))
    /// ```
    /// It is part of this `perform`: it is saved or undone with everything else, and handles show the new values. Unsaved
    /// changes count; an object that has the values already is left as it is, and is no change for other contexts and processes.
    /// If unsaved changes bear on the request, the objects are changed one by one, and what a save refuses is refused
    /// when the changes are saved.
    ///
    /// - Parameters:
    ///   - request: The request; its limit, offset and order count.
    ///   - first: A property of the table, and its value.
    ///   - others: More of them. Of two values for one property the later one counts.
    /// - Returns: The number of objects that the request found.
    /// - Throws: A ``StoreError`` when the request is wrong, a property is not in the table, a value is one that no save would
    ///   accept, or is unique and taken, or the store fails. Nothing is changed then.
    @discardableResult
    public func update<PlainObject: ManagedObjectConvertible, First, each Other>(
        _ request: Request<PlainObject>, set first: (WritableKeyPath<PlainObject, First>, First),
        _ others: repeat (WritableKeyPath<PlainObject, each Other>, each Other)
    ) throws -> Int {
        let binding = try bindingForWriting(for: PlainObject.self)
        // The table says how properties become values, and takes them from an object.
        var object = PlainObject()
        var values: [(index: Int, value: AttributeValue)] = []
        func add<Value>(_ keyPath: WritableKeyPath<PlainObject, Value>, _ value: Value) throws {
            let index = try binding.plan.index(of: keyPath)
            object[keyPath: keyPath] = value
            values.removeAll { $0.index == index }
            values.append((index, try binding.plan.read(index, of: object)))
        }
        try add(first.0, first.1)
        for (keyPath, value) in repeat (each others) { try add(keyPath, value) }
        let query = try EngineQuery(request.content, of: binding.entity)
        if query.isEmpty { return 0 }
        return try Engine.translating { try Engine.update(query, values, binding, in: instance) }
    }

    /// Deletes all objects that a request finds, by the delete rules of their relations, without making the objects.
    ///
    /// What the rules say is done in the store: what cascades is deleted too, and what led to a deleted object leads nowhere.
    /// A relation that denies the deletion refuses all of it. It is part of this `perform`: it is saved or undone with
    /// everything else, and handles on deleted objects say that these are gone. Where unsaved changes bear on what is deleted,
    /// the objects are deleted one by one, as ``delete(_:)-(Request<_>)`` does, and a denial shows when the changes are saved.
    ///
    /// - Parameter request: The request; its limit, offset and order count.
    /// - Returns: The number of objects that the request found. Those that followed by delete rules are not counted.
    /// - Throws: A ``StoreError`` when the request is wrong, a relation denies the deletion, or leads to a deleted object and
    ///   must not be empty, or the store fails. Nothing is deleted then.
    @discardableResult
    public func batchDelete<PlainObject: ManagedObjectConvertible>(_ request: Request<PlainObject>) throws -> Int {
        let query = try EngineQuery(request.content, of: try bindingForWriting(for: PlainObject.self).entity)
        if query.isEmpty { return 0 }
        return try Engine.translating { try Engine.delete(query, in: instance) }
    }
}
