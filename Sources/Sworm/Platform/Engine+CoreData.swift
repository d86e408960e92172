#if canImport(CoreData)
import CoreData
import Foundation
import SwormPredicates

// The engine on Core Data, through public API only: names and key-value coding.

extension PrimitiveKind {
    /// Converts a value of key-value coding into the form that tables use.
    fileprivate func value(_ any: Any?) -> AttributeValue {
        guard let any, !(any is NSNull) else { return .null }
        return switch self {
        case .bool: .bool((any as? NSNumber)?.boolValue ?? false)
        case .int, .int16, .int32, .int64: .int((any as? NSNumber)?.int64Value ?? 0)
        case .float, .double: .double((any as? NSNumber)?.doubleValue ?? 0)
        default: AttributeValue(any: any) ?? .null
        }
    }
}

extension Engine {
    /// Returns the object as a subject of predicates.
    static func subject(_ object: NSManagedObject) -> any EvaluationSubject { KeyedSubject(object) }

    // MARK: Attributes

    static func value<T>(_ object: NSManagedObject, _ index: Int, _ binding: EngineBinding<T>) throws -> AttributeValue
    {
        try requireRow(object)
        let attribute = binding.mapping.attributes[index]
        if let composite = composite(attribute, binding.entity) {
            return try compositeValue(object, attribute, composite)
        }
        return attribute.kind.value(object.value(forKeyPath: attribute.name))
    }

    /// Sets an attribute, if the value differs.
    static func setValue<T>(
        _ value: AttributeValue, _ object: NSManagedObject, _ index: Int, _ binding: EngineBinding<T>
    ) throws {
        let attribute = binding.mapping.attributes[index]
        if let composite = composite(attribute, binding.entity) {
            return try setComposite(value, object, attribute, composite)
        }
        let present = attribute.kind.value(object.value(forKeyPath: attribute.name))
        guard object.isInserted || !isSame(present, value) else { return }
        try requireRange(value, binding.entity, attribute.name)
        setElement(value.keyedValue, object, attribute.name)
    }

    /// Whether two values are identical to the last bit: equal strings can differ in bytes, and zeros in sign.
    private static func isSame(_ one: AttributeValue, _ other: AttributeValue) -> Bool {
        switch (one, other) {
        case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
        case (.double(let one), .double(let other)): one.bitPattern == other.bitPattern
        default: one == other
        }
    }

    /// Rejects a number outside the attribute's range, because key-value coding would truncate it silently.
    static func requireRange(_ value: AttributeValue, _ entity: NSEntityDescription, _ name: String) throws {
        guard case .int(let number) = value, let type = entity.attribute(at: name)?.attributeType else { return }
        let fits =
            switch type {
            case .integer16AttributeType: Int16(exactly: number) != nil
            case .integer32AttributeType: Int32(exactly: number) != nil
            default: true
            }
        guard !fits else { return }
        throw StoreError(
            .validation,
            "Cannot set '\(name)' of \(entity.name ?? "") to \(number): it is out of the attribute's range.",
            entity: entity.name, attribute: name)
    }

    /// Sets the attributes that differ, or none if one of the values is invalid.
    static func setValues<T>(
        _ values: [AttributeValue], _ object: NSManagedObject, _ binding: EngineBinding<T>
    ) throws {
        for (value, attribute) in zip(values, binding.mapping.attributes) {
            try requireRange(value, binding.entity, attribute.name)
            if let composite = composite(attribute, binding.entity) { _ = try elements(value, composite) }
        }
        for index in values.indices { try setValue(values[index], object, index, binding) }
    }

    /// Throws an error if the row of the object no longer exists.
    private static func requireRow(_ object: NSManagedObject) throws {
        guard object.isFault else { return }
        guard let context = object.managedObjectContext else { return }
        _ = try context.existingObject(with: object.objectID)
    }

    // MARK: Relations

    static func destination<T>(
        _ object: NSManagedObject, _ relation: String, _ binding: EngineBinding<T>
    ) throws -> NSManagedObject? {
        try requireRow(object)
        return object.value(forKey: relation) as? NSManagedObject
    }

    static func setDestination<T>(
        _ object: NSManagedObject, _ relation: String, _ destination: NSManagedObject?, _ binding: EngineBinding<T>
    ) throws {
        if let destination { try requireRelatable(object, destination, binding.entity, relation) }
        object.setValue(destination, forKey: relation)
    }

    static func members<T>(
        _ object: NSManagedObject, _ relation: String, _ binding: EngineBinding<T>
    ) throws -> [NSManagedObject] {
        try requireRow(object)
        switch object.value(forKey: relation) {
        case let ordered as NSOrderedSet: return ordered.array.compactMap { $0 as? NSManagedObject }
        case let set as Set<NSManagedObject>: return Array(set)
        case let set as NSSet: return set.allObjects.compactMap { $0 as? NSManagedObject }
        default: return []
        }
    }

