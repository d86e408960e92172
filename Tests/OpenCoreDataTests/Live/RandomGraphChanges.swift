import Foundation
import SwormPredicates
import TestSupport

@testable import OpenCoreData
@testable import SwormStore

/// Random changes of the objects of a random model: saves, updates and deletions of all rows that a condition finds.
struct RandomGraphChanges {
    private let model: RandomModel
    let run: CommitRun
    private let context: NSManagedObjectContext
    private var random: SeededRandom
    private var counter = 0
    private(set) var log: [String] = []

    init(seed: UInt64, hasHistory: Bool) throws {
        random = SeededRandom(seed: seed)
        model = RandomModel(&random, isRich: true)
        let descriptions = model.make()
        for (_, entity) in descriptions.entitiesByName.sorted(by: { $0.key < $1.key }) {
            for (_, relationship) in entity.relationshipsByName.sorted(by: { $0.key < $1.key })
            where random.chance(15) {
                relationship.deleteRule = .cascadeDeleteRule
            }
        }
        run = try CommitRun(descriptions, hasHistory: hasHistory)
        context = GraphLibrary.context(run.coordinator)
    }

    /// Closes the store, and returns what a verification finds. A relationship without an inverse may lead to a deleted
    /// object.
    func end() throws -> [String] {
        let names = model.entities.flatMap(\.relations).filter(\.isOneWay).map(\.name)
        return try run.end().filter { finding in !names.contains { finding.contains(".\($0): ") } }
    }

    /// Runs one transaction.
    mutating func step() throws {
        log = []
        do {
            switch random.pick(8) {
            case 0: try updateAll()
            case 1: if random.chance(40) { try deleteAll() }
            default: try save()
            }
        } catch {
            // A sum may overflow, and a batch may be denied. Nothing is written then.
            log.append("\(error)")
            context.rollback()
        }
        context.reset()
    }

    // MARK: Batches

    private mutating func updateAll() throws {
        let number = random.pick(model.entities.count)
        let attributes = model.attributes(number).filter { $0.derivation == nil && !$0.name.contains(".") }
        guard let attribute = random.pick(attributes.filter { $0.name != RandomModel.identifier }) else { return }
        let value = random.chance(20) ? .null : RandomValue.value(attribute.type, &random)
        log.append("update \(number) \(attribute.name)")
        try context.update(model.entities[number].name, condition(), [attribute.name: value])
    }

    private mutating func deleteAll() throws {
        let number = random.pick(model.entities.count)
        log.append("delete all of \(number)")
        try context.deleteAll(model.entities[number].name, condition())
    }

    private mutating func condition() -> String? {
        random.chance(20) ? nil : "\(RandomModel.identifier) % 4 == \(random.pick(4))"
    }

    // MARK: Objects

    private mutating func save() throws {
        var objects = try model.entities.filter { $0.parent == nil }.flatMap { try context.all($0.name) }
            .sorted { ($0.number(RandomModel.identifier) ?? 0) < ($1.number(RandomModel.identifier) ?? 0) }
        for _ in 0...random.pick(4) {
            let object = random.pick(objects.filter { !$0.isDeleted })
            switch random.pick(6) {
            case 0, 1:
                let entity = random.pick(model.entities.count)
                let new = try context.make(model.entities[entity].name, [RandomModel.identifier: counter])
                counter += 1
                log.append("insert \(counter)")
                objects.append(new)
                fill(new, percent: 70)
                link(new, objects)
            case 2, 3: if let object { fill(object, percent: 30) }
            case 4: if let object { link(object, objects) }
            default:
                guard let object, objects.count > 6 || random.chance(20) else { continue }
                log.append("delete \(object.number(RandomModel.identifier) ?? -1)")
                context.delete(object)
            }
        }
        try context.save()
    }

    private func entity(of object: NSManagedObject) -> Int {
        model.entities.firstIndex { $0.name == object.entity.name } ?? 0
    }

    private mutating func fill(_ object: NSManagedObject, percent: Int) {
        for attribute in model.attributes(entity(of: object)) {
            guard attribute.derivation == nil, attribute.name != RandomModel.identifier, random.chance(percent) else {
                continue
            }
            let value = random.chance(20) ? .null : RandomValue.value(attribute.type, &random)
            object.setValue(value.foundationValue, forKeyPath: attribute.name)
        }
        log.append("fill \(object.number(RandomModel.identifier) ?? -1)")
    }

    private mutating func link(_ object: NSManagedObject, _ objects: [NSManagedObject]) {
        for relation in model.relations(entity(of: object)) where random.chance(50) {
            let family = model.family(relation.destination)
            // Not the object itself: Core Data's triggers count a row twice that is inserted with a link to itself.
            let candidates = objects.filter { $0 !== object && !$0.isDeleted && family.contains(entity(of: $0)) }
            log.append("link \(object.number(RandomModel.identifier) ?? -1) \(relation.name)")
            guard relation.isToMany else {
                object.setValue(random.chance(25) ? nil : random.pick(candidates), forKey: relation.name)
                continue
            }
            var members = (0..<random.pick(4)).compactMap { _ in random.pick(candidates) }
            // The members of a relationship without an inverse have one owner at most.
            if relation.isOneWay {
                members.removeAll { member in
                    objects.contains { $0 !== object && !$0.isDeleted && has($0, relation, member) }
                }
            }
            object.setValue(relation.isOrdered ? NSOrderedSet(array: members) : Set(members), forKey: relation.name)
        }
    }

    private func has(_ owner: NSManagedObject, _ relation: RandomModel.Relation, _ member: NSManagedObject) -> Bool {
        guard model.relations(entity(of: owner)).contains(where: { $0.name == relation.name }) else { return false }
        let members = owner.value(forKey: relation.name)
        return (members as? NSOrderedSet)?.contains(member) ?? (members as? Set<NSManagedObject>)?.contains(member)
            ?? false
    }
}
