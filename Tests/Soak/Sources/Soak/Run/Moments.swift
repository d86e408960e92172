import Synchronization

/// The moments of one call that may be cancelled.
final class Moments: Sendable {
    private struct Content: Sendable {
        var task: Task<Void, Never>?
        var cancelled: ContinuousClock.Instant?
        var closureBegan = false
        var closureEnded: ContinuousClock.Instant?
        var ended: ContinuousClock.Instant?
        /// Resumed when the closure begins, or the call ends without it.
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let content = Mutex(Content())

    /// Notes the task that makes the call.
    func begin(_ task: Task<Void, Never>) { content.withLock { $0.task = task } }

    /// Cancels the call, unless it has ended.
    func cancel() {
        let task = content.withLock { content -> Task<Void, Never>? in
            guard content.ended == nil, content.cancelled == nil, let task = content.task else { return nil }
            content.cancelled = .now
            return task
        }
        task?.cancel()
    }

    func closureBegins() {
        let waiter = content.withLock { content in
            content.closureBegan = true
            defer { content.waiter = nil }
            return content.waiter
        }
        waiter?.resume()
    }

    func closureEnds() { content.withLock { $0.closureEnded = .now } }

    func end() {
        let waiter = content.withLock { content in
            content.ended = .now
            defer { content.waiter = nil }
            return content.waiter
        }
        waiter?.resume()
    }

    /// Waits for a while, counted from now or from the beginning of the closure.
    func sleep(for delay: Duration, fromClosure: Bool) async throws {
        if fromClosure {
            await withCheckedContinuation { continuation in
                let isDone = content.withLock { content in
                    guard !content.closureBegan, content.ended == nil else { return true }
                    content.waiter = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        }
        try await Task.sleep(for: delay)
    }

    /// The time for which a cancelled call continued; nil for a call that was not cancelled.
    ///
    /// `statement` is the time until its closure had ended, which is when its last statement had: nil where it did not run then.
    var delays: (call: Double, statement: Double?)? {
        content.withLock { content in
            guard let cancelled = content.cancelled, let ended = content.ended else { return nil }
            let statement = content.closureEnded.map { ($0 - cancelled).milliseconds }
            return ((ended - cancelled).milliseconds, statement.flatMap { $0 >= 0 ? $0 : nil })
        }
    }
}
