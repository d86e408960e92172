import SwormStore

/// The permission of one call of a container to use the stores of its context: a slot for reading of each file, or the
/// turn, and for an asynchronous call a seat of each store on a server.
package struct StoreAdmission: Sendable {
    struct Part: Sendable {
        let hub: FileHub
        let isTurn: Bool
    }

    var parts: [Part] = []
    var seats: [any StoreSeat] = []

    /// The seat on whose thread the call runs; nil for a call that uses files.
    var ownSeat: (any StoreSeat)? { parts.isEmpty ? seats.first : nil }

    /// Notes that the calling thread runs the call. Required only after an asynchronous admission.
    package func adopt() {
        for part in parts { part.hub.adopt(isTurn: part.isTurn) }
        for seat in seats { seat.adopt() }
    }

    /// Ends the call. Must be called on the thread that runs the call.
    package func leave() {
        for seat in seats { seat.leave() }
        for part in parts.reversed() { part.hub.leave(isTurn: part.isTurn) }
    }

    /// Ends an asynchronous admission that no thread has adopted.
    package func abandon() {
        for seat in seats { seat.leave() }
        for part in parts.reversed() { part.hub.abandon(isTurn: part.isTurn) }
    }

    /// Waits on the calling thread until a call may use stores.
    ///
    /// - Parameters:
    ///   - stores: The stores of the call's context.
    ///   - isWriting: Whether the call holds the turn from its start.
    ///   - deadline: The time at which to give up, unless the timeout of a store is earlier.
    /// - Throws: ``CoreDataError`` with the condition `timedOut` or `wouldDeadlock`.
    package static func enter(
        _ stores: [NSPersistentStore], isWriting: Bool, deadline: @autoclosure () -> ContinuousClock.Instant?
    ) throws -> StoreAdmission {
        var admission = StoreAdmission()
        do {
            for store in withHubs(stores) {
                let part = store.part(isWriting)
                try part.hub.enter(isTurn: part.isTurn, until: store.end(deadline()))
                admission.parts.append(part)
            }
        } catch {
            admission.leave()
            throw error
        }
        return admission
    }

    /// Returns the stores that have hubs, always in the same order.
    static func withHubs(_ stores: [NSPersistentStore]) -> [SQLiteStore] {
        if stores.count == 1 { return (stores[0].objectStore as? SQLiteStore).map { [$0] } ?? [] }
        return stores.compactMap { $0.objectStore as? SQLiteStore }.sorted { $0.identifier < $1.identifier }
    }

    /// Returns the stores that have seats, always in the same order.
    ///
    /// - Parameter hubs: The number of stores that have hubs.
    static func withSeats(_ stores: [NSPersistentStore], besides hubs: Int) -> [any SeatedStore] {
        guard stores.count > hubs else { return [] }
        return stores.compactMap { $0.objectStore as? any SeatedStore }.sorted { $0.identifier < $1.identifier }
    }
}

extension SQLiteStore {
    func part(_ isWriting: Bool) -> StoreAdmission.Part { .init(hub: hub, isTurn: isWriting || takesTurns) }

    /// Returns the time at which a call that starts to wait now gives up.
    func end(_ deadline: ContinuousClock.Instant?) -> ContinuousClock.Instant {
        let end = ContinuousClock.now + .seconds(options.busyTimeout)
        return deadline.map { min($0, end) } ?? end
    }
}
