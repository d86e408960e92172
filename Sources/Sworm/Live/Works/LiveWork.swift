import SwormPredicates

/// Something that a center keeps up to date. Its members are called on the center's queue.
protocol LiveWork: AnyObject, Sendable {
    /// The container of the store.
    var container: any LiveContainer { get }

    /// The part of the store on which the result depends. It may change with each refresh.
    var region: TrackedRegion { get }

    /// Determines the region before the first read.
    func prepare(in context: ManagedObjectContext) throws

    /// Reads the result if the changes of the snapshot may have changed it, and delivers it if it is another one.
    func refresh(in snapshot: LiveSnapshot) throws

    /// Ends the work with an error.
    func fail(_ error: any Error)
}

/// A work whose rows several consumers may receive.
protocol SharedLiveWork<Rows>: LiveWork {
    associatedtype Rows: Sendable

    /// Adds a consumer, which receives the current rows if they were read already.
    func add(_ consumer: LiveConsumer<Rows>, _ id: ObjectIdentifier)

    /// Removes a consumer.
    ///
    /// - Returns: Whether no consumer is left.
    func remove(_ id: ObjectIdentifier) -> Bool
}

/// A consumer of the rows of a work.
struct LiveConsumer<Rows: Sendable>: Sendable {
    var deliver: @Sendable (Rows) -> Void
    var fail: @Sendable (any Error) -> Void
}

/// A container with live requests, as its center and its works use it.
protocol LiveContainer: AnyObject, Sendable {
    var live: LiveCenter { get }

    /// Runs a closure that reads one snapshot of the store.
    func readSnapshot(_ body: (ManagedObjectContext) throws -> Void) throws
}

/// A weak reference to a work.
struct WeakWork: Sendable {
    weak var work: (any LiveWork)?
}
