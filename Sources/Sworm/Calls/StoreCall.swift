/// The options of a call: how its closure uses the store, and how often it is repeated.
struct StoreCall: Sendable {
    var access: StoreAccess
    /// The maximum number of times that the closure is repeated after a conflict.
    var repetitions: Int
    private let limit: Limit?
    /// Whether the call is a repetition of a `perform`.
    private var isRepetition = false

    init(access: StoreAccess, repetitions: Int = 0, deadline: ContinuousClock.Instant?) {
        self.init(access: access, repetitions: repetitions, limit: deadline.map(Limit.init))
    }

    private init(access: StoreAccess, repetitions: Int, limit: Limit?) {
        (self.access, self.repetitions, self.limit) = (access, repetitions, limit)
    }

    /// A deadline. Without one, a call is copied faster with a reference than with an instant, whose layout is
    /// determined at run time.
    private final class Limit: Sendable {
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

    static func perform(retrying repetitions: Int, deadline: ContinuousClock.Instant?) -> StoreCall {
        StoreCall(access: .perform, repetitions: max(0, repetitions), deadline: deadline)
    }

    /// Returns the same call for the given repetition, without further repetitions.
    func run(afterRepetitions number: Int) -> StoreCall {
        var call = StoreCall(access: access(ofRepetition: number), repetitions: 0, limit: limit)
        call.isRepetition = number > 0
        return call
    }

    /// Returns the call as it can be run in a context. Several stores have no common write lock; with them, the last
    /// repetition is a `perform` like the first run.
    func possible(in context: NSManagedObjectContext) -> StoreCall {
        guard isRepetition, access == .write, !context.hasOneStore else { return self }
        return StoreCall(access: .perform, repetitions: 0, limit: limit)
    }

    /// Throws an error if the deadline has passed.
    func checkDeadline() throws {
        guard let limit, ContinuousClock.now >= limit.deadline else { return }
        throw StoreError(
            .timedOut,
            "The call exceeded its deadline, and nothing was saved. Do less in one call, or allow more time."
        )
    }

    /// Returns how the closure uses the store in the given repetition; zero is the first run. The last repetition holds
    /// the write lock, so that it meets no conflict.
    func access(ofRepetition number: Int) -> StoreAccess { number > 0 && number == repetitions ? .write : access }

    /// Returns whether the closure is to be repeated after an error in the given repetition; zero is the first run.
    func isRepeated(after error: any Error, repetition number: Int) -> Bool {
        number < repetitions && StoreError.Code.conflict ~= error
    }

    /// Returns how long to wait before a repetition. The maximum doubles each time. The pause is random, so that calls
    /// that conflicted do not meet again.
    ///
    /// - Parameters:
    ///   - number: The repetition, starting at 1.
    ///   - generator: The source of randomness.
    static func pause(before number: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let longest = min(1 << min(number, 10), 64)
        return .microseconds(Int.random(in: 500...1000 * longest, using: &generator))
    }
}

extension StoreError {
    /// The error of a call that ended without a result of its closure. No call ends this way, but the compiler cannot
    /// prove it.
    static var noResult: StoreError { StoreError(.storeFailed, "The call ended without a result.") }
}
