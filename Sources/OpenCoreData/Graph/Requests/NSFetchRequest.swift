public import Foundation

/// A type of results that a fetch can return.
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSManagedObject: NSFetchRequestResult {}
extension NSManagedObjectID: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}

/// The form of a fetch's results.
public struct NSFetchRequestResultType: OptionSet, Sendable, Hashable {
    /// The bits of the type.
    public let rawValue: UInt
    /// Creates a type from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Managed objects.
    public static let managedObjectResultType = NSFetchRequestResultType([])
    /// The ids of managed objects.
    public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
    /// Dictionaries of selected properties.
    public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
    /// A single number: the number of objects.
    public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}

/// A request that a coordinator's stores execute.
open class NSPersistentStoreRequest: NSObject {
    /// The stores that execute the request; nil for all.
    open var affectedStores: [NSPersistentStore]?

    /// The kind of request.
    open var requestType: NSPersistentStoreRequestType { .fetchRequestType }
}

/// A request for the objects of an entity.
///
/// Comparisons follow the rules of the store everywhere: nil is neither equal to nor different from any value, except
/// in `x == nil` and `x != nil`. Without sort descriptors, the results are in the order of their keys; with them, the
/// key decides the order of equal values.
///
/// `ResultType` is the type of the results: a class of managed objects, `NSManagedObjectID`, `NSDictionary`, `NSNumber`, or
/// `any NSFetchRequestResult` for a request whose ``resultType`` is decided later.
open class NSFetchRequest<ResultType>: NSPersistentStoreRequest, NSCopying {
    /// The entity's name.
    open private(set) var entityName: String?
    /// The entity. Setting it sets the name.
    open var entity: NSEntityDescription? {
        didSet { entityName = entity?.name }
    }
    /// The condition for the objects; nil for all objects of the entity.
    open var predicate: NSPredicate?
    /// The order of the results.
    open var sortDescriptors: [NSSortDescriptor]?
    /// The maximum number of results; 0 for all.
    open var fetchLimit = 0
    /// The number of results to skip.
    open var fetchOffset = 0
    /// The number of rows to read at a time; 0 to read all at once.
    ///
    /// With a batch size, the fetch only reads the ids, and its objects are faults. Accessing a value of the first
    /// object of a batch reads the rows of that batch. Objects keep the rows that were read until they are deallocated
    /// or refreshed. All rows are read at once if unsaved changes affect the request, if several stores execute it, or
    /// if ``shouldRefreshRefetchedObjects`` is set.
    open var fetchBatchSize = 0
    /// The form of the results.
    open var resultType: NSFetchRequestResultType = .managedObjectResultType
    /// Whether the results include objects of sub-entities.
    open var includesSubentities = true
    /// Whether unsaved changes of the context are taken into account. Dictionaries never include them: they contain the
    /// values in the store.
    open var includesPendingChanges = true
    /// Whether the rows of the objects are read with them. If not, the fetch only reads the ids, like a fetch with a
    /// ``fetchBatchSize``: a row is read when a property of its object is.
    open var includesPropertyValues = true
    /// Whether the objects are faults, which take their values from the rows of the fetch when a property is first
    /// read. No row is read twice.
    ///
    /// If this property is false, the faults fire before the fetch returns, and each calls
    /// ``NSManagedObject/awakeFromFetch()``.
    open var returnsObjectsAsFaults = true
    /// Whether registered objects of the context adopt the values of their rows, except for unsaved changes.
    open var shouldRefreshRefetchedObjects = false
    /// The key paths of relationships to prefetch, which may have several steps: `author.publisher`. Their objects are
    /// read with the fetch, by one statement for a thousand objects; with a ``fetchBatchSize``, they are read with the
    /// rows of each batch.
    ///
    /// The fetch throws an error for a path with a step that is not a relationship. Only a fetch of objects prefetches.
    open var relationshipKeyPathsForPrefetching: [String]?

    /// The properties of dictionaries: names, including paths of to-one relationships (`author.name`), property
    /// descriptions, and ``NSExpressionDescription``s for computed values. Nil for all attributes.
    ///
    /// The value of a to-one relationship is the id of its object. Objects are always fetched completely.
    open var propertiesToFetch: [Any]?
    /// Whether duplicate dictionaries are returned only once.
    open var returnsDistinctResults = false
    /// The properties by which rows are grouped: all rows with the same values result in one dictionary. Each fetched
    /// property must be one of them, or an aggregate.
    open var propertiesToGroupBy: [Any]?
    /// The condition for a group. Computed properties are variables with their names: `$number > 2`.
    open var havingPredicate: NSPredicate?

    /// Creates a request without an entity.
    public override init() {}

    /// Creates a request for the objects of an entity.
    ///
    /// - Parameter entityName: The entity's name in the model of the context that executes the request.
    public convenience init(entityName: String) {
        self.init()
        self.entityName = entityName
    }

    /// Returns an equal request. Changes of one of them do not affect the other one.
    open func copy(with zone: NSZone? = nil) -> Any { duplicate() }

    final func duplicate() -> NSFetchRequest {
        let copy = NSFetchRequest()
        copy.affectedStores = affectedStores
        copy.entity = entity
        copy.entityName = entityName
        copy.predicate = predicate
        copy.sortDescriptors = sortDescriptors
        copy.fetchLimit = fetchLimit
        copy.fetchOffset = fetchOffset
        copy.fetchBatchSize = fetchBatchSize
        copy.resultType = resultType
        copy.includesSubentities = includesSubentities
        copy.includesPendingChanges = includesPendingChanges
        copy.includesPropertyValues = includesPropertyValues
        copy.returnsObjectsAsFaults = returnsObjectsAsFaults
        copy.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
        copy.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching
        copy.propertiesToFetch = propertiesToFetch
        copy.returnsDistinctResults = returnsDistinctResults
        copy.propertiesToGroupBy = propertiesToGroupBy
        copy.havingPredicate = havingPredicate
        return copy
    }

    /// Returns whether another request has the same settings and the same type of results.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchRequest else { return false }
        return self === other || (self as any ComparableRequest).hasSettings(of: other)
    }

    /// A hash of the entity's name.
    open override var hash: Int { entityName?.hashValue ?? 0 }
}

/// A request that can be compared with another one of its type, which needs parts that are built upon requests.
protocol ComparableRequest {
    /// Returns whether all settings are those of another request; false for a request of another type.
    func hasSettings(of other: NSPersistentStoreRequest) -> Bool
}

/// The result of a request to a coordinator.
open class NSPersistentStoreResult: NSObject {}
