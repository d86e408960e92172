import Dispatch
import Foundation

/// A watch over the files of a store, which calls a closure when they may have been committed to: after writes, and once a
/// second.
///
/// While this process commits often, the file is looked at regularly without events, because each event makes its own writes
/// slower.
///
/// @unchecked: the mutable state is accessed only on the queue.
final class FileWatch: @unchecked Sendable {
    private let queue = DispatchQueue(label: "Sworm file watch", qos: .userInitiated)
    /// Looks at the file, and returns whether that was possible.
    private let look: @Sendable () -> Bool
    /// Returns the number of commits of this process to the file.
    private let ownCommits: @Sendable () -> UInt64
    private var lastOwnCommits: UInt64
    private let events: FileEvents?
    private var source: (any DispatchSourceRead)?
    private var isSuspended = false
    private let timer: any DispatchSourceTimer
    private let clock: any DispatchSourceTimer
    private var schedule = WatchSchedule()
    private var isStopped = false

    /// - Parameters:
    ///   - files: The files of the store.
    ///   - ownCommits: Returns the number of commits of this process to the file.
    ///   - look: Looks at the file, on a queue of the watch, and returns whether that was possible. If it was not, it is
    ///     called again soon.
    init(
        _ files: StoreFiles, ownCommits: @escaping @Sendable () -> UInt64, look: @escaping @Sendable () -> Bool
    ) {
        self.look = look
        self.ownCommits = ownCommits
        lastOwnCommits = ownCommits()
        let names = [files.main, files.writeAheadLog, files.rollbackJournal].map { ($0 as NSString).lastPathComponent }
        events = FileEvents(folder: files.folder, names: Set(names))
        timer = DispatchSource.makeTimerSource(queue: queue)
        clock = DispatchSource.makeTimerSource(queue: queue)
    }

    deinit { stopSources() }

    /// Starts the watch, which lasts until ``stop()`` is called.
    func start() {
        timer.setEventHandler { [weak self] in self?.timePassed() }
        clock.setEventHandler { [weak self] in self?.secondPassed() }
        let second = WatchSchedule.idlePause / .seconds(1)
        clock.schedule(deadline: .now() + second, repeating: second, leeway: .milliseconds(50))
        if let events {
            let source = DispatchSource.makeReadSource(fileDescriptor: events.descriptor, queue: queue)
            source.setEventHandler { [weak self] in self?.filesWritten() }
            // The descriptor must stay open until the source is cancelled.
            source.setCancelHandler { withExtendedLifetime(events) {} }
            self.source = source
            source.activate()
        }
        timer.activate()
        clock.activate()
    }

    /// Looks at the file now, and returns whether that was possible.
    func lookNow() -> Bool {
        queue.sync {
            if isStopped || look() { return true }
            schedule.restart()
            waitForNextLook()
            return false
        }
    }

    /// Ends the watch. A look that is running ends undisturbed.
    func stop() { queue.async { self.stopSources() } }

    private func stopSources() {
        if isStopped { return }
        isStopped = true
        // A suspended source cannot be released.
        if isSuspended { source?.resume() }
        source?.cancel()
        for timer in [timer, clock] { timer.cancel() }
    }

    private func filesWritten() {
        guard !isStopped, events?.take() ?? false else { return }
        lastOwnCommits = ownCommits()
        schedule.restart()
        // Until the schedule has ended, its looks collect the events.
        if !isSuspended {
            isSuspended = true
            source?.suspend()
        }
        if !look() { schedule.restart() }
        waitForNextLook()
    }

    private func timePassed() {
        guard !isStopped else { return }
        let commits = ownCommits()
        let isCommitting = commits != lastOwnCommits
        lastOwnCommits = commits
        if let events {
            // Writes are reported again before the look. A commit whose writes came before may become visible after it,
            // so the looks go on.
            if events.take() || isCommitting || !events.reportsWrites { schedule.restart() }
            events.setReportsWrites(!isCommitting)
        }
        if !look() { schedule.restart() }
        waitForNextLook()
    }

    private func secondPassed() {
        guard !isStopped, schedule.isDone else { return }
        if look() { return }
        schedule.restart()
        waitForNextLook()
    }

    private func waitForNextLook() {
        if let pause = schedule.pause() {
            timer.schedule(deadline: .now() + pause / .seconds(1), leeway: .nanoseconds(0))
        } else if isSuspended {
            isSuspended = false
            source?.resume()
        }
    }
}
