import SwormPredicates

#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
#endif

// Changes to all objects of a request.
extension Engine {
    #if canImport(CoreData)
    /// Sets attributes, by their indices in the table, of all objects that a query finds. This works with objects,
    /// because Core Data's batch requests ignore unsaved changes and cannot be undone.
    static func update<T>(
        _ query: EngineQuery, _ values: [(index: Int, value: AttributeValue)], _ binding: EngineBinding<T>,
        in context: NSManagedObjectContext
    ) throws -> Int {
        for (index, value) in values { try checkWritable(value, binding.mapping.attributes[index], binding.entity) }
        let objects = try fetch(query, in: context)
        for object in objects {
            for (index, value) in values { try setValue(value, object, index, binding) }
        }
        return objects.count
    }

    /// Rejects a value that no save would accept, whatever the query finds.
    private static func checkWritable(
        _ value: AttributeValue, _ attribute: AttributeMapping, _ entity: NSEntityDescription
    ) throws {
        guard let description = entity.attribute(at: attribute.name) else { return }
        func refused(_ reason: String) -> StoreError {
            StoreError(
                .validation, "Cannot set '\(attribute.name)' of all objects of \(entity.name ?? ""): \(reason).",
                entity: entity.name, attribute: attribute.name)
        }
        if description is NSDerivedAttributeDescription { throw refused("it is derived, and follows from others") }
        if description.isTransient { throw refused("it is transient, and no row keeps it") }
        if value == .null, !entity.isOptional(at: attribute.name) { throw refused("it is required, and has no value") }
    }

    /// Deletes all objects that a query finds, and applies the delete rules of their relationships.
    static func delete(_ query: EngineQuery, in context: NSManagedObjectContext) throws -> Int {
        let objects = try fetch(query, in: context)
        for object in objects { context.delete(object) }
        return objects.count
    }
    #else
    /// Sets attributes, by their indices in the table, of all objects that a query finds.
    static func update<T>(
        _ query: EngineQuery, _ values: [(index: Int, value: AttributeValue)], _ binding: EngineBinding<T>,
        in context: NSManagedObjectContext
    ) throws -> Int {
        var stored: [(slot: Int, value: AttributeValue)] = []
        for (index, value) in values {
            guard let composite = binding.composites[index] else {
                stored.append((binding.attributes[index], value))
                continue
            }
            stored += try binding.entity.elements(
                of: binding.mapping.attributes[index].name, in: elements(value, composite))
        }
        return try context.update(specification(query), setting: stored)
    }

    /// Deletes all objects that a query finds, and applies the delete rules of their relationships.
    static func delete(_ query: EngineQuery, in context: NSManagedObjectContext) throws -> Int {
        try context.delete(specification(query))
    }
    #endif
}
