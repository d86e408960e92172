import Foundation
import Sworm
import Synchronization

/// A process that reads and writes at random, and suspends its store again and again.
///
/// It prints a line after each suspension, and waits for the parent before it resumes.
struct Sleeper {
    private struct Counts: Sendable {
        var reads = 0
        var plays = 0
        var suspended = 0
        var errors: [String] = []
        var isStopped = false
    }

    private static let rows = 200
    private let arguments: Arguments
    private let isAwake: Bool

    init(_ arguments: Arguments) throws {
        try arguments.allow("store", "seed", "awake")
        self.arguments = arguments
        isAwake = arguments.text("awake") == "yes"
    }

    func run() async throws {
        let url = URL(fileURLWithPath: try arguments.requiredText("store"))
        let store = try PersistentContainer(for: Track.self, at: .file(url), timeout: 20)
        try store.perform { try $0.insert(contentsOf: Track.samples(Self.rows)) }
        let before = try await store.read { try $0.sum(of: Track.all, \.plays) }
        let counts = Tallies()
        var random = SteadyRandom(state: try arguments.seed())
        let seeds = (0..<6).map { _ in random.next() }
        let clients = seeds.map { seed in Task { await Self.work(on: store, counts, seed: seed) } }
        // The parent sees the locks of a store that is open.
        say("open")
        guard ParentProcess.wait() else { return }
        while true {
            usleep(UInt32(random.pick(6000)))
            if !isAwake { try store.suspend(grace: .milliseconds(random.pick(5))) }
            say("suspended")
            guard ParentProcess.wait() else { break }
            if !isAwake { try store.resume() }
        }
        if !isAwake { try store.resume() }
        counts.stop()
        for client in clients { await client.value }
        let after = try await store.read { try $0.sum(of: Track.all, \.plays) }
        let (reads, plays, suspended, errors) = counts.summary
        for error in errors.prefix(5) { say("error: \(error)") }
        say("added \(plays) found \(after - before) reads \(reads) suspended \(suspended) errors \(errors.count)")
    }

    private final class Tallies: Sendable {
        private let content = Mutex(Counts())

        func read() { content.withLock { $0.reads += 1 } }
        func added(_ plays: Int) { content.withLock { $0.plays += plays } }
        func wasSuspended() { content.withLock { $0.suspended += 1 } }
        func failed(_ error: any Error) { content.withLock { $0.errors.append("\(error)") } }
        func stop() { content.withLock { $0.isStopped = true } }
        var isStopped: Bool { content.withLock { $0.isStopped } }
        var summary: (Int, Int, Int, [String]) {
            content.withLock { ($0.reads, $0.plays, $0.suspended, $0.errors) }
        }
    }

    private static func work(on store: PersistentContainer, _ counts: Tallies, seed: UInt64) async {
        var random = SteadyRandom(state: seed)
        while !counts.isStopped {
            let track = Track.all.where { [number = Int64(random.pick(rows) + 1) * 3] in $0.number == number }
            do {
                switch random.pick(5) {
                case 0:
                    try await store.write { try Self.addPlay(to: track, $0) }
                    counts.added(1)
                case 1:
                    try await store.schedule(retrying: 5) { try Self.addPlay(to: track, $0) }
                    counts.added(1)
                case 2:
                    _ = try await store.read { context in
                        // Held for a while.
                        for _ in 0..<5 {
                            _ = try context.decodeOne(track)
                            usleep(1000)
                        }
                    }
                    counts.read()
                case 3:
                    _ = try await store.read { try $0.decode(Track.all).count }
                    counts.read()
                default:
                    _ = try await store.read { try $0.decodeOne(track)?.plays }
                    counts.read()
                }
            } catch StoreError.Code.suspended {
                counts.wasSuspended()
                try? await Task.sleep(for: .microseconds(random.pick(3000)))
            } catch {
                counts.failed(error)
            }
        }
    }

    private static func addPlay(to track: Request<Track>, _ context: ManagedObjectContext) throws {
        guard let found = try context.fetchOne(track) else { throw Failure("a row is missing") }
        try found.encode(\.plays, try found.decode(\.plays) + 1)
    }
}
