import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

/// A long run: SWORM_LIVE_DELIVERIES=100000 swift test --filter LiveDeliveryTests
@Suite("Live values and commits", .timeLimit(.minutes(30)))
struct LiveDeliveryTests {
    typealias Folder = Archive.Folder

    private struct Failure: Swift.Error {}

    private static let count =
        ProcessInfo.processInfo.environment["SWORM_LIVE_DELIVERIES"].flatMap { Int($0) } ?? 300

    /// The writer increments a number, with calls that fail in between. Each value that is delivered must be a number
    /// that another connection reads as well, or a smaller one, and never that of a call that has failed.
    @Test func `never come before the commit that they show`() async throws {
        let test = try Archive.store(in: .file)
        let store = test.container
        let other = try PersistentContainer(for: Archive.Shelf.self, at: .file(try #require(test.url)))
        let id = try store.perform { try #require(try $0.fetchOne(Folder.all.where { $0.number == 0 })) }
        try store.perform { try $0.object(with: id).encode(\.rank, 0) }
        let (isDone, hasEnded, shown) = (Locked(false), Locked(false), Locked(-1))
        let seed = ProcessInfo.processInfo.environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        print("Live deliveries: \(Self.count), SWORM_RANDOM_SEED=\(seed)")
        let writer = Thread {
            var random = SeededRandom(seed: seed)
            var rank = 0
            while !isDone.withLock({ $0 }) {
                rank += 1
                let now = rank
                do {
                    try store.perform { context in
                        try context.object(with: id).encode(\.rank, -now)
                        // The bulk write is in the file when the call fails.
                        _ = try context.update(Folder.all.where { $0.number == 1 }, set: (\.rank, -now))
                        throw Failure()
                    }
                } catch {}
                do {
                    try store.perform { context in try context.object(with: id).encode(\.rank, now) }
                } catch {
                    Issue.record(error)
                }
                // Some commits come alone, and some in bursts, which are delivered together.
                if Int.random(in: 0..<8, using: &random) == 0 { continue }
                while shown.withLock({ $0 }) < now, !isDone.withLock({ $0 }) { usleep(20) }
            }
            hasEnded.withLock { $0 = true }
        }
        writer.start()
        var (deliveries, last) = (0, -1)
        for try await folder in store.value(of: id) {
            let folder = try #require(folder)
            let read = try other.perform {
                try #require(try $0.fetchOne(Folder.all.where { $0.number == 0 })).decode(\.rank)
            }
            if folder.rank <= last || folder.rank > read {
                Issue.record("\(folder.rank) came after \(last), when the file had \(read)")
                break
            }
            last = folder.rank
            shown.withLock { $0 = folder.rank }
            deliveries += 1
            if deliveries == Self.count { break }
        }
        #expect(deliveries == Self.count)
        isDone.withLock { $0 = true }
        while !hasEnded.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    }
}
