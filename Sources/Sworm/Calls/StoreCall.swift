/// The options of a call: how its closure uses the store, and how often it is repeated.
struct StoreCall: Sendable {
    var access: StoreAccess
    /// The maximum number of times that the closure is repeated after a conflict, or after the loss of a server.
    var repetitions: Int
    let limit: Limit?
    /// The rows that a write locks; nil if it locks the whole store.
    var locks: RowLocks?
    /// Whether the call is a repetition of a `perform`.
    var isRepetition = false

    init(access: StoreAccess, repetitions: Int = 0, deadline: ContinuousClock.Instant?) {
        self.init(access: access, repetitions: repetitions, limit: deadline.map(Limit.init))
    }

    init(access: StoreAccess, repetitions: Int, limit: Limit?) {
        (self.access, self.repetitions, self.limit) = (access, repetitions, limit)
    }

    /// A deadline. Without one, a call is copied faster with a reference than with an instant, whose layout is
    /// determined at run time.
    final class Limit: Sendable {
        let deadline: ContinuousClock.Instant
        init(_ deadline: ContinuousClock.Instant) { self.deadline = deadline }
    }

    /// The time at which the call is abandoned; nil for no deadline.
    var deadline: ContinuousClock.Instant? { limit?.deadline }
    var hasDeadline: Bool { limit != nil }

    static func read(deadline: ContinuousClock.Instant?) -> StoreCall {
        StoreCall(access: .read, deadline: deadline)
    }

    static func write(deadline: ContinuousClock.Instant?) -> StoreCall {
        StoreCall(access: .write, deadline: deadline)
    }

    static func write(locking locks: RowLocks, deadline: ContinuousClock.Instant?) -> StoreCall {
        var call = StoreCall(access: .write, deadline: deadline)
        call.locks = locks
        return call
    }

    static func perform(retrying repetitions: Int, deadline: ContinuousClock.Instant?) -> StoreCall {
        StoreCall(access: .perform, repetitions: max(0, repetitions), deadline: deadline)
    }

    /// Throws an error if the deadline has passed.
    func checkDeadline() throws {
        guard let limit, ContinuousClock.now >= limit.deadline else { return }
        throw StoreError(
            .timedOut,
            "The call exceeded its deadline, and nothing was saved. Do less in one call, or allow more time."
        )
    }
}

extension StoreError {
    /// The error of a call that ended without a result of its closure. No call ends this way, but the compiler cannot
    /// prove it.
    static var noResult: StoreError { StoreError(.storeFailed, "The call ended without a result.") }
}
