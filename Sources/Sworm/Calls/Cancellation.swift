import SwormPredicates

/// Whether the task behind a scheduled piece of work was cancelled.
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

    /// Notes the cancellation, and stops what the work is reading. May be called from any thread.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            // The context may be shared: what others do with it before or after is theirs.
            guard state.moment == .during, let context = state.context else { return }
            state.hasInterrupted = true
            Engine.interrupt(context)
        }
    }

    /// The work begins in a context, unless it was cancelled.
    func begin(in context: NSManagedObjectContext) throws {
        try check()
        state.withLock { ($0.moment, $0.context) = (.during, context) }
        try check()
    }

    /// The work has ended: from now on nothing is stopped any more.
    func end() {
        state.withLock { state in
            state.moment = .after
            if state.hasInterrupted, let context = state.context { Engine.resume(context) }
            state.context = nil
        }
    }

    func check() throws {
        if isCancelled { throw CancellationError() }
    }
}
