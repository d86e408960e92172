import Dispatch
import Foundation
import GRDB
import Sworm

/// What live results cost: the time of a save while requests are followed, and the time until their consumers are up to date.
/// GRDB's observations of the same requests run in the same process.
struct LiveBenches {
    private let folder: URL
    private let rows: Int
    private let repetitions: Int
    private let store: PersistentContainer
    /// A store without live requests.
    private let unwatched: PersistentContainer
    private let grdb: GRDBStore

    init(rows: Int, repetitions: Int) throws {
        self.rows = rows
        self.repetitions = repetitions
        folder = FileManager.default.temporaryDirectory.appending(path: "sworm-live-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        store = try PersistentContainer(for: Track.self, Author.self, at: .file(folder.appending(path: "live.sqlite")))
        unwatched = try PersistentContainer(
            for: Track.self, Author.self, at: .file(folder.appending(path: "unwatched.sqlite")))
        grdb = try GRDBStore(folder.appending(path: "live.grdb"))
        try grdb.makeTracks()
        try grdb.pool.write { try $0.execute(sql: "CREATE TABLE other (id INTEGER PRIMARY KEY, name TEXT)") }
        var maker = TrackMaker(genres: Self.requests)
        let tracks = (0..<rows).map { maker.track($0) }
        try store.perform { try $0.insert(contentsOf: tracks) }
        try grdb.pool.write { database in
            for track in tracks { try CodableTrack(track, id: track.number).insert(database) }
        }
    }

    /// The number of requests that are followed at the same time.
    private static let requests = 1000

    /// A track that no list but that of its genre shows.
    private static func newTrack(genre: Int) -> Track {
        var track = Track()
        (track.number, track.genre) = (.random(in: 1_000_000_000..<1_000_000_000_000), genre)
        return track
    }

    // MARK: Bars

    /// Prints a line for each bar. Returns whether all of them are met.
    func print() async throws -> Bool {
        defer { try? FileManager.default.removeItem(at: folder) }
        Swift.print("figure, microseconds".padded(58), "Sworm".padded(12), "GRDB".padded(12), "ratio".padded(10), "bar")
        var isMet = true
        func line(_ name: String, _ own: Double, _ other: Double?, bar: Double) {
            let ratio = other.map { own / $0 }
            let isGood = (ratio ?? own) <= bar
            isMet = isMet && isGood
            Swift.print(
                name.padded(58), String(format: "%.1f", own).padded(12),
                other.map { String(format: "%.1f", $0) }?.padded(12) ?? "-".padded(12),
                ratio.map { String(format: "%.4f", $0) }?.padded(10) ?? "-".padded(10),
                String(format: "%g", bar), isGood ? "" : "MISSED")
        }
        // The lists come first, while both stores have the same number of rows.
        try await withLists(line)
        try await withRequests(line)
        return isMet
    }

    private typealias Line = (_ name: String, _ own: Double, _ other: Double?, _ bar: Double) -> Void

    /// A thousand requests of one entity.
    private func withRequests(_ line: Line) async throws {
        let unwatchedTrack = try await median { try self.saveTrack(genre: Self.requests) }
        var followers = (0..<Self.requests).map { genre in
            Follower(store.values(of: Track.all.where { $0.genre == genre }.sort(\.number)))
        }
        for follower in followers { await follower.arrived(1) }
        let idleTime = try await idleTime(.seconds(5))
        let (unwatched, other) = try await pairedMedians({ try self.saveUnwatched() }, { try self.saveOther() })
        let row = try await median { try self.saveTrack(genre: 7) }
        await settle(followers)
        let complete = try await median {
            let count = followers[7].count
            try self.saveTrack(genre: 7)
            await followers[7].arrived(count + 1)
        }
        let idle = try await median {
            let plays = Int.random(in: 0..<1_000_000)
            try self.store.perform { _ = try $0.update(Track.all.where { $0.number == 3 }, set: (\.plays, plays)) }
        }
        followers = []
        var observers = (0..<Self.requests).map { genre in
            Observer(grdb) { try CodableTrack.filter(Column("genre") == genre).order(Column("number")).fetchAll($0) }
        }
        for observer in observers { await observer.arrived(1) }
        let otherGRDB = try await lowestMedian(of: repetitions / 5) { try self.saveOtherGRDB() }
        let rowGRDB = try await median(of: max(3, repetitions / 20)) { try self.saveTrackGRDB(genre: 7) }
        for observer in observers { await observer.quiet() }
        let completeGRDB = try await median(of: max(3, repetitions / 20)) {
            let counts = observers.map(\.count)
            try self.saveTrackGRDB(genre: 7)
            for (observer, count) in zip(observers, counts) { await observer.arrived(count + 1) }
        }
        observers = []
        line("2  a save of another entity, 1000 requests", other, otherGRDB, 0.1)
        line("2  more than without requests", other - unwatched, nil, 3)
        line("3  a row for one of 1000 requests: the writer", row, rowGRDB, 0.01)
        line("3  times an unwatched save", row / unwatchedTrack, nil, 2)
        line("4  until that one is up to date", complete, completeGRDB, 0.02)
        line("15 idle, percent of a core", 100 * idleTime, nil, 0.1)
        line("5  an attribute of one row that one list shows: the writer", idle, nil, 1000)
    }

    private func withLists(_ line: Line) async throws {
        let short = Track.all.where { $0.genre == 0 }.sort(\.number).limit(10)
        let all = Track.all.sort(\.title)
        let shortFollower = Follower(store.values(of: short))
        await shortFollower.arrived(1)
        let shortObserver = Observer(grdb) { database in
            try CodableTrack.filter(Column("genre") == 0).order(Column("number")).limit(10).fetchAll(database)
        }
        await shortObserver.arrived(1)
        let (ownShort, grdbShort) = try await pairedTimes(
            { try await self.follow(shortFollower) { try self.change(\.plays) } },
            { try await self.follow(shortObserver) { try self.changeGRDB("plays") } })
        shortFollower.end()
        shortObserver.end()
        let listFollower = Follower(store.lists(of: all))
        await listFollower.arrived(1)
        let patched = try await median(of: 21) { try await self.follow(listFollower) { try self.change(\.plays) } }
        let rerun = try await lowestMedian(of: 21) { try await self.follow(listFollower) { try self.changeTitle() } }
        let before = listFollower.count
        let clock = ContinuousClock()
        let burst = try clock.measure { for _ in 0..<1000 { try self.change(\.plays) } }
        await listFollower.quiet()
        let deliveries = listFollower.count - before
        listFollower.end()
        let listObserver = Observer(grdb) { try CodableTrack.order(Column("title")).fetchAll($0) }
        await listObserver.arrived(1)
        let grdbList = try await lowestMedian(of: 11) {
            try await self.follow(listObserver) { try self.changeGRDB("plays") }
        }
        listObserver.end()
        line("6  a list of 10, from the begin of the write, p50", middle(ownShort), middle(grdbShort), 1)
        line("6  the same, p99", highest(ownShort), highest(grdbShort), 1)
        line("7  a list of \(rows), one row changed", patched, grdbList, 0.04)
        line("8  a list of \(rows), run again with differences", rerun, grdbList, 0.25)
        line("9  deliveries of 1000 saves (\(Int(burst / .milliseconds(1))) ms)", Double(deliveries), nil, 10)
    }

    // MARK: Writes

    private func saveOther() throws { try store.perform { _ = try $0.insert(Author(name: "another")) } }

    private func saveUnwatched() throws { try unwatched.perform { _ = try $0.insert(Author(name: "another")) } }

    private func saveOtherGRDB() throws {
        try grdb.pool.write { try $0.execute(sql: "INSERT INTO other (name) VALUES ('another')") }
    }

    private func saveTrack(genre: Int) throws {
        let track = Self.newTrack(genre: genre)
        try store.perform { _ = try $0.insert(track) }
    }

    private func saveTrackGRDB(genre: Int) throws {
        let track = Self.newTrack(genre: genre)
        try grdb.pool.write { try CodableTrack(track, id: track.number).insert($0) }
    }

    private func change(_ attribute: WritableKeyPath<Track, Int>) throws {
        let value = Int.random(in: 0..<1_000_000_000)
        try store.perform { _ = try $0.update(Track.all.where { $0.number == 3 }, set: (attribute, value)) }
    }

    private func changeTitle() throws {
        let title = UUID().uuidString
        try store.perform { _ = try $0.update(Track.all.where { $0.number == 3 }, set: (\.title, title)) }
    }

    private func changeGRDB(_ column: String) throws {
        let value = Int.random(in: 0..<1_000_000_000)
        try grdb.pool.write {
            try $0.execute(sql: "UPDATE track SET \(column) = ? WHERE number = 3", arguments: [value])
        }
    }

    // MARK: Times

    private func follow(_ consumer: Consumer, _ write: () throws -> Void) async throws {
        let count = consumer.count
        try write()
        await consumer.arrived(count + 1)
    }

    /// Returns the time that the program has computed while it waited, as a part of the time that has passed.
    private func idleTime(_ duration: Duration) async throws -> Double {
        try await Task.sleep(for: .milliseconds(200))
        let start = clock()
        try await Task.sleep(for: duration)
        return Double(clock() - start) / Double(CLOCKS_PER_SEC) / (duration / .seconds(1))
    }

    private func settle(_ consumers: [Consumer]) async {
        try? await Task.sleep(for: .milliseconds(200))
        for consumer in consumers.suffix(1) { await consumer.quiet() }
    }

    private func times(of count: Int? = nil, _ body: () async throws -> Void) async throws -> [Double] {
        let clock = ContinuousClock()
        var times: [Double] = []
        for _ in 0..<(count ?? repetitions) {
            let start = clock.now
            try await body()
            times.append((clock.now - start) / .microseconds(1))
        }
        return times.sorted()
    }

    private func median(of count: Int? = nil, _ body: () async throws -> Void) async throws -> Double {
        middle(try await times(of: count, body))
    }

    /// Returns the lowest of the medians of five batches: the state of the processor lasts for a batch, and makes all of its
    /// times longer.
    private func lowestMedian(of count: Int, _ body: () async throws -> Void) async throws -> Double {
        var lowest = Double.infinity
        for _ in 0..<5 { lowest = min(lowest, try await median(of: count, body)) }
        return lowest
    }

    /// Returns the times of two calls in alternating batches.
    private func pairedTimes(
        _ one: () async throws -> Void, _ other: () async throws -> Void
    ) async throws -> ([Double], [Double]) {
        var all: ([Double], [Double]) = ([], [])
        // Long batches, because the first calls after a pause wake threads.
        for _ in 0..<4 {
            all.0 += try await times(of: max(1, repetitions / 4), one)
            all.1 += try await times(of: max(1, repetitions / 4), other)
        }
        return (all.0.sorted(), all.1.sorted())
    }

    /// Returns the lowest medians of two calls in alternating batches, so that both meet the same states of the processor.
    private func pairedMedians(
        _ one: () async throws -> Void, _ other: () async throws -> Void
    ) async throws -> (Double, Double) {
        var lowest = (Double.infinity, Double.infinity)
        for _ in 0..<40 {
            lowest.0 = min(lowest.0, try await median(of: 250, one))
            lowest.1 = min(lowest.1, try await median(of: 250, other))
        }
        return lowest
    }

    private func middle(_ times: [Double]) -> Double { times[times.count / 2] }
    private func highest(_ times: [Double]) -> Double { times[min(times.count - 1, times.count * 99 / 100)] }
}

/// A consumer of results, which counts them.
private class Consumer: @unchecked Sendable {
    // Unchecked: everything is behind the lock.
    private let lock = NSLock()
    private var received = 0
    private var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?

