import SwormPredicates

/// A source of the values of one object: the object, or its row.
protocol DecodingSource {
    /// The entity of the object.
    var entityKey: EntityKey { get }

    /// Returns the value of an attribute, given by its index in the table.
    func value<T>(of binding: EntityBinding<T>, at index: Int) throws -> AttributeValue
}

/// An object as the source of its values.
struct ObjectSource: DecodingSource {
    let object: NSManagedObject

    var entityKey: EntityKey { object.entityKey }

    func value<T>(of binding: EntityBinding<T>, at index: Int) throws -> AttributeValue {
        try binding.value(of: object, at: index)
    }
}

/// A row as the source of its values.
struct RowSource: DecodingSource {
    let rows: FetchedRows
    let row: Int

    var entityKey: EntityKey { rows.entityKey(row) }

    func value<T>(of binding: EntityBinding<T>, at index: Int) throws -> AttributeValue {
        try binding.value(in: rows, row: row, at: index)
    }
}

/// The mapping of a case of a super-entity's enum to the model.
protocol SubentityBinding<Superentity>: Sendable {
    associatedtype Superentity
    associatedtype Link: SubentityLink<Superentity>

    var link: Link { get }
    /// The mapping of the struct that the case holds.
    var binding: EntityBinding<Link.Object> { get }
}

struct LinkBinding<Link: SubentityLink>: SubentityBinding {
    typealias Superentity = Link.Superentity

    let link: Link
    let binding: EntityBinding<Link.Object>
}

extension SubentityLink {
    /// Returns the mapping of the case to the model that a context uses.
    func bound(in context: NSManagedObjectContext) throws -> any SubentityBinding<Superentity> {
        LinkBinding(link: self, binding: try EntityBinding(mapping, in: context))
    }
}

/// The mappings of the cases of a super-entity's enum to the model.
struct CaseBindings<T: ManagedTreeConvertible>: Sendable {
    let all: [any SubentityBinding<T>]
    /// The index of the case that represents the objects of an entity.
    let indices: [EntityKey: Int]

    /// Creates the mappings; nil for a type that is no enum of structs.
    init?(_ mapping: EntityMapping<T>, of entity: ModelEntity, in context: NSManagedObjectContext) throws {
        guard !mapping.cases.isEmpty else { return nil }
        all = try mapping.cases.map { try $0.bound(in: context) }
        var indices: [EntityKey: Int] = [:]
        // Of two cases whose entities contain each other, the one with the nearer entity represents an object.
        let keys = all.map { $0.keys(under: entity) }
        for index in keys.indices.sorted(by: { keys[$0].count > keys[$1].count }) {
            for key in keys[index] { indices[key] = index }
        }
        self.indices = indices
    }
}

extension SubentityBinding {
    /// The entities of the objects that the case represents.
    fileprivate func keys(under superentity: ModelEntity) -> [EntityKey] {
        // The struct of the super-entity's own objects does not represent those of its sub-entities.
        binding.mapping.isOwnCase ? [superentity.key] : binding.entity.familyKeys
    }

    func decode(_ source: some DecodingSource, isUnfinished: Bool) throws -> Superentity {
        link.embed(try binding.decode(source, isUnfinished: isUnfinished))
    }

    /// Inserts the struct of a value; returns nil for another case.
    fileprivate func insert(
        _ value: Superentity, into context: NSManagedObjectContext
    ) throws -> NSManagedObject? {
        guard let object = link.object(of: value) else { return nil }
        return try binding.insert(object, into: context)
    }

    /// Inserts the struct of a value, and validates it; returns nil for another case.
    fileprivate func insertValid(
        _ value: Superentity, into context: NSManagedObjectContext
    ) throws -> NSManagedObject? {
        guard let object = link.object(of: value) else { return nil }
        return try binding.insertValid(object, into: context)
    }

