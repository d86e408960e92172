import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Contexts of two coordinators change one file at random: what each save leaves is sound, or the save fails and says why.
@Suite("Random contention", .overEachStore)
struct RandomContentionTests {
    static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["SWORM_SEED"].flatMap { UInt64($0) }.map { [$0] }
        ?? Array(1...(ProcessInfo.processInfo.environment["SWORM_SEEDS"].flatMap { UInt64($0) } ?? 4))
    /// More for a long run by hand.
    static let steps = ProcessInfo.processInfo.environment["SWORM_STEPS"].flatMap { Int($0) } ?? 600

    @Test(arguments: seeds) func `every save that succeeds leaves a sound store`(seed: UInt64) throws {
        let folder = try StoreFolder()
        let url = folder.url()
        let coordinators = try (0..<2).map { _ in
            try GraphLibrary.coordinator(
                at: url, model: ContentionModel.model(),
                options: seed % 2 == 0 ? [NSPersistentHistoryTrackingKey: NSNumber(value: true)] : nil)
        }
        var run = ContentionRun(seed: seed, coordinators: coordinators) { try ContentionModel.issues(at: url) }
        for step in 0..<Self.steps where !run.hasFailed { try run.step(step) }
        print("random contention, seed \(seed): \(run.saves) saves, \(run.failures) failures")
        #expect(run.saves > Self.steps / 60, "most saves are to succeed")
    }
}

struct ContentionRun {
    private struct Actor {
        var context: NSManagedObjectContext
        /// The objects that were found some time ago.
        var known: [NSManagedObject] = []
    }

    let seed: UInt64
    /// What is wrong with the store.
    private let issues: () throws -> [String]
    private var actors: [Actor] = []
    private let coordinators: [NSPersistentStoreCoordinator]
    private var state: UInt64
    private var lastName = 0
    private(set) var saves = 0
    private(set) var failures = 0
    private(set) var hasFailed = false
    /// What happened since the store was last known to be empty of surprises.
    private var log: [String] = []

    init(seed: UInt64, coordinators: [NSPersistentStoreCoordinator], issues: @escaping () throws -> [String]) {
        self.seed = seed
        self.coordinators = coordinators
        self.issues = issues
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        for index in 0..<3 { actors.append(Actor(context: makeContext(index))) }
    }

