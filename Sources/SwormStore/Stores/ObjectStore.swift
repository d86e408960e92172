package import Foundation
package import SwormRows

/// The interface of all stores. A store works with a model, requests and rows, and never with managed objects.
///
/// A store can be called from any thread, and does its own locking.
package protocol ObjectStore: AnyObject, Sendable {
    /// The identifier in the URIs of this store's objects: an uppercase UUID string.
    var identifier: String { get }
    var model: CompiledModel { get }
    var isReadOnly: Bool { get }
    /// The reason why the store cannot be written, and the remedy, or nil for a store that can be written.
    var readOnlyReason: String? { get }
    /// The metadata in the form in which the store keeps them, including `NSStoreUUID` and `NSStoreType`.
    var metadata: [String: Any] { get }

    /// Replaces the application's part of the metadata, which is written with the next save.
    ///
    /// - Throws: ``CoreDataError`` if a value cannot be represented in a property list.
    func setMetadata(_ metadata: [String: Any]) throws

    /// Whether metadata were replaced that are not written yet.
    var hasNewMetadata: Bool { get }

    /// Whether an open view keeps the external files of its rows, even if its own thread replaces them.
    var viewsKeepFiles: Bool { get }

    /// Begins a view of the store that does not change until it ends.
    ///
    /// - Parameter token: Stops the view's reads, and the wait for the view.
    func beginSession(_ token: InterruptToken?) throws -> any StoreSession

    /// Begins a view that no transaction continues, so that a server may know that it only reads.
    func beginReading(_ token: InterruptToken?) throws -> any StoreSession

    /// Reserves primary keys for objects of an entity hierarchy, and returns the first key.
    func reserveKeys(root: Int, count: Int, _ token: InterruptToken?) throws -> Int64

    /// Writes all changes in one transaction, or nothing.
    ///
    /// - Parameter token: Stops the work before its commit, and the wait for it.
    /// - Throws: ``SaveConflicts``, ``LinkConflicts`` or ``UniquenessConflicts`` if the file does not contain what the
    ///   context has read, or ``CoreDataError`` for errors that a merge policy cannot resolve.
    @discardableResult
    func save(_ request: SaveRequest, token: InterruptToken?) throws -> SaveResult

    /// Writes all changes in one transaction, or nothing, and ends a view of this store.
    ///
    /// The transaction may be that of the view. A row that was changed since the view began is a conflict only if it would be
    /// one for ``save(_:token:)``.
    func save(
        _ request: SaveRequest, continuing view: any StoreSession, token: InterruptToken?
    ) throws -> SaveResult

    /// The reason why statements that bypass a context's objects cannot write rows, or nil if they can.
    var batchRefusal: String? { get }

    /// Begins a transaction for several writes and reads. Other writers of the store wait until it has ended.
    ///
    /// - Parameter token: Stops the work of the transaction before its commit, and the wait for it.
    func beginTransaction(_ token: InterruptToken?) throws -> any StoreTransaction

    /// Begins a transaction that has locked the rows of a request, if the store can lock single rows, so that other
    /// writers wait only for these. Otherwise all other writers wait until it has ended.
    func beginTransaction(locking rows: FetchSpecification, _ token: InterruptToken?) throws -> any StoreTransaction

    /// Begins a transaction that reads and writes one state, which the first read determines, as if no other transaction ran
    /// beside it. A store in which writers wait for each other takes the lock of writers.
    func beginSerializableTransaction(_ token: InterruptToken?) throws -> any StoreTransaction

    /// Begins a transaction in the snapshot of a view of this store, and replaces the view.
    ///
    /// - Throws: ``CoreDataError`` with the condition ``StoreCondition/conflict`` if there was a commit after the view
    ///   began, or the errors of ``beginTransaction(_:)``. The view can still be used after an error.
    func beginTransaction(
        from session: any StoreSession, _ token: InterruptToken?
    ) throws -> any StoreTransaction

    /// The reason why no part of the history can be deleted, and the remedy, or nil if it can.
    var historyDeletionRefusal: String? { get }

    /// Deletes the transactions of the history before a position, and the data that only these transactions use.
    ///
    /// - Returns: False if the store keeps no history.
    func deleteHistory(before bound: HistoryBound) throws -> Bool

    /// Returns the program that has committed a transaction of the history.
    func origin(ofTransaction number: Int64) -> TransactionOrigin

    /// Replaces one value of the metadata, in a transaction that reads the value from the store first.
    ///
    /// - Parameter change: Returns the new value for the present one; nil for none.
    /// - Throws: ``CoreDataError`` if a property list cannot represent the value, and the errors of the closure.
    func updateMetadata(forKey key: String, _ change: (Any?) throws -> Any?) throws

    /// Adds a listener of the commits to the store: those of this process, and those of other processes.
    ///
    /// A commit is either part of the snapshots that begin after this call, or the listener is called after it. A
    /// commit of this process is announced before the call that has committed returns; a commit of another process soon
    /// after it has become visible.
    ///
    /// - Parameter listener: A closure that returns soon and does not use the store. It is called on the threads that
    ///   commit.
    /// - Returns: A closure that removes the listener, which may still be called for a commit that is just being
    ///   announced.
    func listen(
        concerning question: CommitListeners.Question?, _ listener: @escaping CommitListeners.Listener
    ) -> @Sendable () -> Void

    /// Whether a commit of this process may have become visible that was not announced to the listeners yet.
    var isCommitting: Bool { get }

    /// Whether a commit of another process may have become visible that was not announced to the listeners yet.
    var hasForeignCommits: Bool { get }

    /// Announces the commits of other processes that have become visible, before it returns. It does nothing without
    /// listeners.
    ///
    /// - Returns: False if it is unknown whether there are such commits.
    @discardableResult
    func noticeCommits() -> Bool

    /// Adds an observer of the statements of the store's connections. It is called from the next read or save of each
    /// connection.
    ///
    /// - Returns: A number for ``removeWatch(_:)``.
    func add(_ watch: StatementWatch) -> Int

    /// Removes an observer. It may still be called for running statements.
    func removeWatch(_ number: Int)

    /// Closes the files that are not in use. Later calls throw errors.
    func close()

    /// Closes the files after the running work has ended. Later calls throw errors.
    ///
    /// - Parameter end: The time at which to give up, or nil to wait without a limit.
    func close(until end: ContinuousClock.Instant?) throws
}

