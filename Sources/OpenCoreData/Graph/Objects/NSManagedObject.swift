public import Foundation
import SwormPredicates
import SwormSQLite
import SwormStore

/// An object of the graph: a row of a store, or one that will become a row when its context is saved.
///
/// An object belongs to one context and is used where that context is used. It may be a *fault*: known by its id alone, its
/// row is read when a property is first asked for. Reading a property of an object whose row has gone gives nil.
///
/// Reading and writing by key takes Foundation's types: numbers and booleans as `NSNumber`, `String`, `Date`, `Data`,
/// `UUID`, `URL`, a managed object for a to-one relationship, and a set or ordered set for a to-many one. A value of the
/// wrong type, and a key that the entity does not have, are refused; the next save throws an error that names them.
open class NSManagedObject: NSObject {
    // Unsafe: accesses of these six are not checked for overlaps, which took a tenth of the time of a save. None of them lasts
    // while other code runs: they are read, assigned, and changed by methods of their own types that call nobody.
    @exclusivity(unchecked) package private(set) final var plan: CompiledEntity
    @exclusivity(unchecked) private final var identity: NSManagedObjectID
    @exclusivity(unchecked) final var snapshot: ObjectSnapshot
    @exclusivity(unchecked) final var changedAttributes = SlotSet()
    @exclusivity(unchecked) final var status = Status()
    /// The place in the list of the context's changed objects that the object is in.
    @exclusivity(unchecked) final var listPlace = -1

    final weak var context: NSManagedObjectContext?
    /// Unsaved attribute values; only those in `changedAttributes` count. Of a new object there are all, with its defaults.
    final var edits = SlotValues()
    /// By relationship slot. Empty while no relationship was touched.
    final var relationships: [RelationshipState] = []
    final var changedRelationships = SlotSet()
    /// What was refused since the object was last clean: reported by the next validation.
    final var refusals: [CoreDataError] = []

    struct Status: OptionSet {
        let rawValue: UInt8
        static let inserted = Status(rawValue: 1)
        static let updated = Status(rawValue: 2)
        static let deleted = Status(rawValue: 4)
        /// The row was looked for and not found.
        static let inaccessible = Status(rawValue: 8)
        /// Deleted, and the deletion was saved.
        static let gone = Status(rawValue: 16)
        /// Its id was temporary once: it was inserted in this context.
        static let named = Status(rawValue: 32)
    }

    /// What an object knows of one of its relationships beyond its snapshot.
    enum RelationshipState {
        case untouched
        case toOne(NSManagedObject?)
        case toMany(ToManyMembers)
    }