    private mutating func random(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(max(1, bound)))
    }

    private mutating func makeContext(_ index: Int) -> NSManagedObjectContext {
        let context = GraphLibrary.context(coordinators[index % 2])
        context.mergePolicy = NSMergePolicy(merge: ContentionModel.policies[random(5)])
        return context
    }

    mutating func step(_ number: Int) throws {
        let index = random(actors.count)
        switch random(40) {
        case 0: actors[index] = Actor(context: makeContext(index))
        case 1: actors[index].context.refreshAllObjects()
        case 2..<5: try look(index)
        case 5..<10: try save(index)
        default: try change(index)
        }
    }

    /// Finds what there is now, and reads some of what it leads to, to grow old.
    private mutating func look(_ index: Int) throws {
        actors[index].known = try Self.entities.filter { $0 != "Novel" }.flatMap { try actors[index].context.all($0) }
        let reads = random(3)
        for object in actors[index].known where reads > 0 && (reads == 1 || random(2) == 0) {
            for key in object.entity.relationshipsByName.keys.sorted() {
                _ = (object.value(forKey: key) as? NSManagedObject)?.text("name")
            }
        }
    }

    private static let entities = ["Author", "Book", "Novel", "Review", "Tag", "Shelf", "Person", "Card"]

    /// The objects of an entity that a context knows of, as it has read them.
    private mutating func pick(_ entity: String, _ index: Int) throws -> NSManagedObject? {
        if actors[index].known.isEmpty { try look(index) }
        let objects = actors[index].known.filter {
            let names = [$0.entity.name, $0.entity.superentity?.name]
            return names.contains(entity) && $0.managedObjectContext != nil && !$0.isDeleted
        }
        return objects.isEmpty ? nil : objects[random(objects.count)]
    }

    private mutating func note(_ index: Int, _ text: String) { log.append("\(index): \(text)") }

    private mutating func name(_ object: NSManagedObject) -> String {
        "\(object.entity.name ?? "") \(object.text("name") ?? "?")"
    }

    private mutating func change(_ index: Int) throws {
        let context = actors[index].context
        let entities = Self.entities
        switch random(12) {
        case 0..<3: try insert(entities[random(entities.count)], index)
        case 3:
            guard let object = try pick(entities[random(entities.count)], index) else { return }
            lastName += 1
            note(index, "rename \(name(object)) n\(lastName)")
            object.setValue("n\(lastName)", forKey: "name")
        case 4, 5:
            guard let object = try pick(entities[random(entities.count)], index) else { return }
            note(index, "delete \(name(object))")
            context.delete(object)
        case 6:
            // The members are read, and grow old.
            guard let object = try pick(["Author", "Book", "Tag", "Person"][random(4)], index) else { return }
            for (key, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key })
            where relationship.isToMany {
                _ = object.value(forKey: key)
            }
        default: try link(index)
        }
    }

    private mutating func insert(_ entity: String, _ index: Int) throws {
        guard actors[index].known.filter({ $0.entity.name == entity }).count < 6 else { return }
        var values: [String: Any] = [:]
        if entity == "Review" {
            guard let book = try pick("Book", index) else { return }
            values["book"] = book
        } else if entity == "Card" {
            guard let person = try pick("Person", index) else { return }
            // Whose card is replaced goes.
            if let old = person.object("card") { actors[index].context.delete(old) }
            values["holder"] = person
        }
        lastName += 1
        values["name"] = "n\(lastName)"
        let owner = (values["book"] ?? values["holder"]) as? NSManagedObject
        note(index, "insert \(entity) n\(lastName)\(owner.map { " of \(name($0))" } ?? "")")
        actors[index].known.append(try actors[index].context.make(entity, values))
    }

    private mutating func link(_ index: Int) throws {
        let choices = [
            ("Book", "author", "Author"), ("Book", "shelf", "Shelf"), ("Review", "book", "Book"),
            ("Person", "partner", "Person"), ("Person", "partner", "Person"), ("Person", "parent", "Person"),
            ("Card", "holder", "Person"), ("Book", "tags", "Tag"), ("Tag", "row", "Book"), ("Book", "rows", "Tag"),
            ("Book", "reviews", "Review"), ("Person", "children", "Person"), ("Shelf", "cards", "Card"),
            ("Author", "books", "Book"),
        ]
        let (entity, key, destination) = choices[random(choices.count)]
        guard let object = try pick(entity, index), let other = try pick(destination, index) else { return }
        let relationship = try #require(object.entity.relationshipsByName[key])
        let clears = random(4) == 0 && relationship.inverseRelationship?.isOptional != false
        note(index, "\(name(object)).\(key) \(clears ? "-" : "+") \(name(other))")
        if relationship.isToMany, relationship.isOrdered {
            var list = object.list(key).filter { $0 !== other }
            if !clears { list.insert(other, at: random(3) == 0 ? 0 : random(list.count + 1)) }
            object.setValue(NSOrderedSet(array: list), forKey: key)
        } else if relationship.isToMany {
            let set = object.mutableSetValue(forKey: key)
            if clears { set.remove(other) } else { set.add(other) }
        } else if !clears || relationship.isOptional {
            object.setValue(clears ? nil : other, forKey: key)
        }
    }

    private mutating func save(_ index: Int) throws {
        let context = actors[index].context
        guard context.hasChanges else { return }
        let policy = (context.mergePolicy as? NSMergePolicy)?.mergeType.rawValue ?? 9
        let inserted = context.insertedObjects
        let changed = Dictionary(
            uniqueKeysWithValues: inserted.union(context.updatedObjects).map { ($0, Set($0.changedValues().keys)) })
        do {
            try context.save()
            saves += 1
            note(index, "saved by policy \(policy)")
        } catch let error as CocoaError {
            failures += 1
            note(index, "failed by policy \(policy): \(error.localizedDescription.prefix(300))")
            let issues = try issues()
            // The changes are rolled back, the context is replaced, or the save is repeated later.
            switch random(3) {
            case 0: context.rollback()
            case 1: actors[index] = Actor(context: makeContext(index))
            default: break
            }
            return report(issues)
        }
        report(try issues() + differences(of: changed, inserted))
    }

    /// Where what was just written is otherwise in memory than in the store.
    private func differences(of objects: [NSManagedObject: Set<String>], _ inserted: Set<NSManagedObject>) throws
        -> [String]
    {
        var differences: [String] = []
        let reader = GraphLibrary.context(coordinators[0])
        for (object, keys) in objects where object.managedObjectContext != nil && !object.isFault {
            guard
                let url = reader.persistentStoreCoordinator?.managedObjectID(
                    forURIRepresentation: object.objectID.uriRepresentation()),
                let stored = try? reader.existingObject(with: url)
            else {
                // A change that takes back another one writes nothing.
                if inserted.contains(object) { differences.append("\(object) is not in the store") }
                continue
            }
            // Others have written it since, or its row was not to be written.
            guard stored.snapshot.version == object.snapshot.version else { continue }
            if keys.contains("name"), stored.text("name") != object.text("name") {
                differences.append("\(object): name")
            }
            for (key, relationship) in object.entity.relationshipsByName
            where !relationship.isToMany && keys.contains(key) {
                let (one, other) = (object.object(key)?.objectID, stored.object(key)?.objectID)
                if one?.uriRepresentation() != other?.uriRepresentation() {
                    let ends = [one, other].map { $0?.description ?? "nobody" }
                    differences.append("\(object).\(key): \(ends[0]), stored \(ends[1])")
                }
            }
        }
        return differences
    }

    private mutating func report(_ issues: [String]) {
        guard !issues.isEmpty else { return }
        hasFailed = true
        Issue.record("seed \(seed): \(issues)\n\(log.suffix(60).joined(separator: "\n"))")
    }
}
