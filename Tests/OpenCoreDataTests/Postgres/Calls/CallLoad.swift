#if PostgreSQL
import CSwormPQ
import Foundation
import SwormPredicates
import Testing

@testable import SwormPostgres
@testable import SwormStore

/// The work of two hundred clients, without this library: one row is read in a transaction of its own, or every fourth time
/// read and written.
struct CallLoad {
    static let variable = "SWORM_CALL_LOAD"
    static let tasks = 200
    static let connections = 10

    /// The duration of each part in this process, in seconds; nil in a process that runs tests.
    static var seconds: Double? { ProcessInfo.processInfo.environment[variable].flatMap { Double($0) } }

    let seconds: Double
    /// The duration of the parts that are compared. The rest of a long run is for the cancellations.
    var measuredSeconds: Double { min(seconds, 20) }

    /// Returns by how many later calls 99 of 100 calls were overtaken.
    ///
    /// - Parameter runs: The numbers of the calls by arrival, in the order in which they ran.
    static func overtaken(_ runs: [Int]) -> Int {
        var counts: [Int] = []
        for (index, arrival) in runs.enumerated() {
            counts.append(runs[max(0, index - 2 * tasks)..<index].count { $0 > arrival })
        }
        counts.sort()
        return counts.isEmpty ? 0 : counts[min(counts.count - 1, counts.count * 99 / 100)]
    }

    // MARK: libpq

    private struct Failure: Error { let message: String }

    private static let reading =
        "SELECT \"_key\", \"_version\", \"number\", \"boxes\" FROM @\"Pallet\" WHERE \"number\" = $1"
    private static let writing =
        "UPDATE @\"Pallet\" SET \"boxes\" = \"boxes\" + 1, \"_version\" = \"_version\" + 1 WHERE \"_key\" = $1 AND \"_version\" = $2"

