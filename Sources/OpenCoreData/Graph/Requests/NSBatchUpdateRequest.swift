public import Foundation

/// The form of the answer to an update of all objects of an entity.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// `true`: the request was carried out.
    case statusOnlyResultType = 0
    /// The ids of the changed objects, as `[NSManagedObjectID]`.
    case updatedObjectIDsResultType = 1
    /// The number of changed objects, as `Int`.
    case updatedObjectsCountResultType = 2
}

/// A request that gives attributes of all objects of an entity other values, by one statement in the store.
///
/// A context carries it out with ``NSManagedObjectContext/execute(_:)``, which answers with an ``NSBatchUpdateResult``. It is
/// written at once, past the objects of all contexts: refresh those that may have changed. Values that a save would refuse
/// are refused.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    /// The entity's name.
    public final let entityName: String
    /// The entity, where the request was made with one.
    public final let entity: NSEntityDescription?

    /// What the objects must satisfy; nil for all objects of the entity.
    open var predicate: NSPredicate?
    /// Whether the objects of sub-entities are changed too.
    open var includesSubentities = true
    /// The form of the result.
    open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType

    /// The new values, by the names of attributes or by their descriptions. `NSNull` stands for no value.
    ///
    /// An element of a composite attribute has its path as its name: `address.city`.
    open var propertiesToUpdate: [AnyHashable: Any]?

    /// Makes a request for the objects of an entity.
    ///
    /// - Parameter entityName: The entity's name in the model of the context that executes the request.
    public init(entityName: String) {
        self.entityName = entityName
        entity = nil
        super.init()
    }

    /// Makes a request for the objects of an entity.
    ///
    /// - Parameter entity: An entity of the coordinator's model.
    public init(entity: NSEntityDescription) {
        entityName = entity.name ?? ""
        self.entity = entity
        super.init()
    }
}

/// The answer to an update of all objects of an entity.
open class NSBatchUpdateResult: NSPersistentStoreResult {
    /// What was asked for, in the form that ``resultType`` says.
    public let result: Any?
    /// The form of the result.
    public let resultType: NSBatchUpdateRequestResultType

    init(_ result: Any?, resultType: NSBatchUpdateRequestResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}
