public import Foundation
import SwormPredicates
import SwormSQLite
import SwormStore

/// An object of the graph: a row of a store, or an object that becomes a row when its context is saved.
///
/// An object belongs to one context and must be used where that context is used. It may be a *fault*: only its id is
/// known, and its row is read when a property is first accessed. Properties of an object whose row no longer exists are
/// nil.
///
/// Keyed access uses Foundation's types: numbers and booleans as `NSNumber`, `String`, `Date`, `Data`, `UUID`, `URL`, a
/// managed object for a to-one relationship, and a set or ordered set for a to-many relationship. A value of the wrong
/// type, and a key that the entity does not have, are rejected; the next save throws an error that names them.
open class NSManagedObject: NSObject {
    // Unchecked: the overlap checks of these six properties cost a tenth of the time of a save. No access to them lasts
    // while other code runs: they are read, assigned, and changed by methods of their own types that call no other
    // code.
    @exclusivity(unchecked) final var compiledEntity: CompiledEntity
    @exclusivity(unchecked) final var identity: NSManagedObjectID
    @exclusivity(unchecked) final var snapshot: ObjectSnapshot
    @exclusivity(unchecked) final var changedAttributes = SlotSet()
    @exclusivity(unchecked) final var status = ObjectStatus()
    /// The object's index in the list of changed objects of the context.
    @exclusivity(unchecked) final var listPlace = -1

    final weak var context: NSManagedObjectContext?
    /// The unsaved attribute values; only those in `changedAttributes` are valid. For a new object, all values
    /// including defaults.
    final var edits = SlotValues()
    /// The states by relationship slot. Empty until a relationship is accessed.
    final var relationships: [RelationshipState] = []
    final var changedRelationships = SlotSet()
    /// The rejected values since the object was last clean; the next validation reports them.
    final var refusals: [CoreDataError] = []

    /// The state of a relationship beyond the object's snapshot.
    enum RelationshipState {
        case untouched
        case toOne(NSManagedObject?)
        case toMany(ToManyMembers)
    }

