/// The order in which the calls of one process use a file: one turn for writing, a bounded number of slots for reading,
/// and a gate that temporarily keeps new readers out.
///
/// It is a state machine without threads and clocks. Each method returns immediately. The methods return the tickets
/// that a change grants, and the caller wakes the waiters of those tickets. Requests are granted in the order in which
/// they were made.
package struct HubState: Sendable {
    /// A waiting request.
    package struct Ticket: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// The number of a thread that holds the turn.
    package typealias Holder = UInt

    enum Answer: Hashable, Sendable {
        case granted
        case waits(Ticket)
    }

    /// The number of calls that may read at the same time.
    private(set) var slotLimit: Int
    private(set) var usedSlots = 0
    /// Whether new readers wait, even if slots are free.
    private(set) var isGateClosed = false
    /// The thread that holds the turn, or nil if the turn is free or is held by a call that no thread runs yet.
    private(set) var holder: Holder?
    /// The number of times that the holder has taken the turn, which is 0 if the turn is free.
    private(set) var turnDepth = 0
    private var waitingForSlot: [Ticket] = []
    private var waitingForTurn: [Ticket] = []
    /// The request that is granted when no slot is in use.
    private var waitingForReaders: Ticket?
    /// The threads of the tickets that wait for the turn. Tickets of asynchronous calls have no thread.
    private var waitingThreads: [Ticket: Holder] = [:]
    private var lastTicket: UInt64 = 0

    init(slotLimit: Int) { self.slotLimit = max(1, slotLimit) }

    /// Whether any request waits.
    var isAwaited: Bool { !waitingForSlot.isEmpty || !waitingForTurn.isEmpty || waitingForReaders != nil }

    private mutating func nextTicket() -> Ticket {
        lastTicket += 1
        return Ticket(number: lastTicket)
    }

    // MARK: The turn

    /// Requests the turn. A thread that holds the turn gets it again.
    ///
    /// - Parameters:
    ///   - thread: The requesting thread, or nil for a call that no thread runs yet.
    ///   - isFirst: Whether the request goes before all waiting requests.
    mutating func requestTurn(by thread: Holder?, isFirst: Bool = false) -> Answer {
        if turnDepth > 0, let thread, thread == holder {
            turnDepth += 1
            return .granted
        }
        if turnDepth == 0, waitingForTurn.isEmpty {
            (turnDepth, holder) = (1, thread)
            return .granted
        }
        let ticket = nextTicket()
        waitingForTurn.insert(ticket, at: isFirst ? 0 : waitingForTurn.count)
        waitingThreads[ticket] = thread
        return .waits(ticket)
    }

    /// Assigns the turn to the thread that runs the call that holds it.
    mutating func assignTurn(to thread: Holder?) {
        if turnDepth > 0 { holder = thread }
    }

    /// Releases the turn. Must be called once for each time that the turn was taken.
    ///
    /// - Returns: The request that now has the turn.
    mutating func releaseTurn() -> Ticket? {
        guard turnDepth > 0 else { return nil }
        turnDepth -= 1
        guard turnDepth == 0 else { return nil }
        holder = nil
        guard !waitingForTurn.isEmpty else { return nil }
        let ticket = waitingForTurn.removeFirst()
        (turnDepth, holder) = (1, waitingThreads.removeValue(forKey: ticket))
        return ticket
    }

    // MARK: Slots

    /// Requests a slot.
    ///
    /// - Parameter isPassing: Whether the caller already holds a slot or a turn, of this file or of another one. Such a
    ///   caller gets a slot beyond the limit instead of waiting, because other calls might wait for it.
    mutating func requestSlot(isPassing: Bool) -> Answer {
        if isPassing || !isGateClosed && usedSlots < slotLimit && waitingForSlot.isEmpty {
            usedSlots += 1
            return .granted
        }
        let ticket = nextTicket()
        waitingForSlot.append(ticket)
        return .waits(ticket)
    }

    /// Releases a slot.
    ///
    /// - Returns: The requests that now have a slot.
    mutating func releaseSlot() -> [Ticket] {
        guard usedSlots > 0 else { return [] }
        usedSlots -= 1
        if usedSlots == 0, let ticket = waitingForReaders {
            waitingForReaders = nil
            return [ticket]
        }
        return grantSlots()
    }

    /// Raises the number of calls that may read at the same time. The limit is never lowered, because another user has
    /// requested the higher number.
    mutating func raiseSlotLimit(to limit: Int) -> [Ticket] {
        slotLimit = max(slotLimit, limit)
        return grantSlots()
    }

    /// Keeps new readers out, except those that hold a slot or a turn.
    ///
    /// - Returns: Granted if no call reads, or the request that is granted then. Only one request of this kind can wait
    ///   at a time.
    mutating func closeGate() -> Answer {
        isGateClosed = true
        guard usedSlots > 0 else { return .granted }
        let ticket = nextTicket()
        waitingForReaders = ticket
        return .waits(ticket)
    }

    /// Admits readers again.
    mutating func openGate() -> [Ticket] {
        isGateClosed = false
        waitingForReaders = nil
        return grantSlots()
    }

    private mutating func grantSlots() -> [Ticket] {
        guard !isGateClosed, usedSlots < slotLimit, !waitingForSlot.isEmpty else { return [] }
        let granted = Array(waitingForSlot.prefix(slotLimit - usedSlots))
        waitingForSlot.removeFirst(granted.count)
        usedSlots += granted.count
        return granted
    }

    // MARK: Giving up

    /// Cancels a waiting request.
    ///
    /// - Returns: False if the request no longer waits, because it was granted.
    mutating func cancel(_ ticket: Ticket) -> Bool {
        if waitingForReaders == ticket {
            waitingForReaders = nil
            return true
        }
        if let place = waitingForTurn.firstIndex(of: ticket) {
            waitingForTurn.remove(at: place)
            waitingThreads[ticket] = nil
            return true
        }
        guard let place = waitingForSlot.firstIndex(of: ticket) else { return false }
        waitingForSlot.remove(at: place)
        return true
    }
}
