import SwormPredicates

extension EntityBinding {
    /// Returns an object as a value.
    func value(of object: NSManagedObject) throws -> T { try decode(ObjectSource(object: object)) }

    /// Throws an error if the entity is abstract, so that it has no objects of its own.
    func checkInsertable() throws {
        guard isAbstract else { return }
        throw StoreError(
            .validation,
            "Cannot save an object of \(mapping.entityName): the entity is abstract. Insert an object of one of its sub-entities.",
            entity: mapping.entityName)
    }

    /// Inserts an object, and validates it as a save would.
    ///
    /// - Throws: The error that a save would throw. The object stays inserted; the caller undoes it with other changes.
    @discardableResult
    func insertValid(_ values: [AttributeValue], into context: NSManagedObjectContext) throws -> NSManagedObject {
        try checkInsertable()
        try check(values)
        let object = try insert(values, into: context)
        try object.validateForInsert()
        return object
    }
}

extension AttributeMapping {
    /// Returns whether the attribute can represent an attribute of the model. A `Codable` type can be a composite.
    func accepts(_ type: AttributeType) -> Bool {
        type == .composite ? kind == .data && !isPrimitive : kind.accepts(type)
    }
}
