import Dispatch
import SwormSQLite
import SwormRows
import SwormPredicates

/// The turn for the checkpoints of one file. If two checkpoints run concurrently, SQLite fails the second one
/// immediately, regardless of its timeout.
///
/// A checkpoint may run concurrently with writes only if it starts while pages are left to be moved. On a log that has
/// been moved completely, it could read the log's length, and then move pages of a log that a write has just restarted,
/// which is a bug in many versions of SQLite. All other checkpoints run with the turn for writing, which prevents this.
final class CheckpointTurn: Sendable {
    private struct State: Sendable {
        var begun = 0
        var isRunning = false
        /// The number of checkpoints that had started when the latest write started, or nil if a checkpoint was
        /// running.
        var begunBeforeWrite: Int?
    }

    private let free = DispatchSemaphore(value: 1)
    private let state = Locked(State())

    /// Notes that a write starts. Called by the holder of the turn for writing.
    func writeBegins() {
        state.withLock { $0.begunBeforeWrite = $0.isRunning ? nil : $0.begun }
    }

    /// Takes the turn for a checkpoint that runs concurrently with the following writes. Called by the holder of the
    /// turn for writing, after a commit.
    ///
    /// - Returns: Whether the turn was taken. It is taken only if pages are left to be moved, because no checkpoint has
    ///   run since the write started.
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

    /// Runs a checkpoint after the running one has ended. Called by the holder of the turn for writing.
    ///
    /// - Returns: The result, or nil if the time is over.
    func run<R>(until end: ContinuousClock.Instant, _ body: () throws -> R) rethrows -> R? {
        guard free.wait(timeout: .now() + max(0, min(end.secondsLeft, 1e8))) == .success else { return nil }
        state.withLock { ($0.begun, $0.isRunning) = ($0.begun + 1, true) }
        defer { self.end() }
        return try body()
    }

    /// Ends a turn that ``takeAfterCommit()`` has taken.
    func end() {
        state.withLock { $0.isRunning = false }
        free.signal()
    }
}
