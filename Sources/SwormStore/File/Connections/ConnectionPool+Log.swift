import Foundation
import SwormSQLite
import SwormRows
import SwormPredicates

// The maintenance of the write-ahead log, which keeps it short while calls read and write.
extension ConnectionPool {
    /// The longest time for which new readers are blocked, so that the log can restart.
    static let gateTime = Duration.milliseconds(250)
    /// The same for a log that is twice as long as it should be. On a busy machine, readers take longer than the normal
    /// time.
    private static let longGateTime = Duration.seconds(2)
    /// The time in seconds to wait for writes and snapshots of other processes, normally and with a log that is twice
    /// too long. A shorter time would rarely be enough for a process that writes all the time, or for one that reads
    /// for a second.
    private static let (othersTime, longOthersTime) = (0.15, 1.5)
    /// The same if waiting is pointless.
    private static let leastOthersTime = 0.05
    /// The age from which a snapshot of this process is not expected to end within these times.
    private static let keptView = Duration.seconds(1)
    /// The time for which a snapshot may be held before it is reported as the reason for a long log.
    private static let longView = Duration.seconds(10)

    /// Moves pages of the log into the file, or restarts the log, if it is time to do so. Called by the holder of the
    /// turn after each write. The write does not wait for the work, because it takes as long as many writes.
    func keepLog(_ connection: StoreConnection) {
        guard kind == .writerAndReaders, let frames = connection.base.takeLogFrames() else { return }
        let action = hub.committed(frames: frames)
        if action == .nothing { return }
        let (isUrgent, isRestarting) = hub.log.withLock { ($0.isUrgent(frames: frames), $0.isRestarting) }
        // An attempt to restart the log needs the checkpoint turn, so a move that is queued behind it must not hold
        // that turn.
        let isBehind = isRestarting && action != .restart
        let isMoving = !isUrgent && !isBehind && hub.checkpoints.takeAfterCommit()
        if isMoving || action == .restart {
            upkeep.async { [weak self, hub] in
                if isMoving {
                    self?.moveLogBesideWrites()
                    hub.checkpoints.end()
                }
                guard action == .restart else { return }
                self?.restartLog(frames: frames, isUrgent: isUrgent) ?? hub.restarted(false)
            }
        }
        // The log must not grow faster than its pages are moved.
        if !isMoving { moveLog(connection) }
    }

    /// Moves the pages in the log that no snapshot needs. Called by the holder of the turn.
    private func moveLog(_ connection: StoreConnection) {
        _ = try? hub.checkpoints.run(until: end(nil)) { try connection.base.checkpoint(.passive) }
    }

    /// Moves these pages on a connection for reading, while calls read and write.
    private func moveLogBesideWrites() {
        let taken = condition.withLock { () -> (idle: StoreConnection?, view: Int)? in
            shutReason == nil ? (idle.popLast(), open.add(isAdmitted: true, nil, now: .now).number) : nil
        }
        guard let taken else { return }
        do {
            let connection = try taken.idle ?? makeIdleReader()
            connection.view = taken.view
            connection.serve(nil, watch: nil)
            condition.withLock { mover = connection }
            _ = try? connection.base.checkpoint(.passive)
            condition.withLock { mover = nil }
            giveBack(connection)
        } catch {
            condition.withLock { open.remove(taken.view) }
        }
    }

    private func restartLog(frames: Int, isUrgent: Bool) {
        let end = ContinuousClock.now + (isUrgent ? Self.longGateTime : Self.gateTime)
        let isDone = try? hub.withoutReaders(until: end) {
            let isDone = try withWriter { connection in
                // Views of contexts that the user created, and other processes, are not stopped by the gate.
                try hub.checkpoints.run(until: end) {
                    try connection.checkpoint(.restart, within: othersTime(isUrgent: isUrgent, until: end))
                } != nil
            }
            if isDone { logRestarted?() }
            return isDone
        }
        if isDone != true {
            _ = try? withWriter { moveLog($0) }
            warnOfLongView(frames: frames)
        }
        // This is the last step: from now on, other checkpoints can queue behind this one.
        hub.restarted(isDone ?? false)
    }

    /// Returns the time in seconds to wait for other processes while no call in this process reads or writes.
    private func othersTime(isUrgent: Bool, until end: ContinuousClock.Instant) -> Double {
        let now = Moment.now
        // The gate does not stop a snapshot that is held by a context that the user created.
        let isKept = condition.withLock { open.oldest.map { now - $0.since > Self.keptView } ?? false }
        if isKept { return Self.leastOthersTime }
        return max(Self.leastOthersTime, min(isUrgent ? Self.longOthersTime : Self.othersTime, end.secondsLeft))
    }

    // MARK: Warnings

    /// Reports the snapshot that keeps the log from restarting, once for each snapshot.
    private func warnOfLongView(frames: Int) {
        let now = Moment.now
        let view = condition.withLock { () -> OpenViews.View? in
            guard let view = open.oldest, now - view.since > Self.longView, view.number != lastLongView else {
                return nil
            }
            lastLongView = view.number
            return view
        }
        guard let view else { return }
        let owner = view.token?.name.map { "the context '\($0)'" } ?? "a context without a name"
        warnings.report(
            CoreDataError(
                NSPersistentStoreOperationError,
                "The log of the store '\(path)' has \(frames) pages and cannot be reset: \(owner) has held a snapshot for \((now - view.since).components.seconds) seconds. End the call that reads it, or move the context to a newer query generation."
            ))
    }

    func warnOfPins() {
        warnings.report(
            CoreDataError(
                NSPersistentStoreOperationError,
                "More than \(OpenViews.usualPins) contexts hold a snapshot of the store '\(path)' outside of any call. Each holds a connection and keeps the log from being reset. Release the snapshots with `setQueryGenerationFrom(nil)`."
            ))
    }

    private var path: String { file?.path ?? "in memory" }
}
