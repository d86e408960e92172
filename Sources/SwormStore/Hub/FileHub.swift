import Dispatch
import Foundation
import SwormSQLite
import SwormRows
import SwormPredicates

/// The meeting point of all that use one file in this process: its turn for writing and its slots for reading.
///
/// Stores over one file share a hub, whatever models they have; a store in memory has its own.
package final class FileHub: WaitTarget {
    private enum Waiter: Sendable {
        case thread(DispatchSemaphore)
        case call(@Sendable (Outcome) -> Void, until: ContinuousClock.Instant)
    }

    /// How waiting ended.
    package enum Outcome: Sendable {
        case granted, cancelled, timedOut
    }

    private struct Content: Sendable {
        var state: HubState
        var waiters: [HubState.Ticket: Waiter] = [:]
        /// The outcomes of requests that were decided before somebody waited for them.
        var decided: [HubState.Ticket: Outcome] = [:]
        /// Whether the holder of the turn has a transaction open.
        var isWriting = false
        var pauses = WritePauses()
    }

    private let content: Locked<Content>
    private let alarm = HubAlarm()
    /// One at a time waits for readers to end.
    private let gate = NSLock()
    let log: Locked<LogPolicy>
    let checkpoints = CheckpointTurn()

    /// The number of calls that may read a file at the same time, where nobody says otherwise.
    package static let standardSlotLimit = max(4, ProcessInfo.processInfo.activeProcessorCount)

    /// - Parameters:
    ///   - slotLimit: The number of calls that may read at the same time.
    ///   - logLimit: The frames of the write-ahead log after which readers are kept out for a moment, so that it begins anew.
    package init(slotLimit: Int = FileHub.standardSlotLimit, logLimit: Int = FileHub.standardLogLimit) {
        content = Locked(Content(state: HubState(slotLimit: slotLimit)))
        log = Locked(LogPolicy(limit: logLimit))
    }

    /// 16 MB of pages of 4 KiB.
    package static let standardLogLimit = 4096

    package func raiseSlotLimit(to limit: Int) {
        wake { $0.state.raiseSlotLimit(to: limit) }
    }

    // MARK: The turn

    /// Waits for the turn on the calling thread. A thread that holds it gets it once more.
    ///
    /// - Parameters:
    ///   - end: When to give up.
    ///   - token: Ends the waiting too.
    ///   - isFirst: Whether the thread goes before all that wait.
    /// - Throws: ``CoreDataError`` with the condition `timedOut`; `wouldDeadlock` where this thread waits for one that waits for
    ///   it; and the failure of the token.
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
            // Whoever closed the circle may have given up, so that the turn was granted.
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

    /// Says that the calling thread goes on with what the turn was taken for.
    func assignTurn() {
        let thread = ThreadHoldings.thread
        content.withLock { $0.state.assignTurn(to: thread) }
    }

    /// Notes that the holder of the turn, which is the calling thread, begins a transaction.
    ///
    /// - Throws: ``CoreDataError`` with the condition `wouldDeadlock` where it has one open: SQLite would wait for that one.
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

    /// Waits on the calling thread, which holds the turn, where other processes should get theirs.
    func pauseForOthers() {
        let now = ContinuousClock.now
        guard let pause = content.withLock({ $0.pauses.pause(before: now) }) else { return }
        usleep(UInt32(clamping: pause.components.attoseconds / 1_000_000_000_000))
    }

    // MARK: Admission

    /// Waits on the calling thread until a call of a container may run there, which reads, or which writes from its beginning.
    /// ``leave(isTurn:)`` follows on the same thread.
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

    /// Asks that a call of a container may run, without a thread that waits. If it is granted, ``adopt(isTurn:)`` follows on the
    /// thread that runs the call, and then ``leave(isTurn:)``; or else ``abandon(isTurn:)``.
    ///
    /// - Parameters:
    ///   - end: When to give up.
    ///   - action: Called once: at once, or on the thread that ends the waiting, which should not be kept.
    /// - Returns: The request that waits; nil where it does not.
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

    /// Takes back a request, unless it was granted or ended before.
    package func cancelAdmission(_ ticket: HubState.Ticket) { decide(ticket, .cancelled) }

    /// Says that the calling thread runs the call that was admitted.
    package func adopt(isTurn: Bool) {
        ThreadHoldings.change(by: 1)
        if isTurn { assignTurn() }
    }

    /// Ends a call that was entered or adopted on the calling thread.
    package func leave(isTurn: Bool) {
        ThreadHoldings.change(by: -1)
        abandon(isTurn: isTurn)
    }

    /// Gives back what was admitted and not adopted.
    package func abandon(isTurn: Bool) {
        wake { isTurn ? $0.state.releaseTurn().map { [$0] } ?? [] : $0.state.releaseSlot() }
    }

    // MARK: The gate

    /// Keeps new readers out, and waits until those that read have ended. ``openGate()`` follows, unless the answer is nil.
    ///
    /// - Returns: Nil where the gate was somebody else's for all the time, and nothing has to follow; false where the readers did
    ///   not end in time.
    func waitForReaders(until end: ContinuousClock.Instant, _ token: InterruptToken?) -> Bool? {
        guard gate.lock(before: Date(timeIntervalSinceNow: min(end.secondsLeft, 1e8))) else { return nil }
        guard case .waits(let ticket) = content.withLock({ $0.state.closeGate() }) else { return true }
        return wait(for: ticket, until: end, token) == .granted
    }

    /// Lets readers in again.
    func openGate() {
        wake { $0.state.openGate() }
        gate.unlock()
    }

    // MARK: Waiting

    private func wait(
        for ticket: HubState.Ticket, until end: ContinuousClock.Instant, _ token: InterruptToken? = nil
    ) -> Outcome {
        let listener = token?.addListener { [weak self] _ in self?.decide(ticket, .cancelled) }
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
            // It may have been granted just now.
            return isWoken || !content.state.cancel(ticket) ? .granted : .timedOut
        }
    }

    /// Ends the waiting of a call, unless it was granted before.
    private func decide(_ ticket: HubState.Ticket, _ outcome: Outcome) {
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

    /// Changes the state, and wakes those whose requests are granted by it.
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

    /// Ends the waiting of the calls whose time is over.
    private func endLateWaits() {
        let now = ContinuousClock.now
        let ends = content.withLock { content in
            content.waiters.compactMap { ticket, waiter in
                if case .call(_, let end) = waiter { (ticket, end) } else { nil }
            }
        }
        for (ticket, end) in ends where end <= now { decide(ticket, .timedOut) }
        if let next = ends.lazy.map(\.1).filter({ $0 > now }).min() { setAlarm(for: next) }
    }

    private static func time(of instant: ContinuousClock.Instant) -> DispatchTime {
        .now() + min(instant.secondsLeft, 100_000_000)
    }
}
