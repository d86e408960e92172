/// The work of results that follow a request: it delivers the rows, and subscribes again after an error.
///
/// A failed request is tried again after the next commit, or after a pause that doubles with each failure. If the container
/// is closed or the request is invalid, another attempt would fail too, and the work ends.
struct LiveFollower<Rows: Sendable>: Sendable {
    private static var shortestPause: Duration { .seconds(1) }
    private static var longestPause: Duration { .seconds(60) }

    /// Rows that were read, and the differences from those that the results had before.
    struct Update: Sendable {
        var rows: Rows
        var previous: Rows
        var changes: ListChanges
    }

    let container: PersistentContainer
    let clock: any Clock<Duration>
    /// The rows that the results have at the start.
    let shown: Rows
    let subscribe: @Sendable () -> Mailbox<Rows>
    /// Returns the differences between rows. It is called outside of the actor of the results, because lists may be long.
    let changes: @Sendable (_ rows: Rows, _ previous: Rows) -> ListChanges
    /// Delivers rows or an error, and returns whether the results still exist.
    let deliver: @Sendable (Result<Update, any Error>) async -> Bool

    func run() async {
        var shown = shown
        var pause = Self.shortestPause
        var commits: CommitSignal?
        while !Task.isCancelled {
            commits?.clear()
            let mailbox = subscribe()
            do {
                while let rows = try await mailbox.next(isolation: nil) {
                    let update = Update(rows: rows, previous: shown, changes: changes(rows, shown))
                    guard await deliver(.success(update)) else { return mailbox.end() }
                    (shown, pause, commits) = (rows, Self.shortestPause, nil)
                }
                return
            } catch {
                mailbox.end()
                guard await deliver(.failure(error)), !Self.isFinal(error) else { return }
            }
            let signal = commits ?? CommitSignal(container)
            commits = signal
            await signal.wait(atMost: pause, clock)
            pause = min(pause * 2, Self.longestPause)
        }
    }

    private static func isFinal(_ error: any Error) -> Bool {
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

/// A reference to the results that a task updates, and to their actor. The task keeps neither of them alive.
///
/// @unchecked: the results are only used on the actor.
struct LiveTarget<Results: AnyObject>: @unchecked Sendable {
    private weak var results: Results?
    private weak var actor: (any Actor)?

    init(_ results: Results, on actor: any Actor) {
        self.results = results
        self.actor = actor
    }

    /// Runs a closure with the results on their actor, unless the task is cancelled.
    ///
    /// - Returns: Whether the closure was run.
    func update(_ body: @Sendable (Results) -> Void) async -> Bool {
        guard let actor else { return false }
        return await update(body, on: actor)
    }

    private func update(_ body: @Sendable (Results) -> Void, on actor: isolated any Actor) -> Bool {
        // A task whose request was replaced is cancelled on the actor, and delivers nothing afterwards.
        guard !Task.isCancelled, let results else { return false }
        body(results)
        return true
    }
}
