import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

/// The location of a store with a history, which several containers open.
private struct RecordedStore {
    let location = StoreLocation.tested

    func open(history: Bool = true) throws -> PersistentContainer {
        try PersistentContainer(for: Archive.Shelf.self, at: location, history: history)
    }
}

// A server's history has a transaction only when all earlier writers have ended, also those of other tests.
@Suite("Change feeds", .timeLimit(.minutes(30)), .over(.file))
struct ChangeFeedTests {
    typealias Folder = Archive.Folder
    typealias Shelf = Archive.Shelf

    private func next(_ iterator: inout ChangeFeed.Iterator) async throws -> StoreChanges {
        try #require(try await iterator.next())
    }

    private func expect(
        _ code: StoreError.Code, from iterator: inout ChangeFeed.Iterator,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        do {
            let changes = try await iterator.next()
            Issue.record("\(String(describing: changes)) came instead of an error", sourceLocation: sourceLocation)
        } catch {
            #expect(code ~= error, "\(error)", sourceLocation: sourceLocation)
        }
    }

    private func insert(_ numbers: ClosedRange<Int>, into store: PersistentContainer) throws {
        for number in numbers { try store.perform { _ = try $0.insert(Folder(number: number)) } }
    }

    @Test func `contain each transaction once, from a token on`() async throws {
        let recorded = RecordedStore()
        let store = try recorded.open()
        try insert(0...4, into: store)
        let token = try store.changeToken()
        try insert(5...7, into: store)
        var feed = store.changes(since: token).makeAsyncIterator()
        var last = token
        for number in 5...7 {
            let changes = try await next(&feed)
            #expect(changes.of(Folder.self).map(\.kind) == [.inserted])
            #expect(changes.entityNames == [Folder.entityName])
            #expect(try changes.values(of: Folder.self).values.map(\.number) == [number])
            let now = try #require(changes.token)
            #expect(now > last)
            last = now
        }
        try insert(8...8, into: store)
        #expect(try changes(try await next(&feed)).map(\.number) == [8])
        // A token survives being kept as data.
        let kept = try JSONDecoder().decode(ChangeToken.self, from: JSONEncoder().encode(last))
        var later = store.changes(since: kept).makeAsyncIterator()
        #expect(try changes(try await next(&later)).map(\.number) == [8])
    }

    private func changes(_ changes: StoreChanges) throws -> [Folder] {
        try changes.values(of: Folder.self).values.sorted { $0.number < $1.number }
    }

    @Test func `name the objects, properties and authors`() async throws {
        let recorded = RecordedStore()
        let store = try recorded.open()
        let (shelf, id) = try store.perform { context in
            (try context.insert(Shelf(name: "a")), try context.insert(Folder(number: 1, title: "one")))
        }
        var feed = store.changes(since: try store.changeToken()).makeAsyncIterator()
        try store.perform { try $0.object(with: id).encode(\.title, "two") }
        var changes = try await next(&feed)
        let change = try #require(changes.of(Folder.self).first)
        #expect(change.id == id && change.kind == .updated && change.properties == ["title"])
        #expect(change.touches(\.title) && !change.touches(\.rank) && !change.touches(\.shelf))
        #expect(changes.of(Shelf.self).isEmpty)
        #expect(changes.date.map { abs($0.timeIntervalSinceNow) < 3600 } ?? false && !changes.isIncomplete)
        try store.perform { context in
            let folder = try context.object(with: id)
            folder.shelf = try context.object(with: shelf)
        }
        changes = try await next(&feed)
        #expect(changes.of(Folder.self).first?.touches(\.shelf) ?? false)
        try store.perform { try $0.delete($0.object(with: id)) }
        changes = try await next(&feed)
        #expect(changes.of(Folder.self).map(\.kind) == [.deleted])
        #expect(try changes.values(of: Folder.self).isEmpty)
        #if !canImport(CoreData)
        #expect(changes.origin == .thisContainer)
        try insert(9...9, into: try recorded.open())
        #expect(try await next(&feed).origin == .thisProcess)
        #endif
    }

