import SwormPredicates

/// A handle on one object of the store: decodes it into a struct, encodes a struct into it, and walks its relations.
///
/// ```swift
/// try store.perform { context in
///     for book in try context.fetch(Book.all) {
///         print(try book.decode().title, try book.author?.decode().name ?? "anonymous")
///     }
/// }
/// ```
///
/// A handle belongs to the `perform` that it was made in. Used later, on another thread, or after its object was deleted,
/// `decode`, `encode` and the changes of relations throw a ``StoreError`` that names the object. A relation that is read at
/// such a time is nil or empty, and the error goes to the container's `logError`.
@dynamicMemberLookup
public final class ManagedObject<PlainObject: ManagedObjectConvertible> {
    let family: HandleFamily<PlainObject>
    /// The row, where the family has rows.
    private let row: Int32
    /// Whether the object itself is its identity in comparisons: the id that it has, or had, is temporary, and all handles
    /// on it have the object from the start.
    private let isKnownByObject: Bool
    /// The object's id when the handle was made; nil where the family has rows, which know it.
    private let givenID: NSManagedObjectID?
    /// The object; nil until it is needed where the family has rows.
    private var made: NSManagedObject?

    init(_ instance: NSManagedObject, _ family: HandleFamily<PlainObject>) {
        self.family = family
        made = instance
        givenID = instance.objectID
        row = -1
        isKnownByObject = Engine.hasHadTemporaryID(instance)
    }

    private init(row: Int32, _ family: HandleFamily<PlainObject>) {
        self.family = family
        self.row = row
        givenID = nil
        isKnownByObject = false
    }

    /// A handle on a row, without its object unless that was inserted in the context.
    fileprivate static func handle(
        row: Int, of rows: Engine.Rows, in family: HandleFamily<PlainObject>
    ) -> ManagedObject {
        if let named = Engine.namedObject(rows, row) { return ManagedObject(named, family) }
        return ManagedObject(row: Int32(truncatingIfNeeded: row), family)
    }

    /// Handles on rows of a fetch, which the family has.
    static func handles(
        _ count: Int, _ family: HandleFamily<PlainObject>, row: (Int) -> Int = { $0 }
    ) -> [ManagedObject] {
        // Without any, the initializer would write a count into the storage that all empty arrays of the process share.
        guard count > 0 else { return [] }
        if let rows = family.rows, Engine.mayHaveNamedObjects(rows) {
            return (0..<count).map { handle(row: row($0), of: rows, in: family) }
        }
        // All are made, and nothing throws. More rows than 32 bits can count do not fit into memory.
        return [ManagedObject](unsafeUninitializedCapacity: count) { handles, initialized in
            for place in 0..<count {
                handles.initializeElement(
                    at: place, to: ManagedObject(row: Int32(truncatingIfNeeded: row(place)), family))
            }
            initialized = count
        }
    }

    /// Handles on the members of a relation to many that need no objects yet; nil where they have objects.
    func rowHandles<T>(of relation: String, as type: T.Type) throws -> [ManagedObject<T>]? {
        guard made == nil, let rows = family.rows,
            let members = try Engine.members(rows, Int(row), relation, binding)
        else { return nil }
        let family = try family.workspace.family(of: T.self, members.rows)
        return ManagedObject<T>.handles(members.members.count, family, row: members.members.row)
    }

    /// The object at the end of a relation to one that needs no object yet; nil where it has one.
    func rowDestination<T>(of relation: String, as type: T.Type) throws -> RowHandle<T>? {
        guard made == nil, let rows = family.rows,
            let destination = try Engine.destination(rows, Int(row), relation, binding)
        else { return nil }
        guard case .row(let others, let place) = destination else { return RowHandle(handle: nil) }
        let family = try family.workspace.family(of: T.self, others)
        return RowHandle(handle: ManagedObject<T>.handle(row: place, of: others, in: family))
    }

    var binding: EngineBinding<PlainObject> { family.binding }
    var scope: Scope { family.scope }

    /// The object, made now if it was not needed before.
    package var instance: NSManagedObject {
        if let made { return made }
        // A handle has its object or rows, so that this is never seen.
        guard let rows = family.rows else { return Engine.detachedObject(family.binding) }
        let object = Engine.object(rows, Int(row))
        made = object
        return object
    }

    /// The object, if there is one by whatever way or its row can't speak for it any more.
    private var needed: NSManagedObject? {
        if let made { return made }
        guard let rows = family.rows, let object = Engine.neededObject(rows, Int(row)) else { return nil }
        if !Engine.rowsHoldObjects { made = object }
        return object
    }

    /// The object's id when the handle was made: it names the object in messages, at any time and on any thread.
    private var identity: NSManagedObjectID {
        if let givenID { return givenID }
        return family.rows.map { Engine.id($0, Int(row)) } ?? instance.objectID
    }

    /// The id of the object. It may leave the `perform`.
    ///
    /// Before the object was first saved the id is temporary: it is of no use outside. It may be asked for at any time.
    public var id: ManagedObjectID<PlainObject> {
        let isPresent = family.rows == nil && scope.isActive
        return ManagedObjectID(Engine.reference(isPresent ? instance.objectID : identity))
    }