    fileprivate func setValue(_ value: AttributeValue, of object: NSManagedObject, named name: String) throws {
        try binding.setValue(value, of: object, named: name)
    }

    /// Writes the struct of a value into an object. Returns false for another case.
    fileprivate func write(_ value: Superentity, into managed: NSManagedObject) throws -> Bool {
        guard let object = link.object(of: value) else { return false }
        try binding.write(object, into: managed)
        return true
    }
}

extension EntityBinding {
    /// Returns an object as a value.
    ///
    /// - Parameter isUnfinished: Whether properties without a value in the object keep that of a new instance.
    func decode(_ source: some DecodingSource, isUnfinished: Bool = false) throws -> T {
        if let cases {
            return try cases.all[caseIndex(of: source.entityKey)].decode(source, isUnfinished: isUnfinished)
        }
        var value = mapping.makeEmpty()
        for index in mapping.attributes.indices {
            let stored = try source.value(of: self, at: index)
            if isUnfinished, case .null = stored {
                // An element of an optional composite may be required.
                if mapping.attributes[index].isOptional { try? mapping.write(stored, at: index, into: &value) }
                continue
            }
            try mapping.write(stored, at: index, into: &value)
        }
        return value
    }

    /// Inserts an object with the values of a value.
    func insert(_ value: T, into context: NSManagedObjectContext) throws -> NSManagedObject {
        // The value is encoded first, so that an encoding error leaves no incomplete object.
        guard let cases else { return try insert(try mapping.values(of: value), into: context) }
        for member in cases.all {
            if let object = try member.insert(value, into: context) { return object }
        }
        throw mapping.missingCase(of: value)
    }

    /// Inserts an object, and validates it as a save would. See ``insertValid(_:into:)-([AttributeValue],_)``.
    @discardableResult
    func insertValid(_ value: T, into context: NSManagedObjectContext) throws -> NSManagedObject {
        guard let cases else { return try insertValid(try mapping.values(of: value), into: context) }
        for member in cases.all {
            if let object = try member.insertValid(value, into: context) { return object }
        }
        throw mapping.missingCase(of: value)
    }

    /// Writes the attributes of a value that differ into an object, or none if one of them is invalid.
    ///
    /// - Throws: A ``StoreError`` with the code `invalidRequest` if the value is a case that the object is not.
    func write(_ value: T, into object: NSManagedObject) throws {
        guard let cases else { return try setValues(try mapping.values(of: value), of: object) }
        if try cases.all[caseIndex(of: object.entityKey)].write(value, into: object) { return }
        let entity = object.entity.name ?? mapping.entityName
        throw StoreError(
            .invalidRequest,
            "\(object.objectID.reference.url) cannot hold \(try mapping.link(of: value).type): the entity of an object does not change. Delete the object, and insert another one.",
            entity: entity)
    }

    /// Returns whether objects of an entity are represented by the type.
    func represents(_ key: EntityKey) -> Bool {
        mapping.isOwnCase ? key == entity.key : entity.familyKeys.contains(key)
    }

    /// Sets an attribute, also one that only the struct of a case has.
    func setValue(_ value: AttributeValue, of object: NSManagedObject, named name: String) throws {
        if let index = mapping.index(named: name) { return try setValue(value, of: object, at: index) }
        guard let cases else { return }
        try cases.all[caseIndex(of: object.entityKey)].setValue(value, of: object, named: name)
    }

    /// Returns the index of the case that represents an entity.
    private func caseIndex(of key: EntityKey) throws -> Int {
        guard let index = cases?.indices[key] else { throw missingCase(ofEntity: "\(entityName(of: key))") }
        return index
    }

    /// Returns the error for an entity that no case represents.
    func missingCase(ofEntity name: String) -> StoreError {
        StoreError(
            .contractViolation,
            "\(mapping.typeName) has no case for the entity \(name). Add a case that holds a struct of \(name), and a `Subentity` for it.",
            entity: mapping.entityName)
    }
}