    @Test func `leave out other types and an author`() async throws {
        let recorded = RecordedStore()
        let store = try recorded.open()
        var feed = store.changes(since: try store.changeToken(), of: Folder.self, excludingAuthor: "sync")
            .makeAsyncIterator()
        try store.perform { _ = try $0.insert(Shelf()) }
        try store.perform { context in
            context.instance.transactionAuthor = "sync"
            _ = try context.insert(Folder(number: 1))
        }
        try store.perform { context in
            context.instance.transactionAuthor = "person"
            _ = try context.insert(Folder(number: 2))
        }
        let changes = try await next(&feed)
        #expect(try self.changes(changes).map(\.number) == [2])
        #expect(changes.author == "person")
    }

    @Test func `leave out the author of a container`() async throws {
        let recorded = RecordedStore()
        let (store, downloads) = (try recorded.open(), try recorded.open())
        downloads.author = "download"
        #expect(downloads.author == "download" && store.author == nil)
        var feed = store.changes(excludingAuthor: "download").makeAsyncIterator()
        try insert(0...3, into: downloads)
        try store.perform { try $0.insert(contentsOf: [Folder(number: 4)]) }
        try downloads.perform { _ = try $0.update(Folder.all, set: (\.rank, 9)) }
        downloads.author = nil
        try insert(5...5, into: downloads)
        for number in 4...5 {
            let changes = try await next(&feed)
            #expect(try self.changes(changes).map(\.number) == [number] && changes.author == nil)
        }
    }

    @Test func `reject tokens whose transactions are gone`() async throws {
        let recorded = RecordedStore()
        let store = try recorded.open()
        try insert(0...2, into: store)
        let old = try store.changeToken()
        try insert(3...5, into: store)
        #expect(try store.purgeHistory(before: store.changeToken()) != nil)
        var purged = store.changes(since: old).makeAsyncIterator()
        await expect(.historyTokenExpired, from: &purged)
        // A token of a newer state than that of the file.
        let newer = ChangeToken(store: old.store, number: 1_000)
        var replaced = store.changes(since: newer).makeAsyncIterator()
        await expect(.historyTokenExpired, from: &replaced)
        let strange = ChangeToken(store: UUID().uuidString, number: 1)
        var other = store.changes(since: strange).makeAsyncIterator()
        await expect(.historyTokenExpired, from: &other)
        #expect(throws: StoreError.self) { try store.purgeHistory(before: newer) }
        for text in ["{}", #"{"store":"","number":1}"#, #"{"store":"A","number":-1}"#, "[1]"] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(ChangeToken.self, from: Data(text.utf8)) }
        }
    }

    @Test func `need a history to look back`() async throws {
        let recorded = RecordedStore()
        let store = try recorded.open(history: false)
        try insert(0...2, into: store)
        #expect(throws: StoreError.self) { try store.changeToken() }
        var feed = store.changes(since: ChangeToken(store: "A", number: 1)).makeAsyncIterator()
        await expect(.historyNeeded, from: &feed)
        var named = store.changes(for: "index").makeAsyncIterator()
        await expect(.historyNeeded, from: &named)
    }

