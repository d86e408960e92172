import Dispatch
import Foundation
import SwormSQLite
import SwormRows
import SwormPredicates

/// The turn for writing and the slots for reading of one file, shared by all of its users in this process.
///
/// Stores that use the same file share a hub, regardless of their models. A store in memory has its own hub.
package final class FileHub: WaitTarget {
    private enum Waiter: Sendable {
        case thread(DispatchSemaphore)
        case call(@Sendable (Outcome) -> Void, until: ContinuousClock.Instant)
    }

    /// The outcome of a wait.
    package enum Outcome: Sendable {
        case granted, cancelled, timedOut
    }

    private struct Content: Sendable {
        var state: HubState
        var waiters: [HubState.Ticket: Waiter] = [:]
        /// The outcomes of requests that were decided before a thread waited for them.
        var decided: [HubState.Ticket: Outcome] = [:]
        /// Whether the holder of the turn has an open transaction.
        var isWriting = false
        var pauses = WritePauses()
    }

    private let content: Locked<Content>
    private let alarm = HubAlarm()
    /// A lock that lets one thread at a time wait for readers to end.
    private let gate = NSLock()
    let log: Locked<LogPolicy>
    let checkpoints = CheckpointTurn()
    let commits = CommitListeners()
    /// The counter of the commits of all connections of this process to the file's log.
    let commitCounter = CommitCounter()
    /// The numbers of the history's transactions that this process has committed.
    let ownTransactions = Locked(OwnTransactions())

    /// The default number of calls that may read a file at the same time.
    static let standardSlotLimit = max(4, ProcessInfo.processInfo.activeProcessorCount)

    /// - Parameters:
    ///   - slotLimit: The number of calls that may read at the same time.
    ///   - logLimit: The number of frames in the write-ahead log above which readers are briefly blocked, so that the
    ///     log restarts.
    init(slotLimit: Int = FileHub.standardSlotLimit, logLimit: Int = FileHub.standardLogLimit) {
        content = Locked(Content(state: HubState(slotLimit: slotLimit)))
        log = Locked(LogPolicy(limit: logLimit))
    }

    /// The default log limit in frames, which is 16 MB in pages of 4 KiB.
    static let standardLogLimit = 4096

    func raiseSlotLimit(to limit: Int) {
        wake { $0.state.raiseSlotLimit(to: limit) }
    }

    // MARK: The turn

    /// Waits for the turn on the calling thread. A thread that holds the turn gets it again.
    ///
    /// - Parameters:
    ///   - end: The time at which to give up.
    ///   - token: Ends the wait too.
    ///   - isFirst: Whether the thread goes before all waiting requests.
    /// - Throws: ``CoreDataError`` with the condition `timedOut`, or `wouldDeadlock` if this thread would wait for a
    ///   thread that waits for it, or the failure of the token.
    func takeTurn(
        until end: @autoclosure () -> ContinuousClock.Instant, _ token: InterruptToken? = nil, isFirst: Bool = false
    ) throws {
        let thread = ThreadHoldings.thread
        guard case .waits(let ticket) = content.withLock({ $0.state.requestTurn(by: thread, isFirst: isFirst) })
        else { return }
        do {
            try WaitGraph.shared.begin(thread, for: self)
        } catch {
            let isWaiting = content.withLock { content in
                content.decided[ticket] = nil
                return content.state.cancel(ticket)
            }
            // The thread that completed the cycle may have given up, so that the turn was granted.
            guard isWaiting else { return }
            throw error
        }
        defer { WaitGraph.shared.end(thread) }
        guard wait(for: ticket, until: end(), token) == .granted else {
            throw token?.failure ?? CoreDataError.turnIsTaken
        }
    }

    func releaseTurn() {
        wake { $0.state.releaseTurn().map { [$0] } ?? [] }
    }

    /// The thread that holds the turn.
    package var holder: HubState.Holder? { content.withLock { $0.state.holder } }

    /// Assigns the turn to the calling thread, which continues the work for which the turn was taken.
    func assignTurn() {
        let thread = ThreadHoldings.thread
        content.withLock { $0.state.assignTurn(to: thread) }
    }

    /// Notes that the holder of the turn, which is the calling thread, starts a transaction.
    ///
    /// - Throws: ``CoreDataError`` with the condition `wouldDeadlock` if the thread already has an open transaction,
    ///   because SQLite would wait for that one.
    func beginWriting() throws {
        let began = content.withLock { content in
            defer { content.isWriting = true }
            return !content.isWriting
        }
        guard began else { throw CoreDataError.hasTransaction }
        checkpoints.writeBegins()
    }

    func endWriting() {
        let now = ContinuousClock.now
        content.withLock { content in
            content.isWriting = false
            content.pauses.ended(at: now)
        }
    }

    /// Waits on the calling thread, which holds the turn, if other processes should get a chance to write.
    func pauseForOthers() {
        let now = ContinuousClock.now
        guard let pause = content.withLock({ $0.pauses.pause(before: now) }) else { return }
        usleep(UInt32(clamping: pause.components.attoseconds / 1_000_000_000_000))
    }

    // MARK: Admission

    /// Waits on the calling thread until a call of a container may run on it. The call either reads, or writes from its
    /// start. The caller must call ``leave(isTurn:)`` on the same thread.
    ///
    /// - Throws: ``CoreDataError`` with the condition `timedOut`, or `wouldDeadlock`.
    package func enter(isTurn: Bool, until end: @autoclosure () -> ContinuousClock.Instant) throws {
        if isTurn {
            try takeTurn(until: end())
        } else if case .waits(let ticket) = content.withLock({ content in
            content.state.requestSlot(isPassing: ThreadHoldings.isHolding)
        }) {
            guard wait(for: ticket, until: end()) == .granted else { throw CoreDataError.slotsAreTaken }
        }
        ThreadHoldings.change(by: 1)
    }

    /// Requests admission for a call of a container, without blocking a thread. If the request is granted, the thread
    /// that runs the call must call ``adopt(isTurn:)`` and then ``leave(isTurn:)``. Otherwise the caller must call
    /// ``abandon(isTurn:)``.
    ///
    /// - Parameters:
    ///   - end: The time at which to give up.
    ///   - action: Called once, either immediately or on the thread that ends the wait, which should not be blocked.
    /// - Returns: The waiting request, or nil if the request does not wait.
    package func admit(
        isTurn: Bool, until end: ContinuousClock.Instant, _ action: @escaping @Sendable (Outcome) -> Void
    ) -> HubState.Ticket? {
        let ticket = content.withLock { content -> HubState.Ticket? in
            let answer = isTurn ? content.state.requestTurn(by: nil) : content.state.requestSlot(isPassing: false)
            guard case .waits(let ticket) = answer else { return nil }
            content.waiters[ticket] = .call(action, until: end)
            return ticket
        }
        if ticket == nil { action(.granted) } else { setAlarm(for: end) }
        return ticket
    }

    /// Cancels a request, unless it was granted or ended before.
    package func cancelAdmission(_ ticket: HubState.Ticket) { decide(ticket, as: .cancelled) }

    /// Notes that the calling thread runs the admitted call.
    package func adopt(isTurn: Bool) {
        ThreadHoldings.change(by: 1)
        if isTurn { assignTurn() }
    }

    /// Ends a call that was entered or adopted on the calling thread.
    package func leave(isTurn: Bool) {
        ThreadHoldings.change(by: -1)
        abandon(isTurn: isTurn)
    }

    /// Releases an admission that was not adopted.
    package func abandon(isTurn: Bool) {
        wake { isTurn ? $0.state.releaseTurn().map { [$0] } ?? [] : $0.state.releaseSlot() }
    }

    // MARK: The gate

    /// Keeps new readers out, and waits until the current readers have ended. The caller must call ``openGate()``,
    /// unless the result is nil.
    ///
    /// - Returns: Nil if another thread held the gate the whole time, or false if the readers did not end in time.
    func waitForReaders(until end: ContinuousClock.Instant, _ token: InterruptToken?) -> Bool? {
        guard gate.lock(before: Date(timeIntervalSinceNow: min(end.secondsLeft, 1e8))) else { return nil }
        guard case .waits(let ticket) = content.withLock({ $0.state.closeGate() }) else { return true }
        return wait(for: ticket, until: end, token) == .granted
    }

    /// Admits readers again.
    func openGate() {
        wake { $0.state.openGate() }
        gate.unlock()
    }

    // MARK: Waiting

    private func wait(
        for ticket: HubState.Ticket, until end: ContinuousClock.Instant, _ token: InterruptToken? = nil
    ) -> Outcome {
        let listener = token?.addListener { [weak self] _ in self?.decide(ticket, as: .cancelled) }
        defer { if let listener { token?.removeListener(listener) } }
        let semaphore = DispatchSemaphore(value: 0)
        let decided = content.withLock { content -> Outcome? in
            if let outcome = content.decided.removeValue(forKey: ticket) { return outcome }
            content.waiters[ticket] = .thread(semaphore)
            return nil
        }
        if let decided { return decided }
        let isWoken = semaphore.wait(timeout: Self.time(of: end)) == .success
        return content.withLock { content in
            content.waiters[ticket] = nil
            if let outcome = content.decided.removeValue(forKey: ticket) { return outcome }
            // The request may just have been granted.
            return isWoken || !content.state.cancel(ticket) ? .granted : .timedOut
        }
    }

    /// Ends the wait of a call, unless it was granted before.
    private func decide(_ ticket: HubState.Ticket, as outcome: Outcome) {
        let waiter = content.withLock { content -> Waiter? in
            guard content.state.cancel(ticket) else { return nil }
            let waiter = content.waiters.removeValue(forKey: ticket)
            if case .call? = waiter { return waiter }
            content.decided[ticket] = outcome
            return waiter
        }
        switch waiter {
        case .call(let action, _): action(outcome)
        case .thread(let semaphore): semaphore.signal()
        case nil: break
        }
    }

    /// Changes the state, and wakes the waiters whose requests are granted as a result.
    private func wake(_ change: (inout Content) -> [HubState.Ticket]) {
        let waiters = content.withLock { content -> [Waiter] in
            let granted = change(&content)
            if granted.isEmpty { return [] }
            return granted.compactMap { ticket in
                if let waiter = content.waiters.removeValue(forKey: ticket) { return waiter }
                content.decided[ticket] = .granted
                return nil
            }
        }
        for waiter in waiters {
            switch waiter {
            case .thread(let semaphore): semaphore.signal()
            case .call(let action, _): action(.granted)
            }
        }
    }

    private func setAlarm(for end: ContinuousClock.Instant) {
        alarm.set(for: end) { [weak self] in self?.endLateWaits() }
    }

    /// Ends the wait of the calls whose time is over.
    private func endLateWaits() {
        let now = ContinuousClock.now
        let ends = content.withLock { content in
            content.waiters.compactMap { ticket, waiter in
                if case .call(_, let end) = waiter { (ticket, end) } else { nil }
            }
        }
        for (ticket, end) in ends where end <= now { decide(ticket, as: .timedOut) }
        if let next = ends.lazy.map(\.1).filter({ $0 > now }).min() { setAlarm(for: next) }
    }

    private static func time(of instant: ContinuousClock.Instant) -> DispatchTime {
        .now() + min(instant.secondsLeft, 100_000_000)
    }
}
