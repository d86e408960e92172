public import Foundation

/// A request that inserts many objects directly into the rows of a store.
///
/// A context executes it with ``NSManagedObjectContext/execute(_:)``, which returns an ``NSBatchInsertResult``. It is
/// written immediately, without a save, and the context is not notified: merge the ids into the contexts that need the
/// changes. If a value would make a save fail, the request fails and inserts nothing. Relationships cannot be set.
///
/// The merge policy of the context decides about an object whose unique values a row already has: by default, the
/// request fails with `CocoaError.managedObjectConstraintMerge`. With ``NSMergeByPropertyObjectTrumpMergePolicy`` or
/// ``NSOverwriteMergePolicy``, the row gets the values that were given, and keeps its other values. With
/// ``NSMergeByPropertyStoreTrumpMergePolicy`` or ``NSRollbackMergePolicy``, the row stays as it is.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    /// The name of the entity.
    public final let entityName: String
    /// The entity, if the request was created with one.
    public final let entity: NSEntityDescription?
    /// The values of the objects by the names of their attributes; `NSNull` for nil. Missing attributes have their
    /// default values.
    open var objectsToInsert: [[String: Any]]?
    /// A closure that sets the values of one object after the other. It returns true if there are no more objects; then
    /// nothing is inserted for the call.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
    /// A closure that sets the values of one object after the other. The object belongs to no context. The closure
    /// returns true if there are no more objects; then nothing is inserted for the call.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)?
    /// The form of the result.
    open var resultType = NSBatchInsertRequestResultType.statusOnly
    open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }

    /// Creates a request without an entity, whose execution throws an error.
    public override init() {
        entityName = ""
        entity = nil
        super.init()
    }

    /// Creates a request for objects in the form of dictionaries.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - dictionaries: The values of the objects by the names of their attributes.
    public init(entityName: String, objects dictionaries: [[String: Any]]) {
        self.entityName = entityName
        entity = nil
        objectsToInsert = dictionaries
    }

    /// Creates a request for objects in the form of dictionaries.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - dictionaries: The values of the objects by the names of their attributes.
    public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        entityName = entity.name ?? ""
        self.entity = entity
        objectsToInsert = dictionaries
    }

    /// Creates a request for objects that a closure provides as dictionaries.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - handler: Sets the values of one object; returns true if there are no more objects.
    public init(entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        self.entityName = entityName
        entity = nil
        dictionaryHandler = handler
    }

    /// Creates a request for objects that a closure provides as dictionaries.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - handler: Sets the values of one object; returns true if there are no more objects.
    public init(entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        entityName = entity.name ?? ""
        self.entity = entity
        dictionaryHandler = handler
    }

    /// Creates a request for objects whose values a closure sets.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - handler: Sets the values of one object; returns true if there are no more objects.
    public init(entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        self.entityName = entityName
        entity = nil
        managedObjectHandler = handler
    }

    /// Creates a request for objects whose values a closure sets.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - handler: Sets the values of one object; returns true if there are no more objects.
    public init(entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        entityName = entity.name ?? ""
        self.entity = entity
        managedObjectHandler = handler
    }
}

/// The form of the result of a batch insertion.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// `true`: the request succeeded.
    case statusOnly = 0
    /// The ids of the inserted objects, and of those that were updated instead, in order, as `[NSManagedObjectID]`.
    case objectIDs = 1
    /// The number of these objects, as `Int`.
    case count = 2
}

/// The result of a batch insertion.
open class NSBatchInsertResult: NSPersistentStoreResult {
    /// The result, in the form of ``resultType``.
    public let result: Any?
    /// The form of the result.
    public let resultType: NSBatchInsertRequestResultType

    init(_ result: Any?, resultType: NSBatchInsertRequestResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}
