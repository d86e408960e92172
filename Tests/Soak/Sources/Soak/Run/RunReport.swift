/// What a run came to.
struct RunReport {
    let summary: Tally.Content
    let peaks: Sampler.Peaks
    /// The threads before a store was opened: the main one, the concurrency pool, Dispatch's timers and the sampler.
    let idleThreads: Int
    let readers: Int
    let rest: Rest
    let end: Rest
    /// The plays that were added by writes that said so, and those that are in the store.
    let added: Int
    let found: Int
    let foreignPlays: Int
    let foreignWait: Double
    let seconds: Double
    let warmUpErrors: [String: Int]
    let soundness: String
    let complaints: [String: Int]

    /// Prints the table, and returns whether all bars are met.
    func print() -> Bool {
        var checks = Checks()
        checks.atMost(Double(readers + 8), "threads of the process, all of them", Double(peaks.threads))
        checks.note("  of these before a store was opened", "\(idleThreads), sampler and concurrency pool included")
        checks.atMost(64, "-wal", Double(peaks.log) / 1_048_576, " MB")
        printCancellations(&checks)
        checks.atMost(
            rest.memory * 1.1 + 8, "memory in use after the work", end.memory, " MB")
        checks.note("  after the warm-up", rest.memory.text + " MB")
        checks.atMost(Double(rest.descriptors), "descriptors after the work", Double(end.descriptors))
        checks.note("threads at rest, after the warm-up and the work", "\(rest.threads), \(end.threads)")
        checks.add(
            "plays in the store", "\(found)", wanted: "\(added), as acknowledged", found == added)
        checks.add("integrity check", soundness, wanted: "ok", soundness == "ok")
        printErrors(&checks)
        let calls = summary.calls.values.reduce(0, +)
        checks.note("calls that ended", "\(calls), \((Double(calls) / seconds).text) a second")
        for work in Work.allCases {
            if let count = summary.calls[work] { checks.note("  \(work)", "\(count)") }
        }
        checks.note("plays by the foreign writer", "\(foreignPlays)")
        checks.note("  its longest wait for the lock", foreignWait.text + " ms")
        checks.note("samples", "\(peaks.samples)")
        return checks.holds
    }

    private func printCancellations(_ checks: inout Checks) {
        let (ranOn, calledOn) = (summary.ranOn.sorted(), summary.calledOn.sorted())
        checks.add("calls that were cancelled", "\(summary.cancelled)", wanted: "some", summary.cancelled > 0)
        checks.atMost(50, "a cancelled closure runs on", ranOn.last ?? .infinity, " ms")
        checks.note("  \(ranOn.count) of them: p50, p99, p99.9", Self.text(ranOn))
        checks.atMost(50, "a cancelled call goes on, waiting ones included", calledOn.last ?? .infinity, " ms")
        checks.note("  \(calledOn.count) of them: p50, p99, p99.9", Self.text(calledOn))
        for (work, slowest) in summary.slowest.sorted(by: { $0.value > $1.value }).prefix(4) {
            checks.note("  slowest \(work)", slowest.text + " ms")
        }
    }

    private func printErrors(_ checks: inout Checks) {
        let errors = summary.errors.merging(warmUpErrors) { $0 + $1 }
        checks.add("unexpected errors", "\(errors.values.reduce(0, +))", wanted: "0", errors.isEmpty)
        for (text, count) in errors.sorted(by: { $0.value > $1.value }).prefix(5) { say("        \(count) x \(text)") }
        checks.note("lines of logError", "\(complaints.values.reduce(0, +))")
        for (text, count) in complaints.sorted(by: { $0.value > $1.value }).prefix(5) {
            say("        \(count) x \(text)")
        }
    }

    private static func text(_ values: [Double]) -> String {
        [0.5, 0.99, 0.999].map { values.quantile($0).text }.joined(separator: ", ") + " ms"
    }
}
