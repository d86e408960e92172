import Synchronization

/// What all clients have seen.
final class Tally: Sendable {
    struct Content: Sendable {
        var calls: [Work: Int] = [:]
        /// The milliseconds for which cancelled calls continued, and those for which their statements continued.
        var calledOn: [Double] = []
        var ranOn: [Double] = []
        /// The slowest of these for each kind of work.
        var slowest: [Work: Double] = [:]
        var cancelled = 0
        /// The plays that were added by writes that did not throw.
        var plays = 0
        var errors: [String: Int] = [:]
    }

    private let content = Mutex(Content())

    var summary: Content { content.withLock { $0 } }

    func ended(_ work: Work, plays: Int) {
        content.withLock {
            $0.calls[work, default: 0] += 1
            $0.plays += plays
        }
    }

    func cancelled() { content.withLock { $0.cancelled += 1 } }

    func failed(_ work: Work, _ error: any Error) {
        content.withLock { $0.errors["\(work): \(error)", default: 0] += 1 }
    }

    func went(on work: Work, _ delays: (call: Double, statement: Double?)) {
        content.withLock {
            $0.calledOn.append(delays.call)
            if let statement = delays.statement { $0.ranOn.append(statement) }
            $0.slowest[work] = max($0.slowest[work] ?? 0, delays.call)
        }
    }
}