    /// Does the work with a thread for each connection, which takes the client that has waited for the longest time.
    func floor(_ pallets: PalletStore) throws -> Latencies {
        let schema = pallets.store.schema.prefix
        let address = try PostgresStores.options().address
        let clients = Clients(count: Self.tasks, until: .now.advanced(by: .seconds(measuredSeconds)))
        let durations = Locked<[Duration]>([])
        let failures = Locked<[String]>([])
        let group = DispatchGroup()
        for _ in 0..<Self.connections {
            group.enter()
            Thread.detachNewThread {
                defer { group.leave() }
                do {
                    let found = try Self.work(clients, host: address.hosts[0].name, user: "postgres", schema: schema)
                    durations.withLock { $0 += found }
                } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        group.wait()
        #expect(failures.withLock { $0.isEmpty }, "\(failures.withLock { $0 })")
        return Latencies(durations.withLock { $0 })
    }

    private static func work(_ clients: Clients, host: String, user: String, schema: String) throws -> [Duration] {
        guard let connection = PQconnectdb("host=\(host) user=\(user) dbname=postgres") else {
            throw Failure(message: "no memory")
        }
        defer { PQfinish(connection) }
        func check(_ result: OpaquePointer?) throws -> OpaquePointer? {
            let status = PQresultStatus(result)
            guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
                defer { PQclear(result) }
                throw Failure(message: String(cString: PQerrorMessage(connection)))
            }
            return result
        }
        func run(_ sql: String) throws { PQclear(try check(PQexec(connection, sql))) }
        for (name, sql) in [("r", reading), ("w", writing)] {
            let text = sql.replacingOccurrences(of: "@", with: schema)
            PQclear(try check(PQprepare(connection, name, text, 0, nil)))
        }
        func execute(_ name: String, _ values: [String]) throws -> OpaquePointer? {
            let copies = values.map { strdup($0) }
            defer { for copy in copies { free(copy) } }
            let pointers = copies.map { $0.map { UnsafePointer($0) } }
            return try check(PQexecPrepared(connection, name, Int32(values.count), pointers, nil, nil, 0))
        }
        var durations: [Duration] = []
        while let client = clients.next() {
            let isWrite = client.calls % 4 == 0
            try run("BEGIN ISOLATION LEVEL REPEATABLE READ READ \(isWrite ? "WRITE" : "ONLY")")
            let row = try execute("r", [String(client.number)])
            let values = (0..<2).map { String(cString: PQgetvalue(row, 0, Int32($0))) }
            PQclear(row)
            if isWrite { PQclear(try execute("w", values)) }
            try run("COMMIT")
            durations.append(ContinuousClock.now - client.start)
            clients.add(client)
        }
        return durations
    }

    // MARK: asyncpg

    /// Does the work with asyncpg's pool; nil if there is no Python that has it.
    func python(_ pallets: PalletStore) throws -> Latencies? {
        guard let python = ProcessInfo.processInfo.environment["SWORM_ASYNCPG"] else { return nil }
        let address = try PostgresStores.options().address
        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = [
            "-c", Self.script, address.hosts[0].name, "postgres", pallets.store.schema.prefix, String(measuredSeconds),
            String(Self.tasks), String(Self.connections),
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return Latencies(text.split(separator: "\n").compactMap { Double($0) }.map { .seconds($0) })
    }

    private static let script = """
        import asyncio, asyncpg, sys, time
        host, user, schema, seconds, tasks, connections = sys.argv[1:]
        reading = '\(reading)'.replace('@', schema)
        writing = '\(writing)'.replace('@', schema)
        durations = []
        async def client(pool, number, end):
            calls = 0
            while time.monotonic() < end:
                start = time.monotonic()
                write = calls % 4 == 0
                async with pool.acquire() as connection:
                    async with connection.transaction(isolation='repeatable_read', readonly=not write):
                        row = await connection.fetchrow(reading, number)
                        if write: await connection.execute(writing, row[0], row[1])
                durations.append(time.monotonic() - start)
                calls += 1
        async def main():
            size = int(connections)
            async with asyncpg.create_pool(host=host, user=user, database='postgres', min_size=size, max_size=size) as pool:
                end = time.monotonic() + float(seconds)
                await asyncio.gather(*(client(pool, number, end) for number in range(int(tasks))))
        asyncio.run(main())
        for duration in durations: print(duration)
        """
}

/// Clients that each wait for the end of one call before they begin the next one.
///
/// @unchecked: the clients are accessed only while the lock is held.
private final class Clients: @unchecked Sendable {
    struct Client {
        var number: Int
        var calls = 0
        var start = ContinuousClock.now
    }

    private let lock = NSLock()
    private let end: ContinuousClock.Instant
    private var waiting: [Client]

    init(count: Int, until end: ContinuousClock.Instant) {
        self.end = end
        waiting = (0..<count).map { Client(number: $0) }
    }

    func next() -> Client? { lock.withLock { waiting.isEmpty ? nil : waiting.removeFirst() } }

    func add(_ client: Client) {
        lock.withLock {
            guard ContinuousClock.now < end else { return }
            waiting.append(Client(number: client.number, calls: client.calls + 1))
        }
    }
}

/// The durations of calls.
struct Latencies: CustomStringConvertible {
    private let sorted: [Duration]

    init(_ durations: [Duration]) { sorted = durations.sorted() }

    private func at(_ share: Double) -> Duration {
        sorted.isEmpty ? .zero : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    var median: Duration { at(0.5) }
    /// That of the slowest hundredth.
    var late: Duration { at(0.99) }

    func ratio(_ value: (Latencies) -> Duration, _ other: Latencies) -> String {
        String(format: "%.2f x", value(self) / value(other))
    }

    var description: String {
        func text(_ duration: Duration) -> String { String(format: "%.1f ms", duration / .milliseconds(1)) }
        return "\(sorted.count) calls, p50 \(text(median)), p99 \(text(late)), longest \(text(at(1)))"
    }
}

/// Counts the threads of the process until it is stopped.
final class ThreadCount: Sendable {
    private let most = Locked((named: 0, all: 0))
    private let isStopped = Locked(false)
    private let done = DispatchSemaphore(value: 0)
    private let before = ThreadCount.names.count

    init() {
        Thread.detachNewThread { [most, isStopped, done] in
            while !isStopped.withLock({ $0 }) {
                let names = Self.names
                let named = names.count { $0.hasPrefix("Sworm c") || $0.hasPrefix("Sworm l") }
                most.withLock { $0 = (max($0.named, named), max($0.all, names.count)) }
                usleep(10_000)
            }
            done.signal()
        }
    }

    /// The largest number of this library's threads, and of threads that did not exist at the beginning, without the one that
    /// counts.
    func stop() -> (named: Int, all: Int) {
        isStopped.withLock { $0 = true }
        done.wait()
        return most.withLock { ($0.named, $0.all - before - 1) }
    }

    /// The names of the threads, of which the system keeps 15 characters.
    private static var names: [String] {
        let folder = "/proc/self/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.compactMap { try? String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8) }
    }
}
#endif
