public import Foundation

/// A request that reads the history of a coordinator's stores, or deletes the old part of it.
///
/// A context executes it with ``NSManagedObjectContext/execute(_:)``, which returns an ``NSPersistentHistoryResult``.
/// Stores without history tracking are skipped; if no store tracks its history, the request throws an error.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
    enum Place {
        case date(Date)
        /// The token; nil for the whole history.
        case token(NSPersistentHistoryToken?)
    }

    private(set) final var place = Place.token(nil)
    private(set) final var isDeletion = false

    /// The form of the result. For a deletion it is always ``NSPersistentHistoryResultType/statusOnly``.
    open var resultType = NSPersistentHistoryResultType.transactionsAndChanges

    /// The transactions or changes to fetch; nil for all of them. See ``NSPersistentHistoryTransaction/fetchRequest``
    /// and ``NSPersistentHistoryChange/fetchRequest``.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

    /// The number of transactions to read from each store; nil for all.
    package final var limit: Int?

    /// The token that the request was created with.
    public final var token: NSPersistentHistoryToken? {
        if case .token(let token) = place { token } else { nil }
    }

    /// Creates a request for the whole history.
    public required override init() { super.init() }

    private static func make(_ place: Place, isDeletion: Bool = false) -> Self {
        let request = Self()
        request.place = place
        request.isDeletion = isDeletion
        if isDeletion { request.resultType = .statusOnly }
        return request
    }

    // MARK: Reading

    /// Returns a request for the transactions after a date.
    ///
    /// - Parameter date: The date.
    open class func fetchHistory(after date: Date) -> Self { make(.date(date)) }

    /// Returns a request for the transactions after a token.
    ///
    /// - Parameter token: A token; nil for the whole history. A store that the token does not contain is read from the
    ///   beginning. If transactions after the token were already deleted, or if the token does not contain any of the
    ///   stores, the request throws an error with the code `NSPersistentHistoryTokenExpiredError`.
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self { make(.token(token)) }

    /// Returns a request for the transactions after another transaction.
    ///
    /// - Parameter transaction: A transaction; nil for the whole history. Equivalent to a request with the
    ///   transaction's token.
    open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
        make(.token(transaction?.token))
    }

    /// Returns a request for the transactions or changes that match a predicate.
    ///
    /// - Parameter fetchRequest: A request for the entity `Transaction` or `Change`.
    open class func fetchHistory(withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>) -> Self {
        let request = make(.token(nil))
        request.fetchRequest = fetchRequest
        return request
    }

    // MARK: Deleting

    /// Returns a request that deletes the transactions before a date.
    ///
    /// - Parameter date: The date.
    open class func deleteHistory(before date: Date) -> Self { make(.date(date), isDeletion: true) }

    /// Returns a request that deletes the transactions before that of a token. The transaction of the token is kept.
    ///
    /// - Parameter token: A token. If it is nil, and in stores that it does not contain, nothing is deleted. A token
    ///   that does not contain any of the stores, or that contains a transaction that a store never had, has expired:
    ///   the request throws an error and deletes nothing.
    open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
        make(.token(token), isDeletion: true)
    }

    /// Returns a request that deletes the transactions before another transaction, in the store of that transaction.
    ///
    /// - Parameter transaction: A transaction, which is kept; if it is nil, nothing is deleted.
    open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> Self {
        make(.token(transaction?.token), isDeletion: true)
    }
}
