import Foundation

/// Runs the sessions of one process, and writes down what they saw.
func runSessions(_ arguments: Arguments, process: Int, _ store: URL, _ output: URL) async throws {
    let stores = try (0..<Arguments.containers).map { _ in try ListStore(at: store, journal: arguments.journal) }
    let seed = arguments.seed
    let run = await ListRun.over(
        stores, threads: Arguments.threads, transactions: arguments.transactionsOfSession,
        first: process * Arguments.containers * Arguments.threads
    ) { SeededRandom(seed: seed &+ UInt64($0) &* 0x9E37_79B9) }
    let lines = run.transactions.map(\.line) + run.unexpected.map { "!" + $0.replacing("\n", with: " ") }
    try Data(lines.joined(separator: "\n").utf8).write(to: output)
}

/// Starts the processes, and gathers what they saw.
func runProcesses(_ arguments: Arguments, _ folder: URL, _ store: URL) throws -> ListRun {
    var outputs: [URL] = []
    var processes: [Process] = []
    for number in 0..<Arguments.processes {
        let process = Process()
        outputs.append(folder.appendingPathComponent("history\(number)"))
        process.executableURL = Bundle.main.executableURL
        process.arguments = arguments.words(ofProcess: number, store: store, output: outputs[number])
        try process.run()
        processes.append(process)
    }
    var run = ListRun()
    for (process, output) in zip(processes, outputs) {
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "a process ended with \(process.terminationStatus)")
        }
        for line in try String(contentsOf: output, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("!") {
                run.unexpected.append(String(line.dropFirst()))
            } else if let transaction = ListTransaction(line: line) {
                run.transactions.append(transaction)
            } else {
                throw Failure(description: "this line is no transaction: \(line.prefix(100))")
            }
        }
    }
    return run
}

/// Runs everything, and says whether the history is clean.
func check(_ arguments: Arguments) throws -> Bool {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("isolation-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appendingPathComponent("Store.sqlite")
    // Made before the processes open it.
    let first = try ListStore(at: store, journal: arguments.journal)
    let began = Date()
    let run = try runProcesses(arguments, folder, store)
    let seconds = Date().timeIntervalSince(began)
    let anomalies = HistoryChecker.anomalies(of: run.transactions, final: try first.lists())
    print("seed \(arguments.seed), journal \(arguments.journal ?? "wal"), \(Int(seconds)) s")
    print(run.summary)
    for text in run.unexpected.prefix(10) { print("unexpected: \(text)") }
    for anomaly in anomalies.prefix(10) { print("anomaly: \(anomaly)") }
    print("\(run.unexpected.count) unexpected errors, \(anomalies.count) anomalies")
    return run.unexpected.isEmpty && anomalies.isEmpty && run.transactions.contains { $0.isCommitted }
}

do {
    let arguments = try Arguments(CommandLine.arguments.dropFirst())
    if let process = arguments.process, let store = arguments.store, let output = arguments.output {
        try await runSessions(arguments, process: process, store, output)
        exit(0)
    }
    exit(try check(arguments) ? 0 : 1)
} catch {
    print("error: \(error)")
    exit(1)
}
