import Foundation

/// A clock whose time passes only when a test advances it.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State: Sendable {
        var now = Instant(offset: .zero)
        var sleepers: [Int: (deadline: Instant, wake: CheckedContinuation<Void, any Error>)] = [:]
        var cancelled: Set<Int> = []
        var count = 0
    }

    private let lock = NSLock()
    // The lock guards it.
    private nonisolated(unsafe) var state = State()
    /// A value for each sleep that begins.
    let sleeps: AsyncStream<Void>
    private let sleep: AsyncStream<Void>.Continuation

    init() { (sleeps, sleep) = AsyncStream<Void>.makeStream() }

    var now: Instant { lock.withLock { state.now } }
    /// The time that is left for each sleep.
    var remaining: [Duration] {
        lock.withLock { state.sleepers.values.map { state.now.duration(to: $0.deadline) } }
    }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = lock.withLock {
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (wake: CheckedContinuation<Void, any Error>) in
                let (isOver, isCancelled) = lock.withLock {
                    let result = (deadline <= state.now, state.cancelled.contains(number))
                    if !result.0, !result.1 { state.sleepers[number] = (deadline, wake) }
                    return result
                }
                if isCancelled { return wake.resume(throwing: CancellationError()) }
                if isOver { return wake.resume() }
                sleep.yield()
            }
        } onCancel: {
            let sleeper = lock.withLock {
                state.cancelled.insert(number)
                return state.sleepers.removeValue(forKey: number)
            }
            sleeper?.wake.resume(throwing: CancellationError())
        }
    }

    /// Waits until a sleep begins. Each sleep is waited for once.
    func waitForSleep(isolation: isolated (any Actor)? = #isolation) async { for await _ in sleeps { return } }

    /// Advances the time, and ends the sleeps until then.
    func advance(by duration: Duration) {
        let woken = lock.withLock {
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.wake)
        }
        for wake in woken { wake.resume() }
    }
}
