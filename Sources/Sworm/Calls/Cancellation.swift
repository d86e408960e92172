import SwormPredicates

/// The cancellation state of the task behind a scheduled piece of work.
final class Cancellation: Sendable {
    private enum Moment { case before, during, after }

    private struct State {
        var moment = Moment.before
        var context: NSManagedObjectContext?
        var isCancelled = false
        var hasInterrupted = false
    }

    private let state = Locked(State())
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Records the cancellation, and interrupts the statement that the work is running. May be called from any thread.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            // The context may be shared: its use by other calls, before or after, must not be interrupted.
            guard state.moment == .during, let context = state.context else { return }
            state.hasInterrupted = true
            context.interruptReading()
        }
    }

    /// Records that the work starts in a context. Throws an error if the task was cancelled.
    func begin(in context: NSManagedObjectContext) throws {
        try check()
        state.withLock { ($0.moment, $0.context) = (.during, context) }
        try check()
    }

    /// Records that the work has ended: from now on a cancellation interrupts nothing.
    func end() {
        state.withLock { state in
            state.moment = .after
            if state.hasInterrupted, let context = state.context { context.resumeReading() }
            state.context = nil
        }
    }

    func check() throws {
        if isCancelled { throw CancellationError() }
    }
}
