import Foundation
import Synchronization

/// Looks at this process and at a log a hundred times a second, on a thread of its own.
final class Sampler: Sendable {
    struct Peaks: Sendable {
        var threads = 0
        var log = 0
        var samples = 0
    }

    private let content = Mutex((peaks: Peaks(), isStopped: false))
    private let log: String

    init(log: String) {
        self.log = log
        let thread = Thread { [self] in
            while !content.withLock({ $0.isStopped }) {
                let (threads, size) = (ProcessFigures.threads(), ProcessFigures.size(log))
                content.withLock {
                    $0.peaks.threads = max($0.peaks.threads, threads)
                    $0.peaks.log = max($0.peaks.log, size)
                    $0.peaks.samples += 1
                }
                usleep(10_000)
            }
        }
        thread.start()
    }

    var peaks: Peaks { content.withLock { $0.peaks } }

    /// Begins to look for the highest values anew.
    func forget() { content.withLock { $0.peaks = Peaks() } }

    func stop() { content.withLock { $0.isStopped = true } }
}
