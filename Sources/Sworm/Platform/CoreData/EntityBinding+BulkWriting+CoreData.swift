#if canImport(CoreData)
import CoreData
import Foundation
import SwormPredicates

// Writes of many values. They use objects, because Core Data's batch requests ignore unsaved changes and cannot be
// undone.
extension EntityBinding {
    func insert(contentsOf values: some Sequence<T>, into context: NSManagedObjectContext) throws -> Int {
        let before = Checkpoint(of: context)
        var count = 0
        do {
            for value in values {
                try insertValid(value, into: context)
                count += 1
            }
        } catch {
            context.restore(before)
            throw error
        }
        return count
    }

    func insertUnlessPending(_ values: some Sequence<T>, into context: NSManagedObjectContext) throws -> Int? { nil }

    func upsert(
        _ values: some Sequence<T>, on constraint: ModelConstraint, updates: UpsertUpdates?,
        in context: NSManagedObjectContext
    ) throws -> Upsert.Result? { nil }

    func update(
        _ request: RequestContent, setting values: [(index: Int, value: AttributeValue)],
        in context: NSManagedObjectContext
    ) throws -> Int {
        for (index, value) in values { try checkWritable(value, for: mapping.attributes[index]) }
        let objects = try context.fetchObjects(request, of: entity)
        for object in objects {
            for (index, value) in values { try setValue(value, of: object, at: index) }
        }
        return objects.count
    }

    /// Rejects a value that no save would accept, regardless of the objects that the request finds.
    private func checkWritable(_ value: AttributeValue, for attribute: AttributeMapping) throws {
        guard let description = entity.attribute(at: attribute.name) else { return }
        func rejected(_ reason: String) -> StoreError {
            StoreError(
                .validation, "Cannot set '\(attribute.name)' of all objects of \(entity.name ?? ""): \(reason).",
                entity: entity.name, attribute: attribute.name)
        }
        if description is NSDerivedAttributeDescription { throw rejected("it is derived from other properties") }
        if description.isTransient { throw rejected("it is transient and not stored") }
        if value == .null, !entity.isOptional(at: attribute.name) { throw rejected("it is required and cannot be nil") }
    }

    func constraints(in context: NSManagedObjectContext) -> [ModelConstraint] {
        var constraints: [ModelConstraint] = []
        var next: NSEntityDescription? = entity
        while let entity = next {
            constraints += entity.uniquenessConstraints.compactMap { constraint in
                let names = constraint.map { ($0 as? NSPropertyDescription)?.name ?? $0 as? String ?? "" }
                return ModelConstraint(names, of: entity, in: mapping)
            }
            next = entity.superentity
        }
        return constraints
    }
}
#endif
