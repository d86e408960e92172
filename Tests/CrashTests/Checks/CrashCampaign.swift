import Foundation
import Synchronization

/// Many states of many runs, on all processors.
struct CrashCampaign {
    let seed: UInt64
    let scratch: ScratchFolder

    init(seed: UInt64) throws {
        self.seed = seed
        scratch = try ScratchFolder()
    }

    /// Looks at states of a run.
    ///
    /// - Parameters:
    ///   - checker: Knows the run.
    ///   - numbers: The states.
    ///   - killed: Whether they are those of a process that is killed, by the number of changes before.
    ///   - limit: How many issues are enough.
    /// - Returns: What is wrong with the first ones that are not as they should be.
    func issues(
        of checker: CrashChecker, _ numbers: Range<Int>, killed: Bool = false, limit: Int = 5
    ) -> [String] {
        let issues = Mutex<[String]>([])
        let next = Mutex(numbers.lowerBound)
        let folder = scratch.url(UUID().uuidString)
        guard mkdir(folder.path, 0o777) == 0 else { return ["no folder can be made"] }
        defer { try? FileManager.default.removeItem(at: folder) }
        DispatchQueue.concurrentPerform(iterations: min(2, ProcessInfo.processInfo.activeProcessorCount)) { _ in
            while true {
                let number = next.withLock { next in
                    defer { next += 1 }
                    return next
                }
                guard number < numbers.upperBound, issues.withLock({ $0.count < limit }) else { return }
                let issue =
                    killed ? checker.issueOfKilled(at: number, in: folder) : checker.issue(of: number, in: folder)
                if let issue { issues.withLock { $0.append(issue) } }
            }
        }
        return issues.withLock { $0 }
    }
}