    @Test func `without a history begin now, and know this process`() async throws {
        let recorded = RecordedStore()
        let store = try recorded.open(history: false)
        try insert(0...2, into: store)
        let (received, isOpen) = (Locked<[StoreChanges]>([]), Locked(true))
        let task = Task {
            for try await changes in store.changes(of: Folder.self) {
                received.withLock { $0.append(changes) }
                while !isOpen.withLock({ $0 }), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
            }
        }
        func wait(for count: Int) async throws -> StoreChanges {
            // On Core Data's branch, it may be in doubt whether another process has committed.
            while true {
                let complete = received.withLock { $0.filter { !$0.isIncomplete } }
                if complete.count >= count { return complete[count - 1] }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        while store.feeds.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        try insert(3...3, into: store)
        let first = try await wait(for: 1)
        #expect(try changes(first).map(\.number) == [3] && first.token == nil && !first.isIncomplete)
        let id = try #require(first.of(Folder.self).first?.id)
        try store.perform { _ = try $0.insert(Shelf()) }
        try store.perform { try $0.object(with: id).encode(\.title, "new") }
        let second = try #require(try await wait(for: 2).of(Folder.self).first)
        #expect(second.kind == .updated && second.touches(\.title) && !second.touches(\.rank))
        // Transactions that a slow consumer does not receive are replaced by an incomplete one.
        isOpen.withLock { $0 = false }
        for number in 0..<1_200 { try store.perform { try $0.object(with: id).encode(\.rank, number) } }
        isOpen.withLock { $0 = true }
        while !received.withLock({ $0.contains(where: \.isIncomplete) }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(received.withLock { $0.count } < 1_100)
        task.cancel()
        try await task.value
        #expect(store.feeds.isEmpty)
    }

    @Test func `keep at most a thousand transactions, with those that were already read`() async throws {
        let recorded = RecordedStore()
        let store = try recorded.open(history: false)
        let id = try store.perform { try $0.insert(Folder(number: 0)) }
        func write(_ count: Int) throws {
            for number in 0..<count { try store.perform { try $0.object(with: id).encode(\.rank, number) } }
        }
        var feed = store.changes(of: Folder.self).makeAsyncIterator()
        try write(600)
        _ = try await next(&feed)
        try write(700)
        var count = 1
        while count < 1_300 {
            count += 1
            if try await next(&feed).isIncomplete { break }
        }
        #expect(count <= 1_001)
    }

    @Test func `end with their task, the container, or their iterator`() async throws {
        let recorded = RecordedStore()
        let store = try recorded.open()
        let task = Task {
            for try await _ in store.changes() {}
            return true
        }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        #expect(try await task.value)
        let closed = Task { () -> (any Error)? in
            do {
                for try await _ in store.changes() {}
                return nil
            } catch {
                return error
            }
        }
        try await Task.sleep(for: .milliseconds(200))
        try store.close()
        let error = try #require(await closed.value)
        #expect(StoreError.Code.storeClosed ~= error)
    }

    @Test func `of named consumers continue where they were, and keep the history`() async throws {
        let recorded = RecordedStore()
        let store = try recorded.open()
        try insert(0...2, into: store)
        for name in ["slow", "fast"] {
            var feed = store.changes(for: name).makeAsyncIterator()
            try insert(name == "slow" ? 3...3 : 4...4, into: store)
            let changes = try await next(&feed)
            #expect(try self.changes(changes).map(\.number) == (name == "slow" ? [3] : [4]))
            if name == "slow" { try store.acknowledge(try #require(changes.token), by: name) }
        }
        try insert(5...8, into: store)
        let fast = try store.changeToken()
        try store.acknowledge(fast, by: "fast")
        let positions = try store.changeConsumers()
        #expect(Set(positions.keys) == ["slow", "fast"] && positions["fast"] == fast)
        // Only what both have handled is deleted.
        #expect(try store.purgeHistory(before: fast) == positions["slow"])
        try store.close()
        let reopened = try recorded.open()
        var slow = reopened.changes(for: "slow").makeAsyncIterator()
        for number in 4...8 { #expect(try self.changes(try await next(&slow)).map(\.number) == [number]) }
        // A position never moves backward.
        try reopened.acknowledge(try #require(positions["slow"]), by: "fast")
        #expect(try reopened.changeConsumers()["fast"] == fast)
        try reopened.removeChangeConsumer("slow")
        #expect(try reopened.purgeHistory() == fast)
        #expect(try reopened.changeConsumers().keys.sorted() == ["fast"])
    }

    @Test func `of named consumers are not lost when metadata are written`() async throws {
        let recorded = RecordedStore()
        let store = try recorded.open()
        let other = try recorded.open()
        try insert(0...0, into: store)
        try store.acknowledge(try store.changeToken(), by: "index")
        // The other container has read the metadata before the consumer existed.
        try other.perform { context in
            let coordinator = try #require(context.instance.persistentStoreCoordinator)
            let persistent = try #require(coordinator.persistentStores.first)
            coordinator.setMetadata(["mark": "here"], for: persistent)
            _ = try context.insert(Folder(number: 77))
        }
        #expect(try store.changeConsumers().keys.sorted() == ["index"])
    }
}
