import Foundation

/// Stops a process at random moments after it has suspended its store, and looks for its locks.
struct SuspendRun {
    private let stops: Int
    private let seed: UInt64
    private let isAwake: Bool

    init(_ arguments: Arguments) throws {
        try arguments.allow("stops", "seed", "plant")
        stops = max(1, try arguments.number("stops", or: 10_000))
        seed = try arguments.seed()
        isAwake = try arguments.plant("awake") != nil
    }

    /// Runs everything, and returns whether no lock was seen.
    func run() throws -> Bool {
        let place = try PerformState()
        let path = place.url("store.sqlite").path
        let files = ["", "-wal", "-shm", "-journal"].map { path + $0 }
        var random = SteadyRandom(state: seed)
        say("seed \(seed), \(stops) stops")
        let start = ContinuousClock.now
        let child = try ChildProcess([
            "sleeper", "--store", path, "--seed", "\(seed)", "--awake", isAwake ? "yes" : "no",
        ])
        try child.expect("open")
        // A look that never finds a lock would prove nothing.
        let whileOpen = try FileLocks.of(process: child.id, files: files).count
        try child.send()
        var found: [String] = []
        var locked = 0
        for stop in 0..<stops {
            try child.expect("suspended")
            usleep(UInt32(random.pick(3000)))
            try child.stop()
            let locks = try FileLocks.of(process: child.id, files: files)
            if !locks.isEmpty { locked += 1 }
            found += locks.prefix(max(0, 5 - found.count)).map { "stop \(stop): \($0)" }
            child.goOn()
            if stop + 1 < stops { try child.send() }
        }
        child.closeInput()
        var last: String?
        while let line = try child.line() {
            say(line)
            last = line
        }
        try child.end()
        let seconds = (ContinuousClock.now - start).milliseconds / 1000
        var checks = Checks()
        checks.atLeast(1, "locks while the store was open", Double(whileOpen))
        checks.atMost(0, "stops with a lock, of \(stops)", Double(locked))
        for line in found { say("        \(line)") }
        let words = last?.split(separator: " ") ?? []
        let isSound = words.count == 10 && words[1] == words[3] && words[9] == "0" && words[1] != "0" && words[5] != "0"
        checks.add("what the process saved", isSound ? "as acknowledged" : "not so", wanted: "as acknowledged", isSound)
        checks.note("time", "\(seconds.text) s")
        return checks.holds
    }
}
