import SwormStore
import SwormPredicates

/// The request of one call of a container to use the stores of its context, which waits without blocking a thread.
package final class StoreRequest: Sendable {
    private struct Content: Sendable {
        var admission = StoreAdmission()
        var failure: (any Error)?
        var isCancelled = false
        /// The request at the hub for which the call is waiting.
        var ticket: (hub: FileHub, ticket: HubState.Ticket)?
        /// The number of stores that have answered.
        var answers = 0
    }

    private let stores: [SQLiteStore]
    package let isWriting: Bool
    private let deadline: ContinuousClock.Instant?
    private let content = Locked(Content())

    /// - Parameters:
    ///   - stores: The stores of the call's context.
    ///   - isWriting: Whether the call holds the turn from its start.
    ///   - deadline: The time at which to give up, unless the timeout of a store is earlier.
    package init(_ stores: [NSPersistentStore], isWriting: Bool, deadline: ContinuousClock.Instant?) {
        self.stores = StoreAdmission.withHubs(stores)
        self.isWriting = isWriting
        self.deadline = deadline
    }

    /// Requests admission to the stores, one after the other.
    ///
    /// - Parameter action: Called once when ``admission()`` has a result, either immediately or on the thread that ends
    ///   the wait, which should not be blocked. The argument is whether the stores may be used.
    package func begin(_ action: @escaping @Sendable (_ isAdmitted: Bool) -> Void) {
        let (index, isAdmitted) = content.withLock { content in
            if content.isCancelled { content.failure = content.failure ?? CancellationError() }
            return (content.failure == nil ? content.answers : stores.count, content.failure == nil)
        }
        guard index < stores.count else { return action(isAdmitted) }
        let store = stores[index]
        let part = store.part(isWriting)
        let ticket = part.hub.admit(isTurn: part.isTurn, until: store.end(deadline)) { [self] outcome in
            content.withLock { content in
                content.answers += 1
                content.ticket = nil
                switch outcome {
                case .granted: content.admission.parts.append(part)
                case .cancelled: content.failure = CancellationError()
                case .timedOut:
                    content.failure = part.isTurn ? CoreDataError.turnIsTaken : CoreDataError.slotsAreTaken
                }
            }
            begin(action)
        }
        guard let ticket else { return }
        let isCancelled = content.withLock { content in
            if content.answers == index { content.ticket = (part.hub, ticket) }
            return content.isCancelled
        }
        if isCancelled { part.hub.cancelAdmission(ticket) }
    }

    /// Ends the wait. May be called from any thread.
    package func cancel() {
        let ticket = content.withLock { content in
            content.isCancelled = true
            return content.ticket
        }
        if let ticket { ticket.hub.cancelAdmission(ticket.ticket) }
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
