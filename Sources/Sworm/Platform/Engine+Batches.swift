import SwormPredicates

#if canImport(CoreData)
import CoreData
import Foundation
#else
import OpenCoreData
import SwormStore
#endif

/// A uniqueness constraint of the model, in terms of a type's table.
struct EngineConstraint {
    /// The names of the attributes, in the order of the model.
    let names: [String]
    /// The indices of the attributes in the mapping.
    let attributes: [Int]
    /// The entity that declares the constraint; no two rows of this entity and its subentities have the same values.
    let entity: Engine.Entity
}

// Writes that do not create a handle for each value.
extension Engine {
    #if canImport(CoreData)
    /// Inserts an object for each value. Core Data has no access to rows that takes part in a save.
    static func insert<T>(
        contentsOf values: some Sequence<T>, _ binding: EngineBinding<T>, into context: NSManagedObjectContext
    ) throws -> Int {
        let before = checkpoint(context)
        var count = 0
        do {
            for value in values {
                try insertValid(try binding.mapping.values(of: value), binding, into: context)
                count += 1
            }
        } catch {
            restore(before, in: context)
            throw error
        }
        return count
    }

    /// Returns nil, because the insertion must go through objects.
    static func insertUnlessPending<T>(
        _ values: some Sequence<T>, _ binding: EngineBinding<T>, in context: NSManagedObjectContext
    ) throws -> Int? { nil }

    /// Returns nil, because the upsert must go through objects.
    static func upsert<T>(
        _ values: some Sequence<T>, _ constraint: EngineConstraint, updates: [Int]?, _ binding: EngineBinding<T>,
        in context: NSManagedObjectContext
    ) throws -> UpsertResult? { nil }

    /// Returns the constraints of an entity and its ancestors whose attributes are all declared in the table.
    static func constraints<T>(
        _ binding: EngineBinding<T>, _ context: NSManagedObjectContext
    ) -> [EngineConstraint] {
        var constraints: [EngineConstraint] = []
        var next: NSEntityDescription? = binding.entity
        while let entity = next {
            for constraint in entity.uniquenessConstraints {
                let names = constraint.map { ($0 as? NSPropertyDescription)?.name ?? $0 as? String ?? "" }
                let attributes = names.compactMap(binding.mapping.index(named:))
                guard !names.isEmpty, attributes.count == names.count else { continue }
                constraints.append(EngineConstraint(names: names, attributes: attributes, entity: entity))
            }
            next = entity.superentity
        }
        return constraints
    }

    /// Throws an error if a value is invalid. The values are in the order of the table.
    static func check<T>(_ values: [AttributeValue], _ binding: EngineBinding<T>) throws {
        for (value, line) in zip(values, binding.mapping.attributes) {
            // The elements of a composite are checked with the object that they are assigned to.
            guard let attribute = binding.entity.attributesByName[line.name],
                composite(line, binding.entity) == nil
            else { continue }
            try requireRange(value, binding.entity, line.name)
            let keyed = value.keyedValue
            let isValid =
                keyed == nil
                ? attribute.isOptional
                : !value.isNoNumber && attribute.validationPredicates.allSatisfy { $0.evaluate(with: keyed) }
            guard !isValid else { continue }
            throw StoreError(
                .validation,
                "\(line.name) of \(binding.mapping.entityName) cannot be \(excerpt(value)): it is required, or the model has rules for it.",
                entity: binding.mapping.entityName, attribute: line.name)
        }
    }

    static func isAbstract<T>(_ binding: EngineBinding<T>) -> Bool { binding.entity.isAbstract }
    #else
    /// Inserts a row for each value.
    static func insert<T>(
        contentsOf values: some Sequence<T>, _ binding: EngineBinding<T>, into context: NSManagedObjectContext
    ) throws -> Int {
        try context.insertRows(RowBatch(values, plan: binding.writePlan)).count
    }

    /// Inserts a row for each value. Returns nil, before it consumes any value, if unsaved changes might conflict.
    static func insertUnlessPending<T>(
        _ values: some Sequence<T>, _ binding: EngineBinding<T>, in context: NSManagedObjectContext
    ) throws -> Int? {
        guard !context.hasChanges(ofHierarchy: binding.entity.root) else {
            try context.beginBulkWrite(of: binding.entity.number)
            return nil
        }
        return try insert(contentsOf: values, binding, into: context)
    }

    /// Inserts a row for each value, or updates the row with the same unique values. Returns nil, before it consumes
    /// any value, if the upsert must go through objects.
    static func upsert<T>(
        _ values: some Sequence<T>, _ constraint: EngineConstraint, updates: [Int]?, _ binding: EngineBinding<T>,
        in context: NSManagedObjectContext
    ) throws -> UpsertResult? {
        guard binding.composites.isEmpty else {
            try context.beginBulkWrite(of: binding.entity.number)
            return nil
        }
        let rule = UpsertRule(
            constraint: constraint.names, updates: updates.map { $0.map { binding.attributes[$0] } })
        return try context.upsertRows(RowBatch(values, plan: binding.writePlan), by: rule).map {
            UpsertResult(inserted: $0.inserted, updated: $0.updated, ignored: $0.ignored)
        }
    }

    /// Returns the constraints of an entity and its ancestors whose attributes are all declared in the table.
    static func constraints<T>(
        _ binding: EngineBinding<T>, _ context: NSManagedObjectContext
    ) -> [EngineConstraint] {
        guard let model = context.compiledModel else { return [] }
        var constraints: [EngineConstraint] = []
        var next: CompiledEntity? = binding.entity
        while let entity = next {
            for names in entity.uniquenessConstraints {
                let attributes = names.compactMap(binding.mapping.index(named:))
                guard !names.isEmpty, attributes.count == names.count else { continue }
                constraints.append(EngineConstraint(names: names, attributes: attributes, entity: entity))
            }
            next = entity.superentity.map { model[$0] }
        }
        return constraints
    }

    /// Throws an error if a value is invalid. The values are in the order of the table.
    static func check<T>(_ values: [AttributeValue], _ binding: EngineBinding<T>) throws {
        for (index, slot) in binding.attributes.enumerated() where slot >= 0 {
            try binding.entity.checked(values[index], slot: slot)
        }
    }

    static func isAbstract<T>(_ binding: EngineBinding<T>) -> Bool { binding.entity.isAbstract }
    #endif

    /// Inserts an object, and validates it as a save would.
    ///
    /// - Throws: The error that a save would throw. The object stays inserted; the caller undoes it with other changes.
    @discardableResult
    static func insertValid<T>(
        _ values: [AttributeValue], _ binding: EngineBinding<T>, into context: NSManagedObjectContext
    ) throws -> NSManagedObject {
        guard !isAbstract(binding) else {
            throw StoreError(
                .validation,
                "Cannot save an object of \(binding.mapping.entityName): the entity is abstract. Insert one of its sub-entities.",
                entity: binding.mapping.entityName)
        }
        try check(values, binding)
        let object = try insert(values, binding, into: context)
        try object.validateForInsert()
        return object
    }
}

#if canImport(CoreData)
extension AttributeValue {
    /// Whether the value is NaN, which no store can hold.
    fileprivate var isNoNumber: Bool {
        switch self {
        case .double(let number): number.isNaN
        case .decimal(let number): number.isNaN
        default: false
        }
    }
}
#endif
