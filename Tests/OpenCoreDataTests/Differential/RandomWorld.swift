import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Random objects of a random model, in a context over a store in memory.
final class RandomWorld {
    let model: RandomModel
    let context: NSManagedObjectContext
    private(set) var objects: [NSManagedObject] = []
    private var entities: [Int] = []
    private var numbers: [ObjectIdentifier: Int] = [:]
    private var random: SeededRandom

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        model = RandomModel(&random)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model.make())
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        for entity in model.entities.indices {
            for _ in 0..<(3 + random.pick(5)) { try insert(entity) }
        }
        for number in objects.indices { link(number, percent: 80) }
    }

    // MARK: Objects

    private func insert(_ entity: Int) throws {
        let object = try context.make(model.entities[entity].name)
        numbers[ObjectIdentifier(object)] = objects.count
        object.setValue(objects.count, forKey: RandomModel.identifier)
        objects.append(object)
        entities.append(entity)
        fill(objects.count - 1, percent: 100)
    }

    private func fill(_ number: Int, percent: Int) {
        for attribute in model.attributes(entities[number]) where attribute.name != RandomModel.identifier {
            guard random.chance(percent) else { continue }
            let value = random.chance(25) ? .null : RandomValue.value(attribute.type, &random)
            objects[number].setValue(value.foundationValue, forKey: attribute.name)
        }
    }

    private func link(_ number: Int, percent: Int) {
        for relation in model.relations(entities[number]) where random.chance(percent) {
            let family = model.family(relation.destination)
            let candidates = objects.indices.filter { family.contains(entities[$0]) && objects[$0].exists }
                .map { objects[$0] }
            let object = objects[number]
            guard relation.isToMany else {
                object.setValue(random.chance(25) ? nil : random.pick(candidates), forKey: relation.name)
                continue
            }
            var members = (0..<random.pick(4)).compactMap { _ in random.pick(candidates) }
            if relation.isOneWay { members.removeAll { owners(of: $0, by: relation).contains { $0 !== object } } }
            object.setValue(
                relation.isOrdered ? NSOrderedSet(array: members) : Set(members), forKey: relation.name)
        }
    }

    private func owners(of member: NSManagedObject, by relation: RandomModel.Relation) -> [NSManagedObject] {
        objects.indices.filter { objects[$0].exists }
            .filter { model.relations(entities[$0]).contains { $0.name == relation.name } }.map { objects[$0] }
            .filter { owner in
                let members = owner.value(forKey: relation.name)
                return (members as? NSOrderedSet)?.contains(member)
                    ?? (members as? Set<NSManagedObject>)?.contains(member) ?? false
            }
    }

    /// Marks every object as changed, with nothing that a predicate could see.
    func touch() {
        for object in objects where object.exists {
            object.setValue("changed", forKey: RandomModel.unrelated)
            if random.chance(50) { object.setValue(nil, forKey: RandomModel.unrelated) }
        }
    }

    /// Changes, inserts and deletes some objects.
    func change() throws {
        for number in objects.indices where objects[number].exists && random.chance(35) {
            if random.chance(60) { fill(number, percent: 40) }
            if random.chance(60) { link(number, percent: 40) }
        }
        for _ in 0..<random.pick(4) {
            try insert(random.pick(model.entities.count))
            if random.chance(80) { link(objects.count - 1, percent: 80) }
        }
        for _ in 0..<random.pick(4) {
            if let object = random.pick(objects), object.exists { context.delete(object) }
        }
    }

    // MARK: Asking

    /// The predicate with the identities that the objects have now.
    func resolved(_ tree: PredicateTree) throws -> PredicateTree {
        var values: [String: PredicateArgument] = [:]
        for (number, object) in objects.enumerated() {
            values["o\(number)"] = .value(.object(object.objectID.reference))
        }
        return try tree.substituting(values)
    }

    /// The expression with the identities that the objects have now.
    func resolved(_ tree: ExpressionTree) throws -> ExpressionTree {
        let comparison = Comparison(tree, by: .equal, with: .value(.null))
        guard case .comparison(let resolved) = try resolved(.comparison(comparison)) else { return tree }
        return resolved.left
    }

    /// Returns the request of a question.
    func request(_ question: Question, printed: Bool = false) throws -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: model.entities[question.entity].name)
        let tree = try resolved(question.tree)
        request.predicate =
            printed ? NSPredicate(format: tree.format, argumentArray: nil) : ObjectPredicate(tree: tree)
        request.sortDescriptors = question.sorts.map {
            NSSortDescriptor(key: $0.key, ascending: $0.ascending, selector: Selector($0.comparison))
        }
        request.fetchLimit = question.limit
        request.fetchOffset = question.offset
        request.includesSubentities = question.includesSubentities
        return request
    }

    func fetch(_ question: Question, printed: Bool = false) -> Answer {
        do {
            let request = try request(question, printed: printed)
            let found = try context.fetch(request)
            let count = try context.count(for: request)
            guard count == found.count else { return .refused("the count is \(count), and there are \(found.count)") }
            return .rows(found.map { numbers[ObjectIdentifier($0)] ?? -1 })
        } catch {
            return .refused("\(error)")
        }
    }

    /// The rows of an answer, for messages.
    func describe(_ number: Int) -> String {
        guard objects.indices.contains(number), objects[number].exists else { return "\(number): gone" }
        let object = objects[number]
        var parts: [String] = []
        for attribute in model.attributes(entities[number]) {
            parts.append("\(attribute.name)=\(object.value(forKey: attribute.name).map { "\($0)" } ?? "nil")")
        }
        for relation in model.relations(entities[number]) {
            let value = object.value(forKey: relation.name)
            let members =
                (value as? Set<NSManagedObject>).map(Array.init)
                ?? (value as? NSOrderedSet)?.array.compactMap { $0 as? NSManagedObject }
                ?? (value as? NSManagedObject).map { [$0] } ?? []
            parts.append("\(relation.name)=\(members.map { numbers[ObjectIdentifier($0)] ?? -1 })")
        }
        return "\(number) (\(model.entities[entities[number]].name)): " + parts.joined(separator: ", ")
    }
}

