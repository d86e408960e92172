package import Foundation
package import SwormRows

/// The interface of all stores. A store sees a model, requests and snapshots, and never a managed object.
///
/// A store may be called from any thread; it does its own locking.
package protocol ObjectStore: AnyObject, Sendable {
    /// The identifier in the URIs of this store's objects: an uppercase UUID string.
    var identifier: String { get }
    var model: CompiledModel { get }
    var isReadOnly: Bool { get }
    /// Why nothing can be written, and what to do about it; nil for a store that can be written.
    var readOnlyReason: String? { get }
    /// The metadata as the store keeps it, `NSStoreUUID` and `NSStoreType` included.
    var metadata: [String: Any] { get }

    /// Replaces the metadata that belongs to the application; written with the next save.
    ///
    /// - Throws: ``CoreDataError`` for a value that a property list cannot hold.
    func setMetadata(_ metadata: [String: Any]) throws

    /// Whether the files that rows name stay while a view is open that sees the rows, also while its own thread writes.
    var viewsKeepFiles: Bool { get }

    /// A view of the store that does not change until it is ended.
    ///
    /// - Parameter token: Stops what the view reads, and the wait for it.
    func beginSession(_ token: InterruptToken?) throws -> any StoreSession

    /// Reserves primary keys for objects of a hierarchy and returns the first of them.
    func reserveKeys(root: Int, count: Int, _ token: InterruptToken?) throws -> Int64

    /// Writes everything in one transaction, or nothing.
    ///
    /// - Throws: ``SaveConflicts``, ``LinkConflicts`` or ``UniquenessConflicts`` when the file holds something else than the
    ///   context has read, and ``CoreDataError`` for everything that cannot be mended by a merge policy.
    ///
    /// - Parameter token: Stops the work before its commit, and the wait for it.
    @discardableResult
    func save(_ request: SaveRequest, token: InterruptToken?) throws -> SaveResult

    /// Why rows cannot be written by statements past a context's objects; nil where they can.
    var batchRefusal: String? { get }

    /// Begins a transaction for several writes and reads. Other writers of the store wait until it has ended.
    ///
    /// - Parameter token: Stops what the transaction does before its commit, and the wait for it.
    func beginTransaction(_ token: InterruptToken?) throws -> any StoreTransaction

    /// Begins a transaction in the state that a view of this store sees, and replaces the view.
    ///
    /// - Throws: A ``CoreDataError`` with the condition ``StoreCondition/conflict`` where something else was committed since
    ///   the view began; and what ``beginTransaction(_:)`` throws. The view can be used as before then.
    func beginTransaction(
        from session: any StoreSession, _ token: InterruptToken?
    ) throws -> any StoreTransaction

    /// Deletes the transactions of the history before a position, and the data that only they use.
    ///
    /// - Returns: False for a store that keeps no history.
    func deleteHistory(before bound: HistoryBound) throws -> Bool

    /// Adds an observer of the statements of the store's connections, from the next read or save of each.
    ///
    /// - Returns: A number by which it is removed.
    func add(_ watch: StatementWatch) -> Int

    /// Removes an observer. It may still be called for statements that are running.
    func removeWatch(_ number: Int)

    /// Closes the files, as far as nobody uses them. Later calls throw.
    func close()

    /// Closes the files once the work that runs has ended. Later calls throw.
    ///
    /// - Parameter end: When to give up; nil for never.
    func close(until end: ContinuousClock.Instant?) throws
}

// Work without a token.
extension ObjectStore {
    package func beginSession() throws -> any StoreSession { try beginSession(nil) }
    func reserveKeys(root: Int, count: Int) throws -> Int64 { try reserveKeys(root: root, count: count, nil) }
    @discardableResult
    package func save(_ request: SaveRequest) throws -> SaveResult { try save(request, token: nil) }
    func beginTransaction() throws -> any StoreTransaction { try beginTransaction(nil) }
}

