// Core Data reports the commits of other processes itself.
#if !canImport(CoreData)
import Foundation
@testable import Sworm
import SwormSQLite
import SwormTools
import Testing

@Suite("Commits of other programs", .timeLimit(.minutes(30)))
struct ForeignCommitsTests {
    typealias Folder = Archive.Folder

    private func next<Element>(_ iterator: inout LiveValues<Element>.Iterator) async throws -> Element {
        try #require(try await iterator.next())
    }

    private func titles(_ store: PersistentContainer, _ number: Int) -> LiveValues<[String]> {
        store.values(of: Folder.all.where { $0.number == number }.select(\.title)).removingDuplicates()
    }

    private func steps(_ store: PersistentContainer) -> LiveSteps { store.live.steps.withLock { $0 } }

    /// Waits until the center has handled so many notices of commits.
    private func wait(for wakes: Int, _ store: PersistentContainer) async throws {
        for _ in 0..<5_000 {
            if steps(store).wakes >= wakes { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        Issue.record("only \(steps(store).wakes) of \(wakes) wakes came")
    }

    @Test func `show each commit to a write-ahead log`() async throws {
        let test = try Archive.store(in: .file)
        let program = try ForeignProgram(try #require(test.url))
        var values = titles(test.container, 3).makeAsyncIterator()
        #expect(try await next(&values) == ["folder 3"])
        for turn in 0..<50 {
            try program.rename(3, "turn \(turn)")
            #expect(try await next(&values) == ["turn \(turn)"])
        }
        // A log that restarts, and one that is moved into the file, change nothing.
        _ = try program.connection.checkpoint(.truncate)
        try program.rename(3, "afterwards")
        #expect(try await next(&values) == ["afterwards"])
    }

    @Test func `show commits that come with rollback journals`() async throws {
        let test = try Archive.store(in: .file)
        let url = try #require(test.url)
        try test.container.close()
        let program = try ForeignProgram(url)
        try program.connection.setJournalMode(.delete)
        let description = NSPersistentStoreDescription(url: url)
        description.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
        let stack = NSPersistentContainer(
            name: "Archive", managedObjectModel: try NSManagedObjectModel(tables: Archive.Shelf.self))
        stack.persistentStoreDescriptions = [description]
        stack.loadPersistentStores { _, error in #expect(error == nil) }
        let store = PersistentContainer(managedObjectContext: { stack.newBackgroundContext() })
        var values = titles(store, 3).makeAsyncIterator()
        #expect(try await next(&values) == ["folder 3"])
        for turn in 0..<20 {
            try program.rename(3, "turn \(turn)")
            #expect(try await next(&values) == ["turn \(turn)"])
        }
        try store.perform { _ = try $0.update(Folder.all.where { $0.number == 3 }, set: (\Folder.title, "own")) }
        #expect(try await next(&values) == ["own"])
    }

    @Test(arguments: [false, true]) func `show commits to a store that is read only`(isIdle: Bool) async throws {
        let test = try Archive.store(in: .file)
        let url = try #require(test.url)
        // Nobody else has the file open when it is opened, and it is then read like a file that never changes.
        if isIdle { try test.container.close() }
        let store = try PersistentContainer(for: Archive.Shelf.self, at: .readOnly(url))
        var values = titles(store, 3).makeAsyncIterator()
        #expect(try await next(&values) == ["folder 3"])
        for turn in 0..<5 {
            do {
                let program = try ForeignProgram(url)
                try program.rename(3, "turn \(turn)")
            }
            #expect(try await next(&values) == ["turn \(turn)"])
        }
    }

    @Test func `are not noticed where this process has written`() async throws {
        let test = try Archive.store(in: .file)
        let store = test.container
        let other = try PersistentContainer(for: Archive.Shelf.self, at: .file(try #require(test.url)))
        let lists = store.lists(of: Folder.all.where { $0.rank == 3 })
        var iterator = lists.makeAsyncIterator()
        _ = try await next(&iterator)
        let before = steps(store)
        for turn in 0..<100 {
            try (turn % 2 == 0 ? store : other).perform { context in
                _ = try context.insert(Archive.Shelf(name: "\(turn)"))
                if turn % 10 == 0 {
                    _ = try context.update(Folder.all.where { $0.number == 3 }, set: (\Folder.rating, turn))
                }
            }
        }
        try store.checkpoint()
        try await Task.sleep(for: .milliseconds(1_200))
        let after = steps(store)
        #expect(after.reruns == before.reruns)
        #expect(after.wakes <= before.wakes + 10)
    }

    @Test func `are read from the history`() async throws {
        let test = try Archive.store(in: .file)
        let url = try #require(test.url)
        try test.container.close()
        let store = try PersistentContainer(for: Archive.Shelf.self, at: .file(url), history: true)
        try store.perform { try $0.fetchOne(Folder.all.where { $0.number == 1 })?.encode(\.title, "recorded") }
        let program = try ForeignProgram(url)
        var values = titles(store, 3).makeAsyncIterator()
        var ranks = store.count(of: Folder.all.where { $0.rank == 3 }).makeAsyncIterator()
        #expect(try await next(&values) == ["folder 3"])
        #expect(try await next(&ranks) == 4)
        let before = steps(store)
        for turn in 0..<20 {
            try program.renameWithHistory(3, "turn \(turn)")
            #expect(try await next(&values) == ["turn \(turn)"])
        }
        // The count does not depend on titles, so each commit is one run of one request.
        #expect(steps(store).reruns + steps(store).patches <= before.reruns + before.patches + 20)
        #expect(steps(store).reads <= before.reads + 20)
        // A commit that the history does not contain may have changed anything.
        try program.rename(3, "unrecorded")
        #expect(try await next(&values) == ["unrecorded"])
        let unrecorded = steps(store)
        #expect(unrecorded.wakes > before.wakes)
        try program.renameWithHistory(3, "recorded")
        #expect(try await next(&values) == ["recorded"])
    }

    @Test func `are noticed behind commits of this process`() async throws {
        let test = try Archive.store(in: .file)
        let store = test.container
        let program = try ForeignProgram(try #require(test.url))
        var values = titles(store, 3).makeAsyncIterator()
        #expect(try await next(&values) == ["folder 3"])
        let isDone = Locked(false)
        let writer = Task.detached {
            var turn = 0
            while !isDone.withLock({ $0 }) {
                turn += 1
                try store.perform { _ = try $0.insert(Archive.Shelf(name: "\(turn)")) }
            }
        }
        for turn in 0..<20 {
            try program.rename(3, "turn \(turn)")
            #expect(try await next(&values) == ["turn \(turn)"])
        }
        isDone.withLock { $0 = true }
        try await writer.value
    }

    @Test func `are noticed after the store was suspended`() async throws {
        let test = try Archive.store(in: .file)
        let url = try #require(test.url)
        let store = test.container
        var values = titles(store, 3).makeAsyncIterator()
        #expect(try await next(&values) == ["folder 3"])
        try store.suspend()
        try ForeignProgram(url).rename(3, "in between")
        try store.resume()
        #expect(try await next(&values) == ["in between"])
        try ForeignProgram(url).rename(3, "afterwards")
        #expect(try await next(&values) == ["afterwards"])
    }

    @Test func `cost no descriptor when nobody listens any more`() async throws {
        let test = try Archive.store(in: .file)
        let url = try #require(test.url)
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter { name in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name))?.hasPrefix(
                    url.path)
                    ?? false
            }.count
        }
        _ = try test.container.perform { try $0.count(of: Folder.all) }
        for _ in 0..<3 {
            var values: LiveValues<[String]>.Iterator? = titles(test.container, 3).makeAsyncIterator()
            _ = try await values?.next()
            values = nil
            while !test.container.live.isIdle { try await Task.sleep(for: .milliseconds(1)) }
        }
        let before = try descriptors()
        for _ in 0..<20 {
            var values: LiveValues<[String]>.Iterator? = titles(test.container, 3).makeAsyncIterator()
            _ = try await values?.next()
            values = nil
            while !test.container.live.isIdle { try await Task.sleep(for: .milliseconds(1)) }
        }
        try await Task.sleep(for: .milliseconds(50))
        #expect(try descriptors() <= before)
        try test.container.close()
        #expect(!FileManager.default.fileExists(atPath: url.path + "-wal"))
    }

    @Test func `suggest a history once`() async throws {
        let errors = Locked<[String]>([])
        let test = try Archive.store(in: .file)
        let url = try #require(test.url)
        let store = try PersistentContainer(
            for: Archive.Shelf.self, at: .file(url), logError: { error in errors.withLock { $0.append("\(error)") } })
        let program = try ForeignProgram(url)
        var values = titles(store, 3).makeAsyncIterator()
        _ = try await next(&values)
        for turn in 0..<30 {
            try program.rename(3, "turn \(turn)")
            #expect(try await next(&values) == ["turn \(turn)"])
        }
        #expect(errors.withLock { $0.count } == 1)
        #expect(errors.withLock { $0.first ?? "" }.contains("keeps no history"))
    }
}
#endif
