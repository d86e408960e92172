import SwormPredicates

#if canImport(CoreData)
import CoreData
import Foundation
#else
import OpenCoreData
import SwormStore
#endif

/// A uniqueness constraint of the model, as the tables of a type see it.
struct EngineConstraint {
    /// In the order of the model.
    let names: [String]
    /// By the places in the plan.
    let attributes: [Int]
    /// The entity that declares it; no two rows of its family have the same values.
    let entity: Engine.Entity
}

// Values that are written without a handle for each of them.
extension Engine {
    #if canImport(CoreData)
    /// Inserts an object for each value; Core Data has no way to rows that takes part in a save.
    static func insert<T>(
        contentsOf values: some Sequence<T>, _ binding: EngineBinding<T>, into context: NSManagedObjectContext
    ) throws -> Int {
        let before = checkpoint(context)
        var count = 0
        do {
            for value in values {
                try insertValid(try binding.plan.values(of: value), binding, into: context)
                count += 1
            }
        } catch {
            restore(before, in: context)
            throw error
        }
        return count
    }

    /// Nil, as it must be done with objects.
    static func insertUnlessPending<T>(
        _ values: some Sequence<T>, _ binding: EngineBinding<T>, in context: NSManagedObjectContext
    ) throws -> Int? { nil }

    /// Nil, as it must be done with objects.
    static func upsert<T>(
        _ values: some Sequence<T>, _ constraint: EngineConstraint, updates: [Int]?, _ binding: EngineBinding<T>,
        in context: NSManagedObjectContext
    ) throws -> UpsertResult? { nil }

    /// The constraints of an entity and its ancestors whose attributes are all in the tables.
    static func constraints<T>(
        _ binding: EngineBinding<T>, _ context: NSManagedObjectContext
    ) -> [EngineConstraint] {
        var constraints: [EngineConstraint] = []
        var next: NSEntityDescription? = binding.entity
        while let entity = next {
            for constraint in entity.uniquenessConstraints {
                let names = constraint.map { ($0 as? NSPropertyDescription)?.name ?? $0 as? String ?? "" }
                let attributes = names.compactMap(binding.plan.index(named:))
                guard !names.isEmpty, attributes.count == names.count else { continue }
                constraints.append(EngineConstraint(names: names, attributes: attributes, entity: entity))
            }
            next = entity.superentity
        }
        return constraints
    }

    /// Throws what is wrong with values in the order of the tables.
    static func check<T>(_ values: [AttributeValue], _ binding: EngineBinding<T>) throws {
        for (value, line) in zip(values, binding.plan.attributes) {
            // The elements of a composite are checked with the object that gets them.
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
                "\(line.name) of \(binding.plan.entityName) cannot be \(excerpt(value)): it is required, or the model has rules for it.",
                entity: binding.plan.entityName, attribute: line.name)
        }
    }

    static func isAbstract<T>(_ binding: EngineBinding<T>) -> Bool { binding.entity.isAbstract }
    #else
    /// Inserts a row for each value.
    static func insert<T>(
        contentsOf values: some Sequence<T>, _ binding: EngineBinding<T>, into context: NSManagedObjectContext
    ) throws -> Int {
        try context.insertRows(RowBatch(values, binding.writePlan)).count
    }

    /// Inserts a row for each value; nil, with the values not asked for, when unsaved changes might be in their way.
    static func insertUnlessPending<T>(
        _ values: some Sequence<T>, _ binding: EngineBinding<T>, in context: NSManagedObjectContext
    ) throws -> Int? {
        guard !context.hasChanges(ofHierarchy: binding.entity.root) else {
            try context.beginBulkWrite(of: binding.entity.number)
            return nil
        }
        return try insert(contentsOf: values, binding, into: context)
    }

    /// Inserts a row for each value, or updates the row that has its unique values; nil, with the values not asked for, when
    /// it must be done with objects.
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
        return try context.upsertRows(RowBatch(values, binding.writePlan), rule).map {
            UpsertResult(inserted: $0.inserted, updated: $0.updated, ignored: $0.ignored)
        }
    }

    /// The constraints of an entity and its ancestors whose attributes are all in the tables.
    static func constraints<T>(
        _ binding: EngineBinding<T>, _ context: NSManagedObjectContext
    ) -> [EngineConstraint] {
        guard let model = context.compiledModel else { return [] }
        var constraints: [EngineConstraint] = []
        var next: CompiledEntity? = binding.entity
        while let entity = next {
            for names in entity.uniquenessConstraints {
                let attributes = names.compactMap(binding.plan.index(named:))
                guard !names.isEmpty, attributes.count == names.count else { continue }
                constraints.append(EngineConstraint(names: names, attributes: attributes, entity: entity))
            }
            next = entity.superentity.map { model[$0] }
        }
        return constraints
    }

    /// Throws what is wrong with values in the order of the tables.
    static func check<T>(_ values: [AttributeValue], _ binding: EngineBinding<T>) throws {
        for (index, slot) in binding.attributes.enumerated() where slot >= 0 {
            try binding.entity.checked(values[index], slot: slot)
        }
    }

    static func isAbstract<T>(_ binding: EngineBinding<T>) -> Bool { binding.entity.isAbstract }
    #endif

    /// Inserts an object that a save will accept.
    ///
    /// - Throws: What a save would throw. The object stays then; the caller undoes more than that.
    @discardableResult
    static func insertValid<T>(
        _ values: [AttributeValue], _ binding: EngineBinding<T>, into context: NSManagedObjectContext
    ) throws -> NSManagedObject {
        guard !isAbstract(binding) else {
            throw StoreError(
                .validation,
                "Cannot save an object of \(binding.plan.entityName): the entity is abstract. Insert one of its sub-entities.",
                entity: binding.plan.entityName)
        }
        try check(values, binding)
        let object = try insert(values, binding, into: context)
        try object.validateForInsert()
        return object
    }
}

#if canImport(CoreData)
extension AttributeValue {
    /// Whether it stands for no number, which no store keeps.
    fileprivate var isNoNumber: Bool {
        switch self {
        case .double(let number): number.isNaN
        case .decimal(let number): number.isNaN
        default: false
        }
    }
}
#endif
