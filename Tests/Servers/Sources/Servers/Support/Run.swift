import Foundation
import Sworm

/// A run of one command: its server, its schema and its folder.
final class Run {
    let server: PostgresServer
    let folder: URL
    let schema: String
    let seed: UInt64
    private(set) var faults: [String] = []

    /// - Parameters:
    ///   - settings: Settings of the server. By default, a commit is not durable before it returns.
    ///   - isRestarted: Whether the server is started again when it crashes.
    init(seed: UInt64, settings: [String: String] = [:], isRestarted: Bool = false) throws {
        self.seed = seed
        // The tables are in use for long.
        server = try PostgresServer(
            settings: ["autovacuum": "on"].merging(settings) { $1 }, isRestarted: isRestarted, isOnDisk: true)
        schema = server.newSchema()
        folder = FileManager.default.temporaryDirectory.appending(path: "servers-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func end() {
        Worker.killAll()
        try? FileManager.default.removeItem(at: folder)
        server.stop()
    }

    /// The address of the store, as this library reads it.
    var address: String { address(host: server.folder.path) }

    func address(host: String) -> String {
        "host=\(host) port=\(server.port) user=\(server.user) dbname=postgres schema=\(schema)"
    }

    /// A connection past the store, whose unqualified names are those of the store's tables.
    func connect() throws -> PlainConnection {
        let connection = try PlainConnection(
            "host=\(server.folder.path) port=\(server.port) user=\(server.user) dbname=postgres")
        try connection.run("SET search_path = \(schema)")
        return connection
    }

    func file(_ name: String) -> URL { folder.appending(path: name) }

    func workers(_ count: Int, _ command: String, _ words: (Int) -> [String]) throws -> [Worker] {
        try (0..<count).map { try Worker(command, words($0), output: file("\(command)\($0)")) }
    }

    /// Notes a fault unless a condition holds.
    func check(_ holds: Bool, _ text: @autoclosure () -> String) { if !holds { faults.append(text()) } }

    func check(_ texts: [String]) { faults += texts }

    /// Prints the faults, and returns whether there were none.
    func report(_ command: String, _ figures: String, since start: ContinuousClock.Instant) -> Bool {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print("\(command): seed \(seed), \(figures), \(String(format: "%.1f", seconds)) s")
        for fault in faults.prefix(20) { print("  fault: \(fault)") }
        if faults.count > 20 { print("  and \(faults.count - 20) more") }
        if !faults.isEmpty { for line in serverMessages.suffix(20) { print("  server: \(line)") } }
        print("  \(faults.isEmpty ? "no fault" : "\(faults.count) faults")")
        return faults.isEmpty
    }
}

extension Run {
    /// The errors that the server has logged, and their details, except conflicts, which are repeated.
    private var serverMessages: [Substring] {
        let log = (try? String(contentsOf: server.folder.appending(path: "log"), encoding: .utf8)) ?? ""
        return log.split(separator: "\n").filter { line in
            [" ERROR: ", " FATAL: ", " PANIC: ", " DETAIL: ", "\t"].contains { line.contains($0) }
                && !line.contains("could not serialize access")
        }
    }
}

/// Runs an asynchronous closure, and blocks the calling thread meanwhile, which must not be one of the pool of tasks.
func blocking<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
    let result = Shared<Result<R, any Error>?>(nil)
    let semaphore = DispatchSemaphore(value: 0)
    Task.detached {
        do {
            let value = try await body()
            result.change { $0 = .success(value) }
        } catch {
            result.change { $0 = .failure(error) }
        }
        semaphore.signal()
    }
    semaphore.wait()
    guard let result = result.value else { throw Failure("a task has ended without a result") }
    return try result.get()
}

/// Runs a closure on several threads, and returns their results or throws the first error.
func onThreads<R: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) throws -> R) throws -> [R] {
    let results = Shared<[Int: Result<R, any Error>]>([:])
    let group = DispatchGroup()
    for number in 0..<count {
        group.enter()
        Thread.detachNewThread {
            let result = Result { try body(number) }
            results.change { $0[number] = result }
            group.leave()
        }
    }
    group.wait()
    return try results.value.sorted { $0.key < $1.key }.map { try $0.value.get() }
}

/// A value behind a lock.
///
/// @unchecked: the value is accessed only while the lock is held.
final class Shared<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var content: Value

    init(_ value: Value) { content = value }

    var value: Value { lock.withLock { content } }

    func change<R>(_ body: (inout Value) throws -> R) rethrows -> R { try lock.withLock { try body(&content) } }
}
