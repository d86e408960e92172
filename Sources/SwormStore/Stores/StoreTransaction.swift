/// A view of a store in which its owner can also write. If it ends without a commit, its changes are discarded.
package protocol StoreTransaction: StoreSession {
    /// Writes all changes, or nothing. The transaction stays open in both cases.
    ///
    /// - Throws: The errors of ``ObjectStore/save(_:token:)``.
    func save(_ request: SaveRequest) throws -> SaveResult

    /// Updates all rows that match a request, or no row.
    func update(_ batch: BatchUpdate) throws -> BatchResult
    /// Deletes all rows that match a request, and the rows required by their delete rules, or no row.
    func delete(_ batch: BatchDeletion) throws -> BatchResult

    /// Reserves primary keys for objects of an entity hierarchy, and returns the first key.
    func reserveKeys(root: Int, count: Int) throws -> Int64

    /// Inserts all rows, or no row.
    ///
    /// - Throws: The error that a save of such objects would throw.
    func insert(_ batch: RowBatch) throws -> BatchCounts

    /// Inserts rows, and updates the rows that already have the unique values, completely or not at all.
    ///
    /// - Returns: Nil if the work requires objects. Nothing was written, and the values were not read, in that case.
    func upsert(_ batch: RowBatch, by rules: [UpsertRule]) throws -> BatchCounts?

    /// Commits the changes, and ends the view.
    ///
    /// - Parameter further: Commits the same work in other stores. It is called when only the commit itself can still
    ///   fail in this store, and cannot be interrupted. Nil if there are no other stores.
    func commit(after further: (() throws -> Void)?) throws

    /// Locks the rows of a request. A transaction that has locked all rows only checks the request.
    func lock(_ rows: FetchSpecification) throws

    /// Marks the current state, and returns the number of the mark.
    func mark() -> Int
    /// Removes a mark and all later marks, and keeps the changes.
    func release(_ mark: Int) throws
    /// Undoes the changes since a mark, and removes the mark and all later marks.
    func undo(to mark: Int) throws

    /// Records the initial state for ``undoToSnapshot()``. Must be called before the first write.
    func keepSnapshot() throws
    /// Undoes all changes, and continues with the state that ``keepSnapshot()`` recorded.
    ///
    /// - Returns: False if no state was recorded. Nothing is undone in that case.
    func undoToSnapshot() throws -> Bool
}

extension StoreTransaction {
    package func lock(_ rows: FetchSpecification) throws {}

    package func commit() throws { try commit(after: nil) }
}

/// An object at the other end of a to-many relationship.
package struct StoreMember: Sendable, Hashable {
    package var owner: Int64
    package var destination: RowID
    package var orderKey: Int64?

    init(owner: Int64, destination: RowID, orderKey: Int64?) {
        self.owner = owner
        self.destination = destination
        self.orderKey = orderKey
    }
}