    static func memberCount<T>(_ object: NSManagedObject, _ relation: String, _ binding: EngineBinding<T>) throws -> Int
    {
        try members(object, relation, binding).count
    }

    static func hasMember<T>(
        _ object: NSManagedObject, _ relation: String, _ member: NSManagedObject, _ binding: EngineBinding<T>
    ) throws -> Bool {
        try members(object, relation, binding).contains { $0 === member }
    }

    static func addMember<T>(
        _ object: NSManagedObject, _ relation: String, _ member: NSManagedObject, _ binding: EngineBinding<T>
    ) throws {
        try requireRelatable(object, member, binding.entity, relation)
        if binding.entity.relationshipsByName[relation]?.isOrdered ?? false {
            object.mutableOrderedSetValue(forKey: relation).add(member)
        } else {
            object.mutableSetValue(forKey: relation).add(member)
        }
    }

    static func removeMember<T>(
        _ object: NSManagedObject, _ relation: String, _ member: NSManagedObject, _ binding: EngineBinding<T>
    ) throws {
        if binding.entity.relationshipsByName[relation]?.isOrdered ?? false {
            object.mutableOrderedSetValue(forKey: relation).remove(member)
        } else {
            object.mutableSetValue(forKey: relation).remove(member)
        }
    }

    static func setMembers<T>(
        _ object: NSManagedObject, _ relation: String, _ members: [NSManagedObject], _ binding: EngineBinding<T>
    ) throws {
        for member in members { try requireRelatable(object, member, binding.entity, relation) }
        if binding.entity.relationshipsByName[relation]?.isOrdered ?? false {
            object.setValue(NSOrderedSet(array: members), forKey: relation)
        } else {
            object.setValue(NSSet(array: members), forKey: relation)
        }
    }

    /// Throws an error for objects of different contexts, because Core Data stops the program when they are related.
    private static func requireRelatable(
        _ object: NSManagedObject, _ other: NSManagedObject, _ entity: NSEntityDescription, _ relation: String
    ) throws {
        guard object.managedObjectContext === other.managedObjectContext else {
            throw StoreError(
                .otherContext,
                "Cannot relate \(entity.name ?? "") to \(other.entity.name ?? "") by '\(relation)': the objects belong to different performs.",
                entity: entity.name, attribute: relation)
        }
    }

    // MARK: Objects

    /// Inserts an object with the values of a table's attributes, in the table's order.
    static func insert<T>(
        _ values: [AttributeValue], _ binding: EngineBinding<T>, into context: NSManagedObjectContext
    ) throws -> NSManagedObject {
        let object = insert(binding, into: context)
        do {
            for index in values.indices { try setValue(values[index], object, index, binding) }
        } catch {
            context.delete(object)
            throw error
        }
        return object
    }

    private static func insert<T>(
        _ binding: EngineBinding<T>, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        NSManagedObject(entity: binding.entity, insertInto: context)
    }

    /// Returns an object that belongs to no context.
    static func detachedObject<T>(_ binding: EngineBinding<T>) -> NSManagedObject {
        NSManagedObject(entity: binding.entity, insertInto: nil)
    }

