import SwormStore

/// Says that an object stands for a row.
///
/// Subclasses inherit one initializer alone, so what the context knows of the row comes in through its first argument. An
/// entity description is costly to make, so that a context has one seed and fills it again for each object.
final class ObjectSeed: NSEntityDescription {
    private(set) var identity: NSManagedObjectID?
    private(set) var snapshot = ObjectSnapshot.none
    private(set) weak var context: NSManagedObjectContext?

    /// Makes an object of a class for a row.
    func make(
        _ type: NSManagedObject.Type, _ identity: NSManagedObjectID, _ snapshot: ObjectSnapshot,
        _ context: NSManagedObjectContext
    ) -> NSManagedObject {
        // The initializer of a subclass may lead back here before it has read the seed.
        guard self.identity == nil else { return ObjectSeed().make(type, identity, snapshot, context) }
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
    /// An entity without properties: what an object has that was made for an entity that its model does not know.
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
    /// The origin of an object that belongs to no context.
    static func detached(_ entity: NSEntityDescription) -> ObjectOrigin {
        let model = entity.managedObjectModel
        let compiled = (try? model.compiled()) ?? CompiledModel(entities: [])
        return ObjectOrigin(storeIdentifier: "", compiled: compiled, model: model, store: nil)
    }
}
