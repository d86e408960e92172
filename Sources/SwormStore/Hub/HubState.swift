/// The order in which the calls of one process use a file: one turn for writing, a bounded number of slots for reading, and
/// a gate that keeps new readers out for a moment.
///
/// It is a state machine without threads and clocks. Each method answers at once; the tickets that become granted by a
/// change are returned, and whoever waits for them is woken by the caller. The first to ask is the first to be granted.
package struct HubState: Sendable {
    /// A request that waits.
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
    /// Whether new readers wait, whatever slots are free.
    private(set) var isGateClosed = false
    /// The thread that holds the turn; nil when nobody does, or when a call holds it that no thread runs yet.
    private(set) var holder: Holder?
    /// How often the turn was taken by its holder; 0 when it is free.
    private(set) var turnDepth = 0
    private var waitingForSlot: [Ticket] = []
    private var waitingForTurn: [Ticket] = []
    /// The request that is granted when no slot is used any more.
    private var waitingForReaders: Ticket?
    /// The threads behind the tickets that wait for the turn; those of asynchronous calls have none.
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

    /// Asks for the turn. A thread that holds it gets it once more.
    ///
    /// - Parameters:
    ///   - thread: The thread that asks; nil for a call that no thread runs yet.
    ///   - isFirst: Whether the request goes before all that wait.
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

    /// Says which thread runs the call that holds the turn.
    mutating func assignTurn(to thread: Holder?) {
        if turnDepth > 0 { holder = thread }
    }

    /// Gives the turn back, once for each time that it was taken.
    ///
    /// - Returns: The request that has it now.
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

    /// Asks for a slot.
    ///
    /// - Parameter isPassing: Whether the caller holds a slot or a turn already, of this file or of another one. It does not
    ///   wait then, as somebody might wait for it, but has its slot beyond the limit.
    mutating func requestSlot(isPassing: Bool) -> Answer {
        if isPassing || !isGateClosed && usedSlots < slotLimit && waitingForSlot.isEmpty {
            usedSlots += 1
            return .granted
        }
        let ticket = nextTicket()
        waitingForSlot.append(ticket)
        return .waits(ticket)
    }

    /// Gives a slot back.
    ///
    /// - Returns: The requests that have one now.
    mutating func releaseSlot() -> [Ticket] {
        guard usedSlots > 0 else { return [] }
        usedSlots -= 1
        if usedSlots == 0, let ticket = waitingForReaders {
            waitingForReaders = nil
            return [ticket]
        }
        return grantSlots()
    }

    /// Lets more calls read at the same time; never fewer, as somebody has asked for that number.
    mutating func raiseSlotLimit(to limit: Int) -> [Ticket] {
        slotLimit = max(slotLimit, limit)
        return grantSlots()
    }

    /// Keeps new readers out, those that hold a slot or a turn excepted.
    ///
    /// - Returns: Whether nobody reads, or the request that is granted then. One request of this kind can wait at a time.
    mutating func closeGate() -> Answer {
        isGateClosed = true
        guard usedSlots > 0 else { return .granted }
        let ticket = nextTicket()
        waitingForReaders = ticket
        return .waits(ticket)
    }

    /// Lets readers in again.
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

    /// Takes a request back that waits.
    ///
    /// - Returns: False where it does not wait any more, because it was granted.
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
