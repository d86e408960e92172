/// The form of the result of a history request.
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// `true`: the request succeeded.
    case statusOnly = 0
    /// The ids of the changed objects, each once, as `[NSManagedObjectID]`.
    case objectIDs = 1
    /// The number of changes, as `Int`.
    case count = 2
    /// `[NSPersistentHistoryTransaction]`, without their changes.
    case transactionsOnly = 3
    /// `[NSPersistentHistoryChange]`.
    case changesOnly = 4
    /// `[NSPersistentHistoryTransaction]` with their changes.
    case transactionsAndChanges = 5
}

/// The result of a history request.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// The result, in the form of ``resultType``.
    ///
    /// The results of several stores are concatenated store by store, each in the order of its transactions.
    public let result: Any?
    /// The form of the result.
    public let resultType: NSPersistentHistoryResultType

    init(_ result: Any?, resultType: NSPersistentHistoryResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}
