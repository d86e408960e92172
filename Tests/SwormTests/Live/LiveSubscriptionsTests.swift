import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

/// A long run: SWORM_LIVE_SUBSCRIPTIONS=100000 swift test --filter LiveSubscriptionsTests
@Suite("Live subscriptions", .timeLimit(.minutes(60)))
struct LiveSubscriptionsTests {
    @Test(arguments: [TestStore.Place.memory, .file])
    func `that begin and end at random moments leave nothing behind`(place: TestStore.Place) async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SWORM_LIVE_SUBSCRIPTIONS"].flatMap { Int($0) } ?? 400
        let seed = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        print("Live subscriptions: \(count), SWORM_RANDOM_SEED=\(seed)")
        weak var released: PersistentContainer?
        var folder: URL?
        try await {
            let test = try Archive.store(in: place)
            let store = test.container
            released = store
            folder = test.url?.deletingLastPathComponent()
            let run = LiveSubscriptionsRun(store)
            let watched = folder.map { OpenDescriptors(in: $0) }
            try await run.watch { if let watched { #expect(watched.watches > 0 || !OpenDescriptors.areListed) } }
            try await run.run(count, seed: seed)
            try await store.waitUntilIdle()
            // Watching has ended too. Connections remain open for the next calls.
            if let watched { try await poll { watched.watches == 0 } }
            #expect(store.live.isForgotten)
        }()
        // A task that is left would keep the container alive.
        try await poll { released == nil }
        if let folder { try await poll { OpenDescriptors(in: folder).count == 0 } }
    }
}

/// Subscriptions of all kinds that begin and end while transactions are made.
private struct LiveSubscriptionsRun {
    typealias Folder = Archive.Folder

    let store: PersistentContainer
    private let request = Folder.all.where { $0.rank < 4 }.sort(\.number)

    init(_ store: PersistentContainer) { self.store = store }

    func run(_ count: Int, seed: UInt64) async throws {
        let isDone = Locked(false)
        let writer = Task.detached {
            var random = SeededRandom(seed: seed)
            while !isDone.withLock({ $0 }) {
                let (number, rank) = (random.pick(30), random.pick(8))
                try store.perform { context in
                    _ = try context.update(Folder.all.where { $0.number == number }, set: (\.rank, rank))
                }
                try await Task.sleep(for: .microseconds(random.pick(2000)))
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= 16 { _ = try await group.next() }
                group.addTask { try await subscribe(seed &+ UInt64(number) &* 7919) }
            }
            try await group.waitForAll()
        }
        isDone.withLock { $0 = true }
        try await writer.value
    }

    /// Calls a closure during a subscription.
    func watch(_ body: () -> Void) async throws {
        for try await _ in store.count(of: request) {
            body()
            break
        }
    }

    private func subscribe(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let wanted = random.pick(4)
        let kind = random.pick(10)
        if kind >= 8 { return await Consumer().follow(request, in: store, wanted: min(wanted, 1), sections: kind == 9) }
        let task = Task { try await iterate(kind, wanted: wanted) }
        // An end in the middle of anything, unless the consumer ends by itself before.
        let moment = random.pick(4)
        if moment > 0 {
            for _ in 0..<random.pick(50) { await Task.yield() }
            if moment == 1 { try await Task.sleep(for: .microseconds(random.pick(3000))) }
            task.cancel()
        } else if wanted > 1 {
            // Commits may not change its result any more.
            try await Task.sleep(for: .milliseconds(2))
            task.cancel()
        }
        try await task.value
    }

    private func iterate(_ kind: Int, wanted: Int) async throws {
        switch kind {
        case 0: try await take(wanted, of: store.values(of: request))
        case 1: try await take(wanted, of: store.lists(of: request))
        case 2: try await take(wanted, of: store.lists(of: request.sections(by: \.rank)))
        case 3: try await take(wanted, of: store.count(of: request))
        case 4: try await take(wanted, of: store.ids(of: request))
        case 5: try await take(wanted, of: store.values(of: request.select(\.number, \.shelf.name)))
        case 6: try await take(wanted, of: store.values { try $0.count(of: request) })
        default: try await take(wanted, of: store.lists(of: request).minimumInterval(.milliseconds(1)))
        }
    }

    /// Takes some values, and releases the iterator.
    private func take<Element>(_ count: Int, of values: LiveValues<Element>) async throws {
        var iterator = values.makeAsyncIterator()
        for _ in 0..<count { guard try await iterator.next() != nil else { return } }
    }

    private actor Consumer {
        func follow(_ request: Request<Folder>, in store: PersistentContainer, wanted: Int, sections: Bool) async {
            if sections {
                let results = SectionedLiveResults(request.sections(by: \.rank), in: store, on: self)
                await waitUntil { wanted == 0 || results.isLoaded }
            } else {
                let results = LiveResults(request, in: store, on: self)
                await waitUntil { wanted == 0 || results.isLoaded }
            }
        }
    }
}

/// The descriptors of this process that belong to the files of a folder, where the system lists them.
private struct OpenDescriptors {
    /// The number of files that are open.
    let count: Int
    private let folder: URL

    init(in folder: URL) {
        self.folder = folder
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        count =
            names.filter { name in
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                return path?.contains(folder.lastPathComponent) ?? false
            }.count
    }

    /// Whether this test can see watches: the engine has them, and the system lists them.
    static var areListed: Bool {
        #if canImport(CoreData)
        false
        #else
        FileManager.default.fileExists(atPath: "/proc/self/fdinfo")
        #endif
    }

    /// The number of the watches of the folder and its files.
    var watches: Int {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let paths = [folder.path] + files.map { folder.appending(path: $0).path }
        let numbers = paths.compactMap { path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return (attributes?[.systemFileNumber] as? NSNumber).map { "ino:\(String($0.intValue, radix: 16)) " }
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo")) ?? []
        let lines = names.flatMap { name in
            ((try? String(contentsOfFile: "/proc/self/fdinfo/\(name)", encoding: .utf8)) ?? "").split(separator: "\n")
        }
        return lines.filter { line in
            line.hasPrefix("inotify ") && numbers.contains { line.contains($0) }
        }.count
    }
}
