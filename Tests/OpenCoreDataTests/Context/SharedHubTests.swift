import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// An object that very many are linked with is saved with new links without a look at the others.
@Suite("Objects that many are linked with", .overEachStore) struct SharedHubTests {
    private let folder: StoreFolder
    private let counter = StatementCounter()
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try GraphLibrary.coordinator(at: folder.url(), options: counter.options)
    }

    private func fill(_ count: Int) throws {
        let context = GraphLibrary.context(coordinator)
        let tag = try context.make("Tag", ["name": "hub"])
        for index in 0..<count { try context.make("Book", ["title": "t\(index)", "year": index, "tags": Set([tag])]) }
        try context.save()
    }

    private func verify() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        #expect(try StoreVerification.issues(of: folder.url(), model: GraphLibrary.model().compiled()) == [])
    }

    @Test func `links are added and removed with the same work, however many there are`() throws {
        func work() throws -> Int {
            let context = GraphLibrary.context(coordinator)
            let tag = try #require(try context.all("Tag", "name == 'hub'").first)
            let book = try #require(try context.all("Book", "year == 3").first)
            let new = try context.make("Book", ["title": "new"])
            let work = try counter.work {
                new.setValue(Set([tag]), forKey: "tags")
                book.setValue(Set<NSManagedObject>(), forKey: "tags")
                try context.save()
            }
            #expect(tag.hasFault(forRelationshipNamed: "books"))
            #expect(tag.set("books").contains(new) && !tag.set("books").contains(book))
            book.setValue(Set([tag]), forKey: "tags")
            context.delete(new)
            try context.save()
            return work
        }
        try fill(20)
        let few = try work()
        let context = GraphLibrary.context(coordinator)
        let tag = try #require(try context.all("Tag").first)
        for index in 0..<600 {
            try context.make("Book", ["title": "more\(index)", "year": 100 + index, "tags": Set([tag])])
        }
        try context.save()
        let many = try work()
        #expect(many < few * 3 / 2, "\(few) and \(many)")
        try verify()
    }

    @Test func `a member that was added, removed and added again before it was read is in its last state`() throws {
        try fill(6)
        let context = GraphLibrary.context(coordinator)
        let tag = try #require(try context.all("Tag").first)
        let books = try context.all("Book", sort: "year")
        let (kept, lost, new, brief) = (
            books[0], books[1], try context.make("Book", ["title": "new"]), try context.make("Book", ["title": "brief"])
        )
        for (book, steps) in [
            (kept, [false, true]), (lost, [false, true, false]), (new, [true, false, true]), (brief, [true, false]),
        ] {
            for isLinked in steps { book.setValue(isLinked ? Set([tag]) : Set<NSManagedObject>(), forKey: "tags") }
        }
        #expect(tag.hasFault(forRelationshipNamed: "books"))
        try context.save()
        #expect(tag.hasFault(forRelationshipNamed: "books"))
        let wanted = Set(books).subtracting([lost]).union([new])
        #expect(tag.set("books") == wanted)
        context.reset()
        #expect(try #require(try context.all("Tag").first).set("books").count == wanted.count)
        try verify()
    }

    @Test func `a link that another context has concurrently set or removed is not a conflict`() throws {
        try fill(4)
        let (one, other) = (GraphLibrary.context(coordinator), GraphLibrary.context(coordinator))
        try one.make("Tag", ["name": "second"])
        try one.save()
        for context in [one, other] {
            let second = try context.all("Tag", "name == 'second'")
            for book in try context.all("Book", "year < 2") { book.setValue(Set(second), forKey: "tags") }
        }
        try one.save()
        try other.save()
        one.reset()
        let tags = try one.all("Tag", sort: "name")
        #expect(
            tags.map { $0.set("books").compactMap { $0.text("title") }.sorted() } == [["t2", "t3"], ["t0", "t1"]])
        try verify()
    }
}
