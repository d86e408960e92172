/// How a closure is run: what it may do with the store, and how often it is repeated.
struct StoreCall: Sendable {
    var access: StoreAccess
    /// How often the closure is repeated when it meets a conflict.
    var repetitions: Int
    private let limit: Limit?
    /// Whether it repeats a `perform`.
    private var isRepetition = false

    init(access: StoreAccess, repetitions: Int = 0, deadline: ContinuousClock.Instant?) {
        self.init(access: access, repetitions: repetitions, limit: deadline.map(Limit.init))
    }

    private init(access: StoreAccess, repetitions: Int, limit: Limit?) {
        (self.access, self.repetitions, self.limit) = (access, repetitions, limit)
    }

    /// A deadline. A call without one is copied faster with a reference than with an instant, whose layout is looked up at
    /// run time.
    private final class Limit: Sendable {
        let deadline: ContinuousClock.Instant
        init(_ deadline: ContinuousClock.Instant) { self.deadline = deadline }
    }

    /// When the call is given up; nil for never.
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

    /// The same call for its nth run, which is repeated no more.
    func run(afterRepetitions number: Int) -> StoreCall {
        var call = StoreCall(access: access(ofRepetition: number), repetitions: 0, limit: limit)
        call.isRepetition = number > 0
        return call
    }

    /// The call as it can be run in a context: with several stores, which have no common write lock, the last repetition is a
    /// `perform` like the first run.
    func possible(in context: NSManagedObjectContext) -> StoreCall {
        guard isRepetition, access == .write, !Engine.hasOneStore(context) else { return self }
        return StoreCall(access: .perform, repetitions: 0, limit: limit)
    }

    /// Throws when the deadline has passed.
    func checkDeadline() throws {
        guard let limit, ContinuousClock.now >= limit.deadline else { return }
        throw StoreError(
            .timedOut,
            "The call did not end before its deadline, and nothing of it was saved. Do less in one call, or allow more time."
        )
    }

    /// How the closure uses the store, the given number of repetitions after its first run. The last of them holds the write
    /// lock, so that it meets no conflict.
    func access(ofRepetition number: Int) -> StoreAccess { number > 0 && number == repetitions ? .write : access }

    /// Whether the closure is to be repeated after an error, the given number of repetitions after its first run.
    func isRepeated(after error: any Error, repetition number: Int) -> Bool {
        number < repetitions && StoreError.Code.conflict ~= error
    }

    /// How long to wait before a repetition: twice as long each time, by a part that differs from call to call, so that
    /// calls that met each other do not meet again.
    ///
    /// - Parameters:
    ///   - number: The repetition, from 1.
    ///   - generator: Gives the part that differs.
    static func pause(before number: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let longest = min(1 << min(number, 10), 64)
        return .microseconds(Int.random(in: 500...1000 * longest, using: &generator))
    }
}
