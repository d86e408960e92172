/// A kind of request to a coordinator's stores.
public enum NSPersistentStoreRequestType: UInt, Sendable {
    /// A request that reads.
    case fetchRequestType = 1
    /// The request of a save.
    case saveRequestType = 2
    /// A batch insertion.
    case batchInsertRequestType = 5
    /// A batch update.
    case batchUpdateRequestType = 6
    /// A batch deletion.
    case batchDeleteRequestType = 7
}
