import Foundation
import SwormPredicates
import SwormStore

extension NSMigrationManager {
    /// An entity mapping with the policy that performs it.
    struct Step {
        let mapping: NSEntityMapping
        let policy: NSEntityMigrationPolicy
    }

    final func run(_ mapping: NSMappingModel, from source: MigrationStore, to destination: MigrationStore) throws {
        let reader = try source.openForReading()
        defer { reader.closeAll() }
        let writer = try destination.make()
        sourceContext.persistentStoreCoordinator = reader
        destinationContext.persistentStoreCoordinator = writer
        destinationContext.validation = .later
        let observer = forgetDeletedWhenSaved()
        defer {
            NotificationCenter.default.removeObserver(observer)
            sourceContext.persistentStoreCoordinator = nil
            destinationContext.persistentStoreCoordinator = nil
            reset()
        }
        do {
            try sourceContext.performAndWait { try destinationContext.performAndWait { try carryOver(mapping) } }
            try copyMetadata(from: reader, to: writer)
            writer.closeAll()
        } catch {
            writer.closeAll()
            // The original error is thrown, not an error of removing the new store.
            try? StoreFiles(url: destination.url, disk: StoreDisk(coordinatorOptions: destination.options))
                .removeAll(isForced: true)
            throw error
        }
    }

    private func carryOver(_ mapping: NSMappingModel) throws {
        let steps = (mapping.entityMappings ?? []).filter { $0.mappingType != .removeEntityMappingType }.map {
            Step(mapping: $0, policy: ($0.policyType ?? NSEntityMigrationPolicy.self).init())
        }
        let total = try steps.filter(\.mapping.carriesObjects).map { try sourceContext.count(for: request($0.mapping)) }
            .reduce(0, +)
        var done = 0
        for step in steps {
            currentEntityMapping = step.mapping
            try step.policy.begin(step.mapping, with: self)
            try createInstances(step, done: &done, of: total)
            try step.policy.endInstanceCreation(forMapping: step.mapping, manager: self)
            try flush()
        }
        done = 0
        for step in inOrderOfRelationships(steps) {
            currentEntityMapping = step.mapping
            try createRelationships(step, done: &done, of: total)
            try step.policy.endRelationshipCreation(forMapping: step.mapping, manager: self)
            try flush()
        }
        for step in steps {
            currentEntityMapping = step.mapping
            try step.policy.performCustomValidation(forMapping: step.mapping, manager: self)
            try flush()
        }
        try validateAll()
        for step in steps {
            currentEntityMapping = step.mapping
            try step.policy.end(step.mapping, manager: self)
        }
        // The policies may have changed objects in their last call. Saving validates these changes.
        try flush()
        try throwCancellation()
    }

    private func request(_ mapping: NSEntityMapping) throws -> NSFetchRequest<NSManagedObjectID> {
        let request = NSFetchRequest<NSManagedObjectID>(entityName: mapping.sourceEntityName ?? "")
        request.resultType = .managedObjectIDResultType
        request.includesSubentities = false
        request.predicate = try mapping.sourcePredicate()
        return request
    }

    private func createInstances(_ step: Step, done: inout Int, of total: Int) throws {
        guard step.mapping.carriesObjects else { return }
        let limit = min(
            batchSize(of: sourceContext, step.mapping.sourceEntityName),
            batchSize(of: destinationContext, step.mapping.destinationEntityName))
        try eachBatch(request(step.mapping), in: sourceContext, limit: limit) { objects in
            for object in objects {
                try throwCancellation()
                try step.policy.createDestinationInstances(forSource: object, in: step.mapping, manager: self)
                try sourceContext.throwReadError()
                // The batch size is an estimate, so the actual number of bytes also limits a batch.
                if pendingBytes >= Self.largestBatch { try write() }
                done += 1
                note(progress: 0.5 * Float(done) / Float(max(total, 1)))
            }
            try flush()
        }
    }

    private func createRelationships(_ step: Step, done: inout Int, of total: Int) throws {
        let limit = batchSize(of: destinationContext, step.mapping.destinationEntityName)
        guard !isLeftToInverses(step) else { return }
        var rows = associations.destinations(mapping: step.mapping.name ?? "").makeIterator()
        var batch: [RowID] = []
        while true {
            while batch.count < limit, let row = rows.next() { batch.append(row) }
            guard !batch.isEmpty else { return }
            let objects = try read(batch, in: destinationContext)
            let sources = try read(
                batch.flatMap { associations.sources(of: $0, mapping: step.mapping.name ?? "") }, in: sourceContext)
            batch = try withExtendedLifetime(sources) {
                for (index, object) in objects.enumerated() {
                    try throwCancellation()
                    try step.policy.createRelationships(forDestination: object, in: step.mapping, manager: self)
                    try sourceContext.throwReadError()
                    done += 1
                    note(progress: 0.5 + 0.4 * Float(min(done, total)) / Float(max(total, 1)))
                    // A relationship may refer to any number of objects. If too many were read, they are released, and
                    // the remaining objects of the batch are read again.
                    if holdsManyObjects { return objects[(index + 1)...].map(\.objectID.row) }
                }
                return []
            }
            try flush()
        }
    }

