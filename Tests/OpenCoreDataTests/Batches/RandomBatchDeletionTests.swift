import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// What a deletion by statements leaves behind is what the deletion of the objects leaves behind.
@Suite("Random deletions by statements")
struct RandomBatchDeletionTests {
    static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["SWORM_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? Array(1...60)

    @Test(arguments: seeds) func `statements leave the same file as objects do`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let model = Self.model(&random)
        let pair = try StorePair(model) { try Self.fill($0, &random) }
        let entity = ["Author", "Book", "Novel", "Review", "Tag", "Person", "Shelf"][random.pick(7)]
        let bound = random.pick(12)
        let format = "mark < \(bound)"
        var counts = [0, 0]
        let first = try pair.change("One") { context in
            let found = try context.all(entity, format)
            counts[0] = found.count
            for object in found { context.delete(object) }
        }
        let second = try pair.change("Two") { context in
            counts[1] = try context.deleteAll(entity, format)
            #expect(!context.hasChanges)
        }
        // Of several other errors each of them may come upon another one first.
        let denied = NSValidationRelationshipDeniedDeleteError
        #expect((first == nil) == (second == nil), "seed \(seed), \(entity) \(format): \(first ?? 0), \(second ?? 0)")
        #expect((first == denied) == (second == denied), "seed \(seed), \(entity) \(format)")
        if first == nil { #expect(counts[0] == counts[1]) }
        try pair.expectSame("seed \(seed), \(entity) \(format)")
    }

    /// The library with delete rules, counts and requirements by chance, and relationships without inverses.
    static func model(_ random: inout SeededRandom) -> NSManagedObjectModel {
        let model = GraphLibrary.model()
        let entities = model.entitiesByName
        let rules: [NSDeleteRule] = [
            .nullifyDeleteRule, .nullifyDeleteRule, .cascadeDeleteRule, .denyDeleteRule, .noActionDeleteRule,
        ]
        for entity in model.entities.sorted(by: { $0.name ?? "" < $1.name ?? "" }) {
            if entity.superentity == nil {
                entity.properties.removeAll { $0.name == "mark" }
                entity.properties.append(
                    Build.attribute("mark", .integer64AttributeType) { $0.preservesValueInHistoryOnDeletion = true })
            }
        }
        if let shelf = entities["Shelf"], let book = entities["Book"], let review = entities["Review"],
            let person = entities["Person"]
        {
            shelf.properties.append(Build.toMany("featured", book))
            shelf.properties.append(Build.toMany("shown", review) { $0.isOrdered = true })
            review.properties.append(Build.toOne("reviewer", person))
            person.properties.append(Build.toMany("mentors", person) { $0.isOrdered = random.pick(2) == 0 })
        }
        for entity in model.entities.sorted(by: { $0.name ?? "" < $1.name ?? "" }) {
            for (name, relationship) in entity.relationshipsByName.sorted(by: { $0.key < $1.key })
            where relationship.entity === entity {
                relationship.deleteRule = rules[random.pick(rules.count)]
                if ["author", "book"].contains(name), random.pick(4) == 0 { relationship.isOptional = false }
                if name == "books", entity.name == "Author", random.pick(3) == 0 { relationship.minCount = 2 }
            }
        }
        return model
    }

    static func fill(_ context: NSManagedObjectContext, _ random: inout SeededRandom) throws {
        var made: [String: [NSManagedObject]] = [:]
        for (entity, count) in [
            ("Author", 3), ("Book", 8), ("Novel", 6), ("Review", 14), ("Tag", 5), ("Person", 12), ("Shelf", 4),
        ] {
            for index in 0..<count {
                let object = try context.make(entity, ["mark": random.pick(12)])
                switch entity {
                case "Book", "Novel": object.setValue("t\(index)", forKey: "title")
                case "Author": object.setValue("name", forKey: "name")
                default: break
                }
                made[entity, default: []].append(object)
            }
        }
        func pick(_ entity: String) -> NSManagedObject? {
            guard let objects = made[entity] else { return nil }
            return objects[random.pick(objects.count)]
        }
        let books = made["Book", default: []] + made["Novel", default: []]
        func some(_ objects: [NSManagedObject], _ chance: Int) -> [NSManagedObject] {
            objects.filter { _ in random.pick(chance) == 0 }
        }
        for (index, book) in books.enumerated() {
            book.setValue(made["Author"]?[index % 3], forKey: "author")
            if random.pick(2) == 0 { book.setValue(pick("Shelf"), forKey: "shelf") }
            book.setValue(Set(some(made["Tag", default: []], 3)), forKey: "tags")
        }
        for review in made["Review", default: []] {
            review.setValue(books[random.pick(books.count)], forKey: "book")
            if random.pick(2) == 0 { review.setValue(pick("Person"), forKey: "reviewer") }
        }
        let people = made["Person", default: []]
        for person in people {
            if random.pick(3) == 0 { person.setValue(pick("Person"), forKey: "partner") }
            if random.pick(2) == 0, let parent = pick("Person"), parent !== person {
                person.setValue(parent, forKey: "parent")
            }
            person.setValue(Set(some(people, 6)), forKey: "friends")
        }
        for shelf in made["Shelf", default: []] {
            shelf.setValue(Set(some(books, 5)), forKey: "featured")
            shelf.setValue(NSOrderedSet(array: some(made["Review", default: []], 5)), forKey: "shown")
        }
    }
}