/// The program that has committed a transaction.
package enum TransactionOrigin: Sendable {
    case thisStore
    /// Another store of this process that uses the same file.
    case thisProcess
    case elsewhere
}

// Stores that only lock all rows.
/// A view of a store, which reads a single state of it. A view is used by one thread at a time.
package protocol StoreSession: AnyObject {
    /// Throws the error that ``rows(_:shape:)`` would throw for an invalid request, without reading anything.
    func check(_ specification: FetchSpecification) throws

    /// Throws the error that reading an invalid projection would throw, without reading anything.
    func check(_ projection: ProjectionSpecification) throws

    /// Returns the rows that match a request, in its order.
    func rows(_ specification: FetchSpecification, shape: RowShape) throws -> RowBuffer

    /// Returns the rows with the given keys, in an unspecified order. Missing keys are ignored.
    func rows(withKeys keys: [Int64], shape: RowShape) throws -> RowBuffer

    /// Returns the identities of the rows that match a request, in its order.
    func identities(_ specification: FetchSpecification) throws -> [RowID]

    /// Returns the number of rows that match a request, up to its limit.
    func count(_ specification: FetchSpecification) throws -> Int

    /// Returns the members of a to-many relationship for each of the given owners, ordered by owner, order key and
    /// primary key.
    func members(ofRelationship slot: Int, entity: Int, owners: [Int64]) throws -> [StoreMember]

    /// Returns the keys in a relationship's join table that refer to no object, with the keys of their owners. The
    /// result is empty for a relationship without a join table.
    func strayMembers(ofRelationship slot: Int, entity: Int) throws -> [(owner: Int64, key: Int64)]

    /// Returns the rows of the members in the same order, up to a limit. The cells of the shape are followed by the
    /// owner's key and the order key.
    func memberRows(
        ofRelationship slot: Int, entity: Int, owners: [Int64], shape: RowShape, limit: Int
    ) throws -> RowBuffer

    /// Returns the rows of the members of all owners between two keys, in an unspecified order. The cells of the shape
    /// are followed by the owner's key.
    ///
    /// - Parameter count: The approximate number of expected rows.
    /// - Returns: Nil if scanning the whole table would not be faster than searching for each owner.
    func memberRows(
        ofRelationship slot: Int, entity: Int, ownersBetween owners: ClosedRange<Int64>, shape: RowShape,
        expecting count: Int
    ) throws -> RowBuffer?

    /// Decodes structs directly from rows. Column 0 of the statement is the primary key; the given attribute slots
    /// follow.
    func decode<T>(_ specification: FetchSpecification, attributes: [Int], plan: borrowing RowPlan<T>) throws
        -> [T]

    /// Decodes one row at a time into memory, from which the closure must move the value.
    ///
    /// - Parameter first: The memory for the first row, in which the value stays. In that case, no further rows are
    ///   read.
    func forEach<T>(
        _ specification: FetchSpecification, attributes: [Int], plan: borrowing RowPlan<T>,
        at first: UnsafeMutablePointer<T>?, body: (UnsafeMutablePointer<T>) throws -> Void) throws

    /// Returns the rows of a level of trees.
    func rows(of level: TreeLevel, layout: RowLayout) throws -> RowMemory

    /// Calls a closure with the rows of a level of trees, at most `size` at a time.
    func forEach(of level: TreeLevel, layout: RowLayout, size: Int, body: (RowMemory) throws -> Void) throws

    /// Decodes the rows of a projection with a plan for its columns. The first of them is column 0 of the statement.
    func project<T>(_ projection: ProjectionSpecification, plan: ([ProjectedColumn]) throws -> RowPlan<T>)
        throws -> [T]

    /// Returns the rows of a projection with their stored values.
    func storedRows(_ projection: ProjectionSpecification) throws -> (
        columns: [ProjectedColumn], rows: [[StoredValue]]
    )

    /// Returns a cursor over the rows of a projection, for a reader that does not retain them.
    func cursor(_ projection: ProjectionSpecification) throws -> any ProjectionCursor

    /// Returns the statement of a request and its query plan, without reading rows.
    func explain(_ specification: FetchSpecification, as form: ExplainedForm) throws -> StatementExplanation

    /// Returns the statement of a projection and its query plan, without reading rows.
    func explain(_ projection: ProjectionSpecification) throws -> StatementExplanation

    /// Returns the content of an external binary value from the bytes of its column, as a file's rows and all projections
    /// have them.
    ///
    /// - Parameter column: The bytes of the column. Those of a file include the marker.
    func externalData(_ column: UnsafeRawBufferPointer) throws -> Data

    /// Returns the content of an external binary value of a row in whose cell a server has put only the length.
    ///
    /// - Parameters:
    ///   - row: The row, with the number of its own entity or of an ancestor that has the attribute.
    ///   - version: The version of the row that was read.
    ///   - slot: The slot of the attribute.
    /// - Throws: ``CoreDataError``, for which ``CoreDataError/isOfMissingFile`` is true if the row has another version by
    ///   now, or no longer exists.
    func externalData(ofRow row: RowID, version: Int64, slot: Int) throws -> Data

    /// Returns the transactions of the history after a position, in ascending order, or nil if the store keeps no
    /// history.
    ///
    /// - Parameter limit: The number of transactions, from the first one on; nil for all.
    func history(after bound: HistoryBound?, includingChanges: Bool, limit: Int?) throws -> [StoredTransaction]?

    /// Returns the latest transactions of the history that changed a row, the latest first, with only the changes of that
    /// row; nil if the store keeps no history.
    ///
    /// - Parameters:
    ///   - row: The row, with the number of its own entity.
    ///   - limit: The greatest number of transactions.
    func history(ofRow row: RowID, limit: Int) throws -> [StoredTransaction]?

    /// Returns the extent of the history, or nil if the store keeps no history.
    func historyExtent() throws -> HistoryExtent?

    /// Returns whether the file has triggers that are not Core Data's, whose changes no history contains.
    func hasForeignTriggers() throws -> Bool

    /// Returns a value of the metadata as it is in the store.
    func metadataValue(forKey key: String) throws -> Any?

    /// Determines the state that the view reads, if its first read would do so otherwise.
    func fixState() throws

    /// Interrupts the running read. Can be called from any thread. Has no effect after the view has ended.
    var interrupt: @Sendable () -> Void { get }

    /// Ends the view. Later calls throw errors.
    func end()
}

extension StoreSession {
    package func externalData(ofRow row: RowID, version: Int64, slot: Int) throws -> Data {
        throw CoreDataError(
            NSPersistentStoreOperationError,
            "The rows of this store contain their external data; their cells have no lengths.", condition: .unsupported)
    }

    package func fixState() throws {}
}
