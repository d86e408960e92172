/// The work of results that follow a request: it delivers the rows, and subscribes again after an error.
///
/// A failed request is tried again after the next commit, or after a pause that doubles with each failure. If the container
/// is closed or the request is invalid, another attempt would fail too, and the work ends.
struct LiveFollower<Rows: Sendable>: Sendable {
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
        var retries = FollowerRetries(container, clock)
        while !Task.isCancelled {
            retries.begin()
            let mailbox = subscribe()
            do {
                while let rows = try await mailbox.next(isolation: nil) {
                    let update = Update(rows: rows, previous: shown, changes: changes(rows, shown))
                    guard await deliver(.success(update)) else { return mailbox.end() }
                    shown = rows
                    retries.succeed()
                }
                return
            } catch {
                mailbox.end()
                guard await deliver(.failure(error)), !FollowerRetries.isFinal(error) else { return }
            }
            await retries.wait()
        }
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
