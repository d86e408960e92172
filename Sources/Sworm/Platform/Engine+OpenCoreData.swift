#if !canImport(CoreData)
import Foundation
import OpenCoreData
import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

extension Engine {
    /// Returns the object as a subject of predicates.
    static func subject(_ object: NSManagedObject) -> any EvaluationSubject { object }

    // MARK: Attributes

    static func value<T>(_ object: NSManagedObject, _ index: Int, _ binding: EngineBinding<T>) throws -> AttributeValue
    {
        guard let composite = binding.composites[index] else {
            return try object.readAttribute(binding.attributes[index])
        }
        try object.load()
        return try compositeValue(object, binding.mapping.attributes[index], composite)
    }

    /// Sets an attribute, if the value differs.
    static func setValue<T>(
        _ value: AttributeValue, _ object: NSManagedObject, _ index: Int, _ binding: EngineBinding<T>
    ) throws {
        guard let composite = binding.composites[index] else {
            return try object.setAttribute(binding.attributes[index], to: value)
        }
        try setComposite(value, object, binding.mapping.attributes[index], composite)
    }

    /// Sets the attributes that differ, or none if one of the values is invalid.
    static func setValues<T>(
        _ values: [AttributeValue], _ object: NSManagedObject, _ binding: EngineBinding<T>
    ) throws {
        guard !binding.composites.isEmpty else { return try object.setAttributes(binding.attributes, to: values) }
        // Validates all composites before anything is set.
        for (index, composite) in binding.composites { _ = try elements(values[index], composite) }
        let plain = values.indices.filter { binding.composites[$0] == nil }
        try object.setAttributes(plain.map { binding.attributes[$0] }, to: plain.map { values[$0] })
        for index in binding.composites.keys.sorted() { try setValue(values[index], object, index, binding) }
    }

    // MARK: Relations

    static func destination<T>(
        _ object: NSManagedObject, _ relation: String, _ binding: EngineBinding<T>
    ) throws -> NSManagedObject? {
        try object.load()
        return object.destination(try binding.slot(relation))
    }

    static func setDestination<T>(
        _ object: NSManagedObject, _ relation: String, _ destination: NSManagedObject?, _ binding: EngineBinding<T>
    ) throws {
        try object.setDestination(try binding.slot(relation), to: destination)
    }

    static func members<T>(
        _ object: NSManagedObject, _ relation: String, _ binding: EngineBinding<T>
    ) throws -> [NSManagedObject] {
        try object.readMemberObjects(try binding.slot(relation))
    }

    static func memberCount<T>(_ object: NSManagedObject, _ relation: String, _ binding: EngineBinding<T>) throws -> Int
    {
        try object.readMemberCount(try binding.slot(relation))
    }

    static func hasMember<T>(
        _ object: NSManagedObject, _ relation: String, _ member: NSManagedObject, _ binding: EngineBinding<T>
    ) throws -> Bool {
        try object.readHasMember(try binding.slot(relation), object: member)
    }

    static func addMember<T>(
        _ object: NSManagedObject, _ relation: String, _ member: NSManagedObject, _ binding: EngineBinding<T>
    ) throws {
        try object.addMember(try binding.slot(relation), object: member)
    }

    static func removeMember<T>(
        _ object: NSManagedObject, _ relation: String, _ member: NSManagedObject, _ binding: EngineBinding<T>
    ) throws {
        try object.removeMember(try binding.slot(relation), object: member)
    }

    static func setMembers<T>(
        _ object: NSManagedObject, _ relation: String, _ members: [NSManagedObject], _ binding: EngineBinding<T>
    ) throws {
        try object.setMembers(try binding.slot(relation), to: members)
    }

    // MARK: Objects

    /// Inserts an object with the values of a table's attributes, in the table's order.
    static func insert<T>(
        _ values: [AttributeValue], _ binding: EngineBinding<T>, into context: NSManagedObjectContext
    ) throws -> NSManagedObject {
        if binding.isWhole { return try context.insertObject(of: binding.description, values: values) }
        var all = binding.entity.defaultValues
        for (index, slot) in binding.attributes.enumerated() where slot >= 0 { all[slot] = values[index] }
        let object = try context.insertObject(of: binding.description, values: all)
        do {
            for index in binding.composites.keys.sorted() { try setValue(values[index], object, index, binding) }
        } catch {
            context.delete(object)
            throw error
        }
        return object
    }

    /// Returns an object that belongs to no context.
    static func detachedObject<T>(_ binding: EngineBinding<T>) -> NSManagedObject {
        NSManagedObject(entity: binding.description, insertInto: nil)
    }

    static func reference(_ id: NSManagedObjectID) -> ObjectReference { id.reference }

    /// Returns the rows that an error refers to.
    static func rows(of error: NSError) -> [ObjectReference] {
        error.userInfo[NSAffectedObjectsErrorKey] as? [ObjectReference] ?? []
    }

    /// Returns the object with an identity, after reading its row.
    static func object(_ reference: ObjectReference, in context: NSManagedObjectContext) throws -> NSManagedObject? {
        guard let id = context.managedObjectID(for: reference) else { return nil }
        return try context.existingObject(with: id)
    }

    // MARK: Requests

    typealias Entity = CompiledEntity

