#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Random batches over a store in memory and one on a server, with the same results.
@Suite("Batches on a server: at random", .enabled(if: PostgresServer.isEnabled))
struct BatchRandomTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// The number of batches; more for a long run: SWORM_SERVER_BATCHES=20000 swift test --filter BatchRandomTests
    private static let steps = environment["SWORM_SERVER_BATCHES"].flatMap { Int($0) } ?? 250
    private static let seed = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
    /// The number of batches after which another model is used.
    private static let stepsOfModel = 50

    private struct Item: Sendable, CustomStringConvertible {
        var title: String?
        var isbn: String?
        var stock: Int?
        var mark = 0

        static let fields: [BatchField<Item>] = [
            .init("title", \.title) { $0.map { .string($0) } ?? .null },
            .init("isbn", \.isbn) { $0.map { .string($0) } ?? .null },
            .init("stock", \.stock) { $0.map { .int(Int64($0)) } ?? .null }, .init("mark", \.mark) { .int(Int64($0)) },
        ]

        var dictionary: [String: Any] {
            var values: [String: Any] = ["mark": mark]
            values["title"] = title
            values["isbn"] = isbn
            values["stock"] = stock
            return values
        }

        var description: String { "\(title ?? "-") \(isbn ?? "-") \(stock.map(String.init) ?? "-") \(mark)" }
    }

    @Test func `random batches leave the same rows, and throw the same errors`() throws {
        var (done, rejected) = (0, 0)
        for start in stride(from: 0, to: Self.steps, by: Self.stepsOfModel) {
            let seed = Self.seed &* 1_000_003 &+ UInt64(start)
            func model() -> NSManagedObjectModel {
                var random = SeededRandom(seed: seed)
                let model = RandomBatchDeletionTests.model(&random)
                if random.chance(50) {
                    model.entitiesByName["Book"]?.uniquenessConstraints = [["isbn"], ["stock", "mark"]]
                }
                model.entitiesByName["Author"]?.properties.append(
                    Build.derived("total", .integer64AttributeType, "books.@sum.stock"))
                model.entitiesByName["Book"]?.properties.append(
                    Build.derived("heading", .stringAttributeType, "canonical:(title)"))
                return model
            }
            let stores = try BatchStores(model()) { context in
                var random = SeededRandom(seed: ~seed)
                try RandomBatchDeletionTests.fill(context, &random)
                // The values of a constraint must differ.
                for (index, book) in try context.all("Book").sorted(by: { Self.name($0) < Self.name($1) }).enumerated()
                {
                    book.setValue(index, forKey: "stock")
                }
            }
            var random = SeededRandom(seed: seed ^ 0x5555)
            for step in 0..<min(Self.stepsOfModel, Self.steps - start) {
                let (name, body) = batch(&random)
                let comment = "seed \(Self.seed), step \(start + step): \(name)"
                let isUpdate = name.hasPrefix("update")
                let outcome = stores.both(constraints: isUpdate ? ["isbn", "stock, mark"] : [], comment, body)
                if outcome.value == nil { rejected += 1 } else { done += 1 }
                // The next steps would differ, too.
                guard try stores.expectSame(comment) else { break }
            }
        }
        print("random batches on a server: seed \(Self.seed), \(done) done, \(rejected) rejected")
        #expect(Self.steps < 200 || done > Self.steps / 4 && rejected > Self.steps / 50, "\(done), \(rejected)")
    }

    @Test func `random batches leave the same history`() throws {
        var changes = 0
        for start in stride(from: 0, to: Self.steps, by: Self.stepsOfModel) {
            let seed = Self.seed &* 1_000_033 &+ UInt64(start)
            func model() -> NSManagedObjectModel {
                var random = SeededRandom(seed: seed)
                let model = RandomBatchDeletionTests.model(&random)
                for entity in model.entities {
                    for attribute in entity.attributesByName.values where attribute.name != "title" {
                        attribute.preservesValueInHistoryOnDeletion = true
                    }
                }
                return model
            }
            let stores = try BatchStores(model(), keepsHistory: true) { context in
                var random = SeededRandom(seed: ~seed)
                try RandomBatchDeletionTests.fill(context, &random)
            }
            var random = SeededRandom(seed: seed ^ 0x5555)
            var last = try stores.histories(after: [0, 0]).numbers
            for step in 0..<min(Self.stepsOfModel, Self.steps - start) {
                let (name, body) = batch(&random)
                let comment = "seed \(Self.seed), step \(start + step): \(name)"
                for context in [stores.file, stores.server] {
                    context.transactionAuthor = "author \(step)"
                    context.name = step % 3 == 0 ? nil : "context \(step)"
                }
                stores.both(comment, body)
                let (lines, numbers) = try stores.histories(after: last)
                last = numbers
                changes += lines[0].joined().count
                try #require(lines[0] == lines[1], "\(comment)")
            }
        }
        #expect(changes > Self.steps)
    }

    private static func name(_ book: NSManagedObject) -> String {
        "\(book.entity.name ?? "") \(book.text("title") ?? "")"
    }

    private func items(_ random: inout SeededRandom) -> [Item] {
        (0..<random.pick(random.chance(5) ? 400 : 9)).map { _ in
            Item(
                title: random.chance(97) ? "t\(random.pick(4)) Ä" : nil,
                isbn: random.chance(70) ? "i\(random.pick(40))" : nil,
                stock: random.chance(80) ? random.pick(30) : nil, mark: random.pick(12))
        }
    }

    private static let conditions = [
        "mark < %", "mark == %", "isbn == 'i%'", "title BEGINSWITH[c] 'T%'", "title MATCHES '.*% Ä'", "stock > %",
        "mark * 1000000000 * 10000000000 > %", "author.name == 'name' AND mark < %", "ANY tags.mark < %",
        "stock / (mark - %) > 1", "reviews.@count > %", "author.books.@sum.mark > %",
    ]

    /// Returns a batch, and its description.
    private func batch(
        _ random: inout SeededRandom
    ) -> (name: String, body: (NSManagedObjectContext) throws -> [Int]) {
        let entity = random.pick(["Book", "Book", "Novel"]) ?? "Book"
        switch random.pick(10) {
        case 0, 1:
            let items = items(&random)
            return ("insert \(entity) \(items)", { [try $0.insert(items, as: entity, Item.fields)] })
        case 2:
            let items = items(&random)
            let policy = random.chance(50) ? NSMergePolicy.mergeByPropertyStoreTrump : .mergeByPropertyObjectTrump
            return (
                "insert \(entity) settling \(policy.mergeType) \(items)",
                { context in
                    context.mergePolicy = policy
                    let request = NSBatchInsertRequest(entityName: entity, objects: items.map(\.dictionary))
                    request.resultType = .count
                    return [((try context.execute(request) as? NSBatchInsertResult)?.result as? Int) ?? -1]
                }
            )
        case 3, 4:
            let items = items(&random)
            let updates =
                random.pick([["title", "stock"], ["title"], ["stock", "mark"], [], nil] as [[String]?]) ?? nil
            return (
                "upsert \(entity) \(updates ?? ["none"]) \(items)",
                { try $0.upsert(items, as: entity, Item.fields, on: ["isbn"], updating: updates) ?? [-1] }
            )
        case 5, 6, 7:
            let format = condition(&random)
            var values: [String: AttributeValue] = [:]
            if random.chance(60) { values["title"] = .string("t\(random.pick(4)) Ä") }
            if random.chance(40) { values["stock"] = random.chance(20) ? .null : .int(Int64(random.pick(30))) }
            if random.chance(15) { values["isbn"] = random.chance(50) ? .null : .string("i\(random.pick(40))") }
            if values.isEmpty { values["mark"] = .int(Int64(random.pick(12))) }
            return ("update \(entity) \(format) \(values)", { [try $0.update(entity, format, values)] })
        case 8:
            let format = condition(&random)
            let (name, value) =
                random.pick([
                    ("stock", "stock + 1"), ("stock", "mark * 2"), ("mark", "stock % 12"), ("isbn", "title"),
                    ("stock", "length(title)"), ("stock", "sqrt(mark * mark * 1.0)"), ("mark", "reviews.@count"),
                ]) ?? ("stock", "mark")
            return (
                "update \(entity) \(format) \(name) = \(value)",
                { context in
                    let request = NSBatchUpdateRequest(entityName: entity)
                    request.predicate = NSPredicate(format: format, argumentArray: [])
                    request.propertiesToUpdate = [name: OpenCoreData.NSExpression(format: value, argumentArray: [])]
                    request.resultType = .updatedObjectsCountResultType
                    let result = (try context.execute(request) as? NSBatchUpdateResult)?.result as? Int
                    context.reset()
                    return [result ?? -1]
                }
            )
        default:
            let entity = random.pick(["Author", "Book", "Novel", "Review", "Tag", "Person", "Shelf"]) ?? "Book"
            let format = "mark == \(random.pick(12)) OR mark == \(random.pick(12))"
            return ("delete \(entity) \(format)", { [try $0.deleteAll(entity, format)] })
        }
    }

    private func condition(_ random: inout SeededRandom) -> String {
        (random.pick(Self.conditions) ?? "mark < %").replacing("%", with: "\(random.pick(12))")
    }
}
#endif
