// Core Data has no such stores, and reports commits itself.
#if !canImport(CoreData)
import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Live results beside writers", .timeLimit(.minutes(30)))
struct LiveInterferenceTests {
    typealias Folder = Archive.Folder

    /// A container over a coordinator of several ones.
    private func container(_ url: URL) throws -> @Sendable () -> PersistentContainer {
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try NSManagedObjectModel(tables: Archive.Shelf.self))
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        return {
            PersistentContainer(managedObjectContext: {
                let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                context.persistentStoreCoordinator = coordinator
                return context
            })
        }
    }

    @Test func `continue after a suspension by another container of the coordinator`() async throws {
        let test = try Archive.store(in: .file)
        let make = try container(try #require(test.url))
        let (one, other) = (make(), make())
        var counts = other.count(of: Folder.all).makeAsyncIterator()
        #expect(try await counts.next() == 30)
        try one.suspend()
        try test.container.perform { _ = try $0.insert(Folder(number: 100)) }
        // The refresh after that commit finds the store suspended.
        try await Task.sleep(for: .milliseconds(50))
        other.live.queue.sync {}
        try one.resume()
        try test.container.perform { _ = try $0.insert(Folder(number: 101)) }
        var last: Int?
        while last != 32 { last = try await counts.next() }
    }

    @Test func `a feed that begins while the store is suspended begins when it is resumed`() async throws {
        let test = try Archive.store(in: .file)
        let store = test.container
        try store.suspend()
        var feed = store.changes().makeAsyncIterator()
        let first = Task { try await feed.next() }
        try await Task.sleep(for: .milliseconds(50))
        try store.resume()
        // The feed begins with the resumption, at the latest with one of these commits.
        let isDone = Locked(false)
        let writer = Task.detached {
            var number = 100
            while !isDone.withLock({ $0 }) {
                number += 1
                try store.perform { _ = try $0.insert(Folder(number: number)) }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        #expect(try await first.value != nil)
        isDone.withLock { $0 = true }
        try await writer.value
    }

    @Test func `every list is one state of the store`() async throws {
        let test = try Archive.store(in: .file)
        let store = test.container
        let (turns, count) = (1_500, 300)
        try store.perform { context in
            for number in 100..<(100 + count) { _ = try context.insert(Folder(number: number, rating: 0)) }
        }
        let failure = Locked<(any Error)?>(nil)
        let write: @Sendable () throws -> Void = {
            let ids = try store.read { context in
                try context.fetch(Folder.all.where { $0.number >= 100 }.sort(\.number)).map(\.id)
            }
            for turn in 1...turns {
                // The sum of the ratings is the same after each commit. A list can follow it by reading two rows.
                try store.perform { context in
                    for (index, difference) in [(turn * 7 % count, turn), ((turn * 7 + 1) % count, -turn)] {
                        let folder = try context.object(with: ids[index])
                        try folder.encode(\.rating, (folder.decode(\.rating) ?? 0) + difference)
                        if turn == turns { try folder.encode(\.title, "last") }
                    }
                }
                // Commits in quick succession are handled together.
                usleep(200)
            }
        }
        // On a thread of its own, because the threads of tasks are few.
        Thread.detachNewThread { do { try write() } catch { failure.withLock { $0 = error } } }
        for try await folders in store.values(of: Folder.all.where { $0.number >= 100 }) {
            let sum = folders.map { $0.rating ?? 0 }.reduce(0, +)
            #expect(sum == 0)
            if sum != 0 || folders.contains(where: { $0.title == "last" }) { break }
        }
        #expect(failure.withLock { $0 } == nil)
    }
}

/// A table of the same entity as ``Coin``, whose attribute may have any value.
private struct AnyCoin: ManagedObjectConvertible {
    var number = 0
    var kind = 0
    static let entityName = "Coin"
    static let attributes: Set<Attribute<Self>> = [.init(\.number, "number"), .init(\.kind, "kind")]
    static let relations: Void = ()
}

private struct Coin: ManagedObjectConvertible {
    enum Metal: Int, SupportedAttributeType { case gold = 1, silver }
    var number = 0
    var kind = Metal.gold
    static let attributes: Set<Attribute<Self>> = [.init(\.number, "number"), .init(\.kind, "kind")]
    static let relations: Void = ()
}

@Suite("Live results and rows that cannot be decoded", .timeLimit(.minutes(30)))
struct LiveUndecodableTests {
    @Test func `a row that a request does not find does not end it`() async throws {
        let test = try TestStore(for: Coin.self, in: .file)
        let raw = try PersistentContainer(for: AnyCoin.self, at: .file(try #require(test.url)))
        var values = test.container.values(of: Coin.all.where { $0.kind == .silver }).makeAsyncIterator()
        #expect(try await values.next()?.count == 0)
        try raw.perform { _ = try $0.insert(AnyCoin(number: 1, kind: 99)) }
        test.container.live.queue.sync {}
        try raw.perform { _ = try $0.insert(AnyCoin(number: 2, kind: 2)) }
        #expect(try await values.next()?.map(\.number) == [2])
    }
}
#endif
