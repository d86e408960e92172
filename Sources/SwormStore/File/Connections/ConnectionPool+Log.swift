import Foundation
import SwormSQLite
import SwormRows
import SwormPredicates

// The write-ahead log: how it is kept short while calls read and write.
extension ConnectionPool {
    /// How long new readers are kept out at most, so that the log can begin anew.
    static let gateTime = Duration.milliseconds(250)
    /// The same for a log that is twice as long as it should be: on a busy machine readers take longer than that.
    private static let longGateTime = Duration.seconds(2)
    /// How long writes and snapshots of other processes are waited for, in seconds, and with such a log. Less would rarely be enough
    /// for a process that writes all the time, or for one that reads for a second.
    private static let (othersTime, longOthersTime) = (0.15, 1.5)
    /// The same where that is in vain.
    private static let leastOthersTime = 0.05
    /// How old a snapshot of this process is that will not end in these times.
    private static let keptView = Duration.seconds(1)
    /// How long a snapshot may be held before it is named as the reason for a long log.
    private static let longView = Duration.seconds(10)

    /// Has pages of the log moved into the file, or the log begun anew, when it is time to. Called with the turn, after each
    /// write, which does not wait for it: it takes as long as many writes.
    func keepLog(_ connection: StoreConnection) {
        guard kind == .writerAndReaders, let frames = connection.base.takeLogFrames() else { return }
        let action = hub.committed(frames: frames)
        if action == .nothing { return }
        let (isUrgent, isRestarting) = hub.log.withLock { ($0.isUrgent(frames: frames), $0.isRestarting) }
        // An attempt to begin the log anew needs the turn of checkpoints: a move that is queued behind it must not have it.
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

    /// Moves the pages that no snapshot needs in the log, with the turn.
    private func moveLog(_ connection: StoreConnection) {
        _ = try? hub.checkpoints.run(until: end(nil)) { try connection.base.checkpoint(.passive) }
    }

    /// Moves the same pages on a connection for reading, while calls read and write.
    private func moveLogBesideWrites() {
        let taken = condition.withLock { () -> (idle: StoreConnection?, view: Int)? in
            shutReason == nil ? (idle.popLast(), open.add(isAdmitted: true, nil, now: .now).number) : nil
        }
        guard let taken else { return }
        do {
            let connection = try taken.idle ?? makeMover()
            connection.view = taken.view
            connection.serve(nil, nil)
            condition.withLock { mover = connection }
            _ = try? connection.base.checkpoint(.passive)
            condition.withLock { mover = nil }
            giveBack(connection)
        } catch {
            condition.withLock { open.remove(taken.view) }
        }
    }

    private func makeMover() throws -> StoreConnection {
        try checkFile()
        let connection = counted(try makeReader())
        // A connection that has not read anything knows of no log.
        try connection.pin()
        connection.unpin()
        // The path may have come to lead to another file.
        try checkFile()
        return connection
    }

    private func restartLog(frames: Int, isUrgent: Bool) {
        let end = ContinuousClock.now + (isUrgent ? Self.longGateTime : Self.gateTime)
        let isDone = try? hub.withoutReaders(until: end) {
            let isDone = try withWriter { connection in
                // Views of the user's own and other processes pass no gate.
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
        // The last: from now on other checkpoints are queued behind this one.
        hub.restarted(isDone ?? false)
    }

    /// How long other processes are waited for, in seconds, while nobody here reads or writes.
    private func othersTime(isUrgent: Bool, until end: ContinuousClock.Instant) -> Double {
        let now = Moment.now
        // A snapshot that a context of the user's own keeps passes the gate.
        let isKept = condition.withLock { open.oldest.map { now - $0.since > Self.keptView } ?? false }
        if isKept { return Self.leastOthersTime }
        return max(Self.leastOthersTime, min(isUrgent ? Self.longOthersTime : Self.othersTime, end.secondsLeft))
    }

    // MARK: Warnings

    /// Names the snapshot that keeps the log from beginning anew, once for each.
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
        let owner = view.token?.name.map { "the context “\($0)”" } ?? "a context without a name"
        warnings.report(
            CoreDataError(
                NSPersistentStoreOperationError,
                "The log of the store “\(path)” has \(frames) pages and cannot begin anew: a snapshot has been held for \((now - view.since).components.seconds) seconds, by \(owner). End the call that reads it, or let the context go on to a newer state."
            ))
    }

    func warnOfPins() {
        warnings.report(
            CoreDataError(
                NSPersistentStoreOperationError,
                "More than \(OpenViews.usualPins) contexts hold a snapshot of the store “\(path)” outside of any call. Each holds a connection, and keeps the log from beginning anew. Let them go on with setQueryGenerationFrom(nil)."
            ))
    }

    private var path: String { file?.path ?? "in memory" }
}