    /// Returns the rows that an error refers to.
    static func rows(of error: NSError) -> [ObjectReference] {
        let objects = error.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] ?? []
        return objects.map { reference($0.objectID) }
    }

    static func reference(_ id: NSManagedObjectID) -> ObjectReference {
        let url = id.uriRepresentation()
        let last = url.lastPathComponent
        let name = id.entity.name ?? ""
        guard !id.isTemporaryID, last.first == "p", let key = Int64(last.dropFirst()) else {
            // A temporary id has no number; its hash distinguishes it from the other ids of a context.
            return ObjectReference(storeIdentifier: nil, entityName: name, key: -Int64(id.hash & (Int.max >> 1)) - 1)
        }
        return ObjectReference(storeIdentifier: url.host, entityName: name, key: key)
    }

    /// Returns the object with an identity, after reading its row.
    static func object(_ reference: ObjectReference, in context: NSManagedObjectContext) throws -> NSManagedObject? {
        guard let store = reference.storeIdentifier else {
            return context.insertedObjects.first { self.reference($0.objectID) == reference }
        }
        guard
            let url = URL(string: "x-coredata://\(store)/\(reference.entityName)/p\(reference.key)"),
            let id = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: url)
        else { return nil }
        return try context.existingObject(with: id)
    }

    // MARK: Requests

    typealias Entity = NSEntityDescription

    static func name(_ entity: Entity) -> String { entity.name ?? "" }

    static func request<Result: NSFetchRequestResult>(
        _ query: EngineQuery, _ context: NSManagedObjectContext
    ) throws -> NSFetchRequest<Result> {
        let request = NSFetchRequest<Result>()
        request.entity = query.entity
        request.predicate = try query.predicate.map { try nativePredicate($0, context) }
        request.sortDescriptors =
            query.sorts.isEmpty
            ? nil
            : query.sorts.map { NSSortDescriptor(key: $0.path.joined(separator: "."), ascending: $0.ascending) }
        request.fetchLimit = query.limit
        request.fetchOffset = query.offset
        if !query.prefetch.isEmpty {
            request.relationshipKeyPathsForPrefetching = query.prefetch.map { $0.joined(separator: ".") }
        }
        return request
    }

    /// Converts a predicate tree into Core Data's form: a format, with objects for the identities in it.
    private static func nativePredicate(
        _ tree: PredicateTree, _ context: NSManagedObjectContext
    ) throws -> NSPredicate {
        guard !tree.calls(.float) else {
            throw StoreError(
                .invalidCondition,
                "A #Predicate computes with Float, and Core Data does so with Double, which finds other rows. Compare the "
                    + "attribute itself, or declare it as a Double.")
        }
        let template = tree.template
        return NSPredicate(
            format: template.format, argumentArray: template.arguments.map { native($0, context) })
    }

    private static func native(_ argument: PredicateArgument, _ context: NSManagedObjectContext) -> Any {
        switch argument {
        case .value(.object(let reference)):
            (try? object(reference, in: context)) ?? NSNull()
        case .value(let value): value.keyedValue ?? NSNull()
        case .list(let elements): elements.map { native($0, context) }
        default: NSNull()
        }
    }

    static func fetch(_ query: EngineQuery, in context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try context.fetch(try request(query, context) as NSFetchRequest<NSManagedObject>)
    }

    static func count(_ query: EngineQuery, in context: NSManagedObjectContext) throws -> Int {
        try context.count(for: try request(query, context) as NSFetchRequest<NSManagedObject>)
    }

    /// Returns nil: Core Data reads values only through objects.
    static func decode<T>(
        _ query: EngineQuery, _ binding: EngineBinding<T>, in context: NSManagedObjectContext
    ) throws -> [T]? { nil }

    /// Returns false: Core Data reads values only through objects.
    static func forEach<T>(
        _ query: EngineQuery, _ binding: EngineBinding<T>, in context: NSManagedObjectContext,
        at first: UnsafeMutablePointer<T>?, body: (UnsafeMutablePointer<T>) throws -> Void
    ) throws -> Bool { false }

    /// Returns nil: Core Data reads values with unsaved changes only through objects.
    static func column<T>(
        _ query: EngineQuery, _ index: Int, _ binding: EngineBinding<T>, in context: NSManagedObjectContext
    ) throws -> [AttributeValue]? { nil }

    // MARK: Models

    /// Whether an attribute of a type can be read and written as a kind of value.
    static func accepts(_ type: AttributeType, as kind: PrimitiveKind) -> Bool { kind.compatibleTypes.contains(type) }

    /// Reads a model file.
    static func model(at url: URL) throws -> NSManagedObjectModel {
        guard let model = NSManagedObjectModel(contentsOf: url) else {
            throw StoreError(
                .invalidModel, "Cannot read the model at \(url.path): it is not there, or is no compiled model.")
        }
        return model
    }

    /// Does nothing: Core Data reports the issues of a model when a store is opened with it.
    static func checkModel(_ model: NSManagedObjectModel) throws {}

    /// Sets the validation rules of an attribute, in a model that is created from tables.
    static func setRules(of attribute: NSAttributeDescription, _ traits: AttributeTraits) {
        var rules: [(format: String, argument: Any)] = []
        if let minimum = traits.minimum?.keyedValue { rules.append(("SELF >= %@", minimum)) }
        if let maximum = traits.maximum?.keyedValue { rules.append(("SELF <= %@", maximum)) }
        if let length = traits.minimumLength { rules.append(("length >= %@", NSNumber(value: length))) }
        if let length = traits.maximumLength { rules.append(("length <= %@", NSNumber(value: length))) }
        if let pattern = traits.pattern { rules.append(("SELF MATCHES %@", pattern)) }
        guard !rules.isEmpty else { return }
        attribute.setValidationPredicates(
            rules.map { NSPredicate(format: $0.format, argumentArray: [$0.argument]) },
            withValidationWarnings: rules.map { "does not satisfy \($0.format) \($0.argument)" })
    }
}

extension AttributeValue {
    /// The value in the form that key-value coding accepts.
    var keyedValue: Any? {
        switch self {
        case .bool(let value): NSNumber(value: value)
        case .int(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        default: foundationValue
        }
    }
}
#endif