    /// The object's name in messages.
    var name: String { Scope.name(binding.plan.entityName, identity) }

    /// Throws when the handle may not be used here and now.
    func check() throws(StoreError) {
        try scope.check(binding.plan.entityName, identity)
        if let needed, needed.managedObjectContext == nil || needed.isDeleted {
            throw StoreError(
                .objectDeleted,
                "\(name) was deleted, or its insertion was undone. Its handles cannot be used any more.",
                entity: binding.plan.entityName)
        }
    }

    /// Throws when the object may not be changed here and now.
    func checkWriting() throws(StoreError) {
        try check()
        try scope.checkPermission(binding.plan.entityName, identity)
    }

    /// Throws when this handle and another one cannot be related here and now.
    func requireRelatable<Other>(_ other: ManagedObject<Other>, by relation: String) throws(StoreError) {
        try check()
        try other.check()
        guard instance.managedObjectContext === other.instance.managedObjectContext else {
            throw StoreError(
                .otherContext,
                "Cannot relate \(name) to \(other.name) by '\(relation)': they belong to performs of different contexts. Fetch one of them by its id where the other one is.",
                entity: binding.plan.entityName, attribute: relation)
        }
    }

    /// The value of an attribute. The handle has been checked.
    func value(_ index: Int) throws -> AttributeValue {
        do {
            if made == nil, let rows = family.rows { return try Engine.value(rows, Int(row), index, binding) }
            return try Engine.value(instance, index, binding)
        } catch {
            throw Engine.translated(error)
        }
    }

    /// A handle on another object in the same scope.
    func handle<T>(_ object: NSManagedObject, as type: T.Type) throws -> ManagedObject<T> {
        ManagedObject<T>(object, try family.workspace.family(of: T.self))
    }
}

// MARK: Decoding

extension ManagedObject {
    /// The object as a value.
    ///
    /// - Throws: A ``StoreError`` when the handle may not be used any more or the row has gone, and
    ///   ``AttributeError/badAttribute(_:)`` for a value that the type cannot hold.
    public func decode() throws -> PlainObject {
        try check()
        var object = PlainObject()
        for index in binding.plan.attributes.indices {
            try binding.plan.write(try value(index), at: index, into: &object)
        }
        return object
    }

    /// One attribute of the object.
    ///
    /// - Parameter keyPath: A property of the table.
    /// - Throws: As ``decode()``; and a ``StoreError`` for a property that is not in the table.
    public func decode<Attribute: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Attribute>
    ) throws -> Attribute {
        try check()
        return try decode(try family.index(of: keyPath))
    }

    /// One attribute of the object, which may be nil.
    ///
    /// - Parameter keyPath: A property of the table.
    /// - Throws: As ``decode()``; and a ``StoreError`` for a property that is not in the table.
    public func decode<Attribute: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Attribute?>
    ) throws -> Attribute? {
        try check()
        let index = try family.index(of: keyPath)
        let value = try value(index)
        if case .null = value { return nil }
        return try decode(value, index)
    }

    private func decode<Attribute: SupportedAttributeType>(_ index: Int) throws -> Attribute {
        try decode(try value(index), index)
    }

    private func decode<Attribute: SupportedAttributeType>(_ value: AttributeValue, _ index: Int) throws -> Attribute {
        do {
            return try Attribute.decode(value)
        } catch {
            throw binding.plan.attributeError(index, value: value, error)
        }
    }
}

/// A handle that needs no object, or none because there is nothing at the end of a relation.
struct RowHandle<T: ManagedObjectConvertible> {
    let handle: ManagedObject<T>?
}

extension ManagedObject: Hashable, Identifiable {
    /// The object's identity in comparisons: the same for all handles on it, at all times.
    private enum Identity: Hashable {
        case object(ObjectIdentifier)
        case row(Engine.ObjectKey)
    }

    /// Nothing that it reads changes once the handle is made: what made its object, and where, does not matter.
    private var comparedIdentity: Identity {
        if isKnownByObject, let made { return .object(ObjectIdentifier(made)) }
        if let givenID { return .row(Engine.key(givenID)) }
        // A handle has its object or rows, so that the last is never seen.
        return family.rows.map { .row(Engine.key($0, Int(row))) } ?? .object(ObjectIdentifier(self))
    }

    /// Whether two handles stand for the same object. May be asked for at any time and on any thread.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool {
        if left === right { return true }
        return left.family.workspace.bindings.context === right.family.workspace.bindings.context
            && left.comparedIdentity == right.comparedIdentity
    }

    /// Feeds the identity of the object into a hasher. May be called at any time and on any thread.
    public func hash(into hasher: inout Hasher) { hasher.combine(comparedIdentity) }
}

extension ManagedObject: CustomStringConvertible {
    /// The entity and the id.
    public var description: String { "\(PlainObject.entityName) \(id)" }
}
