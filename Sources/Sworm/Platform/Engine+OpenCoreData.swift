#if !canImport(CoreData)
import Foundation
import OpenCoreData
import SwormPredicates
import SwormSQLite

/// How a type's tables lie in the engine's model: by slots, so that nothing is looked up by name later.
final class EngineBinding<T: ManagedObjectConvertible> {
    let plan: EntityPlan<T>
    let entity: CompiledEntity
    /// By the place in the plan: the attribute's slot; -1 for a composite attribute that a type stands for as a whole.
    let attributes: [Int]
    /// By the place in the plan.
    let composites: [Int: NSCompositeAttributeDescription]
    /// Whether the table has all attributes of the entity, in the order of their slots.
    let isWhole: Bool
    let description: NSEntityDescription
    /// By relation name: the relationship's slot.
    let relations: [String: Int]
    /// How rows become values; nil where some attribute has to be read through an object.
    let rowPlan: RowPlan<T>?
    /// How values become rows.
    let writePlan: WritePlan<T>

    init(_ plan: EntityPlan<T>, in context: NSManagedObjectContext) throws {
        guard let model = context.compiledModel, let entity = model.entity(named: plan.entityName) else {
            throw Engine.unknownEntity(plan.entityName, names: context.compiledModel?.entities.map(\.name) ?? [])
        }
        guard let description = context.coordinator?.managedObjectModel.entitiesByName[entity.name] else {
            throw Engine.unknownEntity(plan.entityName, names: [])
        }
        self.plan = plan
        self.entity = entity
        self.description = description
        var composites: [Int: NSCompositeAttributeDescription] = [:]
        attributes = try plan.attributes.enumerated().map { index, attribute in
            if let composite = Engine.composite(attribute, description) {
                guard Engine.accepts(.composite, as: attribute) else {
                    throw Engine.wrongType(attribute, entity.name, .composite)
                }
                composites[index] = composite
                return -1
            }
            guard case .attribute(let slot) = entity.slot(named: attribute.name) else {
                throw Engine.unknownName("attribute", attribute.name, entity.name, entity.attributes.map(\.name))
            }
            let type = entity.attributes[slot].type
            guard Engine.accepts(type, as: attribute.kind) else {
                throw Engine.wrongType(attribute, entity.name, type)
            }
            return slot
        }
        self.composites = composites
        var relations: [String: Int] = [:]
        for relation in plan.relations {
            guard case .relationship(let slot) = entity.slot(named: relation.name) else {
                throw Engine.unknownName("relation", relation.name, entity.name, entity.relationships.map(\.name))
            }
            relations[relation.name] = slot
        }
        self.relations = relations
        isWhole = attributes == Array(entity.attributes.indices)
        rowPlan = composites.isEmpty ? Self.makeRowPlan(plan, entity, attributes) : nil
        writePlan = Self.makeWritePlan(plan, entity, attributes, composites)
    }

    /// Whether the binding was made for the model that a context uses.
    func fits(_ context: NSManagedObjectContext) -> Bool {
        context.coordinator?.managedObjectModel === description.managedObjectModel
    }

    private static func makeRowPlan(_ plan: EntityPlan<T>, _ entity: CompiledEntity, _ slots: [Int]) -> RowPlan<T>? {
        var ops: [RowOp] = []
        var customs: [RowPlan<T>.Custom] = []
        for (index, attribute) in plan.attributes.enumerated() {
            let description = entity.attributes[slots[index]]
            if description.isTransient { return nil }
            // Column 0 is the primary key.
            let column = Int32(index + 1)
            if let offset = attribute.directOffset {
                ops.append(
                    RowOp(
                        column: column, kind: FieldKind(attribute.kind, isOptional: attribute.isOptional),
                        offset: offset, isExternal: description.allowsExternalStorage))
                continue
            }
            if description.allowsExternalStorage { return nil }
            let kind = attribute.kind
            let apply: @Sendable (inout T, borrowing ColumnView) throws -> Void = { object, view in
                try plan.write(try kind.value(in: view), at: index, into: &object)
            }
            customs.append(RowPlan<T>.Custom(column: column, apply: apply))
        }
        return RowPlan(ops: ops, customs: customs, makesEach: !plan.sharesTemplate) { T() }
    }
}

