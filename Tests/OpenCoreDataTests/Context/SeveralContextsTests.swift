import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates

@Suite("Several contexts over one coordinator", .overEachStore)
struct SeveralContextsTests {
    @Test func `a context merges the saves of another one, and keeps its own changes`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let first = GraphLibrary.context(coordinator)
        let author = try first.make("Author", ["name": "Leo", "age": 1])
        let gone = try first.make("Author", ["name": "Gone"])
        try first.save()
        let second = GraphLibrary.context(coordinator)
        let same = second.object(with: author.objectID)
        let dead = second.object(with: gone.objectID)
        #expect(same.text("name") == "Leo" && dead.text("name") == "Gone")
        same.setValue(5, forKey: "age")
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: first, queue: nil
        ) { second.mergeChanges(fromContextDidSave: $0) }
        defer { NotificationCenter.default.removeObserver(token) }
        author.setValue("Lev", forKey: "name")
        first.delete(gone)
        try first.save()
        #expect(same.text("name") == "Lev" && same.value(forKey: "age") as? Int == 5)
        #expect(
            dead.text("name") == nil || dead.managedObjectContext == nil || !second.registeredObjects.contains(dead))
    }

    @Test func `a context that merges automatically follows by itself`() async throws {
        let coordinator = try GraphLibrary.coordinator()
        let first = GraphLibrary.context(coordinator)
        let author = try first.make("Author", ["name": "Leo"])
        try first.save()
        let second = GraphLibrary.context(coordinator)
        second.automaticallyMergesChangesFromParent = true
        let id = author.objectID
        second.performAndWait { _ = second.object(with: id).text("name") }
        let same = second.performAndWait { second.object(with: id) }
        author.setValue("Lev", forKey: "name")
        try first.save()
        let name = await second.perform { second.object(with: id).text("name") }
        #expect(name == "Lev")
        _ = same
    }

    @Test(.over(.file, .server)) func `a pinned context reads one state until it saves or is released`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let first = GraphLibrary.context(coordinator)
        let second = GraphLibrary.context(coordinator)
        try second.setQueryGenerationFrom(.current)
        #expect(try second.all("Tag").isEmpty)
        try first.make("Tag", ["name": "a"])
        try first.save()
        #expect(try second.all("Tag").isEmpty)
        try second.make("Tag", ["name": "b"])
        try second.save()
        #expect(try second.all("Tag").count == 2)
        try first.make("Tag", ["name": "c"])
        try first.save()
        #expect(try second.all("Tag").count == 2)
        try second.setQueryGenerationFrom(nil)
        #expect(try second.all("Tag").count == 3)
    }

    @Test func `performAndWait nests, in one context and across several, without blocking itself`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let first = GraphLibrary.context(coordinator)
        let second = GraphLibrary.context(coordinator)
        let value = first.performAndWait {
            first.performAndWait { second.performAndWait { first.performAndWait { 42 } } }
        }
        #expect(value == 42)
        struct Stop: Error {}
        #expect(throws: Stop.self) { try first.performAndWait { throw Stop() } }
        #expect(first.performAndWait { 1 } == 1)
    }

    @Test func `a context is held by one thread at a time`() async throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let inside = Inside()
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    await context.perform {
                        let now = inside.enter()
                        defer { inside.leave() }
                        return now
                    }
                }
            }
            for await now in group { #expect(now == 1) }
        }
    }

    @Test func `many threads write and read through contexts of their own`() async throws {
        let coordinator = try GraphLibrary.coordinator()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<20 {
                group.addTask {
                    let context = GraphLibrary.context(coordinator)
                    try await context.perform {
                        let author = try context.make("Author", ["name": "Name \(index)"])
                        for number in 0..<5 {
                            try context.make(
                                "Book", ["title": "\(number)", "isbn": "\(index)-\(number)", "author": author])
                        }
                        try context.save()
                        _ = try context.all("Book", "author == %@", author)
                    }
                }
            }
            try await group.waitForAll()
        }
        let context = GraphLibrary.context(coordinator)
        #expect(try context.all("Author").count == 20)
        #expect(try context.all("Book").count == 100)
        #expect(try context.all("Author", "books.@count == 5").count == 20)
    }
}

private final class Inside: Sendable {
    private let count = Locked(0)

    func enter() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}
