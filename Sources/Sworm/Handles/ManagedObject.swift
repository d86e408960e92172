import SwormPredicates

/// A handle to an object of the store, which decodes and encodes structs and accesses relations.
///
/// ```swift
/// try store.perform { context in
///     for book in try context.fetch(Book.all) {
///         print(try book.decode().title, try book.author?.decode().name ?? "anonymous")
///     }
/// }
/// ```
///
/// A handle belongs to the `perform` that created it. If you use it later, on another thread, or after its object was
/// deleted, `decode`, `encode` and changes to relations throw a ``StoreError`` that names the object. In these cases,
/// reading a relation returns nil or an empty collection, and the error is passed to the container's `logError`.
@dynamicMemberLookup
public final class ManagedObject<PlainObject: ManagedObjectConvertible> {
    let family: HandleStorage<PlainObject>
    /// The index of the row, if the family has rows.
    private let row: Int32
    /// Whether comparisons use the object itself as its identity. This is the case if its id is, or was, temporary; all
    /// handles to it then have the object from the start.
    private let isKnownByObject: Bool
    /// The object's id when the handle was created, or nil if the family has rows, which provide it.
    private let givenID: NSManagedObjectID?
    /// The object, or nil if the family has rows and the object is not needed yet.
    private var made: NSManagedObject?

    init(_ instance: NSManagedObject, in family: HandleStorage<PlainObject>) {
        self.family = family
        made = instance
        givenID = instance.objectID
        row = -1
        isKnownByObject = instance.hasHadTemporaryID
    }

    private init(row: Int32, _ family: HandleStorage<PlainObject>) {
        self.family = family
        self.row = row
        givenID = nil
        isKnownByObject = false
    }

    /// Returns a handle to a row. It has an object only if the object was inserted in the context.
    fileprivate static func handle(
        row: Int, of rows: FetchedRows, in family: HandleStorage<PlainObject>
    ) -> ManagedObject {
        if let named = rows.namedObject(row) { return ManagedObject(named, in: family) }
        return ManagedObject(row: Int32(truncatingIfNeeded: row), family)
    }

    /// Returns handles to rows of a fetch, which belong to the family.
    static func handles(
        count: Int, in family: HandleStorage<PlainObject>, row: (Int) -> Int = { $0 }
    ) -> [ManagedObject] {
        // An empty array must be returned early: the initializer would write a count into the storage that all empty
        // arrays of the process share.
        guard count > 0 else { return [] }
        if let rows = family.rows, rows.mayHaveNamedObjects {
            return (0..<count).map { handle(row: row($0), of: rows, in: family) }
        }
        // All elements are initialized, because nothing throws. More rows than 32 bits can count do not fit into
        // memory.
        return [ManagedObject](unsafeUninitializedCapacity: count) { handles, initialized in
            for place in 0..<count {
                handles.initializeElement(
                    at: place, to: ManagedObject(row: Int32(truncatingIfNeeded: row(place)), family))
            }
            initialized = count
        }
    }

    /// Returns handles to the members of a relation to many that do not need objects yet, or nil if the members have
    /// objects.
    func rowHandles<T>(of relation: String, as type: T.Type) throws -> [ManagedObject<T>]? {
        guard made == nil, let rows = family.rows,
            let members = try binding.members(in: rows, row: Int(row), along: relation)
        else { return nil }
        let family = try family.workspace.family(of: T.self, members.rows)
        return ManagedObject<T>.handles(count: members.members.count, in: family, row: members.members.row)
    }

    /// Returns the number of members of a relation to many that do not need objects yet, or nil if the members have
    /// objects.
    func rowMemberCount(of relation: String) throws -> Int? {
        guard made == nil, let rows = family.rows else { return nil }
        return try binding.members(in: rows, row: Int(row), along: relation)?.members.count
    }

