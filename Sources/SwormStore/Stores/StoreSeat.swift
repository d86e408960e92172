/// A store of which an asynchronous call needs something that is scarce, such as a connection, for which no thread waits.
package protocol SeatedStore: ObjectStore {
    /// Requests a seat for an asynchronous call that no thread runs yet.
    ///
    /// - Parameters:
    ///   - takesTurn: Whether the call locks the whole store from its start.
    ///   - deadline: The time at which to give up, unless the timeout of the store is earlier.
    ///   - answer: Called once, either immediately or on the thread that ends the wait, which it must not block.
    /// - Returns: A closure that ends the wait, or nil if the request does not wait.
    func reserveSeat(
        takingTurn takesTurn: Bool, until deadline: ContinuousClock.Instant?,
        _ answer: @escaping @Sendable (Result<any StoreSeat, any Error>) -> Void
    ) -> (@Sendable () -> Void)?
}

/// The part of a store that is reserved for one asynchronous call until its end.
package protocol StoreSeat: AnyObject, Sendable {
    /// Runs the job of the call, on a thread that the store has for it.
    func run(_ job: @escaping @Sendable () -> Void)

    /// Notes that the calling thread runs the call.
    func adopt()

    /// Ends the reservation.
    func leave()
}
