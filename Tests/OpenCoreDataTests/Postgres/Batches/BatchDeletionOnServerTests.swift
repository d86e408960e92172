#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Batches on a server: deletions", .enabled(if: PostgresServer.isEnabled))
struct BatchDeletionOnServerTests {
    private func fill(_ context: NSManagedObjectContext) throws {
        let author = try context.make("Author", ["name": "Leo"])
        let shelf = try context.make("Shelf", ["label": "s"])
        let tag = try context.make("Tag", ["name": "t"])
        for index in 1...3 {
            let book = try context.make("Book", ["title": "t\(index)", "year": index, "author": author])
            book.setValue(Set([tag]), forKey: "tags")
            if index == 3 { book.setValue(shelf, forKey: "shelf") }
            for mark in 0..<2 { try context.make("Review", ["mark": mark, "book": book]) }
        }
    }

    @Test func `cascades, denials and links follow the rules`() throws {
        let stores = try BatchStores(GraphLibrary.model(), fill)
        #expect(
            stores.both { try $0.deleteAll("Shelf") }.code == NSValidationRelationshipDeniedDeleteError)
        #expect(stores.both { try $0.deleteAll("Book", "year < 3") }.value == 2)
        try stores.expectSame()
        #expect(stores.both { try $0.deleteAll("Author") }.value == 1)
        try stores.expectSame()
        #expect(stores.both { try $0.deleteAll("Book", "title MATCHES 't.'") }.value == 1)
        #expect(stores.both { try $0.deleteAll("Shelf") }.value == 1)
        #expect(stores.both { try $0.deleteAll("Tag") }.value == 1)
        try stores.expectSame()
    }

    @Test func `a link that must not be empty rejects the deletion`() throws {
        func model() throws -> NSManagedObjectModel {
            let model = GraphLibrary.model()
            let book = try #require(model.entitiesByName["Book"])
            book.relationshipsByName["author"]?.isOptional = false
            book.relationshipsByName["tags"]?.minCount = 2
            return model
        }
        let stores = try BatchStores(try model()) { context in
            let author = try context.make("Author", ["name": "Leo"])
            let tags = try ["a", "b", "c"].map { try context.make("Tag", ["name": $0]) }
            try context.make("Book", ["title": "t", "author": author, "tags": Set(tags)])
        }
        #expect(stores.both { try $0.deleteAll("Author") }.code == NSValidationMissingMandatoryPropertyError)
        #expect(
            stores.both { try $0.deleteAll("Tag", "name > 'a'") }.code
                == NSValidationRelationshipLacksMinimumCountError)
        #expect(stores.both { try $0.deleteAll("Tag", "name > 'b'") }.value == 1)
        try stores.expectSame()
    }

    @Test func `chains, rings and trees are deleted whole`() throws {
        let stores = try BatchStores { context in
            let people = try (0..<120).map { try context.make("Person", ["name": "\($0)"]) }
            for (index, person) in people.enumerated().dropFirst() {
                person.setValue(people[index - 1], forKey: "parent")
            }
            let ring = try (0..<3).map { try context.make("Person", ["name": "ring \($0)"]) }
            for (index, person) in ring.enumerated() { person.setValue(ring[(index + 1) % 3], forKey: "parent") }
            try context.make("Person", ["name": "alone"])
        }
        #expect(stores.both { try $0.deleteAll("Person", "name == '0'") }.value == 1)
        try stores.expectSame()
        #expect(stores.both { try $0.deleteAll("Person", "name == 'ring 1'") }.value == 1)
        try stores.expectSame()
        #expect(try stores.server.all("Person").count == 1)
    }

    @Test func `Core Data's request names the deleted rows`() throws {
        let stores = try BatchStores(GraphLibrary.model(), fill)
        func delete(_ request: NSBatchDeleteRequest, _ context: NSManagedObjectContext) throws -> [String] {
            request.resultType = .resultTypeObjectIDs
            let ids = try #require((context.execute(request) as? NSBatchDeleteResult)?.result as? [NSManagedObjectID])
            return ids.map { $0.entity.name ?? "" }
        }
        let found = stores.both { context in
            let book = try #require(try context.all("Book", "year == 1").first)
            return try delete(NSBatchDeleteRequest(objectIDs: [book.objectID]), context)
        }
        #expect(found.value == ["Book", "Review", "Review"])
        try stores.expectSame()
        stores.both { context in
            let fetch = NSFetchRequest<NSManagedObject>(entityName: "Book")
            fetch.sortDescriptors = [NSSortDescriptor(key: "year", ascending: false)]
            fetch.fetchLimit = 1
            return try delete(NSBatchDeleteRequest(fetchRequest: fetch), context)
        }
        try stores.expectSame()
        stores.both { context in
            let ids = try context.all("Review").map(\.objectID)
            let request = NSBatchDeleteRequest(objectIDs: ids + ids)
            request.resultType = .resultTypeCount
            return (try context.execute(request) as? NSBatchDeleteResult)?.result as? Int
        }
        try stores.expectSame()
    }

    @Test(arguments: RandomBatchDeletionTests.seeds.prefix(12)) func `random deletions leave the same rows`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        func model() -> NSManagedObjectModel {
            var own = SeededRandom(seed: seed)
            return RandomBatchDeletionTests.model(&own)
        }
        _ = RandomBatchDeletionTests.model(&random)
        let state = random
        let stores = try BatchStores(model()) { context in
            var own = state
            try RandomBatchDeletionTests.fill(context, &own)
        }
        try stores.expectSame("seed \(seed)")
        for _ in 0..<3 {
            let entity = ["Author", "Book", "Novel", "Review", "Tag", "Person", "Shelf"][random.pick(7)]
            let format = "mark < \(random.pick(6)) AND mark != \(random.pick(6))"
            stores.both("seed \(seed), \(entity) \(format)") { try $0.deleteAll(entity, format) }
            try stores.expectSame("seed \(seed), \(entity) \(format)")
        }
    }

    @Test func `thousands of rows are deleted with their members`() throws {
        let stores = try BatchStores { context in
            let tags = try (0..<4).map { try context.make("Tag", ["name": "\($0)"]) }
            for index in 0..<2000 {
                let book = try context.make("Book", ["title": "t\(index)", "year": index])
                book.setValue(Set([tags[index % 4]]), forKey: "tags")
                try context.make("Review", ["mark": index, "book": book])
            }
        }
        #expect(stores.both { try $0.deleteAll("Book", "year >= 100") }.value == 1900)
        try stores.expectSame()
    }
}
#endif