    /// Makes an object of an entity and inserts it into a context.
    ///
    /// Subclasses override ``awakeFromInsert()`` rather than this initializer to set their first values.
    ///
    /// - Parameters:
    ///   - entity: The entity, from the model that the context's coordinator uses.
    ///   - context: The context; nil for an object that belongs to none.
    public required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        if let seed = entity as? ObjectSeed, let identity = seed.identity {
            plan = identity.compiledEntity
            self.identity = identity
            snapshot = seed.snapshot
            self.context = seed.context
            super.init()
            return
        }
        let origin = context?.origin ?? ObjectOrigin.detached(entity)
        plan = origin.compiled.entity(named: entity.name ?? "") ?? CompiledEntity.unknown(named: entity.name ?? "")
        identity = NSManagedObjectID(entity: plan, key: NSManagedObjectID.nextTemporaryKey(), origin: origin)
        snapshot = .none
        super.init()
        edits = SlotValues(all: plan.defaultValues)
        if plan.number == 0 { refusals = [CoreDataError.unknownEntity(plan.name, in: origin.compiled)] }
        context?.insertNew(self)
    }

    /// Makes an object of the class's own entity and inserts it into a context.
    ///
    /// - Parameter moc: The context. Its model must have exactly one entity with this class's name as its class.
    public convenience init(context moc: NSManagedObjectContext) {
        let entity = moc.entity(forClass: Self.self) ?? NSEntityDescription(unknownName: String(describing: Self.self))
        self.init(entity: entity, insertInto: moc)
    }

    /// The object's entity.
    public final var entity: NSEntityDescription { identity.entity }

    /// The object's id: temporary until it is first saved.
    public final var objectID: NSManagedObjectID { identity }

    /// The context that the object belongs to; nil after the context was reset or has gone.
    ///
    /// A deleted object has none once the deletion was saved; one that was never saved has none as soon as it is deleted.
    public final var managedObjectContext: NSManagedObjectContext? { status.contains(.gone) ? nil : context }

    /// Whether the object is inserted and not yet saved.
    public final var isInserted: Bool { status.contains(.inserted) }

    /// Whether the object was changed since it was last saved.
    public final var isUpdated: Bool { status.contains(.updated) && !status.contains(.inserted) }

    /// Whether the object will be deleted by the next save.
    public final var isDeleted: Bool { status.contains(.deleted) }

    /// Whether the object is inserted, changed or deleted.
    public final var hasChanges: Bool { !status.isDisjoint(with: [.inserted, .updated, .deleted]) }

    /// Whether a property that the store keeps differs from what the store holds.
    public final var hasPersistentChangedValues: Bool {
        if status.contains(.inserted) || status.contains(.deleted) { return true }
        var found = false
        changedAttributes.forEach { found = found || !plan.attributes[$0].isTransient }
        changedRelationships.forEach { found = found || !plan.relationships[$0].isTransient }
        return found
    }

    /// Whether the object's row has not been read yet.
    public final var isFault: Bool { snapshot.isFault && edits.isEmpty }

    /// Whether values of a subclass's own, which are no properties of the model, may change without marking the object.
    open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }

    /// Takes the place of a row.
    final func become(_ id: NSManagedObjectID, snapshot: ObjectSnapshot, context: NSManagedObjectContext) {
        plan = id.compiledEntity
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

    /// Whether the object has, or had, a temporary id: then its ids do not say at all times that it is the same object.
    package final var hasHadTemporaryID: Bool { identity.isTemporaryID || status.contains(.named) }

    /// The row turned out to be of another entity of the same hierarchy than was thought before it was read.
    final func take(entity: CompiledEntity) {
        plan = entity
        identity = NSManagedObjectID(entity: entity, key: identity.key, origin: identity.origin)
        if !relationships.isEmpty {
            while relationships.count < entity.relationships.count { relationships.append(.untouched) }
        }
    }

    // MARK: Moments of an object's life

    /// Called once, when the object is inserted into a context for the first time. Override to set first values.
    open func awakeFromInsert() {}

    /// Called each time the object's row has been read.
    open func awakeFromFetch() {}

    /// Called after values were put back by something else than a read: a rollback, a refresh that keeps changes, or a merge
    /// policy.
    ///
    /// - Parameter flags: What has happened.
    open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}

    /// Called before a save validates and writes the object. Changes made here are saved too.
    open func willSave() {}

    /// Called after a save.
    open func didSave() {}

    /// Called when the object is about to be deleted.
    open func prepareForDeletion() {}

    /// Called before the object gives up its values.
    open func willTurnIntoFault() {}

    /// Called after the object gave up its values.
    open func didTurnIntoFault() {}

    // MARK: Keyed access

    /// The value of a property, firing the fault if need be.
    ///
    /// - Parameter key: The name of an attribute or a relationship.
    /// - Returns: The value in Foundation's types; a `Set` of objects for an unordered to-many relationship and an
    ///   `NSOrderedSet` for an ordered one, both as they are now. For a key that the entity does not have, what
    ///   ``value(forUndefinedKey:)`` returns.
    open func value(forKey key: String) -> Any? {
        guard plan.slot(named: key) != nil || plan.composites[key] != nil else { return value(forUndefinedKey: key) }
        willAccessValue(forKey: key)
        defer { didAccessValue(forKey: key) }
        return primitiveValue(forKey: key)
    }

    /// Sets a property.
    ///
    /// - Parameters:
    ///   - value: The value in Foundation's types, or nil. A value of the wrong type is refused.
    ///   - key: The name of an attribute or a relationship.
    open func setValue(_ value: Any?, forKey key: String) {
        guard plan.slot(named: key) != nil || plan.composites[key] != nil else {
            return setValue(value, forUndefinedKey: key)
        }
        willChangeValue(forKey: key)
        setPrimitiveValue(value, forKey: key)
        didChangeValue(forKey: key)
    }

    /// Called for a key that the entity does not have. Returns nil.
    open func value(forUndefinedKey key: String) -> Any? { nil }

    /// Called for a key that the entity does not have. The next save throws an error that names the key.
    open func setValue(_ value: Any?, forUndefinedKey key: String) { refuse(unknownKey(key), key: key) }

    /// Called before a property is read through its key: fires the fault.
    ///
    /// - Parameter key: The property; nil to fire the fault only.
    open func willAccessValue(forKey key: String?) {
        if snapshot.isFault { _ = fire() }
    }

    /// Called after a property was read through its key.
    open func didAccessValue(forKey key: String?) {}

    /// Called before a property is changed through its key.
    open func willChangeValue(forKey key: String) {}

    /// Called after a property was changed through its key.
    open func didChangeValue(forKey key: String) {}

    // MARK: Validation

    /// Checks one value. Override to add rules; call `super` first.
    ///
    /// - Parameters:
    ///   - value: The value to check; may be replaced by another one.
    ///   - key: The property.
    /// - Throws: An error that names the entity, the property and the value.
    open func validateValue(_ value: inout Any?, forKey key: String) throws {
        try validate(value, forKey: key)
    }

    /// Checks the object before it is inserted into the store.
    ///
    /// - Throws: One error, or an error with the code `NSValidationMultipleErrorsError` and all of them in it.
    open func validateForInsert() throws { try validateProperties() }

    /// Checks the object before its changes are written to the store.
    ///
    /// - Throws: One error, or an error with the code `NSValidationMultipleErrorsError` and all of them in it.
    open func validateForUpdate() throws { try validateProperties() }

    /// Checks whether the object may be deleted.
    ///
    /// - Throws: An error with the code `NSValidationRelationshipDeniedDeleteError` when a delete rule denies it.
    open func validateForDelete() throws { try validateDeleteRules() }

    /// A hash of the object's own identity: no two objects are equal.
    // The address alone, which is not followed.
    open override var hash: Int { Int(bitPattern: Unmanaged.passUnretained(self).toOpaque()) >> 4 }

    /// The object's entity, its id and whether it is a fault.
    open override var description: String {
        "<\(plan.name): \(identity.description)\(isFault ? " (fault)" : "")>"
    }
}

/// What has given an object other values.
public struct NSSnapshotEventType: OptionSet, Sendable, Hashable {
    /// The bits of the events.
    public let rawValue: UInt
    /// Makes events from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The context was rolled back.
    public static let rollback = NSSnapshotEventType(rawValue: 16)
    /// The object was refreshed, and kept its changes.
    public static let refresh = NSSnapshotEventType(rawValue: 32)
    /// A merge policy has settled a conflict.
    public static let mergePolicy = NSSnapshotEventType(rawValue: 64)
}
