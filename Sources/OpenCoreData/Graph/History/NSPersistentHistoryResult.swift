/// The form of the answer to a request for history.
public enum NSPersistentHistoryResultType: Int, Sendable {
    /// `true`: the request was carried out.
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

/// The answer to a request for history.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// What was asked for, in the form that ``resultType`` says.
    ///
    /// What comes from several stores stands store by store, each in the order of its transactions.
    public let result: Any?
    /// The form of the result.
    public let resultType: NSPersistentHistoryResultType

    init(_ result: Any?, resultType: NSPersistentHistoryResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}