    /// Returns the destination of a relation to one, or a nested nil, if it does not need an object yet. Returns nil if
    /// the destination has an object.
    func rowDestination<T>(of relation: String, as type: T.Type) throws -> ManagedObject<T>?? {
        guard made == nil, let rows = family.rows,
            let destination = try binding.destination(in: rows, row: Int(row), along: relation)
        else { return nil }
        guard case .row(let others, let index) = destination else { return .some(nil) }
        let family = try family.workspace.family(of: T.self, others)
        return ManagedObject<T>.handle(row: index, of: others, in: family)
    }

    /// The entity of the object, which may be a sub-entity.
    var entityKey: EntityKey {
        if made == nil, let rows = family.rows { return rows.entityKey(Int(row)) }
        return instance.entityKey
    }

    /// Returns a handle to the same object as one of another type.
    func retyped<T>(as type: T.Type) throws -> ManagedObject<T> {
        guard made == nil, let rows = family.rows else { return try handle(instance, as: T.self) }
        return ManagedObject<T>.handle(row: Int(row), of: rows, in: try family.workspace.family(of: T.self, rows))
    }

    var binding: EntityBinding<PlainObject> { family.binding }
    var scope: Scope { family.scope }

    /// The object, created on first access.
    package var instance: NSManagedObject {
        if let made { return made }
        // This is never reached, because a handle has an object or rows.
        guard let rows = family.rows else { return binding.detachedObject() }
        let object = rows.object(Int(row))
        made = object
        return object
    }

    /// The object, if it already exists, or if its row can no longer represent it.
    private var needed: NSManagedObject? {
        if let made { return made }
        guard let rows = family.rows, let object = rows.neededObject(Int(row)) else { return nil }
        if !FetchedRows.holdObjects { made = object }
        return object
    }

    /// The object's id when the handle was created. It names the object in messages, at any time and on any thread.
    private var identity: NSManagedObjectID {
        if let givenID { return givenID }
        return family.rows.map { $0.id(Int(row)) } ?? instance.objectID
    }

    /// The id of the object.
    ///
    /// The id may leave the `perform`. Until the object is saved for the first time, it is temporary and cannot be used
    /// outside the `perform`. You can read this property at any time.
    public var id: ManagedObjectID<PlainObject> {
        let isPresent = family.rows == nil && scope.hasCurrentIDs
        return ManagedObjectID((isPresent ? instance.objectID : identity).reference)
    }

    /// The object's name in messages.
    var name: String { Scope.name(binding.mapping.entityName, id: identity) }

    /// Throws an error if the handle cannot be used in the current scope and thread.
    func check() throws(StoreError) {
        try scope.check(binding.mapping.entityName, id: identity)
        if let needed, needed.managedObjectContext == nil || needed.isDeleted {
            throw StoreError(
                .objectDeleted,
                "\(name) was deleted, or its insertion was undone. Its handles can no longer be used.",
                entity: binding.mapping.entityName)
        }
    }

    /// Throws an error if the object cannot be changed in the current scope and thread.
    func checkWriting() throws(StoreError) {
        try check()
        try scope.checkPermission(binding.mapping.entityName, id: identity)
    }

    /// Throws an error if this handle and another one cannot be related in the current scope and thread.
    func requireRelatable<Other>(_ other: ManagedObject<Other>, by relation: String) throws(StoreError) {
        try check()
        try other.check()
        guard instance.managedObjectContext === other.instance.managedObjectContext else {
            throw StoreError(
                .otherContext,
                "Cannot relate \(name) to \(other.name) by '\(relation)': they belong to different contexts. Fetch one of them by its id in the context of the other.",
                entity: binding.mapping.entityName, attribute: relation)
        }
    }

    /// Returns the value of an attribute. The caller has checked the handle.
    func value(_ index: Int) throws -> AttributeValue {
        do {
            if made == nil, let rows = family.rows { return try binding.value(in: rows, row: Int(row), at: index) }
            return try binding.value(of: instance, at: index)
        } catch {
            throw translatedError(error)
        }
    }

