public import Foundation

/// A request to insert many objects straight into the rows of a store.
///
/// A context carries it out with ``NSManagedObjectContext/execute(_:)``, which answers with an ``NSBatchInsertResult``. It is
/// written at once, without a save, and the context learns nothing of it: merge the ids into contexts that should know. What a
/// save would refuse is refused, and then nothing is inserted. Relationships cannot be set.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    /// The name of the entity.
    public final let entityName: String
    /// The entity, where the request was made with one.
    public final let entity: NSEntityDescription?
    /// The values of the objects by the names of their attributes; `NSNull` for none. What is not named has its default.
    open var objectsToInsert: [[String: Any]]?
    /// Fills in the values of one object after the other; true says that there are no more, and inserts nothing.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
    /// Fills in one object after the other, which belongs to no context; true says that there are no more, and inserts nothing.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)?
    /// The form of the result.
    open var resultType = NSBatchInsertRequestResultType.statusOnly

    /// Makes a request for objects that are given as dictionaries.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - dictionaries: The values of the objects by the names of their attributes.
    public init(entityName: String, objects dictionaries: [[String: Any]]) {
        self.entityName = entityName
        entity = nil
        objectsToInsert = dictionaries
    }

    /// Makes a request for objects that are given as dictionaries.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - dictionaries: The values of the objects by the names of their attributes.
    public init(entity: NSEntityDescription, objects dictionaries: [[String: Any]]) {
        entityName = entity.name ?? ""
        self.entity = entity
        objectsToInsert = dictionaries
    }

    /// Makes a request for objects that a closure fills in as dictionaries.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - handler: Fills in one object; returns true when there are no more.
    public init(entityName: String, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        self.entityName = entityName
        entity = nil
        dictionaryHandler = handler
    }

    /// Makes a request for objects that a closure fills in as dictionaries.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - handler: Fills in one object; returns true when there are no more.
    public init(entity: NSEntityDescription, dictionaryHandler handler: @escaping (NSMutableDictionary) -> Bool) {
        entityName = entity.name ?? ""
        self.entity = entity
        dictionaryHandler = handler
    }

    /// Makes a request for objects that a closure fills in.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - handler: Fills in one object; returns true when there are no more.
    public init(entityName: String, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        self.entityName = entityName
        entity = nil
        managedObjectHandler = handler
    }

    /// Makes a request for objects that a closure fills in.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - handler: Fills in one object; returns true when there are no more.
    public init(entity: NSEntityDescription, managedObjectHandler handler: @escaping (NSManagedObject) -> Bool) {
        entityName = entity.name ?? ""
        self.entity = entity
        managedObjectHandler = handler
    }
}

/// The form of the answer to a batch insertion.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// `true`: the request was carried out.
    case statusOnly = 0
    /// The ids of the inserted objects, in their order, as `[NSManagedObjectID]`.
    case objectIDs = 1
    /// The number of inserted objects, as `Int`.
    case count = 2
}

/// The answer to a batch insertion.
open class NSBatchInsertResult: NSPersistentStoreResult {
    /// What was asked for, in the form that ``resultType`` says.
    public let result: Any?
    /// The form of the result.
    public let resultType: NSBatchInsertRequestResultType

    init(_ result: Any?, resultType: NSBatchInsertRequestResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}