    static func specification(_ query: EngineQuery) -> FetchSpecification {
        var specification = FetchSpecification(entity: query.entity.number)
        specification.predicate = query.predicate
        if !query.sorts.isEmpty {
            specification.sorts = query.sorts.map { FetchSpecification.Sort(path: $0.path, ascending: $0.ascending) }
        }
        specification.limit = query.limit
        specification.offset = query.offset
        return specification
    }

    static func name(_ entity: Entity) -> String { entity.name }

    /// Returns which relations a query prefetches, and its batch size.
    static func reading(_ query: EngineQuery, in context: NSManagedObjectContext) throws -> FetchReading {
        guard let model = context.compiledModel, !query.prefetch.isEmpty else {
            return FetchReading(batchSize: query.batchSize)
        }
        return FetchReading(
            prefetch: try query.prefetch.map { try PrefetchPath($0, entity: query.entity.number, model: model) },
            batchSize: query.batchSize)
    }

    static func fetch(_ query: EngineQuery, in context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try context.fetchObjects(specification(query), reading: try reading(query, in: context))
    }

    static func count(_ query: EngineQuery, in context: NSManagedObjectContext) throws -> Int {
        try context.count(specification(query))
    }

    /// Decodes values directly from rows. Returns nil if they must be read through objects.
    static func decode<T>(
        _ query: EngineQuery, _ binding: EngineBinding<T>, in context: NSManagedObjectContext
    ) throws -> [T]? {
        guard let plan = binding.rowPlan else { return nil }
        do {
            return try context.decode(specification(query), attributes: binding.attributes, plan: plan)
        } catch {
            throw named(error, binding)
        }
    }

    /// Converts the error of a value that does not fit its property into the error that decoding an object throws.
    private static func named<T>(_ error: any Error, _ binding: EngineBinding<T>) -> any Error {
        guard let failure = error as? CoreDataError, let issue = failure.cause as? DecodingFailure,
            let name = failure.key,
            let index = binding.mapping.index(named: name)
        else { return error }
        let value = issue.excerpt.isEmpty ? issue.found : "\(issue.found) (\(issue.excerpt))"
        return binding.mapping.attributeError(at: index, stored: value, cause: translated(error))
    }

    /// Decodes values directly from rows, one at a time. With `first`, only the first value is decoded, into that
    /// memory.
    ///
    /// - Returns: Whether the values could be read this way. If not, they must be read through objects.
    static func forEach<T>(
        _ query: EngineQuery, _ binding: EngineBinding<T>, in context: NSManagedObjectContext,
        at first: UnsafeMutablePointer<T>?, body: (UnsafeMutablePointer<T>) throws -> Void
    ) throws -> Bool {
        guard let plan = binding.rowPlan else { return false }
        do {
            return try context.forEach(
                specification(query), attributes: binding.attributes, plan: plan, at: first, body: body)
        } catch {
            throw named(error, binding)
        }
    }

    /// Reads the values of one attribute directly from rows. Returns nil if they must be read through objects.
    static func column<T>(
        _ query: EngineQuery, _ index: Int, _ binding: EngineBinding<T>, in context: NSManagedObjectContext
    ) throws -> [AttributeValue]? {
        let slot = binding.attributes[index]
        guard slot >= 0 else { return nil }
        let attribute = binding.entity.attributes[slot]
        if attribute.allowsExternalStorage || attribute.isTransient { return nil }
        let kind = binding.mapping.attributes[index].kind
        let apply: @Sendable (inout AttributeValue, borrowing ColumnView) throws -> Void = { value, view in
            value = try kind.value(in: view)
        }
        let plan = RowPlan<AttributeValue>(
            ops: [], customs: [RowPlan<AttributeValue>.Custom(column: 1, apply: apply)], template: .null)
        do {
            return try context.decode(specification(query), attributes: [slot], plan: plan)
        } catch {
            throw named(error, binding)
        }
    }

    // MARK: Models

    /// Whether an attribute of a type can be read and written as a kind of value. A transformable attribute is read as
    /// the bytes that its transformer produced.
    static func accepts(_ type: AttributeType, as kind: PrimitiveKind) -> Bool {
        kind.compatibleTypes.contains(type) || type == .transformable && kind == .data
    }

    /// Reads a model file.
    static func model(at url: URL) throws -> NSManagedObjectModel {
        do {
            return try NSManagedObjectModel.load(contentsOf: url)
        } catch {
            throw StoreError(.invalidModel, (error as NSError).localizedDescription, cause: error)
        }
    }

    /// Throws an error that lists all issues of a model.
    static func checkModel(_ model: NSManagedObjectModel) throws {
        do {
            _ = try model.compiled()
        } catch {
            throw StoreError(.invalidModel, (error as NSError).localizedDescription, cause: error)
        }
    }

    /// Sets the validation rules of an attribute, in a model that is created from tables.
    static func setRules(of attribute: NSAttributeDescription, _ traits: AttributeTraits) {
        var rules: [ValidationRule] = []
        if let minimum = traits.minimum { rules.append(.minimum(minimum)) }
        if let maximum = traits.maximum { rules.append(.maximum(maximum)) }
        if let length = traits.minimumLength { rules.append(.minimumLength(length)) }
        if let length = traits.maximumLength { rules.append(.maximumLength(length)) }
        if let pattern = traits.pattern { rules.append(.pattern(pattern)) }
        attribute.validationRules = rules
    }
}
#endif
