import Foundation
import SwormStore

extension NSEntityDescription {
    /// The entity with a name in the model that a context uses; nil when there is none.
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
    ///   - entityName: The entity's name. For a name that the model does not have, the next save of the context throws.
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

extension NSManagedObject {
    /// The entity whose class this is, in the model of a coordinator that is alive; that of the newest one if there are
    /// several. Without such an entity, one that no model knows.
    public class func entity() -> NSEntityDescription {
        ModelsInUse.entity(of: self) ?? NSEntityDescription(unknownName: String(describing: self))
    }
}

/// The context whose block runs.
enum CurrentContext {
    @TaskLocal static var value: NSManagedObjectContext?
}

extension NSFetchRequest {
    /// Executes the request in the context whose `perform` or `performAndWait` runs.
    ///
    /// - Returns: Managed objects, ids or a count.
    /// - Throws: What ``NSManagedObjectContext/fetch(_:)`` throws, and an error outside of a context's block.
    public func execute() throws -> [ResultType] {
        guard let context = CurrentContext.value else {
            throw CoreDataError(
                NSCoreDataError,
                "A fetch request can execute itself only inside a context's perform or performAndWait. Use the context's fetch(_:)."
            )
        }
        return try context.fetch(self)
    }
}
