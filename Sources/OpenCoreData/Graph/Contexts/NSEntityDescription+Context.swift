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

extension NSManagedObject {
    /// Returns the entity of this class in the model of a live coordinator.
    ///
    /// If several coordinators have such an entity, the newest coordinator is used. If none has one, the result is an
    /// entity that belongs to no model.
    public class func entity() -> NSEntityDescription {
        ModelsInUse.entity(of: self) ?? NSEntityDescription(unknownName: String(describing: self))
    }

    /// Returns a request for the objects of this class's entity. See ``entity()``.
    ///
    /// A subclass usually has a method of the same name that returns a request for its own type:
    ///
    /// ```swift
    /// extension Book {
    ///     class func fetchRequest() -> NSFetchRequest<Book> { NSFetchRequest(entityName: "Book") }
    /// }
    /// ```
    public class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity()
        return request
    }
}
