#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates
import SwormStore

// Writes that do not create a handle for each value.
extension EntityBinding {
    /// Inserts a row for each value.
    func insert(contentsOf values: some Sequence<T>, into context: NSManagedObjectContext) throws -> Int {
        try context.insertRows(batch(of: values)).count
    }

    /// Takes the write lock, and holds it until the changes of the context are committed.
    ///
    /// - Throws: A conflict if the store has changed since the state that the context reads.
    func beginWriting(in context: NSManagedObjectContext) throws { try context.beginBulkWrite(of: entity.number) }

    /// Inserts a row for each value. Returns nil, before it consumes any value, if unsaved changes might conflict.
    func insertUnlessPending(_ values: some Sequence<T>, into context: NSManagedObjectContext) throws -> Int? {
        guard !context.hasChanges(ofHierarchy: entity.root) else {
            try context.beginBulkWrite(of: entity.number)
            return nil
        }
        return try insert(contentsOf: values, into: context)
    }

    /// Inserts a row for each value, or updates the row with the same unique values. Returns nil, before it consumes
    /// any value, if the upsert must go through objects.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - constraint: The constraint that matches values with rows.
    ///   - updates: The attributes that are updated in an existing row; nil to leave it unchanged.
    ///   - context: The context.
    func upsert(
        _ values: some Sequence<T>, on constraint: ModelConstraint, updates: UpsertUpdates?,
        in context: NSManagedObjectContext
    ) throws -> Upsert.Result? {
        guard !hasWholes else {
            try context.beginBulkWrite(of: entity.number)
            return nil
        }
        let rules = self.rules(on: constraint.names, updates: updates)
        return try context.upsertRows(batch(of: values), by: rules).map {
            Upsert.Result(inserted: $0.inserted, updated: $0.updated, ignored: $0.ignored)
        }
    }

    /// Sets attributes, by their indices in the table, of all objects that a request finds.
    func update(
        _ request: RequestContent, setting values: [(index: Int, value: AttributeValue)],
        in context: NSManagedObjectContext
    ) throws -> Int {
        var stored: [(slot: Int, value: AttributeValue)] = []
        for (index, value) in values {
            guard let composite = composites[index] else {
                stored.append((attributes[index], value))
                continue
            }
            stored += try entity.elements(
                of: mapping.attributes[index].name, in: CompositeShape(composite).decodeElements(of: value))
        }
        return try context.update(request.specification(of: entity), setting: stored)
    }

    /// Returns the constraints of the entity and its ancestors whose attributes are all declared in the table.
    func constraints(in context: NSManagedObjectContext) -> [ModelConstraint] {
        guard let model = context.compiledModel else { return [] }
        var constraints: [ModelConstraint] = []
        var next: CompiledEntity? = entity
        while let entity = next {
            constraints += entity.uniquenessConstraints.compactMap { ModelConstraint($0, of: entity, in: mapping) }
            next = entity.superentity.map { model[$0] }
        }
        return constraints
    }
}
#endif
