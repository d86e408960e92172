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