    var count: Int { lock.withLock { received } }

    func receive() {
        let continuation = lock.withLock { () -> CheckedContinuation<Void, Never>? in
            received += 1
            guard let waiting, waiting.count <= received else { return nil }
            self.waiting = nil
            return waiting.continuation
        }
        continuation?.resume()
    }

    /// Returns when a number of results have arrived.
    func arrived(_ number: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = lock.withLock {
                if received >= number { return true }
                waiting = (number, continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    /// Returns when nothing has arrived for a while.
    func quiet() async {
        var last = -1
        while last != count {
            last = count
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    func end() {}
}

// Unchecked: the task is set before the measurement and cancelled after it, by one thread.
private final class Follower: Consumer, @unchecked Sendable {
    private var task: Task<Void, Never>?

    init<Element>(_ values: LiveValues<Element>) {
        super.init()
        task = Task { [weak self] in
            do {
                for try await _ in values { self?.receive() }
            } catch {
                Swift.print("\(error)")
            }
        }
    }

    deinit { task?.cancel() }

    override func end() { task?.cancel() }
}

// Unchecked: its state is set before the measurement and ended after it, by one thread.
private final class Observer: Consumer, @unchecked Sendable {
    private static let queue = DispatchQueue(label: "Observer")
    private var observation: AnyDatabaseCancellable?

    init(_ store: GRDBStore, _ fetch: @escaping @Sendable (Database) throws -> [CodableTrack]) {
        super.init()
        observation = ValueObservation.tracking(fetch).start(
            in: store.pool, scheduling: .async(onQueue: Self.queue), onError: { Swift.print("\($0)") },
            onChange: { [weak self] _ in self?.receive() })
    }

    override func end() { observation = nil }
}

extension String {
    fileprivate func padded(_ width: Int) -> String { padding(toLength: width, withPad: " ", startingAt: 0) }
}
