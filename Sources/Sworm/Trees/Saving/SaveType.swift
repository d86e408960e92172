import SwormPredicates

/// Access to the objects of an entity in the terms of a type's tables, for saves that mix types.
protocol SaveType: AnyObject {
    var entityName: String { get }
    var attributes: [AttributeMapping] { get }
    /// The entity of the objects that the type inserts.
    var entityKey: EntityKey { get }

    /// Returns whether an object of an entity can have values of the type.
    func represents(_ key: EntityKey) -> Bool
    func value(of object: NSManagedObject, at index: Int) throws -> AttributeValue
    func setValue(_ value: AttributeValue, of object: NSManagedObject, at index: Int) throws
    /// Inserts an object. Attributes without a value have the default of the model.
    func insert(_ values: [AttributeValue?], into context: NSManagedObjectContext) throws -> NSManagedObject

    func destination(of object: NSManagedObject, along relation: String) throws -> NSManagedObject?
    func setDestination(_ destination: NSManagedObject?, of object: NSManagedObject, along relation: String) throws
    func members(of object: NSManagedObject, along relation: String) throws -> [NSManagedObject]
    func addMember(_ member: NSManagedObject, to object: NSManagedObject, along relation: String) throws
    func removeMember(_ member: NSManagedObject, from object: NSManagedObject, along relation: String) throws
    func setMembers(_ members: [NSManagedObject], of object: NSManagedObject, along relation: String) throws
}

/// The access through the mapping of one type.
final class TypedSave<T: ManagedTreeConvertible>: SaveType {
    let binding: EntityBinding<T>

    init(_ binding: EntityBinding<T>) { self.binding = binding }

    var entityName: String { binding.mapping.entityName }
    var attributes: [AttributeMapping] { binding.mapping.attributes }

    var entityKey: EntityKey { binding.entity.key }

    func represents(_ key: EntityKey) -> Bool { binding.represents(key) }

    func value(of object: NSManagedObject, at index: Int) throws -> AttributeValue {
        try binding.value(of: object, at: index)
    }

    func setValue(_ value: AttributeValue, of object: NSManagedObject, at index: Int) throws {
        try binding.setValue(value, of: object, at: index)
    }

    func insert(_ values: [AttributeValue?], into context: NSManagedObjectContext) throws -> NSManagedObject {
        try binding.checkInsertable()
        return try binding.insert(values.indices.map { values[$0] ?? binding.defaultValue(at: $0) }, into: context)
    }

    func destination(of object: NSManagedObject, along relation: String) throws -> NSManagedObject? {
        try binding.destination(of: object, along: relation)
    }

    func setDestination(
        _ destination: NSManagedObject?, of object: NSManagedObject, along relation: String
    ) throws {
        try binding.setDestination(destination, of: object, along: relation)
    }

    func members(of object: NSManagedObject, along relation: String) throws -> [NSManagedObject] {
        try binding.members(of: object, along: relation)
    }

    func addMember(_ member: NSManagedObject, to object: NSManagedObject, along relation: String) throws {
        try binding.addMember(member, to: object, along: relation)
    }

    func removeMember(_ member: NSManagedObject, from object: NSManagedObject, along relation: String) throws {
        try binding.removeMember(member, from: object, along: relation)
    }

    func setMembers(_ members: [NSManagedObject], of object: NSManagedObject, along relation: String) throws {
        try binding.setMembers(members, of: object, along: relation)
    }
}

/// A value in the form in which it is written.
struct EncodedValue {
    let type: any SaveType
    /// The values of the type's attributes; nil for those that are not written.
    var values: [AttributeValue?]
}

extension EntityBinding {
    /// Returns a value in the form in which it is written, with the type of its case for an enum of structs.
    func encoded(_ value: T) throws -> EncodedValue {
        guard let cases else {
            return EncodedValue(type: TypedSave(self), values: try mapping.writtenValues(of: value))
        }
        for member in cases.all {
            if let found = try member.encoded(value) { return found }
        }
        throw mapping.missingCase(of: value)
    }
}

extension SubentityBinding {
    fileprivate func encoded(_ value: Superentity) throws -> EncodedValue? {
        try link.object(of: value).map { try binding.encoded($0) }
    }
}
