import SwormStore

/// The store and the model of objects. All ids of these objects share it.
final class ObjectOrigin: @unchecked Sendable {
    // All properties are set once, except for the location, which does its own locking. So does the store, and the model
    // must not change while a coordinator uses it. Hence the unchecked conformance.

    private let location: ExchangeableReference<StoreLocation>
    let compiled: CompiledModel
    let model: NSManagedObjectModel

    init(
        storeIdentifier: String, compiled: CompiledModel, model: NSManagedObjectModel, store: NSPersistentStore?
    ) {
        location = ExchangeableReference(StoreLocation(identifier: storeIdentifier, store: store))
        self.compiled = compiled
        self.model = model
    }

    var storeIdentifier: String { location.object.identifier }

    /// The open store; nil for objects that were never saved, and after the store was deallocated.
    var store: NSPersistentStore? { location.object.store }

    /// Makes all ids of the objects identify the same rows of another store, to which the rows were moved.
    func move(to store: NSPersistentStore) {
        location.exchange(for: StoreLocation(identifier: store.identifier, store: store))
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

/// The store that contains objects, and its identifier.
private final class StoreLocation: Sendable {
    let identifier: String
    weak let store: NSPersistentStore?

    init(identifier: String, store: NSPersistentStore?) {
        self.identifier = identifier
        self.store = store
    }
}
