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
            }
            var random = SeededRandom(seed: seed ^ 0x5555)
            for step in 0..<min(Self.stepsOfModel, Self.steps - start) {
                let (name, body) = batch(&random)
                let comment = "seed \(Self.seed), step \(start + step): \(name)"
                let outcome = stores.both(comment, body)
                if outcome.value == nil { rejected += 1 } else { done += 1 }
                try stores.expectSame(comment)
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

/// Random expressions as the values of updates, in a store in memory and on a server.
@Suite("Batches on a server: random expressions", .enabled(if: PostgresServer.isEnabled))
struct BatchExpressionOnServerTests {
    private static let worlds = ProcessInfo.processInfo.environment["SWORM_BATCH_WORLDS"].flatMap { UInt64($0) } ?? 8

    @Test func `rows compute the same values`() throws {
        var (equal, rejected) = (0, 0)
        for seed in 0..<Self.worlds {
            let world = try RandomWorld(seed: 90_000 + seed)
            try world.context.save()
            let stores = try ReadingStores(world.context, objects: world.objects)
            defer { stores.server.close() }
            var random = SeededRandom(seed: ~seed)
            for _ in 0..<25 {
                let number = random.pick(world.model.entities.count)
                let attributes = world.model.attributes(number).filter { $0.name != RandomModel.identifier }
                guard let attribute = random.pick(attributes) else { continue }
                var generator = RandomPredicate(
                    world.model, entity: number, objectCount: 0, seed: random.next())
                guard
                    let tree = try? world.resolved(generator.value(RandomPredicate.Kind(attribute.type), 2)),
                    let entity = stores.model.entity(named: world.model.entities[number].name),
                    case .attribute(let slot)? = entity.slot(named: attribute.name)
                else { continue }
                var batch = BatchUpdate(FetchSpecification(entity: entity.number), values: [])
                batch.computed = [(slot, tree)]
                let (file, server) = (
                    outcome(batch, entity, slot, in: stores.file, stores),
                    outcome(batch, entity, slot, in: stores.server, stores)
                )
                #expect(file == server, "seed \(seed): \(entity.name).\(attribute.name) = \(tree.format)")
                if file.hasPrefix("error") { rejected += 1 } else { equal += 1 }
            }
        }
        #expect(Self.worlds < 8 || equal > 60 && rejected > 5, "\(equal) equal, \(rejected) rejected")
    }

    /// The values of all rows after an update, which is undone.
    private func outcome(
        _ batch: BatchUpdate, _ entity: CompiledEntity, _ slot: Int, in store: any ObjectStore, _ stores: ReadingStores
    ) -> String {
        do {
            let transaction = try store.beginTransaction(nil)
            defer { transaction.end() }
            let count = try transaction.update(batch).count
            let shape = RowShape(model: stores.model, entity: entity.number)
            let rows = try transaction.rows(FetchSpecification(entity: entity.number), shape: shape)
            let cell = shape.cell(ofAttribute: slot, in: entity.number)
            let values = try (0..<rows.count).map {
                try rows.value(row: $0, cell: cell, type: entity.attributes[slot].type).asStored
            }
            return "\(count) \(values)"
        } catch let error as CoreDataError {
            return "error \(error.errorCode) \(error.entity ?? "") \(error.key ?? "")"
        } catch {
            return "error \(type(of: error))"
        }
    }
}
#endif
