import SwormPredicates

/// A change of one object in a transaction.
public struct ObjectChange<PlainObject: ManagedObjectConvertible>: Sendable, Identifiable {
    private let record: StoreChanges.Record

    init(_ record: StoreChanges.Record) { self.record = record }

    /// The id of the object.
    public var id: ManagedObjectID<PlainObject> { ManagedObjectID(record.object) }

    /// Whether the object was inserted, updated or deleted.
    public var kind: ChangeKind { record.kind }

    /// The names of the attributes and relations that an update has changed; nil for other changes, and if they are
    /// unknown.
    ///
    /// In a store without a history, these are the properties that the transaction has changed at any object of the
    /// entity.
    public var properties: Set<String>? { record.kind == .updated ? record.properties : nil }

    /// Returns whether the change may concern an attribute. Insertions and deletions concern all attributes.
    ///
    /// - Parameter keyPath: The key path of a property of the table.
    public func touches<Value>(_ keyPath: KeyPath<PlainObject, Value>) -> Bool {
        let mapping = PlainObject.mapping
        guard let properties,
            let name = mapping.composite(at: keyPath)?.name ?? (try? mapping.attribute(keyPath))?.name
        else { return true }
        return properties.contains(String(name.prefix { $0 != "." }))
    }

    /// Returns whether the change may concern a relation. Insertions and deletions concern all relations.
    ///
    /// - Parameter keyPath: The key path of a relation of the table.
    public func touches<R: Relation>(_ keyPath: KeyPath<PlainObject.Relations, R>) -> Bool {
        guard let properties else { return true }
        return properties.contains(PlainObject.relations[keyPath: keyPath].name)
    }

    /// Returns the last value of an attribute of a deleted object, if the attribute has the option
    /// ``AttributeOption/preservedOnDeletion``.
    ///
    /// - Parameter keyPath: The key path of a property of the table.
    /// - Returns: Nil if the value was not preserved, was nil, or cannot be decoded.
    public func tombstone<Value>(_ keyPath: KeyPath<PlainObject, Value>) -> Value? {
        let mapping = PlainObject.mapping
        guard let index = try? mapping.index(of: keyPath),
            let value = record.tombstone[mapping.attributes[index].name], value != .null
        else { return nil }
        let name = mapping.attributes[index].name
        // The entity of the object may be a sub-entity.
        let entity = mapping.cases.isEmpty ? mapping.entityName : record.object.entityName
        return mapping.instance(ofEntity: entity, setting: value, attribute: name)?[keyPath: keyPath]
    }
}
