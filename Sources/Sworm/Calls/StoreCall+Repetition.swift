// The repetition of a closure after a conflict, or after the loss of a connection.
extension StoreCall {
    /// Returns the same call for the given repetition, without further repetitions.
    func run(afterRepetitions number: Int) -> StoreCall {
        var call = StoreCall(access: access(ofRepetition: number), repetitions: 0, limit: limit)
        call.isRepetition = number > 0
        call.locks = locks
        return call
    }

    /// Returns the call as it can be run in a context. Several stores have no common write lock; with them, the last
    /// repetition is a `perform` like the first run.
    func possible(in context: NSManagedObjectContext) -> StoreCall {
        guard isRepetition, access == .write, !context.hasOneStore else { return self }
        return StoreCall(access: .perform, repetitions: 0, limit: limit)
    }

    /// Returns how the closure uses the store in the given repetition; zero is the first run. The last repetition holds
    /// the write lock, so that it meets no conflict.
    func access(ofRepetition number: Int) -> StoreAccess { number > 0 && number == repetitions ? .write : access }

    /// Returns whether the closure is to be repeated after an error in the given repetition; zero is the first run.
    func isRepeated(after error: any Error, repetition number: Int) -> Bool {
        guard number < repetitions, let failure = error as? StoreError else { return false }
        // A conflict with a position is one with the version of a tree that was read before the call. It would be the same.
        return failure.code == .conflict && failure.path == nil || Self.isLoss(failure)
    }

    /// Whether a call failed because the server, or the connection to it, was lost before anything was saved.
    private static func isLoss(_ failure: StoreError) -> Bool {
        // If no connection became free in time, a repetition would only make the queue longer.
        failure.code == .serverUnavailable && !failure.isOfFullPool
    }

    /// Returns how long to wait before the closure is repeated, but not beyond the deadline. The maximum doubles each time. The
    /// pause is random, so that calls that conflicted do not meet again, and calls that lost their server do not all return to it
    /// at the same moment.
    ///
    /// - Parameters:
    ///   - number: The repetition, starting at 1.
    ///   - error: The error after which the closure is repeated.
    ///   - generator: The source of randomness.
    func pause(
        before number: Int, after error: any Error, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let isLoss = (error as? StoreError).map(Self.isLoss) ?? false
        let range = isLoss ? Self.lossPause(before: number) : Self.conflictPause(before: number)
        let pause = Duration.microseconds(Int.random(in: range, using: &generator))
        return deadline.map { max(.zero, min(pause, $0 - .now)) } ?? pause
    }

    /// The range of the pause in microseconds after a conflict: at most 64 milliseconds.
    static func conflictPause(before number: Int) -> ClosedRange<Int> { 500...1000 * min(1 << min(number, 10), 64) }

    /// The range of the pause in microseconds after the loss of a server, which may need some time to start again: at most one
    /// second.
    static func lossPause(before number: Int) -> ClosedRange<Int> {
        let longest = min(100_000 << min(max(number, 1) - 1, 10), 1_000_000)
        return longest / 2...longest
    }
}
