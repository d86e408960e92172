#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Batches on a server: insertions", .enabled(if: PostgresServer.isEnabled))
struct BatchInsertionOnServerTests {
    private func insert(_ entity: String, _ objects: [[String: Any]], _ context: NSManagedObjectContext) throws -> Int {
        let request = NSBatchInsertRequest(entityName: entity, objects: objects)
        request.resultType = .count
        return try #require((context.execute(request) as? NSBatchInsertResult)?.result as? Int)
    }

    @Test func `dictionaries become rows, with defaults for missing keys`() throws {
        let stores = try BatchStores { try $0.make("Novel", ["title": "before"]) }
        stores.both { context in
            let request = NSBatchInsertRequest(
                entityName: "Book",
                objects: [
                    ["title": "A", "year": 1900, "isbn": "1"],
                    ["title": "B", "stock": NSNull(), "scratch": "nowhere"], ["title": "C", "stock": 3],
                ])
            request.resultType = .objectIDs
            let ids = try #require((context.execute(request) as? NSBatchInsertResult)?.result as? [NSManagedObjectID])
            return try ids.map { try context.existingObject(with: $0).text("title") }
        }
        stores.both { context in
            var count = 0
            let request = NSBatchInsertRequest(entityName: "Tag") { (values: NSMutableDictionary) in
                count += 1
                values["name"] = "tag \(count)"
                return count > 700
            }
            request.resultType = .count
            return (try context.execute(request) as? NSBatchInsertResult)?.result as? Int
        }
        try stores.expectSame()
    }

    @Test func `objects that a save would reject are rejected`() throws {
        let stores = try BatchStores()
        for (entity, objects) in [
            ("Book", [["title": "A"], [:]]), ("Author", [["name": "Leo"], ["name": "L"]]),
            ("Author", [["name": "Leo", "age": 151]]), ("Author", [["name": "Leo", "age": 40_000]]),
            ("Author", [["name": "Leo", "code": "a"]]), ("Author", [["name": 5]]),
            ("Author", [["name": "Leo", "nmae": "Leo"]]), ("Nothing", []),
            ("Book", [["title": "A", "isbn": "1"], ["title": "B", "isbn": "1"]]),
        ] as [(String, [[String: Any]])] {
            let outcome = stores.both(comparesMessages: true, "\(objects)") { try insert(entity, objects, $0) }
            #expect(outcome.value == nil)
        }
        try stores.expectSame()
    }

    @Test func `an entity that is abstract, or needs a relationship, cannot be inserted so`() throws {
        func model() -> NSManagedObjectModel {
            let shape = Build.entity("Shape", [Build.attribute("name")])
            shape.isAbstract = true
            let circle = Build.entity("Circle", [Build.attribute("radius", .doubleAttributeType)])
            shape.subentities = [circle]
            let page = Build.entity("Page", [Build.attribute("number")])
            let shapes = Build.toMany("shapes", circle)
            let pageOf = Build.toOne("page", page) { $0.isOptional = false }
            Build.connect(shapes, pageOf)
            circle.properties += [pageOf]
            page.properties += [shapes]
            return Build.model(shape, circle, page)
        }
        let stores = try BatchStores(model())
        for entity in ["Shape", "Circle"] {
            #expect(stores.both(comparesMessages: true) { try insert(entity, [[:]], $0) }.value == nil)
            #expect(stores.both { try insert(entity, [], $0) }.value == 0)
        }
        // The turn among writers is taken also by a batch without rows.
        #expect(stores.both { try insert("Page", [["number": "1"]], $0) }.value == 1)
        try stores.expectSame()
    }

    @Test(arguments: [0, 1, 2]) func `the merge policy decides about unique values that rows have`(seed: UInt64) throws
    {
        func model() -> NSManagedObjectModel {
            let model = GraphLibrary.model()
            model.entitiesByName["Book"]?.uniquenessConstraints =
                seed == 0 ? [["isbn"]] : [["isbn"], ["year", "title"]]
            return model
        }
        for policy in [
            NSMergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback, .error,
        ] {
            let stores = try BatchStores(model()) { context in
                for index in 0..<4 {
                    try context.make(
                        index == 3 ? "Novel" : "Book", ["title": "t\(index)", "isbn": "i\(index)", "year": index])
                }
            }
            var random = SeededRandom(seed: seed &* 977 &+ UInt64(policy.mergeType.rawValue))
            for round in 0..<12 {
                let objects = (0..<random.pick(7)).map { _ -> [String: Any] in
                    var object: [String: Any] = ["title": "t\(random.pick(5))"]
                    if random.chance(80) { object["isbn"] = "i\(random.pick(6))" }
                    if random.chance(60) { object["year"] = random.pick(4) }
                    if random.chance(30) { object["stock"] = random.pick(3) }
                    if random.chance(6) { object["title"] = NSNull() }
                    return object
                }
                let entity = random.chance(20) ? "Novel" : "Book"
                stores.both(comparesMessages: true, "seed \(seed), round \(round), \(objects)") { context in
                    context.mergePolicy = policy
                    return try insert(entity, objects, context)
                }
                try stores.expectSame("seed \(seed), policy \(policy.mergeType), round \(round), \(objects)")
            }
        }
    }

    @Test func `the ids of written rows are those of inserted and of updated rows`() throws {
        let stores = try BatchStores { try $0.make("Book", ["title": "old", "isbn": "1"]) }
        stores.both { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let request = NSBatchInsertRequest(
                entityName: "Book",
                objects: [
                    ["title": "new", "isbn": "1"], ["title": "a", "isbn": "2"], ["title": "b", "isbn": "2"],
                    ["title": "c"], ["title": "d", "isbn": "1", "stock": 1],
                ])
            request.resultType = .objectIDs
            let ids = try #require((context.execute(request) as? NSBatchInsertResult)?.result as? [NSManagedObjectID])
            context.reset()
            return try ids.map { try context.existingObject(with: $0).text("title") }
        }
        try stores.expectSame()
    }

    @Test func `derived attributes of inserted rows are computed`() throws {
        func model() -> NSManagedObjectModel {
            let part = Build.entity(
                "Part",
                [
                    Build.attribute("name"), Build.attribute("size", .integer64AttributeType),
                    Build.derived("plain", .stringAttributeType, "canonical:(name)"),
                    Build.derived("double", .doubleAttributeType, "size"),
                    Build.derived("loud", .stringAttributeType, "uppercase:(name)"),
                ])
            return Build.model(part)
        }
        let stores = try BatchStores(model())
        for count in [3, 400] {
            stores.both { context in
                try insert(
                    "Part", (0..<count).map { ["name": "Élan Straße \($0)", "size": $0] } + [["size": 9]], context)
            }
        }
        stores.both { try $0.update("Part", "size == 1", ["name": .string("Zoë"), "size": .int(77)]) }
        try stores.expectSame()
    }
}
#endif
