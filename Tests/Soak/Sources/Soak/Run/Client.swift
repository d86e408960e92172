import Foundation
import Sworm

/// One of many that use the store at the same time, one call after the other.
struct Client: Sendable {
    let store: PersistentContainer
    let rows: Int
    let tally: Tally
    /// Whether some closures do not listen.
    let isStubborn: Bool

    func run(until end: ContinuousClock.Instant, seed: UInt64) async {
        var random = SteadyRandom(state: seed)
        while .now < end { await call(&random) }
    }

    /// Makes a call, and cancels it at a random moment in one of three cases: a while after it was made, when most wait, or
    /// after its closure has begun.
    private func call(_ random: inout SteadyRandom) async {
        let work = isStubborn && random.chance(2) ? Work.stubborn : Work.random(&random)
        let number = Int64(random.pick(rows) + 1) * 3
        let moments = Moments()
        let (store, tally) = (store, tally)
        let task = Task {
            do {
                let plays = try await work.run(in: store, number: number, moments)
                moments.end()
                tally.ended(work, plays: plays)
            } catch is CancellationError {
                moments.end()
                tally.cancelled()
            } catch {
                moments.end()
                tally.failed(work, error)
            }
        }
        moments.begin(task)
        if random.chance(33) {
            let delay = Duration.microseconds(random.pick(60_000))
            let isFromClosure = random.chance(60)
            try? await moments.sleep(for: delay, fromClosure: isFromClosure)
            moments.cancel()
        }
        await task.value
        if let delays = moments.delays { tally.went(on: work, delays) }
    }
}
