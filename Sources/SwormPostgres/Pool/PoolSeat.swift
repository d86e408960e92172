#if PostgreSQL
import Foundation

/// A connection of a pool that is reserved for one asynchronous call, from the time before a thread runs the call until its end.
///
/// The thread that has adopted the seat uses this connection whenever it takes one, and returns it to the seat. While it uses it,
/// it can take further ones of the pool.
///
/// @unchecked: all mutable state is accessed only while the pool's lock is held.
package final class PoolSeat: @unchecked Sendable {
    private let pool: PostgresPool
    let number: Int
    /// The thread that runs the call; nil before and afterwards.
    fileprivate var thread: PoolState.Thread?
    fileprivate(set) var isUsed = false
    fileprivate var isOver = false

    fileprivate init(_ pool: PostgresPool, number: Int) { (self.pool, self.number) = (pool, number) }

    /// Runs the call's job on the thread of the connection.
    package func run(_ job: @escaping @Sendable () -> Void) { pool.all[number].worker.run(job) }

    /// Notes that the calling thread runs the call.
    package func adopt() { pool.adopt(self) }

    /// Ends the reservation. A connection that is still used is returned to the pool afterwards.
    package func leave() { pool.leave(self) }
}

extension PostgresPool {
    /// Requests a seat for a call that no thread runs yet. No thread waits for the answer.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the call, for messages.
    ///   - takesTurn: Whether the call waits for the turn too, which one call at a time has.
    ///   - deadline: The time at which to give up.
    ///   - answer: Called once, either immediately or on the thread that ends the wait, which it must not block. The answer to a
    ///     cancelled request is an error of the kind `cancelled`.
    /// - Returns: The waiting request for ``cancel(_:)``, or nil if the request does not wait.
    func reserve(
        for purpose: String, takingTurn takesTurn: Bool, until deadline: ContinuousClock.Instant,
        _ answer: @escaping @Sendable (Result<PoolSeat, ServerError>) -> Void
    ) -> PoolState.Ticket? {
        let start = clock.now
        let call = PoolState.Call(purpose: purpose, thread: nil, since: start, takesTurn: takesTurn)
        return admit(call, until: deadline) { [self] outcome in
            guard case .granted(let number) = outcome else {
                return answer(.failure(failure(outcome, of: call, until: deadline, token: nil)))
            }
            answer(.success(seat(on: number)))
        }
    }

    /// Requests a seat for a call that no thread runs yet. No thread waits for the answer.
    ///
    /// - Returns: A closure that ends the wait, or nil if the request does not wait.
    package func reserveSeat(
        for purpose: String, takingTurn takesTurn: Bool, until deadline: ContinuousClock.Instant,
        _ answer: @escaping @Sendable (Result<PoolSeat, ServerError>) -> Void
    ) -> (@Sendable () -> Void)? {
        guard let ticket = reserve(for: purpose, takingTurn: takesTurn, until: deadline, answer) else { return nil }
        return { self.cancel(ticket) }
    }

    /// Reserves a connection that was granted.
    private func seat(on number: Int) -> PoolSeat {
        let seat = PoolSeat(self, number: number)
        // The pool may have been closed since.
        let (last, done) = withLock { () -> (PostgresConnection?, [Closer]) in
            seats[number] = seat
            guard state.isClosed else { return (nil, []) }
            defer { all[number].connection = nil }
            return (all[number].connection, takeClosers())
        }
        withExtendedLifetime(last) {}
        for closer in done { closer.semaphore.signal() }
        return seat
    }

    fileprivate func adopt(_ seat: PoolSeat) {
        let thread = PooledConnection.thread
        withLock {
            seat.thread = thread
            state.assign(seat.number, to: thread)
        }
    }

    /// Whether asynchronous calls have connections.
    package var hasSeats: Bool { withLock { !seats.isEmpty } }

    fileprivate func leave(_ seat: PoolSeat) {
        let isFree = withLock {
            guard !seat.isOver else { return false }
            // From here on, nobody else touches the connection.
            defer { (seat.isOver, seat.thread, seat.isUsed) = (true, nil, true) }
            return !seat.isUsed
        }
        if isFree { release(all[seat.number]) }
    }

    // MARK: Called while the lock is held

    /// Returns the connection of the calling thread's seat, which is used from now on; nil if the thread has none that is free.
    func useSeat(for purpose: String, of thread: PoolState.Thread) -> Int? {
        // There are at most as many as connections, and usually none.
        guard !seats.isEmpty, !state.isClosed,
            let seat = seats.values.first(where: { $0.thread == thread && !$0.isUsed && !$0.isOver })
        else { return nil }
        seat.isUsed = true
        state.note(purpose, of: seat.number)
        return seat.number
    }

    /// Returns a connection to its seat; false if it has none, or the seat's call is over.
    func returnToSeat(_ number: Int) -> Bool {
        guard let seat = seats[number] else { return false }
        seat.isUsed = false
        if seat.isOver { seats[number] = nil }
        return !seat.isOver
    }

    /// Whether a connection is used, and not just reserved.
    func isInUse(_ number: Int) -> Bool { state.holders[number] != nil && seats[number]?.isUsed != false }

    /// The number of connections that are used.
    var usedCount: Int { state.holders.keys.count { isInUse($0) } }

    /// The call that has used its connection for the longest time.
    var slowestUse: PoolState.Call? {
        state.holders.filter { isInUse($0.key) }.values.min { $0.since < $1.since }
    }
}
#endif
