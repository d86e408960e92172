import Sworm

/// Fetches and creates the objects of one entity in a context.
///
/// A repository is used on the queue of its context.
struct EntityRepository<Entity: NSManagedObject> {
    let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) {
        self.context = context
    }

    private var entityName: String { Entity.entity().name ?? String(describing: Entity.self) }

    private func request(
        _ predicate: NSPredicate?, sortedBy sortDescriptors: [NSSortDescriptor] = []
    ) -> NSFetchRequest<Entity> {
        let request = NSFetchRequest<Entity>(entityName: entityName)
        request.predicate = predicate
        request.sortDescriptors = sortDescriptors.isEmpty ? nil : sortDescriptors
        return request
    }

    // MARK: Reading

    func all(
        where predicate: NSPredicate? = nil, sortedBy sortDescriptors: [NSSortDescriptor] = [], limit: Int = 0,
        offset: Int = 0, prefetching relationships: [String] = []
    ) throws -> [Entity] {
        let request = request(predicate, sortedBy: sortDescriptors)
        request.fetchLimit = limit
        request.fetchOffset = offset
        request.fetchBatchSize = limit == 0 ? 50 : 0
        request.relationshipKeyPathsForPrefetching = relationships
        return try context.fetch(request)
    }

    func first(where predicate: NSPredicate? = nil, sortedBy sortDescriptors: [NSSortDescriptor] = []) throws -> Entity?
    {
        let request = request(predicate, sortedBy: sortDescriptors)
        request.fetchLimit = 1
        request.returnsObjectsAsFaults = false
        return try context.fetch(request).first
    }

    func count(where predicate: NSPredicate? = nil) throws -> Int {
        try context.count(for: request(predicate))
    }

    func contains(where predicate: NSPredicate) throws -> Bool {
        try count(where: predicate) > 0
    }

    func object(with id: NSManagedObjectID) throws -> Entity? {
        try context.existingObject(with: id) as? Entity
    }

    func ids(where predicate: NSPredicate? = nil) throws -> [NSManagedObjectID] {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: entityName)
        request.predicate = predicate
        request.resultType = .managedObjectIDResultType
        return try context.fetch(request)
    }

    /// The distinct values of an attribute, or of one behind a relationship.
    func values<Value>(of keyPath: String, as type: Value.Type = Value.self) throws -> [Value] {
        let request = NSFetchRequest<NSDictionary>(entityName: entityName)
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [keyPath]
        request.returnsDistinctResults = true
        request.sortDescriptors = [NSSortDescriptor(key: keyPath, ascending: true)]
        return try context.fetch(request).compactMap { $0[keyPath] as? Value }
    }

    // MARK: Writing

    @discardableResult
    func create(_ configure: (Entity) throws -> Void = { _ in }) rethrows -> Entity {
        let object = Entity(context: context)
        try configure(object)
        return object
    }

    /// Returns an object that the context knows already or that the store has, or else a new one.
    func findOrCreate(where predicate: NSPredicate, _ configure: (Entity) -> Void) throws -> Entity {
        for object in context.registeredObjects where !object.isFault && !object.isDeleted {
            guard let entity = object as? Entity, predicate.evaluate(with: entity) else { continue }
            return entity
        }
        return try first(where: predicate) ?? create(configure)
    }

    func delete(_ object: Entity) {
        context.delete(object)
    }

    @discardableResult
    func deleteAll(where predicate: NSPredicate? = nil) throws -> Int {
        let request = request(predicate)
        request.includesPropertyValues = false
        let objects = try context.fetch(request)
        objects.forEach(context.delete)
        return objects.count
    }
}
