import Foundation

/// Peak memory, as Linux counts it for a process.
enum Memory {
    /// The megabytes by which the peak grows while a side runs once, in this process; and what it yields, as a number.
    static func growth(of side: Side) throws -> (megabytes: Double, fingerprint: Int) {
        guard case .timed(let run, let fingerprint) = side.work else { throw Failure("This side measures itself.") }
        try side.prepare()
        let growth = try peakGrowth(of: run)
        let found = try fingerprint(growth.result)
        try side.cleanUp()
        return (growth.megabytes, found)
    }

    /// The megabytes by which the peak grows while some work is done in this process.
    static func peakGrowth<Result>(of work: () throws -> Result) throws -> (megabytes: Double, result: Result) {
        // Forgets the peak so far; where the kernel refuses, the peak so far is what is subtracted.
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        let before = try peak()
        let result = try work()
        return (try peak() - before, result)
    }

    /// The same in a process of its own.
    static func growthInChild(
        bench: String, side: Int, _ place: Workplace, rows: Int
    ) throws -> (megabytes: Double, fingerprint: Int) {
        let child = Process()
        child.executableURL = try executable()
        child.arguments = ["--rows", "\(rows)", "--probe", bench, "\(side)", place.folder.path]
        // So that the children's numbers can be compared.
        let steady = ["SWIFT_DETERMINISTIC_HASHING": "1"]
        child.environment = ProcessInfo.processInfo.environment.merging(steady) { $1 }
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        child.waitUntilExit()
        let words = text.split(whereSeparator: \.isWhitespace)
        guard child.terminationStatus == 0, words.count == 2, let megabytes = Double(words[0]),
            let fingerprint = Int(words[1])
        else { throw Failure("\(bench): the child process for side \(side) said: \(text)") }
        return (megabytes, fingerprint)
    }

    static func executable() throws -> URL {
        guard let url = Bundle.main.executableURL else { throw Failure("The program does not know its own path.") }
        return url
    }

    /// The peak of resident memory in megabytes.
    static func peak() throws -> Double {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        for line in status.split(separator: "\n") where line.hasPrefix("VmHWM:") {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            if words.count > 1, let kilobytes = Double(words[1]) { return kilobytes / 1024 }
        }
        throw Failure("This system does not tell the peak memory of a process.")
    }
}
