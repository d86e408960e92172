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
    @exclusivity(unchecked) private(set) final var compiledEntity: CompiledEntity
    @exclusivity(unchecked) private final var identity: NSManagedObjectID
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

    /// The object's entity.
    public final var entity: NSEntityDescription { identity.entity }

    /// The object's id, which is temporary until the object is first saved.
    public final var objectID: NSManagedObjectID { identity }

    /// The context that the object belongs to; nil after the context was reset or deallocated.
    ///
    /// The context of a deleted object is nil once the deletion is saved; if the object was never saved, it is nil as
    /// soon as the object is deleted.
    public final var managedObjectContext: NSManagedObjectContext? { status.contains(.gone) ? nil : context }

    /// Whether the object is inserted and not yet saved.
    public final var isInserted: Bool { status.contains(.inserted) }

    /// Whether the object changed since it was last saved.
    public final var isUpdated: Bool { status.contains(.updated) && !status.contains(.inserted) }

    /// Whether the next save deletes the object, or whether a save has just deleted it and calls ``didSave()``. Also
    /// true for an object whose row no longer exists, once that is known, unless
    /// ``NSManagedObjectContext/shouldDeleteInaccessibleFaults`` is false.
    public final var isDeleted: Bool {
        if status.isDisjoint(with: [.deleted, .deletionSaved, .inaccessible]) { return false }
        if !status.isDisjoint(with: [.deleted, .deletionSaved]) { return true }
        return context?.shouldDeleteInaccessibleFaults ?? false
    }

    /// Whether the object is inserted, changed or deleted.
    public final var hasChanges: Bool { !status.isDisjoint(with: [.inserted, .updated, .deleted]) }

    /// Whether a stored property differs from its value in the store.
    public final var hasPersistentChangedValues: Bool {
        if status.contains(.inserted) || status.contains(.deleted) { return true }
        var found = false
        changedAttributes.forEach { found = found || !compiledEntity.attributes[$0].isTransient }
        changedRelationships.forEach { found = found || !compiledEntity.relationships[$0].isTransient }
        return found
    }

    /// Whether no property of the object has been read yet.
    public final var isFault: Bool { snapshot.isFault && edits.isEmpty }

    /// Whether properties of a subclass that are not in the model may change without marking the object as changed.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    /// Turns the object into the object of a row.
    final func become(_ id: NSManagedObjectID, snapshot: ObjectSnapshot, context: NSManagedObjectContext) {
        compiledEntity = id.compiledEntity
        identity = id
        self.snapshot = snapshot
        self.context = context
        edits = SlotValues()
    }

    final func take(id: NSManagedObjectID) {
        if identity.isTemporaryID, !id.isTemporaryID {
            status.insert(.named)
            context?.hasNamedObjects = true
        }
        identity = id
    }

    /// Whether the object has, or had, a temporary id. If so, comparing ids is not a reliable test for the same object.
    package final var hasHadTemporaryID: Bool { identity.isTemporaryID || status.contains(.named) }

    /// Changes the entity of the object, because the row that was read has another entity of the same hierarchy than
    /// expected.
    final func take(entity: CompiledEntity) {
        compiledEntity = entity
        identity = NSManagedObjectID(entity: entity, key: identity.key, origin: identity.origin)
        if !relationships.isEmpty {
            while relationships.count < entity.relationships.count { relationships.append(.untouched) }
        }
    }

    // MARK: Moments of an object's life

    /// Called once, when the object is inserted into a context for the first time. Override it to set initial values.
    open func awakeFromInsert() {}

    /// Called each time the object takes its values from its row: when a fault fires. Override it to compute values
    /// from the stored ones.
    ///
    /// Values that are set here are neither changes nor saved. An inverse relationship is not set.
    open func awakeFromFetch() {}

    /// Called after values were restored other than by reading the row: by a rollback, a refresh that keeps changes, or
    /// a merge policy.
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
        return primitiveValue(forKey: key)
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
            setProperty(value, forKey: key, marks: true)
            return noteSetting()
        }
        willChangeValue(forKey: key)
        setProperty(value, forKey: key, marks: true)
        didChangeValue(forKey: key)
    }

    /// Called for a key that the entity does not have. Returns nil.
    open func value(forUndefinedKey key: String) -> Any? { nil }

    /// Called for a key that the entity does not have. The next save throws an error that names the key.
    open func setValue(_ value: Any?, forUndefinedKey key: String) { refuse(unknownKey(key), key: key) }

    /// Called before a property is read through its key. Fires the fault.
    ///
    /// - Parameter key: The property; nil to only fire the fault.
    open func willAccessValue(forKey key: String?) {
        if snapshot.isFault { _ = fire(for: key) }
    }

    /// Called after a property was read through its key.
    open func didAccessValue(forKey key: String?) {}

    /// Called before a property is changed through its key. Fires the fault.
    open func willChangeValue(forKey key: String) { noteChange(of: key) }

    /// Called after a property was changed through its key. Marks the object as changed.
    open func didChangeValue(forKey key: String) { noteSetting(key) }

    // MARK: Validation

    /// Validates one value. Override it to add rules, and call `super` first.
    ///
    /// - Parameters:
    ///   - value: The value to validate. An override may replace it.
    ///   - key: The property.
    /// - Throws: An error that names the entity, the property and the value.
    open func validateValue(_ value: inout Any?, forKey key: String) throws {
        try throwingCocoaErrors { try validate(value, forKey: key) }
    }

    /// Validates the object before it is inserted into the store.
    ///
    /// - Throws: A single error, or an error with the code `NSValidationMultipleErrorsError` that contains all of them.
    open func validateForInsert() throws { try throwingCocoaErrors { try validateProperties() } }

    /// Validates the object before its changes are written to the store.
    ///
    /// - Throws: A single error, or an error with the code `NSValidationMultipleErrorsError` that contains all of them.
    open func validateForUpdate() throws { try throwingCocoaErrors { try validateProperties() } }

    /// Validates that the object may be deleted.
    ///
    /// - Throws: An error with the code `NSValidationRelationshipDeniedDeleteError` if a delete rule denies it.
    open func validateForDelete() throws { try throwingCocoaErrors { try validateDeleteRules() } }

    /// A hash of the object's identity: no two objects are equal.
    // The address only. It is not dereferenced.
    open override var hash: Int { Int(bitPattern: Unmanaged.passUnretained(self).toOpaque()) >> 4 }

    /// A description with the object's entity, its id and whether it is a fault.
    open override var description: String {
        "<\(compiledEntity.name): \(identity.description)\(isFault ? " (fault)" : "")>"
    }
}
