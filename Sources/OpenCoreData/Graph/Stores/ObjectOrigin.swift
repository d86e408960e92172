import SwormStore

/// The store and the model of objects, shared by all their ids.
final class ObjectOrigin: @unchecked Sendable {
    // Everything is written once. The store does its own locking, and the model is frozen while a coordinator uses it; hence
    // the unchecked conformance.

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

    /// The description of the only entity whose class is the given one.
    func description(ofClass type: NSManagedObject.Type) -> NSEntityDescription? {
        let names = [String(reflecting: type), String(describing: type), ".\(type)"]
        let matches = compiled.entities.filter { entity in
            entity.managedObjectClassName.map { names.contains($0) } ?? false
        }
        guard let match = matches.first, matches.count == 1 else { return nil }
        return model.entitiesByName[match.name]
    }

    /// The public description of an entity.
    func description(of entity: CompiledEntity) -> NSEntityDescription {
        if let description = model.entitiesByName[entity.name] { return description }
        let unknown = NSEntityDescription()
        unknown.name = entity.name
        return unknown
    }
}
