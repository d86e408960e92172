#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import Sworm
@testable import SwormPostgres
@testable import SwormStore

/// Two hundred tasks over ten connections.
///
/// The load runs in a process of its own, which is the program of the tests, so that all its threads can be counted. With
/// `SWORM_CALL_SOAK` in the environment it runs for that many seconds. With the path of a Python that has asyncpg in
/// `SWORM_ASYNCPG`, the same work is also done over asyncpg's pool.
@Suite("Calls over a server: load", .enabled(if: PostgresServer.isEnabled && CallLoad.seconds == nil))
struct CallLoadTests {
    @Test func `two hundred tasks over ten connections use few threads, lose nothing, and keep their order`() throws {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["--testing-library", "swift-testing", "--filter", "CallLoadProcess"]
        process.environment = ProcessInfo.processInfo.environment.merging([
            CallLoad.variable: ProcessInfo.processInfo.environment["SWORM_CALL_SOAK"] ?? "2"
        ]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        for line in text.split(separator: "\n") where line.hasPrefix("load: ") { print(line) }
        #expect(process.terminationStatus == 0, "\(text)")
        #expect(text.contains("load: cancellations"), "\(text)")
    }
}

/// The process of the load.
@Suite(.enabled(if: CallLoad.seconds != nil))
struct CallLoadProcess {
    private let load: CallLoad
    private let pallets: PalletStore

    init() throws {
        load = CallLoad(seconds: CallLoad.seconds ?? 1)
        pallets = try PalletStore(pallets: CallLoad.tasks)
    }

    @Test func run() async throws {
        let threads = ThreadCount()
        let own = try await latencies()
        let (named, all) = threads.stop()
        print("load: threads \(named) of Sworm, \(all) more than before, for 10 connections")
        print("load: Sworm \(own)")
        // The statements that the peers prepare do not survive a transaction on a pooler.
        if !ServerEntrance.arePooled { try compare(own) }
        #expect(named <= 10 + 4)
        // The threads of the concurrency pool come on top.
        #expect(all <= 10 + 4 + ProcessInfo.processInfo.activeProcessorCount)
        try await cancellations()
    }

    /// Does the same work over libpq and over asyncpg.
    private func compare(_ own: Latencies) throws {
        let floor = try load.floor(pallets)
        print("load: libpq \(floor), p50 \(own.ratio(\.median, floor)), p99 \(own.ratio(\.late, floor))")
        if let python = try load.python(pallets) {
            print("load: asyncpg \(python), p50 \(own.ratio(\.median, python)), p99 \(own.ratio(\.late, python))")
            #if !DEBUG
            #expect(own.late <= python.late)
            #endif
        } else {
            print("load: asyncpg not measured, because SWORM_ASYNCPG names no Python that has it")
        }
    }

    /// Runs calls, one after the other in each task, and returns how long each took.
    private func latencies() async throws -> Latencies {
        let store = pallets.container
        let (arrivals, runs) = (Locked(0), Locked<[Int]>([]))
        let end = ContinuousClock.now.advanced(by: .seconds(load.measuredSeconds))
        let all = try await withThrowingTaskGroup(of: [Duration].self) { group in
            for task in 0..<CallLoad.tasks {
                group.addTask {
                    var durations: [Duration] = []
                    while ContinuousClock.now < end {
                        let isWrite = durations.count % 4 == 0
                        let arrival = arrivals.withLock { number in
                            number += 1
                            return number
                        }
                        let start = ContinuousClock.now
                        if isWrite {
                            try await store.schedule { context in
                                runs.withLock { $0.append(arrival) }
                                try addBox(to: task, in: context)
                            }
                        } else {
                            _ = try await store.read { context in
                                runs.withLock { $0.append(arrival) }
                                return try context.decodeOne(Pallet.all.where(\.number == task))
                            }
                        }
                        durations.append(ContinuousClock.now - start)
                    }
                    return durations
                }
            }
            return try await group.reduce(into: [Duration]()) { $0 += $1 }
        }
        let overtaken = CallLoad.overtaken(runs.withLock { $0 })
        print("load: order: 99 of 100 calls are overtaken by at most \(overtaken) later ones")
        // A task may be delayed between its arrival and its request.
        #expect(overtaken <= CallLoad.tasks / 4)
        return Latencies(all)
    }

    /// Cancels calls at random moments. What is reported as saved is saved, and no connection is lost.
    private func cancellations() async throws {
        let seed = ProcessInfo.processInfo.environment["SWORM_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        print("load: cancellations with SWORM_SEED=\(seed)")
        try await pallets.container.write { try $0.update(Pallet.all, set: (\.boxes, 0)) }
        let store = pallets.container
        let end = ContinuousClock.now.advanced(by: .seconds(load.seconds))
        let (saved, cancelled) = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for task in 0..<CallLoad.tasks {
                group.addTask {
                    var random = SeededRandom(seed: seed &+ UInt64(task))
                    var (saved, cancelled) = (0, 0)
                    while ContinuousClock.now < end {
                        let kind = random.pick(20)
                        let call = Task {
                            switch kind {
                            case 0: try await store.write { try addBox(to: task, in: $0) }
                            case 1..<10: try await store.schedule(retrying: 5) { try addBox(to: task, in: $0) }
                            default: _ = try await store.read { try $0.decodeOne(Pallet.all.where(\.number == task)) }
                            }
                        }
                        if random.chance(40) {
                            try await Task.sleep(for: .microseconds(random.pick(40_000)))
                            call.cancel()
                        }
                        do {
                            try await call.value
                            if kind < 10 { saved += 1 }
                        } catch is CancellationError { cancelled += 1 }
                    }
                    return (saved, cancelled)
                }
            }
            return try await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.0, $0.1 + $1.1) }
        }
        let boxes = try await pallets.container.read { try $0.sum(of: Pallet.all, \.boxes) } ?? 0
        print("load: cancellations \(cancelled), saved calls \(saved), boxes \(boxes)")
        #expect(cancelled > 0 && boxes == saved)
        #expect(try await pallets.becomesIdle(), "\(pallets.pool.snapshot)")
        // The sessions behind a pooler are its own.
        guard !ServerEntrance.arePooled else { return }
        let sessions = try pallets.run(
            "SELECT count(*)::bigint FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        #expect(sessions.first?.flatMap { Int($0) } ?? .max <= CallLoad.connections)
    }
}
#endif