extension PrimitiveKind {
    /// The value of a column.
    fileprivate func value(in view: borrowing ColumnView) throws -> AttributeValue {
        if view.isNull { return .null }
        return switch self {
        case .bool: .bool(try view.bool())
        case .int, .int16, .int32, .int64: .int(try view.int64())
        case .float, .double: .double(try view.double())
        case .decimal: .decimal(try view.decimal())
        case .date: .date(try view.date())
        case .string: .string(try view.string())
        case .data: .data(try view.data())
        case .uuid: .uuid(try view.uuid())
        case .url: .url(try view.url())
        }
    }
}

extension FieldKind {
    init(_ kind: PrimitiveKind, isOptional: Bool) {
        self =
            switch kind {
            case .bool: isOptional ? .optionalBool : .bool
            case .int: isOptional ? .optionalInt : .int
            case .int16: isOptional ? .optionalInt16 : .int16
            case .int32: isOptional ? .optionalInt32 : .int32
            case .int64: isOptional ? .optionalInt64 : .int64
            case .float: isOptional ? .optionalFloat : .float
            case .double: isOptional ? .optionalDouble : .double
            case .decimal: isOptional ? .optionalDecimal : .decimal
            case .date: isOptional ? .optionalDate : .date
            case .string: isOptional ? .optionalString : .string
            case .data: isOptional ? .optionalData : .data
            case .uuid: isOptional ? .optionalUUID : .uuid
            case .url: isOptional ? .optionalURL : .url
            }
    }
}

extension Engine {
    /// The object as predicates see it.
    static func subject(_ object: NSManagedObject) -> any EvaluationSubject { object }

    // MARK: Attributes

    static func value<T>(_ object: NSManagedObject, _ index: Int, _ binding: EngineBinding<T>) throws -> AttributeValue
    {
        guard let composite = binding.composites[index] else {
            return try object.readAttribute(binding.attributes[index])
        }
        try object.load()
        return try compositeValue(object, binding.plan.attributes[index], composite)
    }

    /// Sets an attribute, if the value differs.
    static func setValue<T>(
        _ value: AttributeValue, _ object: NSManagedObject, _ index: Int, _ binding: EngineBinding<T>
    ) throws {
        guard let composite = binding.composites[index] else {
            return try object.setAttribute(binding.attributes[index], value)
        }
        try setComposite(value, object, binding.plan.attributes[index], composite)
    }

    /// Sets all attributes, those that differ, or none if one of the values does not fit.
    static func setValues<T>(
        _ values: [AttributeValue], _ object: NSManagedObject, _ binding: EngineBinding<T>
    ) throws {
        guard !binding.composites.isEmpty else { return try object.setAttributes(binding.attributes, values) }
        // Before anything is set.
        for (index, composite) in binding.composites { _ = try elements(values[index], composite) }
        let plain = values.indices.filter { binding.composites[$0] == nil }
        try object.setAttributes(plain.map { binding.attributes[$0] }, plain.map { values[$0] })
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
        try object.setDestination(try binding.slot(relation), destination)
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
        try object.readHasMember(try binding.slot(relation), member)
    }

    static func addMember<T>(
        _ object: NSManagedObject, _ relation: String, _ member: NSManagedObject, _ binding: EngineBinding<T>
    ) throws {
        try object.addMember(try binding.slot(relation), member)
    }

    static func removeMember<T>(
        _ object: NSManagedObject, _ relation: String, _ member: NSManagedObject, _ binding: EngineBinding<T>
    ) throws {
        try object.removeMember(try binding.slot(relation), member)
    }

    static func setMembers<T>(
        _ object: NSManagedObject, _ relation: String, _ members: [NSManagedObject], _ binding: EngineBinding<T>
    ) throws {
        try object.setMembers(try binding.slot(relation), members)
    }

    // MARK: Objects

    /// Inserts an object with the values of a table's attributes, in the table's order.
    static func insert<T>(
        _ values: [AttributeValue], _ binding: EngineBinding<T>, into context: NSManagedObjectContext
    ) throws -> NSManagedObject {
        if binding.isWhole { return try context.insertObject(binding.description, values) }
        var all = binding.entity.defaultValues
        for (index, slot) in binding.attributes.enumerated() where slot >= 0 { all[slot] = values[index] }
        let object = try context.insertObject(binding.description, all)
        do {
            for index in binding.composites.keys.sorted() { try setValue(values[index], object, index, binding) }
        } catch {
            context.delete(object)
            throw error
        }
        return object
    }

