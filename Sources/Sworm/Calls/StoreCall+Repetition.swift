// The repetition of a closure after a conflict.
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
        // A conflict with a position is one with the version of a tree that was read before the call. It would be the same.
        guard number < repetitions, let failure = error as? StoreError else { return false }
        return failure.code == .conflict && failure.path == nil
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
