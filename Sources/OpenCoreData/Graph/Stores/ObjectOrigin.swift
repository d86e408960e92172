import SwormStore

/// The store and the model of objects. All ids of these objects share it.
final class ObjectOrigin: @unchecked Sendable {
    // All properties are set once. The store does its own locking, and the model must not change while a coordinator
    // uses it. Hence the unchecked conformance.

    let storeIdentifier: String
    let compiled: CompiledModel
    let model: NSManagedObjectModel
    weak let store: NSPersistentStore?

    init(
        storeIdentifier: String, compiled: CompiledModel, model: NSManagedObjectModel, store: NSPersistentStore?
    ) {
        self.storeIdentifier = storeIdentifier
        self.compiled = compiled
        self.model = model
        self.store = store
    }

    /// Returns the description of the only entity with the given class; nil unless there is exactly one.
    func description(ofClass type: NSManagedObject.Type) -> NSEntityDescription? {
        let names = ManagedObjectClasses.names(of: type)
        let matches = compiled.entities.filter { entity in
            entity.managedObjectClassName.map { names.contains($0) } ?? false
        }
        guard let match = matches.first, matches.count == 1 else { return nil }
        return model.entitiesByName[match.name]
    }

    /// Returns the public description of an entity.
    func description(of entity: CompiledEntity) -> NSEntityDescription {
        if let description = model.entitiesByName[entity.name] { return description }
        let unknown = NSEntityDescription()
        unknown.name = entity.name
        return unknown
    }
}