    /// An object that belongs to no context.
    static func detachedObject<T>(_ binding: EngineBinding<T>) -> NSManagedObject {
        NSManagedObject(entity: binding.description, insertInto: nil)
    }

    static func reference(_ id: NSManagedObjectID) -> ObjectReference { id.reference }

    /// The object with an identity, with its row read.
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

    static func fetch(_ query: EngineQuery, in context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try context.fetchObjects(specification(query))
    }

    static func count(_ query: EngineQuery, in context: NSManagedObjectContext) throws -> Int {
        try context.count(specification(query))
    }

    /// Values straight from rows; nil when they must be read through objects.
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

    /// The error of a value that does not fit its property as the one that decoding an object throws.
    private static func named<T>(_ error: any Error, _ binding: EngineBinding<T>) -> any Error {
        guard let failure = error as? CoreDataError, let fault = failure.cause as? CellFault, let name = failure.key,
            let index = binding.plan.index(named: name)
        else { return error }
        let value = fault.excerpt.isEmpty ? fault.found : "\(fault.found) (\(fault.excerpt))"
        return binding.plan.attributeError(index, stored: value, translated(error))
    }

    /// Values straight from rows, one at a time. Returns false when they must be read through objects.
    static func forEach<T>(
        _ query: EngineQuery, _ binding: EngineBinding<T>, in context: NSManagedObjectContext, body: (T) throws -> Void
    ) throws -> Bool {
        guard let plan = binding.rowPlan else { return false }
        do {
            return try context.forEach(
                specification(query), attributes: binding.attributes, plan: plan, body: body)
        } catch {
            throw named(error, binding)
        }
    }

    /// The values of one attribute straight from rows; nil when they must be read through objects.
    static func column<T>(
        _ query: EngineQuery, _ index: Int, _ binding: EngineBinding<T>, in context: NSManagedObjectContext
    ) throws -> [AttributeValue]? {
        let slot = binding.attributes[index]
        guard slot >= 0 else { return nil }
        let attribute = binding.entity.attributes[slot]
        if attribute.allowsExternalStorage || attribute.isTransient { return nil }
        let kind = binding.plan.attributes[index].kind
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

    /// Whether an attribute of a type can be read and written as a kind of value. A transformable one is the bytes that
    /// its transformer made.
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

    /// Throws the faults of a model, all at once.
    static func checkModel(_ model: NSManagedObjectModel) throws {
        do {
            _ = try model.compiled()
        } catch {
            throw StoreError(.invalidModel, (error as NSError).localizedDescription, cause: error)
        }
    }

    // MARK: Unsaved state

    typealias Checkpoint = ContextCheckpoint

    static func checkpoint(_ context: NSManagedObjectContext) -> Checkpoint { context.checkpoint() }

    static func restore(_ checkpoint: Checkpoint, in context: NSManagedObjectContext) { context.restore(checkpoint) }

    /// Lets a context read one state of its store from now on; with false, the newest at each read again.
    static func pin(_ isPinned: Bool, _ context: NSManagedObjectContext) throws {
        try context.setQueryGenerationFrom(isPinned ? .current : nil)
    }

    typealias Marks = TransactionMarks

    /// Lets what a context writes past its objects wait in a transaction for `commit`; with false, nothing waits any more.
    static func keepTransactions(_ areKept: Bool, _ context: NSManagedObjectContext) {
        context.keepTransactions(areKept)
    }

    static func commit(_ context: NSManagedObjectContext) throws { try context.commitTransactions() }

    static func undo(_ context: NSManagedObjectContext) { context.undoTransactions() }

    static func mark(_ context: NSManagedObjectContext) throws -> Marks { try context.markTransactions() }

    static func release(_ marks: Marks, _ context: NSManagedObjectContext) throws { try context.release(marks) }

    static func undo(to marks: Marks, _ context: NSManagedObjectContext) throws {
        try context.undoTransactions(to: marks)
    }

    /// Stops what the context is reading. May be called from any thread.
    static func interrupt(_ context: NSManagedObjectContext) { context.interruptReading() }

    /// Lets a context read again that was interrupted.
    static func resume(_ context: NSManagedObjectContext) { context.resumeReading() }

    /// Sets what a value must satisfy, for an attribute of a model made from tables.
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

extension EngineBinding {
    fileprivate func slot(_ relation: String) throws -> Int {
        guard let slot = relations[relation] else {
            throw Engine.unknownName("relation", relation, entity.name, entity.relationships.map(\.name))
        }
        return slot
    }
}
#endif
