package import SwormStore
import SwormPredicates

/// The request of one call of a container to use the stores of its context, which waits without blocking a thread.
package final class StoreRequest: Sendable {
    /// The request for which the call is waiting.
    private enum Wait: Sendable {
        case hub(FileHub, HubState.Ticket)
        case seat(@Sendable () -> Void)

        func cancel() {
            switch self {
            case .hub(let hub, let ticket): hub.cancelAdmission(ticket)
            case .seat(let cancel): cancel()
            }
        }
    }

    private struct Content: Sendable {
        var admission = StoreAdmission()
        var failure: (any Error)?
        var isCancelled = false
        var wait: Wait?
        /// The number of stores that have answered.
        var answers = 0
    }

    private let stores: [SQLiteStore]
    private let servers: [any SeatedStore]
    package let isWriting: Bool
    private let locksRows: Bool
    private let deadline: ContinuousClock.Instant?
    private let content = Locked(Content())

    /// - Parameters:
    ///   - stores: The stores of the call's context.
    ///   - isWriting: Whether the call holds the turn from its start.
    ///   - locksRows: Whether a call that writes locks only some rows, in a store that can do that.
    ///   - deadline: The time at which to give up, unless the timeout of a store is earlier.
    package init(
        _ stores: [NSPersistentStore], isWriting: Bool, locksRows: Bool, deadline: ContinuousClock.Instant?
    ) {
        self.stores = StoreAdmission.withHubs(stores)
        servers = StoreAdmission.withSeats(stores, besides: self.stores.count)
        self.isWriting = isWriting
        self.locksRows = locksRows
        self.deadline = deadline
    }

    /// Requests admission to the stores, one after the other.
    ///
    /// - Parameter action: Called once when ``admission()`` has a result, either immediately or on the thread that ends
    ///   the wait, which should not be blocked. The argument is whether the stores may be used.
    package func begin(_ action: @escaping @Sendable (_ isAdmitted: Bool) -> Void) {
        let count = stores.count + servers.count
        let (index, isAdmitted) = content.withLock { content in
            if content.isCancelled { content.failure = content.failure ?? CancellationError() }
            return (content.failure == nil ? content.answers : count, content.failure == nil)
        }
        guard index < count else { return action(isAdmitted) }
        let request = index < stores.count ? enter(stores[index], action) : sit(servers[index - stores.count], action)
        guard let request else { return }
        let isCancelled = content.withLock { content in
            if content.answers == index { content.wait = request }
            return content.isCancelled
        }
        if isCancelled { request.cancel() }
    }

    private func enter(_ store: SQLiteStore, _ action: @escaping @Sendable (Bool) -> Void) -> Wait? {
        let part = store.part(isWriting)
        let ticket = part.hub.admit(isTurn: part.isTurn, until: store.end(deadline)) { [self] outcome in
            content.withLock { content in
                content.answers += 1
                content.wait = nil
                switch outcome {
                case .granted: content.admission.parts.append(part)
                case .cancelled: content.failure = CancellationError()
                case .timedOut:
                    content.failure = part.isTurn ? CoreDataError.turnIsTaken : CoreDataError.slotsAreTaken
                }
            }
            begin(action)
        }
        return ticket.map { .hub(part.hub, $0) }
    }

    private func sit(_ store: any SeatedStore, _ action: @escaping @Sendable (Bool) -> Void) -> Wait? {
        let cancel = store.reserveSeat(takingTurn: isWriting && !locksRows, until: deadline) { [self] answer in
            content.withLock { content in
                content.answers += 1
                content.wait = nil
                switch answer {
                case .success(let seat): content.admission.seats.append(seat)
                case .failure(let error): content.failure = error
                }
            }
            begin(action)
        }
        return cancel.map { .seat($0) }
    }

    /// Ends the wait. May be called from any thread.
    package func cancel() {
        let wait = content.withLock { content in
            content.isCancelled = true
            return content.wait
        }
        wait?.cancel()
    }

    /// The seat on whose thread the admitted call runs; nil for one that uses files.
    package var seat: (any StoreSeat)? {
        servers.isEmpty ? nil : content.withLock { $0.failure == nil ? $0.admission.ownSeat : nil }
    }

    /// Returns the permission that was requested.
    ///
    /// - Throws: `CancellationError`, or ``CoreDataError`` with the condition `timedOut`.
    package func admission() throws -> StoreAdmission {
        let (admission, failure) = content.withLock { ($0.admission, $0.failure) }
        guard let failure else { return admission }
        admission.abandon()
        throw failure
    }
}
