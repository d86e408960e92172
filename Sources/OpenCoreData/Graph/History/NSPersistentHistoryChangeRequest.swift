public import Foundation

/// A request to read the history of a coordinator's stores, or to delete the old part of it.
///
/// A context carries it out with ``NSManagedObjectContext/execute(_:)``, which answers with an ``NSPersistentHistoryResult``.
/// Stores that keep no history are passed over; when none keeps one, that is an error.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    enum Place {
        case date(Date)
        /// Nil for all of it.
        case token(NSPersistentHistoryToken?)
    }

    private(set) final var place = Place.token(nil)
    private(set) final var isDeletion = false

    /// The form of the result. For a deletion it is always ``NSPersistentHistoryResultType/statusOnly``.
    open var resultType = NSPersistentHistoryResultType.transactionsAndChanges

    /// Which transactions or changes are wanted; nil for all of them. See
    /// ``NSPersistentHistoryTransaction/fetchRequest`` and ``NSPersistentHistoryChange/fetchRequest``.
    open var fetchRequest: NSFetchRequest<NSManagedObject>?

    /// The token that the request was made with.
    public final var token: NSPersistentHistoryToken? {
        if case .token(let token) = place { token } else { nil }
    }

    /// Makes a request for the whole history.
    public required override init() { super.init() }

    private static func make(_ place: Place, isDeletion: Bool = false) -> Self {
        let request = Self()
        request.place = place
        request.isDeletion = isDeletion
        if isDeletion { request.resultType = .statusOnly }
        return request
    }

    // MARK: Reading

    /// Makes a request for the transactions after a moment.
    ///
    /// - Parameter date: The moment.
    open class func fetchHistory(after date: Date) -> Self { make(.date(date)) }

    /// Makes a request for the transactions behind a token.
    ///
    /// - Parameter token: A token; nil for the whole history. A store that it does not name is read from the beginning. When
    ///   transactions behind it were deleted already, or it names none of the stores, the request throws an error with the
    ///   code `NSPersistentHistoryTokenExpiredError`.
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self { make(.token(token)) }

    /// Makes a request for the transactions behind another one.
    ///
    /// - Parameter transaction: A transaction; nil for the whole history. The same as with the transaction's token.
    open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
        make(.token(transaction?.token))
    }

    /// Makes a request for the transactions or changes that satisfy a predicate.
    ///
    /// - Parameter fetchRequest: A request for the entity `Transaction` or `Change`.
    open class func fetchHistory(withFetch fetchRequest: NSFetchRequest<NSManagedObject>) -> Self {
        let request = make(.token(nil))
        request.fetchRequest = fetchRequest
        return request
    }

    // MARK: Deleting

    /// Makes a request that deletes the transactions before a moment.
    ///
    /// - Parameter date: The moment.
    open class func deleteHistory(before date: Date) -> Self { make(.date(date), isDeletion: true) }

    /// Makes a request that deletes the transactions before that of a token. That one itself stays.
    ///
    /// - Parameter token: A token. In a store that it does not name, and with nil, nothing is deleted. One that names none of
    ///   the stores, or a transaction that a store never had, has expired: the request throws, and deletes nothing.
    open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
        make(.token(token), isDeletion: true)
    }

    /// Makes a request that deletes the transactions before another one, in the store of that one.
    ///
    /// - Parameter transaction: A transaction, which itself stays; with nil nothing is deleted.
    open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> Self {
        make(.token(transaction?.token), isDeletion: true)
    }
}
