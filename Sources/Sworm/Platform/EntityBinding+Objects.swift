import SwormPredicates

extension EntityBinding {
    /// Returns an object as a value.
    func value(of object: NSManagedObject) throws -> T { try decode(ObjectSource(object: object)) }

    /// Inserts an object, and validates it as a save would.
    ///
    /// - Throws: The error that a save would throw. The object stays inserted; the caller undoes it with other changes.
    @discardableResult
    func insertValid(_ values: [AttributeValue], into context: NSManagedObjectContext) throws -> NSManagedObject {
        guard !isAbstract else {
            throw StoreError(
                .validation,
                "Cannot save an object of \(mapping.entityName): the entity is abstract. Insert an object of one of its sub-entities.",
                entity: mapping.entityName)
        }
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
