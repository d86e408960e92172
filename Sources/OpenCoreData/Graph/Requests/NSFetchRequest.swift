public import Foundation

/// What a fetch can yield.
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSManagedObject: NSFetchRequestResult {}
extension NSManagedObjectID: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}

/// The form of a fetch's results.
public struct NSFetchRequestResultType: OptionSet, Sendable, Hashable {
    /// The bits of the type.
    public let rawValue: UInt
    /// Makes a type from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Managed objects.
    public static let managedObjectResultType = NSFetchRequestResultType([])
    /// The ids of managed objects.
    public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
    /// Dictionaries of chosen properties.
    public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
    /// One number: how many objects there are.
    public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}

/// A request to a coordinator's stores.
open class NSPersistentStoreRequest: NSObject {
    /// The stores to ask; nil for all.
    open var affectedStores: [NSPersistentStore]?
}

/// A request for the objects of an entity.
///
/// Comparisons follow the store's logic everywhere: nil is equal to nothing and different from nothing, except in
/// `x == nil` and `x != nil`. Without sort descriptors the results come in the order of their keys; with them, the key
/// decides between equals.
open class NSFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
    /// The entity's name.
    open private(set) var entityName: String?
    /// The entity. Setting it sets the name.
    open var entity: NSEntityDescription? {
        didSet { entityName = entity?.name }
    }
    /// What the objects must satisfy; nil for all objects of the entity.
    open var predicate: NSPredicate?
    /// The order of the results.
    open var sortDescriptors: [NSSortDescriptor]?
    /// The largest number of results; 0 for all.
    open var fetchLimit = 0
    /// The number of results to pass over.
    open var fetchOffset = 0
    /// How many rows are read at a time; 0 for all at once.
    ///
    /// With a size, the fetch reads the ids alone, and its objects are faults. The first that is asked for a value reads the
    /// rows of its batch. Objects keep the rows that they have read until they are let go or refreshed. Where unsaved changes
    /// bear on the request, where several stores answer it, and where ``shouldRefreshRefetchedObjects`` is set, all rows are
    /// read at once.
    open var fetchBatchSize = 0
    /// The form of the results.
    open var resultType: NSFetchRequestResultType = .managedObjectResultType
    /// Whether the objects of sub-entities are results too.
    open var includesSubentities = true
    /// Whether unsaved changes of the context count. They never do in dictionaries, which show what is in the store.
    open var includesPendingChanges = true
    /// Has no effect: the values of the objects are always read with them.
    open var includesPropertyValues = true
    /// Has no effect: the objects of a fetch have the values of their rows.
    open var returnsObjectsAsFaults = true
    /// Whether objects that the context knows already take the values of their rows, unsaved changes excepted.
    open var shouldRefreshRefetchedObjects = false
    /// Relationships that are going to be followed, also one behind another: `author.publisher`. What they lead to is read
    /// with the fetch, for a thousand objects by one statement; with a ``fetchBatchSize``, with the rows of each batch.
    ///
    /// A path that names anything else is an error of the fetch. Only a fetch of objects reads them.
    open var relationshipKeyPathsForPrefetching: [String]?

    /// The properties of dictionaries: names, also paths of to-one relationships (`author.name`), property descriptions, and
    /// ``NSExpressionDescription``s for what is computed. Nil for all attributes.
    ///
    /// A to-one relationship is the id of its object. Objects are always fetched whole.
    open var propertiesToFetch: [Any]?
    /// Whether dictionaries that say the same are given once.
    open var returnsDistinctResults = false
    /// The properties by which rows are grouped: one dictionary comes of all rows with the same values. All that is fetched
    /// must be grouped by, or be an aggregate.
    open var propertiesToGroupBy: [Any]?
    /// What a group must satisfy. Computed properties are variables with their names: `$number > 2`.
    open var havingPredicate: NSPredicate?

    /// Makes a request without an entity.
    public override init() {}

    /// Makes a request for the objects of an entity.
    ///
    /// - Parameter entityName: The entity's name in the model of the context that executes the request.
    public convenience init(entityName: String) {
        self.init()
        self.entityName = entityName
    }
}

/// What a request to a coordinator answers.
open class NSPersistentStoreResult: NSObject {}
