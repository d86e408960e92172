import Foundation
import SwormStore

extension NSEntityDescription {
    /// Returns the entity with the given name in the model that a context uses, or nil if it does not exist.
    ///
    /// - Parameters:
    ///   - entityName: The name.
    ///   - context: A context with a coordinator.
    public class func entity(forEntityName entityName: String, in context: NSManagedObjectContext)
        -> NSEntityDescription?
    {
        context.persistentStoreCoordinator?.managedObjectModel.entitiesByName[entityName]
    }

    /// Inserts a new object of an entity into a context.
    ///
    /// - Parameters:
    ///   - entityName: The entity's name. If the model has no entity with this name, the next save of the context
    ///     throws.
    ///   - context: The context.
    /// - Returns: The object, of the class that the model names for the entity.
    public class func insertNewObject(
        forEntityName entityName: String, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        guard let description = entity(forEntityName: entityName, in: context),
            let compiled = context.compiledModel?.entity(named: entityName)
        else { return NSManagedObject(entity: NSEntityDescription(unknownName: entityName), insertInto: context) }
        return context.objectClass(of: compiled).init(entity: description, insertInto: context)
    }
}
