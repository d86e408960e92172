#if PostgreSQL
/// The order in which calls get the connections of a pool: in the order in which they asked.
///
/// It is a state machine without threads and clocks. Each method returns immediately. The connections are numbered; a number
/// does not mean that the connection is open.
struct PoolState: Sendable {
    /// A waiting request.
    struct Ticket: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    /// The number of a thread.
    typealias Thread = UInt

    /// A call that waits for a connection, or holds one.
    struct Call: Sendable {
        /// The purpose of the call, for messages.
        var purpose: String
        /// The thread that runs the call; nil for a call that no thread runs yet.
        var thread: Thread?
        /// The time since which the call waits, or holds its connection.
        var since: ContinuousClock.Instant
        /// Whether the call waits for the turn too, which one call at a time has. Such calls would otherwise hold connections
        /// only to wait for each other at the server.
        var takesTurn = false
    }

    enum Answer: Hashable, Sendable {
        case granted(Int)
        case waits(Ticket)
        /// The calls that hold the connections are waiting for one themselves, and this call is one of them.
        case neverEnds
        case isClosed
    }

    private struct Request: Sendable {
        let ticket: Ticket
        let call: Call
        let deadline: ContinuousClock.Instant
    }

    let limit: Int
    /// The connections that nobody holds. The one that was used last comes last, and is used first.
    private var idle: [Int]
    private(set) var holders: [Int: Call] = [:]
    /// The connection of the call that has the turn; nil if no call has it.
    private(set) var turn: Int?
    private var requests: [Request] = []
    private var lastTicket: UInt64 = 0
    private(set) var isClosed = false

    init(limit: Int) {
        self.limit = max(1, limit)
        idle = (0..<self.limit).reversed()
    }

    /// The number of calls that wait.
    var waitingCount: Int { requests.count }

    /// The time at which the next request is late.
    var nextDeadline: ContinuousClock.Instant? { requests.lazy.map(\.deadline).min() }

    /// The call that has held its connection for the longest time.
    var slowest: (connection: Int, call: Call)? {
        holders.min { $0.value.since < $1.value.since }.map { (connection: $0.key, call: $0.value) }
    }

    /// Requests a connection.
    mutating func request(_ call: Call, until deadline: ContinuousClock.Instant) -> Answer {
        guard !isClosed else { return .isClosed }
        // While a connection is idle, only calls wait that need the turn.
        if let connection = idle.last, isPossible(call) {
            idle.removeLast()
            hold(connection, call)
            return .granted(connection)
        }
        if let thread = call.thread, wouldWaitForever(thread) { return .neverEnds }
        lastTicket += 1
        let ticket = Ticket(number: lastTicket)
        requests.append(Request(ticket: ticket, call: call, deadline: deadline))
        return .waits(ticket)
    }

    private func isPossible(_ call: Call) -> Bool { !call.takesTurn || turn == nil }

    private mutating func hold(_ connection: Int, _ call: Call) {
        holders[connection] = call
        if call.takesTurn { turn = connection }
    }

    /// Whether each connection is held by a thread that waits for another one, if the given thread waits too.
    private func wouldWaitForever(_ thread: Thread) -> Bool {
        guard idle.isEmpty, holders.values.contains(where: { $0.thread == thread }) else { return false }
        var waiting: Set<Thread> = [thread]
        for request in requests { if let thread = request.call.thread { waiting.insert(thread) } }
        return holders.values.allSatisfy { call in call.thread.map { waiting.contains($0) } ?? false }
    }

    /// Notes that a thread runs the call that holds a connection.
    mutating func assign(_ connection: Int, to thread: Thread) { holders[connection]?.thread = thread }

    /// Notes what the call that holds a connection does with it now, for messages.
    mutating func note(_ purpose: String, of connection: Int) { holders[connection]?.purpose = purpose }

    /// Releases a connection.
    ///
    /// - Returns: The request that now holds the connection.
    mutating func release(_ connection: Int, at now: ContinuousClock.Instant) -> Ticket? {
        guard holders.removeValue(forKey: connection) != nil else { return nil }
        if turn == connection { turn = nil }
        // The first of the calls that need nothing but what is free. No second one can be granted: if connections were idle,
        // all calls waited for the turn.
        guard let index = requests.firstIndex(where: { isPossible($0.call) }) else {
            idle.append(connection)
            return nil
        }
        let request = requests.remove(at: index)
        var call = request.call
        call.since = now
        hold(connection, call)
        return request.ticket
    }

    /// Cancels a waiting request.
    ///
    /// - Returns: The number of requests in front of it, or nil if it no longer waits, because it was granted.
    mutating func cancel(_ ticket: Ticket) -> Int? {
        guard let index = requests.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        requests.remove(at: index)
        return index
    }

    /// Removes and returns the requests whose time is over, with the number of those in front of each.
    mutating func removeLate(at now: ContinuousClock.Instant) -> [(ticket: Ticket, ahead: Int)] {
        let late = requests.enumerated().filter { $0.element.deadline <= now }
        guard !late.isEmpty else { return [] }
        requests.removeAll { $0.deadline <= now }
        return late.map { (ticket: $0.element.ticket, ahead: $0.offset) }
    }

    /// Rejects all requests from now on.
    ///
    /// - Returns: The requests that were waiting.
    mutating func close() -> [Ticket] {
        isClosed = true
        defer { requests = [] }
        return requests.map(\.ticket)
    }

    /// Accepts requests again.
    mutating func reopen() { isClosed = false }

    /// The waiting calls in their order.
    var waitingCalls: [Call] { requests.map(\.call) }
}
#endif
