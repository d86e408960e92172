import SwormStore

/// An entity description that passes the row of an object to the initializer of the object.
///
/// Subclasses inherit a single initializer, so the context passes the row's identity and snapshot through its first
/// argument. An entity description is expensive to create, so a context has one seed and fills it again for each
/// object.
final class ObjectSeed: NSEntityDescription {
    private(set) var identity: NSManagedObjectID?
    private(set) var snapshot = ObjectSnapshot.none
    private(set) weak var context: NSManagedObjectContext?

    /// Creates an object of a class for a row.
    func make(
        _ type: NSManagedObject.Type, identity: NSManagedObjectID, snapshot: ObjectSnapshot,
        in context: NSManagedObjectContext
    ) -> NSManagedObject {
        // The initializer of a subclass may call this method again before it has read the seed.
        guard self.identity == nil else {
            return ObjectSeed().make(type, identity: identity, snapshot: snapshot, in: context)
        }
        self.identity = identity
        self.snapshot = snapshot
        if self.context !== context { self.context = context }
        if type != NSManagedObject.self { name = identity.compiledEntity.name }
        defer {
            self.identity = nil
            self.snapshot = .none
        }
        return type.init(entity: self, insertInto: nil)
    }
}

extension CompiledEntity {
    /// Returns an entity without properties, for an object whose entity is not in its model.
    static func unknown(named name: String) -> CompiledEntity {
        CompiledEntity(number: 0, name: name, root: 0, family: 0...0, attributes: [], relationships: [])
    }
}

extension NSEntityDescription {
    convenience init(unknownName name: String) {
        self.init()
        self.name = name
    }
}

extension ObjectOrigin {
    /// Returns the origin of an object that belongs to no context.
    static func detached(_ entity: NSEntityDescription) -> ObjectOrigin {
        let model = entity.managedObjectModel
        let compiled = (try? model.compiled()) ?? CompiledModel(entities: [])
        return ObjectOrigin(storeIdentifier: "", compiled: compiled, model: model, store: nil)
    }
}
