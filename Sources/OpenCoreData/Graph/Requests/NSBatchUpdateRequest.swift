public import Foundation

/// The form of the result of a batch update.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// `true`: the request succeeded.
    case statusOnlyResultType = 0
    /// The ids of the changed objects, as `[NSManagedObjectID]`.
    case updatedObjectIDsResultType = 1
    /// The number of changed objects, as `Int`.
    case updatedObjectsCountResultType = 2
}

/// A request that updates attributes of all objects of an entity, with one statement in the store.
///
/// A context executes it with ``NSManagedObjectContext/execute(_:)``, which returns an ``NSBatchUpdateResult``. It is
/// written immediately and bypasses the objects of all contexts: refresh the objects that may have changed. Values that
/// would make a save fail are rejected.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    /// The entity's name.
    public final let entityName: String
    /// The entity, if the request was created with one.
    public final let entity: NSEntityDescription?

    /// The condition for the objects; nil for all objects of the entity.
    open var predicate: NSPredicate?
    /// Whether the objects of sub-entities are also updated.
    open var includesSubentities = true
    /// The form of the result.
    open var resultType = NSBatchUpdateRequestResultType.statusOnlyResultType
    open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

    /// The new values, keyed by the names or descriptions of attributes. `NSNull` represents nil.
    ///
    /// An expression computes a value for each object from the values before the update. A fraction for an integer is cut off.
    /// Nothing is changed if a computed value would make a save fail.
    ///
    /// ```swift
    /// request.propertiesToUpdate = ["price": NSExpression(format: "price * 1.1")]
    /// ```
    ///
    /// The name of an element of a composite attribute is its path: `address.city`.
    open var propertiesToUpdate: [AnyHashable: Any]?

    /// Creates a request for the objects of an entity.
    ///
    /// - Parameter entityName: The entity's name in the model of the context that executes the request.
    public init(entityName: String) {
        self.entityName = entityName
        entity = nil
        super.init()
    }

    /// Creates a request for the objects of an entity.
    ///
    /// - Parameter entity: An entity of the coordinator's model.
    public init(entity: NSEntityDescription) {
        entityName = entity.name ?? ""
        self.entity = entity
        super.init()
    }
}

/// The result of a batch update.
open class NSBatchUpdateResult: NSPersistentStoreResult {
    /// The result, in the form of ``resultType``.
    public let result: Any?
    /// The form of the result.
    public let resultType: NSBatchUpdateRequestResultType

    init(_ result: Any?, resultType: NSBatchUpdateRequestResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}
