import SwormStore

/// The form of the answer to a deletion of all objects of a request.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// `true`: the request was carried out.
    case resultTypeStatusOnly = 0
    /// The ids of the deleted objects, those that followed by delete rules included, as `[NSManagedObjectID]`.
    case resultTypeObjectIDs = 1
    /// The number of objects that were asked for, as `Int`.
    case resultTypeCount = 2
}

/// A request that deletes all objects that a fetch request finds, by statements in the store.
///
/// A context carries it out with ``NSManagedObjectContext/execute(_:)``, which answers with an ``NSBatchDeleteResult``. It is
/// written at once, past the objects of all contexts: refresh those that may be gone. All delete rules are followed; a
/// relationship that denies the deletion, or that must not be empty, refuses all of it.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    enum Choice {
        case found((CompiledModel) throws -> FetchSpecification)
        case listed([NSManagedObjectID])
    }

    final let choice: Choice

    /// The form of the result.
    open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly

    /// Makes a request that deletes what a fetch request finds: its predicate, order, limit and offset count.
    ///
    /// - Parameter fetch: A request. It is read when the deletion is carried out.
    public init<ResultType: NSFetchRequestResult>(fetchRequest fetch: NSFetchRequest<ResultType>) {
        choice = .found { try fetch.specification(in: $0) }
        super.init()
        affectedStores = fetch.affectedStores
    }

    /// Makes a request that deletes the objects with given ids. Those that are gone already are passed over.
    ///
    /// - Parameter objects: Ids of saved objects.
    public init(objectIDs objects: [NSManagedObjectID]) {
        choice = .listed(objects)
        super.init()
    }
}

/// The answer to a deletion of all objects of a request.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// What was asked for, in the form that ``resultType`` says.
    public let result: Any?
    /// The form of the result.
    public let resultType: NSBatchDeleteRequestResultType

    init(_ result: Any?, resultType: NSBatchDeleteRequestResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}