    /// Creates an object of an entity and inserts it into a context.
    ///
    /// Subclasses override ``awakeFromInsert()`` instead of this initializer to set their initial values.
    ///
    /// - Parameters:
    ///   - entity: The entity, from the model that the context's coordinator uses.
    ///   - context: The context; nil for an object without a context.
    public required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        if let seed = entity as? ObjectSeed, let identity = seed.identity {
            compiledEntity = identity.compiledEntity
            self.identity = identity
            snapshot = seed.snapshot
            self.context = seed.context
            super.init()
            return
        }
        let origin = context?.origin ?? ObjectOrigin.detached(entity)
        compiledEntity =
            origin.compiled.entity(named: entity.name ?? "") ?? CompiledEntity.unknown(named: entity.name ?? "")
        identity = NSManagedObjectID(entity: compiledEntity, key: NSManagedObjectID.nextTemporaryKey(), origin: origin)
        snapshot = .none
        super.init()
        edits = SlotValues(all: compiledEntity.defaultValues)
        if compiledEntity.number == 0 {
            refusals = [CoreDataError.unknownEntity(compiledEntity.name, in: origin.compiled)]
        }
        context?.insertNew(self)
    }

    /// Creates an object of the class's entity and inserts it into a context.
    ///
    /// - Parameter moc: The context. Exactly one entity of its model must have this class's name as its class. Otherwise,
    ///   the next save throws an error that says so.
    public required convenience init(context moc: NSManagedObjectContext) {
        guard let entity = moc.entity(forClass: Self.self) else {
            self.init(entity: NSEntityDescription(unknownName: String(describing: Self.self)), insertInto: moc)
            // In place of the error of an unknown entity.
            refusals.replaceSubrange(0..<min(1, refusals.count), with: [moc.noEntity(ofClass: Self.self)])
            return
        }
        self.init(entity: entity, insertInto: moc)
    }

    /// Whether properties of a subclass that are not in the model may change without marking the object as changed.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    /// Returns the entity of this class in the model of a live coordinator.
    ///
    /// If several coordinators have such an entity, the newest coordinator is used. If none has one, the result is an
    /// entity that belongs to no model.
    open class func entity() -> NSEntityDescription {
        ModelsInUse.entity(of: self) ?? NSEntityDescription(unknownName: String(describing: self))
    }

    /// Returns a request for the objects of this class's entity. See ``entity()``.
    ///
    /// A subclass usually has a method of the same name that returns a request for its own type:
    ///
    /// ```swift
    /// extension Book {
    ///     class func fetchRequest() -> NSFetchRequest<Book> { NSFetchRequest(entityName: "Book") }
    /// }
    /// ```
    open class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity()
        return request
    }

    // MARK: Moments of an object's life

    /// Called once, when the object is inserted into a context for the first time. Override it to set initial values.
    open func awakeFromInsert() {}

    /// Called each time the object takes its values from its row: when a fault fires. Override it to compute values
    /// from the stored ones.
    ///
    /// Values that are set here are neither changes nor saved. An inverse relationship is not set.
    open func awakeFromFetch() {}

    /// Called after values were restored other than by reading the row: by undoing a change, a rollback, a refresh that
    /// keeps changes, or a merge policy.
    ///
    /// - Parameter flags: The events.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

    /// Called before a save validates and writes the object. Changes made here are saved too, and cause another call.
    ///
    /// Set a value only if it differs, or with ``setPrimitiveValue(_:forKey:)``: the save throws an error after 1,000
    /// rounds.
    open func willSave() {}

    /// Called after a save. If it has deleted the object, ``isDeleted`` is true.
    open func didSave() {}

    /// Called before the object is deleted.
    open func prepareForDeletion() {}

    /// Called before the object discards its values.
    open func willTurnIntoFault() {}

    /// Called after the object discarded its values.
    open func didTurnIntoFault() {}

    // MARK: Keyed access

    /// Returns the value of a property, and fires the fault if necessary.
    ///
    /// - Parameter key: The name of an attribute or a relationship.
    /// - Returns: The value in Foundation's types; a `Set` of objects for an unordered to-many relationship and an
    ///   `NSOrderedSet` for an ordered one, both with the current members. For a key that the entity does not have, the
    ///   result of ``value(forUndefinedKey:)``.
    open func value(forKey key: String) -> Any? {
        guard compiledEntity.slot(named: key) != nil || compiledEntity.composites[key] != nil else {
            return value(forUndefinedKey: key)
        }
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        return operations.property(forKey: key)
    }

    /// Sets a property, and marks the object as changed. An equal value is not written.
    ///
    /// - Parameters:
    ///   - value: The value in Foundation's types, or nil. A value of the wrong type is rejected.
    ///   - key: The name of an attribute or a relationship.
    open func setValue(_ value: Any?, forKey key: String) {
        guard compiledEntity.slot(named: key) != nil || compiledEntity.composites[key] != nil else {
            return setValue(value, forUndefinedKey: key)
        }
        // Only a subclass has accessors to notify.
        guard type(of: self) != NSManagedObject.self else {
            operations.setProperty(value, forKey: key, marks: true)
            return operations.noteSetting()
        }
        willChangeValue(forKey: key)
        operations.setProperty(value, forKey: key, marks: true)
        didChangeValue(forKey: key)
    }

    /// Called for a key that the entity does not have. Returns nil.
    open func value(forUndefinedKey key: String) -> Any? { nil }

    /// Called for a key that the entity does not have. The next save throws an error that names the key.
    open func setValue(_ value: Any?, forUndefinedKey key: String) { operations.refuseUnknownKey(key) }

    /// Called before a property is read through its key. Fires the fault.
    ///
    /// - Parameter key: The property; nil to only fire the fault.
    open func willAccessValue(forKey key: String?) {
        if snapshot.isFault { _ = fire(for: key) }
    }

    /// Called after a property was read through its key.
    open func didAccessValue(forKey key: String?) {}

    /// Called before a property is changed through its key. Fires the fault.
    open func willChangeValue(forKey key: String) { operations.noteChange(of: key) }

    /// Called after a property was changed through its key. Marks the object as changed.
    open func didChangeValue(forKey key: String) { operations.noteSetting(key) }

    /// Returns the value of a property without notifying the object of the access.
    ///
    /// - Parameter key: The name of an attribute or a relationship.
    /// - Returns: The same value as `value(forKey:)`, or nil for a key that the entity does not have.
    open func primitiveValue(forKey key: String) -> Any? { operations.property(forKey: key) }

    /// Sets a property without notifying the object of the change, and without marking it as changed.
    ///
    /// An accessor of a subclass calls ``willChangeValue(forKey:)`` before and ``didChangeValue(forKey:)`` after it, and
    /// the latter marks the object. Without these calls, the value is only saved if the object has other changes.
    ///
    /// - Parameters:
    ///   - value: The value in Foundation's types, or nil.
    ///   - key: The name of an attribute or a relationship.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) {
        operations.setProperty(value, forKey: key, marks: false)
    }

    /// Returns the values of stored properties in the store, as far as this object has read them.
    ///
    /// - Parameter keys: The properties; nil for all.
    /// - Returns: The values by key, with `NSNull` for nil. Empty for an object that was never saved.
    open func committedValues(forKeys keys: [String]?) -> [String: Any] { operations.storedValues(forKeys: keys) }

    /// Returns the current values of the stored properties that differ from the store; `NSNull` for nil.
    open func changedValues() -> [String: Any] { operations.unsavedValues() }

    /// Returns the earlier values of the properties that have changed since the last notification about changed
    /// objects, or, while that notification is posted, of those that it is about.
    ///
    /// - Returns: The values by key, with `NSNull` for nil. Transient properties are left out. The earlier values of a
    ///   new object are the defaults of its entity.
    open func changedValuesForCurrentEvent() -> [String: Any] { operations.earlierValues() }

    /// Returns the ids of the objects in a relationship.
    ///
    /// - Parameter key: The relationship's name.
    /// - Returns: The ids, in order for an ordered relationship. Empty if the key is not a relationship.
    open func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] { ids(inRelationshipNamed: key) }

    /// Returns whether a to-many relationship has not been read yet.
    ///
    /// - Parameter key: The relationship's name.
    open func hasFault(forRelationshipNamed key: String) -> Bool { isUnread(relationshipNamed: key) }

    /// Returns a set that reads and changes a to-many relationship.
    ///
    /// - Parameter key: The relationship's name.
    /// - Returns: A set that reads and changes the relationship. If the key is not a to-many relationship, an empty set
    ///   whose changes have no effect except for the error of the next save.
    open func mutableSetValue(forKey key: String) -> NSMutableSet { operations.set(forKey: key) }

    /// Returns an ordered set that reads and changes an ordered to-many relationship.
    ///
    /// `count`, `object(at:)` and `index(of:)` always return the current state of the relationship. Foundation's other
    /// members, such as `array`, return its state at the time when the set was created or last used for a change.
    ///
    /// - Parameter key: The relationship's name.
    /// - Returns: An ordered set that reads and changes the relationship.
    open func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet { operations.orderedSet(forKey: key) }

    // MARK: Validation

    /// Validates one value. Override it to add rules, and call `super` first.
    ///
    /// - Parameters:
    ///   - value: The value to validate. An override may replace it.
    ///   - key: The property.
    /// - Throws: An error that names the entity, the property and the value.
    open func validateValue(_ value: inout Any?, forKey key: String) throws {
        try throwingCocoaErrors { try operations.validate(value, forKey: key) }
    }

    /// Validates the object before it is inserted into the store.
    ///
    /// - Throws: A single error, or an error with the code `NSValidationMultipleErrorsError` that contains all of them.
    open func validateForInsert() throws { try throwingCocoaErrors { try operations.validateProperties() } }

    /// Validates the object before its changes are written to the store.
    ///
    /// - Throws: A single error, or an error with the code `NSValidationMultipleErrorsError` that contains all of them.
    open func validateForUpdate() throws { try throwingCocoaErrors { try operations.validateProperties() } }

    /// Validates that the object may be deleted.
    ///
    /// - Throws: An error with the code `NSValidationRelationshipDeniedDeleteError` if a delete rule denies it.
    open func validateForDelete() throws { try throwingCocoaErrors { try operations.validateDeleteRules() } }

    /// A hash of the object's identity: no two objects are equal.
    // The address only. It is not dereferenced.
    open override var hash: Int { Int(bitPattern: Unmanaged.passUnretained(self).toOpaque()) >> 4 }

    /// A description with the object's entity, its id and whether it is a fault.
    open override var description: String {
        "<\(compiledEntity.name): \(identity.description)\(isFault ? " (fault)" : "")>"
    }
}
