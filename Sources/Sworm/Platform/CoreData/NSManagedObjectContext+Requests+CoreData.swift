#if canImport(CoreData)
import CoreData
import Foundation
import SwormPredicates

extension RequestContent {
    /// Returns the request in Core Data's form.
    ///
    /// - Throws: The first error of the request.
    func fetchRequest<Result: NSFetchRequestResult>(
        of entity: NSEntityDescription, in context: NSManagedObjectContext
    ) throws -> NSFetchRequest<Result> {
        let request = NSFetchRequest<Result>()
        request.entity = entity
        let tree = try predicateTree()
        // For Core Data, a limit of zero means all rows.
        request.includesSubentities = !isExact
        for sort in sorts where sort.path.contains(where: { entity.castTarget($0) != nil }) {
            throw StoreError(
                .unsupported,
                "\(entity.name ?? ""): Core Data cannot sort by '\(sort.path.joined(separator: "."))', an attribute of a sub-entity. Sort the values.",
                entity: entity.name)
        }
        request.predicate = try (limit == 0 ? .constant(false) : tree).map { try context.nativePredicate($0) }
        request.sortDescriptors =
            sorts.isEmpty
            ? nil
            : sorts.map { NSSortDescriptor(key: $0.path.joined(separator: "."), ascending: $0.ascending) }
        request.fetchLimit = limit ?? 0
        request.fetchOffset = offset
        return request
    }
}

extension NSManagedObjectContext {
    /// Converts a predicate tree into Core Data's form: a format, with objects for the identities in it.
    fileprivate func nativePredicate(_ tree: PredicateTree) throws -> NSPredicate {
        guard !tree.calls(.float) else {
            throw StoreError(
                .invalidCondition,
                "A #Predicate computes with Float, but Core Data computes with Double, which matches other rows. Compare the "
                    + "attribute itself, or declare it as a Double.")
        }
        let template = tree.template
        return NSPredicate(format: template.format, argumentArray: template.arguments.map { native($0) })
    }

    private func native(_ argument: PredicateArgument) -> Any {
        switch argument {
        case .value(.object(let reference)): (try? existingObject(for: reference)) ?? NSNull()
        case .value(let value): value.keyedValue ?? NSNull()
        case .list(let elements): elements.map { native($0) }
        default: NSNull()
        }
    }

    func fetchObjects(
        _ request: RequestContent, of entity: ModelEntity, prefetching: Bool = false
    ) throws -> [NSManagedObject] {
        let tree = try request.predicateTree()
        if let tree, hasCasts(tree) { return try fetchObjects(request, of: entity, matching: tree) }
        let native: NSFetchRequest<NSManagedObject> = try request.fetchRequest(of: entity, in: self)
        if prefetching, !request.prefetch.isEmpty {
            native.relationshipKeyPathsForPrefetching = request.prefetch.map { $0.joined(separator: ".") }
        }
        return try fetch(native)
    }

    /// Returns the objects that a request finds in the store, without regard to unsaved changes.
    func fetchSavedObjects(_ request: RequestContent, of entity: ModelEntity) throws -> [NSManagedObject] {
        let native: NSFetchRequest<NSManagedObject> = try request.fetchRequest(of: entity, in: self)
        native.includesPendingChanges = false
        return try fetch(native)
    }

    /// Returns the entity of requests for the objects of a description.
    func modelEntity(of description: NSEntityDescription) -> ModelEntity? { description }

    /// Returns the objects that match a condition with steps to sub-entities, which are compared in memory: Core Data has no
    /// such steps. Parts of the condition without them limit the objects that are read.
    private func fetchObjects(
        _ request: RequestContent, of entity: ModelEntity, matching tree: PredicateTree
    ) throws -> [NSManagedObject] {
        if request.limit == 0 { return [] }
        let parts = if case .and(let parts) = tree { parts } else { [tree] }
        var broad = RequestContent()
        broad.sorts = request.sorts
        broad.isExact = request.isExact
        for part in parts where !hasCasts(part) { broad.narrow(ConditionContent(part)) }
        let predicate = try PreparedPredicate(tree)
        let objects = try fetchObjects(broad, of: entity).filter { try predicate.matches($0.predicateSubject) }
        return Array(objects.dropFirst(request.offset).prefix(request.limit ?? Int.max))
    }

    /// Whether a condition has steps to sub-entities.
    private func hasCasts(_ tree: PredicateTree) -> Bool {
        let entities = persistentStoreCoordinator?.managedObjectModel.entitiesByName ?? [:]
        return tree.keyPathUses.contains { use in
            use.keys.contains { key in EntityCast(key).map { entities[$0.entity] != nil } ?? false }
        }
    }

    /// Returns nil unless the request has a batch size. Core Data has no rows without objects, so handles otherwise
    /// hold their objects.
    func fetchRows(_ request: RequestContent, of entity: ModelEntity) throws -> FetchedRows? {
        if let tree = try request.predicateTree(), hasCasts(tree) { return nil }
        return request.batchSize > 0 ? try FetchedRows(request, of: entity, in: self) : nil
    }

    func countObjects(_ request: RequestContent, of entity: ModelEntity) throws -> Int {
        if let tree = try request.predicateTree(), hasCasts(tree) {
            return try fetchObjects(request, of: entity).count
        }
        return try count(for: try request.fetchRequest(of: entity, in: self) as NSFetchRequest<NSManagedObject>)
    }

    func deleteObjects(_ request: RequestContent, of entity: ModelEntity) throws -> Int {
        let objects = try fetchObjects(request, of: entity)
        for object in objects { delete(object) }
        return objects.count
    }

    // MARK: Values

    /// Returns nil: Core Data reads values only through objects.
    func decode<T>(_ request: RequestContent, with binding: EntityBinding<T>) throws -> [T]? { nil }

    /// Returns false: Core Data reads values only through objects.
    func forEach<T>(
        _ request: RequestContent, with binding: EntityBinding<T>, at first: UnsafeMutablePointer<T>?,
        body: (UnsafeMutablePointer<T>) throws -> Void
    ) throws -> Bool { false }

    /// Returns nil: Core Data reads values with unsaved changes only through objects.
    func column<T>(
        at index: Int, of request: RequestContent, with binding: EntityBinding<T>
    ) throws -> [AttributeValue]? { nil }

    /// Returns nil, so that rows are computed from objects: Core Data's dictionary results ignore unsaved changes, and
    /// its sums overflow silently.
    func project<Reader: RowReading>(
        _ tree: ProjectionTree, of request: RequestContent, entity: ModelEntity, with reader: Reader
    ) throws -> [Reader.Raw]? {
        // Checked here, because computing the rows from objects reports this only if there are any objects.
        for use in tree.columns.flatMap(\.keyPathUses) where use.start == .evaluatedObject {
            let path = use.keys.joined(separator: ".")
            guard let whole = entity.attribute(at: path) as? NSCompositeAttributeDescription else { continue }
            throw QueryError.compositeAsValue(
                path: path, entity: entity.name ?? "", elements: CompositeShape(whole).paths)
        }
        return nil
    }
}
#endif
