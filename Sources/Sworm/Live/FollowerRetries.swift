import Dispatch

/// The attempts of a task that follows a request: a failed one is repeated after the next commit, or after a pause that
/// doubles with each failure.
struct FollowerRetries {
    private static var shortestPause: Duration { .seconds(1) }
    private static var longestPause: Duration { .seconds(60) }

    private let container: PersistentContainer
    private let clock: any Clock<Duration>
    private var pause = shortestPause
    private var commits: CommitSignal?

    init(_ container: PersistentContainer, _ clock: any Clock<Duration> = ContinuousClock()) {
        (self.container, self.clock) = (container, clock)
    }

    /// Begins an attempt. A commit that comes later ends the wait after it.
    func begin() { commits?.clear() }

    /// Notes that an attempt has succeeded.
    mutating func succeed() { (pause, commits) = (Self.shortestPause, nil) }

    /// Waits for the next attempt.
    mutating func wait() async {
        let signal: CommitSignal
        if let commits {
            signal = commits
        } else {
            // It may wait for a server, for which a thread of the tasks is not held.
            signal = await withCheckedContinuation { [container] continuation in
                DispatchQueue.global().async { continuation.resume(returning: CommitSignal(container)) }
            }
        }
        commits = signal
        await signal.wait(atMost: pause, clock)
        pause = min(pause * 2, Self.longestPause)
    }

    /// Whether another attempt would fail too: the container is closed, or the request is invalid.
    static func isFinal(_ error: any Error) -> Bool {
        StoreError.Code.storeClosed ~= error || StoreError.Code.invalidRequest ~= error
    }
}

/// A signal that is set by each commit to the stores of a container, and when the container is resumed or closed.
private final class CommitSignal: Sendable {
    private let container: PersistentContainer
    private let signal: ChangeSignal
    private let listening: CommitListening?

    init(_ container: PersistentContainer) {
        let signal = ChangeSignal()
        self.container = container
        self.signal = signal
        // Without a context, only the time is left.
        let context = try? container.makeContext()
        listening = context.map { context in
            context.performAndWait { context.listenToCommits { _ in signal.set() } }
        }
        container.feeds.add(signal)
    }

    deinit {
        container.feeds.remove(signal)
        listening?.end()
    }

    func clear() { signal.clear() }

    /// Waits until the signal is set, time has passed, or the task is cancelled.
    func wait(atMost duration: Duration, _ clock: any Clock<Duration>) async {
        let signal = signal
        let sleep = Task {
            // A sleep that is cancelled must not set the signal.
            if (try? await clock.sleep(for: duration)) != nil { signal.set() }
        }
        await signal.wait(isolation: nil)
        sleep.cancel()
    }
}
