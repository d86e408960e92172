/// Whether the task behind a scheduled piece of work was cancelled.
final class Cancellation: Sendable {
    private enum Moment { case before, during, after }

    private struct State {
        var moment = Moment.before
        var isCancelled = false
        var hasInterrupted = false
    }

    private let state = Locked(State())
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Notes the cancellation, and stops what the work is reading. May be called from any thread.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            // The context may be shared: what others do with it before or after is theirs.
            guard state.moment == .during else { return }
            state.hasInterrupted = true
            Engine.interrupt(context)
        }
    }

    /// The work begins, unless it was cancelled.
    func begin() throws {
        try check()
        state.withLock { $0.moment = .during }
        try check()
    }

    /// The work has ended: from now on nothing is stopped any more.
    func end() {
        state.withLock { state in
            state.moment = .after
            if state.hasInterrupted { Engine.resume(context) }
        }
    }

    func check() throws {
        if isCancelled { throw CancellationError() }
    }
}