    private var holdsManyObjects: Bool {
        sourceContext.identities.entryCount + destinationContext.identities.entryCount > Self.mostObjects
    }

    /// Returns whether all relationships of a mapping's objects are set by their inverses.
    private func isLeftToInverses(_ step: Step) -> Bool {
        type(of: step.policy) == NSEntityMigrationPolicy.self
            && (step.mapping.relationshipMappings ?? []).allSatisfy { property in
                property.valueExpression == nil || isSetByInverse(property, in: step.mapping)
            }
    }

    /// Validates every object of the new store. Previous saves only checked the types of values, because relationships
    /// were still missing.
    private func validateAll() throws {
        destinationContext.validation = .everything
        defer { destinationContext.validation = .changes }
        var errors: [CoreDataError] = []
        for entity in destinationContext.compiledModel?.entities ?? [] where !entity.isAbstract {
            let request = NSFetchRequest<NSManagedObjectID>(entityName: entity.name)
            request.resultType = .managedObjectIDResultType
            request.includesSubentities = false
            let limit = batchSize(of: destinationContext, entity.name)
            try eachBatch(request, in: destinationContext, limit: limit) { objects in
                for object in objects where errors.count < Self.mostErrors {
                    try throwCancellation()
                    do {
                        try object.validateForInsert()
                    } catch {
                        guard let own = error.asCoreData else { throw error }
                        errors += own.flattened
                    }
                    try destinationContext.throwReadError()
                }
                destinationContext.resetObjects()
                lentFiles.forget()
            }
        }
        guard let first = errors.first else { return }
        let list = errors.map { "\n- \($0.message)" }.joined()
        throw CoreDataError(
            NSMigrationError, "The migrated objects are not valid:" + list, entity: first.entity, key: first.key,
            objects: errors.flatMap(\.objects), details: errors)
    }

    /// Writes the new objects, and releases all objects.
    private func flush() throws {
        try write()
        sourceContext.resetObjects()
    }

    /// Writes the new objects, and releases them.
    private func write() throws {
        settle()
        forgetDeleted()
        try destinationContext.saveChanges()
        pendingBytes = 0
        destinationContext.resetObjects()
        lentFiles.forget()
    }

    private static let largestBatch = 4 << 20
    private static let mostObjects = 5000
    private static let mostErrors = 50

    /// Returns the number of objects of an entity that are processed at a time.
    ///
    /// Values that may be stored in external files may also be large values in their rows, so batches of objects with
    /// such attributes are small.
    private func batchSize(of context: NSManagedObjectContext, _ entity: String?) -> Int {
        let attributes = entity.flatMap { context.compiledModel?.entity(named: $0) }?.attributes ?? []
        if attributes.contains(where: \.allowsExternalStorage) { return 10 }
        return attributes.contains { $0.type == .binaryData || $0.type == .transformable } ? 100 : 500
    }

    /// Calls a block with the objects that a request finds, in batches.
    private func eachBatch(
        _ request: NSFetchRequest<NSManagedObjectID>, in context: NSManagedObjectContext, limit: Int,
        _ body: ([NSManagedObject]) throws -> Void
    ) throws {
        // Skipping rows gets slower with the offset, so several batches share one request.
        request.fetchLimit = max(10_000 / limit, 1) * limit
        request.fetchOffset = 0
        while true {
            let rows = try context.fetch(request).map(\.row)
            for start in stride(from: 0, to: rows.count, by: limit) {
                try body(read(Array(rows[start..<min(start + limit, rows.count)]), in: context))
            }
            guard rows.count == request.fetchLimit else { return }
            request.fetchOffset += rows.count
        }
    }

    /// Reads objects with one statement for each entity, in the order of their keys. Only the result retains them.
    private func read(_ rows: [RowID], in context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try Dictionary(grouping: rows, by: \.entity).sorted { $0.key < $1.key }.flatMap { number, rows in
            guard let origin = context.coordinator?.persistentStores.first?.origin else { return [NSManagedObject]() }
            let entity = origin.compiled[number]
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
            request.predicate = NSPredicate(
                format: "SELF IN %@",
                argumentArray: [rows.map { NSManagedObjectID(entity: entity, key: $0.key, origin: origin) }])
            return try context.fetch(request)
        }
    }

    /// Copies the metadata that the application added to the old store.
    private func copyMetadata(from reader: NSPersistentStoreCoordinator, to writer: NSPersistentStoreCoordinator) throws
    {
        guard let old = reader.persistentStores.first?.objectStore, let new = writer.persistentStores.first?.objectStore
        else { return }
        try new.setMetadata(new.metadata.merging(old.metadata) { kept, _ in kept })
        _ = try new.save(SaveRequest())
    }
}

extension NSPersistentStoreCoordinator {
    fileprivate final func closeAll() {
        for store in persistentStores { try? remove(store) }
    }
}
