import Dispatch
import SwormSQLite
import SwormRows
import SwormPredicates

/// The turn of the checkpoints of one file: SQLite ends the second one of two at once, however long it may wait.
///
/// A checkpoint may run beside writes only where it begins while pages are left to be moved. On a log that is moved as a whole, it
/// could read the log's length, and then move pages of a log that a write has just begun anew: a fault of many versions of
/// SQLite. All other checkpoints run with the turn for writing, which excludes that.
final class CheckpointTurn: Sendable {
    private struct State: Sendable {
        var begun = 0
        var isRunning = false
        /// The number of checkpoints that had begun when the latest write began; nil where one was running.
        var begunBeforeWrite: Int?
    }

    private let free = DispatchSemaphore(value: 1)
    private let state = Locked(State())

    /// Notes that a write begins. Called with the turn for writing.
    func writeBegins() {
        state.withLock { $0.begunBeforeWrite = $0.isRunning ? nil : $0.begun }
    }

    /// Takes the turn for a checkpoint beside the writes that follow. Called with the turn for writing, after a commit.
    ///
    /// - Returns: Whether it was taken: pages are left to be moved, as no checkpoint has run since the write began.
    func takeAfterCommit() -> Bool {
        guard free.wait(timeout: .now()) == .success else { return false }
        let isTaken = state.withLock { state in
            guard state.begunBeforeWrite == state.begun else { return false }
            state.begun += 1
            state.isRunning = true
            return true
        }
        if !isTaken { free.signal() }
        return isTaken
    }

    /// Runs a checkpoint when the one that runs has ended. Called with the turn for writing.
    ///
    /// - Returns: The result; nil where the time is over.
    func run<R>(until end: ContinuousClock.Instant, _ body: () throws -> R) rethrows -> R? {
        guard free.wait(timeout: .now() + max(0, min(end.secondsLeft, 1e8))) == .success else { return nil }
        state.withLock { ($0.begun, $0.isRunning) = ($0.begun + 1, true) }
        defer { self.end() }
        return try body()
    }

    /// Ends a turn that ``takeAfterCommit()`` gave.
    func end() {
        state.withLock { $0.isRunning = false }
        free.signal()
    }
}