/// Reads of a store that see one state of it. Used by one thread at a time.
package protocol StoreSession: AnyObject {
    /// Throws what ``rows(_:shape:)`` would throw because of the request itself; reads nothing.
    func check(_ specification: FetchSpecification) throws

    /// Throws what reading a projection would throw because of the request itself; reads nothing.
    func check(_ projection: ProjectionSpecification) throws

    /// The rows that a request finds, in its order.
    func rows(_ specification: FetchSpecification, shape: RowShape) throws -> RowBuffer

    /// The rows with the given keys, in no order. Keys that are not there are passed over.
    func rows(withKeys keys: [Int64], shape: RowShape) throws -> RowBuffer

    /// The identities that a request finds, in its order.
    func identities(_ specification: FetchSpecification) throws -> [RowID]

    /// The number of rows that a request finds; a limit caps it.
    func count(_ specification: FetchSpecification) throws -> Int

    /// The objects at the other end of a to-many relationship, for each of the given owners: ordered by owner, then by order
    /// key and primary key.
    func members(ofRelationship slot: Int, entity: Int, owners: [Int64]) throws -> [StoreMember]

    /// The keys in the rows of a relationship's join table that lead to no object, with those of their owners; nothing for a
    /// relationship without such a table.
    func strayMembers(ofRelationship slot: Int, entity: Int) throws -> [(owner: Int64, key: Int64)]

    /// The rows of the same objects in the same order, up to a limit: the cells of the shape, then the owner's key and the
    /// order key.
    func memberRows(
        ofRelationship slot: Int, entity: Int, owners: [Int64], shape: RowShape, limit: Int
    ) throws -> RowBuffer

    /// The rows of the members of all owners between two keys, in any order: the cells of the shape, then the owner's key.
    ///
    /// Nil where going through the whole table would not be quicker than looking each owner up.
    ///
    /// - Parameter count: About how many rows are expected.
    func memberRows(
        ofRelationship slot: Int, entity: Int, ownersBetween owners: ClosedRange<Int64>, shape: RowShape,
        expecting count: Int
    ) throws -> RowBuffer?

    /// Structs straight from rows. Column 0 of the statement is the primary key, the given attribute slots follow.
    func decode<T>(_ specification: FetchSpecification, attributes: [Int], plan: borrowing RowPlan<T>) throws
        -> [T]

    /// Decodes one row at a time into memory that the closure must move it out of.
    ///
    /// - Parameter first: The memory for the first row, which stays there. No further rows are read then.
    func forEach<T>(
        _ specification: FetchSpecification, attributes: [Int], plan: borrowing RowPlan<T>,
        at first: UnsafeMutablePointer<T>?, body: (UnsafeMutablePointer<T>) throws -> Void) throws

    /// The rows of a projection, by a plan that is made for its columns. The first of them is column 0 of the statement.
    func project<T>(_ projection: ProjectionSpecification, plan: ([ProjectedColumn]) throws -> RowPlan<T>)
        throws -> [T]

    /// The rows of a projection as they are stored.
    func storedRows(_ projection: ProjectionSpecification) throws -> (
        columns: [ProjectedColumn], rows: [[StoredValue]]
    )

    /// Returns a cursor over the rows of a projection, for a reader that does not keep them.
    func cursor(_ projection: ProjectionSpecification) throws -> any ProjectionCursor

    /// Returns the statement of a request and its query plan. Reads no rows.
    func explain(_ specification: FetchSpecification, as form: ExplainedForm) throws -> StatementExplanation

    /// The same for a projection.
    func explain(_ projection: ProjectionSpecification) throws -> StatementExplanation

    /// The content of an external binary value, from the bytes of its column (marker included).
    func externalData(_ column: UnsafeRawBufferPointer) throws -> Data

    /// The transactions of the history after a position, in the order of their numbers; nil when the store keeps none.
    func history(after bound: HistoryBound?, includingChanges: Bool) throws -> [StoredTransaction]?

    /// How far the history reaches; nil when the store keeps none.
    func historyExtent() throws -> HistoryExtent?

    /// Stops the read that is running. It may be called from any thread, and does nothing once the view has ended.
    var interrupt: @Sendable () -> Void { get }

    /// Ends the view. Later calls throw.
    func end()
}

/// A view of the store in which its owner writes too. Ended without a commit, it leaves nothing behind.
package protocol StoreTransaction: StoreSession {
    /// Writes everything, or nothing; the transaction goes on in either case.
    ///
    /// - Throws: As ``ObjectStore/save(_:_:)``.
    func save(_ request: SaveRequest) throws -> SaveResult

    /// Updates all rows of a request, or nothing.
    func update(_ batch: BatchUpdate) throws -> BatchResult
    /// Deletes all rows of a request and what follows by their delete rules, or nothing.
    func delete(_ batch: BatchDeletion) throws -> BatchResult

    /// Reserves primary keys for objects of a hierarchy and returns the first of them.
    func reserveKeys(root: Int, count: Int) throws -> Int64

    /// Inserts rows: all of them, or none.
    ///
    /// - Throws: The error that a save of such objects would throw.
    func insert(_ batch: RowBatch) throws -> BatchCounts

    /// Inserts rows, or updates those that have the unique values already: all of it, or nothing.
    ///
    /// - Returns: Nil, with nothing done and the values not asked for, where it must be done with objects.
    func upsert(_ batch: RowBatch, by rule: UpsertRule) throws -> BatchCounts?

    /// Makes what was written the state of the store, and ends the view.
    ///
    /// - Parameter further: Commits the same work in further stores. It is called when nothing but the commit itself can
    ///   fail here any more, and nothing stops that. Nil where there are no further stores.
    func commit(after further: (() throws -> Void)?) throws

    /// Notes the present state.
    func mark() -> Int
    /// Forgets a state that was noted, and all that were noted later.
    func release(_ mark: Int) throws
    /// Goes back to a state that was noted, and forgets it.
    func undo(to mark: Int) throws

    /// Notes the state at the beginning, for ``undoToSnapshot()``. Called before the first write.
    func keepSnapshot() throws
    /// Undoes everything that was written, and goes on with the state that was noted by ``keepSnapshot()``.
    ///
    /// - Returns: False, with nothing done, where none was noted.
    func undoToSnapshot() throws -> Bool
}

extension StoreTransaction {
    package func commit() throws { try commit(after: nil) }
}

/// One object at the far end of a to-many relationship.
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