/// A request over a random model.
struct Question {
    var entity: Int
    var tree: PredicateTree
    var sorts: [(key: String, ascending: Bool, comparison: String)] = []
    var limit = 0
    var offset = 0
    var includesSubentities = true

    init(_ model: RandomModel, objectCount: Int, seed: UInt64, hasIdentities: Bool = false) {
        var random = SeededRandom(seed: seed)
        entity = random.pick(model.entities.count)
        var generator = RandomPredicate(model, entity: entity, objectCount: objectCount, seed: random.next())
        generator.hasIdentities = hasIdentities
        tree = generator.predicate(depth: 1 + random.pick(3))
        for _ in 0..<random.pick(4) where random.chance(50) {
            var (path, end) = ([String](), entity)
            for _ in 0..<2 where random.chance(25) {
                guard let next = random.pick(model.relations(end).filter { !$0.isToMany }) else { break }
                path.append(next.name)
                end = next.destination
            }
            if path.isEmpty || random.chance(80), let last = random.pick(model.attributes(end)) {
                path.append(last.name)
            }
            let comparison = random.chance(50) ? Self.comparisons[0] : random.pick(Self.comparisons) ?? ""
            sorts.append((path.joined(separator: "."), random.chance(50), comparison))
        }
        if random.chance(30) { limit = random.pick(6) }
        if random.chance(20) { offset = random.pick(5) }
        includesSubentities = random.chance(85)
    }

    private static let comparisons = [
        "compare:", "caseInsensitiveCompare:", "localizedCompare:", "localizedCaseInsensitiveCompare:",
        "localizedStandardCompare:",
    ]

    var summary: String {
        "E\(entity)\(includesSubentities ? "" : " alone") sorted by \(sorts) limit \(limit) offset \(offset): \(tree.format)"
    }
}

/// What a fetch gives.
enum Answer: Equatable {
    case rows([Int])
    case refused(String)

    /// Two refusals agree, whatever their words.
    static func == (left: Answer, right: Answer) -> Bool {
        switch (left, right) {
        case (.rows(let one), .rows(let other)): one == other
        case (.refused, .refused): true
        default: false
        }
    }
}
