import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Behaviours: copies of requests", .overEachStore)
struct RequestCopyTests {
    private let context: NSManagedObjectContext

    init() throws {
        context = try GraphLibrary.context()
        for (index, title) in ["a", "b", "c"].enumerated() {
            try context.make("Book", ["title": title, "year": index])
        }
        try context.save()
    }

    private typealias Request = NSFetchRequest<NSManagedObject>

    /// Changes of one setting each.
    private static let changes: [(String, @Sendable (Request) -> Void)] = [
        ("predicate", { $0.predicate = NSPredicate(format: "year > %d", 1) }),
        ("no predicate", { $0.predicate = nil }),
        ("order", { $0.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)] }),
        (
            "comparison",
            {
                $0.sortDescriptors = [
                    NSSortDescriptor(key: "title", ascending: false, selector: "caseInsensitiveCompare:")
                ]
            }
        ),
        ("limit", { $0.fetchLimit = 7 }), ("offset", { $0.fetchOffset = 7 }), ("batches", { $0.fetchBatchSize = 7 }),
        ("result", { $0.resultType = .countResultType }), ("sub-entities", { $0.includesSubentities = false }),
        ("pending", { $0.includesPendingChanges = false }), ("values", { $0.includesPropertyValues = false }),
        ("faults", { $0.returnsObjectsAsFaults = false }), ("refreshing", { $0.shouldRefreshRefetchedObjects = true }),
        ("prefetching", { $0.relationshipKeyPathsForPrefetching = ["tags"] }),
        ("properties", { $0.propertiesToFetch = ["title"] }), ("distinct", { $0.returnsDistinctResults = true }),
        ("groups", { $0.propertiesToGroupBy = ["title"] }),
        ("groups' predicate", { $0.havingPredicate = NSPredicate(format: "title == 'a'") }),
        ("stores", { $0.affectedStores = [] }), ("entity", { $0.entity = GraphLibrary.model().entitiesByName["Tag"] }),
    ]

    private func request() throws -> Request {
        let request = Request(entityName: "Book")
        request.predicate = NSPredicate(format: "year >= %d", 0)
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        request.fetchLimit = 2
        return request
    }

    @Test func `a copy is an equal request that finds the same`() throws {
        let request = try request()
        let copy = try #require(request.copy() as? Request)
        #expect(copy !== request && copy.isEqual(request) && copy == request && copy.hash == request.hash)
        #expect(try context.fetch(copy).map { $0.text("title") } == ["c", "b"])
        for (name, change) in Self.changes {
            let changed = try self.request()
            change(changed)
            let copy = try #require(changed.copy() as? Request)
            #expect(copy == changed && copy != request, "\(name)")
            #expect(try self.request() == request)
        }
    }

    @Test func `changes of a request or of its copy do not affect the other one`() throws {
        for (name, change) in Self.changes {
            let (request, expected) = (try request(), try request())
            let copy = try #require(request.copy() as? Request)
            change(request)
            #expect(copy == expected && request != expected, "\(name)")
            change(copy)
            #expect(copy == request, "\(name)")
        }
    }

    @Test func `a request that was passed on is not affected by later changes`() throws {
        let request = try request()
        let deletion = NSBatchDeleteRequest(fetchRequest: request)
        request.predicate = NSPredicate(format: "title == 'a'")
        try context.execute(deletion)
        #expect(try context.all("Book").map { $0.text("title") } == ["a"])
        // The objects of a fetch in batches are those that it has found.
        for title in ["d", "e", "f"] { try context.make("Book", ["title": title]) }
        try context.save()
        context.reset()
        let batches = Request(entityName: "Book")
        batches.fetchBatchSize = 2
        let books = try context.fetch(batches)
        batches.predicate = NSPredicate(value: false)
        #expect(books.map { $0.text("title") } == ["a", "d", "e", "f"])
    }
}