    /// Returns the object as a value. The caller has checked the handle.
    ///
    /// - Parameter isUnfinished: Whether properties without a value in the object keep that of a new instance.
    func decodeValue(isUnfinished: Bool = false) throws -> PlainObject {
        try translatingErrors {
            if made == nil, let rows = family.rows {
                return try binding.decode(RowSource(rows: rows, row: Int(row)), isUnfinished: isUnfinished)
            }
            return try binding.decode(ObjectSource(object: instance), isUnfinished: isUnfinished)
        }
    }

    /// Returns a handle to another object in the same scope.
    func handle<T>(_ object: NSManagedObject, as type: T.Type) throws -> ManagedObject<T> {
        ManagedObject<T>(object, in: try family.workspace.family(of: T.self))
    }
}

// MARK: Decoding

extension ManagedObject {
    /// Returns the object as a value.
    ///
    /// - Throws: A ``StoreError`` if the handle is no longer valid or the row no longer exists.
    ///   ``AttributeError/badAttribute(_:)`` if the type cannot hold a value.
    public func decode() throws -> PlainObject {
        try check()
        if !binding.mapping.hasBranches { return try decodeValue() }
        let bindings = family.workspace.bindings
        return try translatingErrors {
            try TreeReader(bindings.context, bindings: bindings).value(of: instance, as: PlainObject.self)
        }
    }

    /// Returns one attribute of the object.
    ///
    /// - Parameter keyPath: A property of the table.
    /// - Throws: The errors of ``decode()``, and a ``StoreError`` if the property is not in the table.
    public func decode<Attribute: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Attribute>
    ) throws -> Attribute {
        try check()
        return try decode(try family.index(of: keyPath))
    }

    /// Returns one attribute of the object, which may be nil.
    ///
    /// - Parameter keyPath: A property of the table.
    /// - Throws: The errors of ``decode()``, and a ``StoreError`` if the property is not in the table.
    public func decode<Attribute: SupportedAttributeType>(
        _ keyPath: KeyPath<PlainObject, Attribute?>
    ) throws -> Attribute? {
        try check()
        let index = try family.index(of: keyPath)
        let value = try value(index)
        if case .null = value { return nil }
        return try decode(value, at: index)
    }

    private func decode<Attribute: SupportedAttributeType>(_ index: Int) throws -> Attribute {
        try decode(try value(index), at: index)
    }

    private func decode<Attribute: SupportedAttributeType>(_ value: AttributeValue, at index: Int) throws -> Attribute {
        do {
            return try Attribute.decode(value)
        } catch {
            throw binding.mapping.attributeError(at: index, value: value, cause: error)
        }
    }
}

extension ManagedObject: Hashable, Identifiable {
    /// The object's identity in comparisons. It is the same for all handles to the object, at all times.
    private enum Identity: Hashable {
        case object(ObjectIdentifier)
        case row(ObjectKey)
    }

    /// The identity depends only on state that is fixed when the handle is created, so creating the object later does
    /// not change it.
    private var comparedIdentity: Identity {
        if isKnownByObject, let made { return .object(ObjectIdentifier(made)) }
        if let givenID { return .row(givenID.objectKey) }
        // The last case is never reached, because a handle has an object or rows.
        return family.rows.map { .row($0.objectKey(Int(row))) } ?? .object(ObjectIdentifier(self))
    }

    /// Returns whether two handles refer to the same object.
    ///
    /// You can call this at any time and on any thread.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool {
        if left === right { return true }
        return left.family.workspace.bindings.context === right.family.workspace.bindings.context
            && left.comparedIdentity == right.comparedIdentity
    }

    /// Feeds the identity of the object into a hasher.
    ///
    /// You can call this at any time and on any thread.
    public func hash(into hasher: inout Hasher) { hasher.combine(comparedIdentity) }
}

extension ManagedObject: CustomStringConvertible {
    /// The name of the entity and the id.
    public var description: String { "\(PlainObject.entityName) \(id)" }
}
