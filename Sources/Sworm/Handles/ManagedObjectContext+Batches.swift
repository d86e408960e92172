import SwormPredicates

// Changes to all objects of a request at once, without creating the objects.
extension ManagedObjectContext {
    /// Sets properties of all objects that a request finds, in one statement.
    ///
    /// ```swift
    /// try context.update(Book.all.where { $0.year < 1900 }, set: (\.rating, 3), (\.remark, nil))
    /// ```
    /// The update belongs to this `perform`: it is saved or undone with all other changes, and handles return the new
    /// values. The request also matches unsaved changes. An object that already has the values is left unchanged, and
    /// is not reported as changed to other contexts and processes. If unsaved changes affect the request, the objects
    /// are changed one by one, and values that a save rejects are rejected when the changes are saved.
    ///
    /// - Parameters:
    ///   - request: The request. Its limit, offset and order apply.
    ///   - first: A property of the table, and its value.
    ///   - others: More properties and values. If a property occurs twice, the later value is used.
    /// - Returns: The number of objects that the request found.
    /// - Throws: A ``StoreError`` if the request is invalid, a property is not in the table, a save would reject a
    ///   value, a unique value is already in use, or the store fails. Nothing is changed in that case.
    @discardableResult
    public func update<PlainObject: ManagedObjectConvertible, First, each Other>(
        _ request: Request<PlainObject>, set first: (WritableKeyPath<PlainObject, First>, First),
        _ others: repeat (WritableKeyPath<PlainObject, each Other>, each Other)
    ) throws -> Int {
        let binding = try bindingForBulkWriting(for: PlainObject.self)
        // The table defines how properties are converted to values, and reads them from an object.
        var object = PlainObject()
        var values: [(index: Int, value: AttributeValue)] = []
        func add<Value>(_ keyPath: WritableKeyPath<PlainObject, Value>, _ value: Value) throws {
            object[keyPath: keyPath] = value
            for index in try binding.mapping.indices(of: keyPath) {
                values.removeAll { $0.index == index }
                values.append((index, try binding.mapping.read(index, of: object)))
            }
        }
        try add(first.0, first.1)
        for (keyPath, value) in repeat (each others) { try add(keyPath, value) }
        if try request.content.isEmpty() { return 0 }
        return try translatingErrors { try binding.update(request.content, setting: values, in: instance) }
    }

    /// Deletes all objects that a request finds, following the delete rules of their relations, without creating the
    /// objects.
    ///
    /// The delete rules are applied in the store: cascading relations delete their destinations too, and references to
    /// a deleted object are cleared. If a relation denies the deletion, nothing is deleted. The deletion belongs to
    /// this `perform`: it is saved or undone with all other changes, and handles to deleted objects report that the
    /// objects no longer exist. If unsaved changes affect the objects to delete, they are deleted one by one, as
    /// ``delete(_:)-(Request<PlainObject>)`` does, and a denial is reported when the changes are saved.
    ///
    /// - Parameter request: The request. Its limit, offset and order apply.
    /// - Returns: The number of objects that the request found. Objects that were deleted by delete rules are not
    ///   counted.
    /// - Throws: A ``StoreError`` if the request is invalid, a relation denies the deletion, a required relation refers
    ///   to a deleted object, or the store fails. Nothing is deleted in that case.
    @discardableResult
    public func batchDelete<PlainObject: ManagedObjectConvertible>(_ request: Request<PlainObject>) throws -> Int {
        let binding = try bindingForBulkWriting(for: PlainObject.self)
        if try request.content.isEmpty() { return 0 }
        return try translatingErrors { try instance.deleteObjects(request.content, of: binding.entity) }
    }
}
