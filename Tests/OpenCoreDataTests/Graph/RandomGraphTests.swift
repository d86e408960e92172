import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Random operations on a context, and the same on plain arrays: both must say the same at every time.
@Suite("Random operations", .overEachStore)
struct RandomGraphTests {
    static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["SWORM_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? [1, 2, 3, 4]

    @Test(arguments: seeds) func `a context agrees with plain arrays, in memory and after each save`(seed: UInt64)
        throws
    {
        print("random operations, seed \(seed)")
        let folder = try StoreFolder()
        var run = try RandomRun(seed: seed, url: folder.url())
        for step in 0..<750 {
            try run.step()
            if step % 25 == 0 { try run.compare(run.context, run.current) }
        }
        try run.save()
    }
}

private struct RandomRun {
    let seed: UInt64
    let url: URL
    let coordinator: NSPersistentStoreCoordinator
    var context: NSManagedObjectContext
    var saved = PlainGraph()
    var current = PlainGraph()
    private var state: UInt64
    private var nextNumber = 1
    /// Objects that were not saved yet.
    private var pending: [Int: NSManagedObject] = [:]
    private var ids: [Int: NSManagedObjectID] = [:]
    /// What keeps rows of a fetch alive, for some time.
    private var held: [NSManagedObject] = []
    private var log: [String] = []

    init(seed: UInt64, url: URL) throws {
        self.seed = seed
        self.url = url
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        coordinator = try GraphLibrary.coordinator(at: url, model: PlainGraph.model())
        context = GraphLibrary.context(coordinator)
    }

    private mutating func random(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(max(1, bound)))
    }

    private mutating func pick(_ kinds: [PlainGraph.Kind]) -> Int? {
        let numbers = current.nodes.filter { kinds.contains($0.value.kind) }.keys.sorted()
        return numbers.isEmpty ? nil : numbers[random(numbers.count)]
    }

    private func kinds(of base: PlainGraph.Kind) -> [PlainGraph.Kind] { base == .item ? [.item, .special] : [base] }

    private func object(_ number: Int) throws -> NSManagedObject {
        if let object = pending[number] { return object }
        return context.object(with: try #require(ids[number]))
    }

    mutating func step() throws {
        switch random(100) {
        case 0..<14: try insert()
        case 14..<24: try setText()
        case 24..<44: try link()
        case 44..<56: try unlink()
        case 56..<64: try setAll()
        case 64..<71: try delete()
        case 71..<81: try save()
        case 81..<84: rollback()
        case 84..<87: refresh()
        case 87..<90: try fetch()
        case 90..<92: try reset()
        case 92..<96: try useAnotherContext()
        default: try failToSave()
        }
    }

    private mutating func insert() throws {
        guard current.nodes.count < 60 else { return }
        let kind = PlainGraph.Kind.allCases[random(4)]
        let number = nextNumber
        nextNumber += 1
        let object = try context.make(kind.rawValue, ["uid": number])
        if random(4) == 0 { try context.obtainPermanentIDs(for: [object]) }
        pending[number] = object
        current.nodes[number] = PlainGraph.Node(kind: kind)
        log.append("insert \(kind) \(number)")
    }

    private mutating func setText() throws {
        guard let number = pick(PlainGraph.Kind.allCases) else { return }
        let text = random(4) == 0 ? nil : "text \(random(5))"
        try object(number).setValue(text, forKey: "text")
        current.nodes[number]?.text = text
        log.append("text \(number)")
    }

    private mutating func pair() -> (Int, PlainGraph.Relation, Int)? {
        let relation = PlainGraph.relations[random(PlainGraph.relations.count)]
        guard let node = pick(kinds(of: relation.kind)), let end = pick(kinds(of: relation.destination)) else {
            return nil
        }
        return (node, relation, end)
    }

    private mutating func link() throws {
        guard let (node, relation, end) = pair() else { return }
        log.append("link \(node).\(relation.name) \(end)")
        let (owner, other) = (try object(node), try object(end))
        if !relation.isToMany {
            owner.setValue(other, forKey: relation.name)
        } else if relation.isOrdered {
            owner.mutableOrderedSetValue(forKey: relation.name).add(other)
        } else {
            owner.mutableSetValue(forKey: relation.name).add(other)
        }
        current.link(node, relation, end)
    }

    private mutating func unlink() throws {
        guard let (node, relation, _) = pair() else { return }
        let ends = current.ends(node, relation)
        guard !ends.isEmpty else { return }
        let end = ends[random(ends.count)]
        log.append("unlink \(node).\(relation.name) \(end)")
        let (owner, other) = (try object(node), try object(end))
        if !relation.isToMany {
            owner.setValue(nil, forKey: relation.name)
        } else if relation.isOrdered {
            owner.mutableOrderedSetValue(forKey: relation.name).remove(other)
        } else {
            owner.mutableSetValue(forKey: relation.name).remove(other)
        }
        current.unlink(node, relation, end)
    }

    /// Sets a to-many as a whole: another choice, or the same in another order.
    private mutating func setAll() throws {
        guard let (node, relation, _) = pair(), relation.isToMany else { return }
        var new = current.ends(node, relation)
        if random(2) == 0 { for _ in 0..<random(4) { pick(kinds(of: relation.destination)).map { new.append($0) } } }
        if !new.isEmpty, random(3) == 0 { new.remove(at: random(new.count)) }
        for index in new.indices { new.swapAt(index, random(new.count)) }
        var seen = Set<Int>()
        new = new.filter { seen.insert($0).inserted }
        log.append("set \(node).\(relation.name) \(new)")
        let objects = try new.map { try object($0) }
        try object(node).setValue(
            relation.isOrdered ? NSOrderedSet(array: objects) : Set(objects), forKey: relation.name)
        current.set(node, relation, new)
    }

    private mutating func delete() throws {
        guard let number = pick(PlainGraph.Kind.allCases) else { return }
        log.append("delete \(number)")
        context.delete(try object(number))
        current.delete(number)
        for number in Array(pending.keys) where current.nodes[number] == nil { pending[number] = nil }
    }

    mutating func save() throws {
        log.append("save")
        try context.save()
        for (number, object) in pending { ids[number] = object.objectID }
        pending = [:]
        saved = current
        #expect(!context.hasChanges)
        try compare(GraphLibrary.context(coordinator), saved)
        try compare(context, saved)
        let issues = try StoreVerification.issues(of: url, model: coordinator.compiledModel)
        #expect(issues == [], "seed \(seed): \(log.suffix(20))")
    }

    private mutating func rollback() {
        log.append("rollback")
        context.rollback()
        pending = [:]
        current = saved
    }

    private mutating func refresh() {
        log.append("refresh")
        context.refreshAllObjects()
    }

    private mutating func fetch() throws {
        log.append("fetch")
        let kind = PlainGraph.Kind.allCases[random(4)]
        let request = request(kind)
        if random(2) == 0 { request.sortDescriptors = [NSSortDescriptor(key: "uid", ascending: true)] }
        held = try context.fetch(request)
        let expected = current.nodes.filter { kinds(of: kind).contains($0.value.kind) }
        #expect(held.count == expected.count, "seed \(seed): \(log.suffix(20))")
    }

    private mutating func reset() throws {
        guard current == saved || random(4) == 0 else { return }
        log.append("reset")
        context.reset()
        held = []
        pending = [:]
        current = saved
    }

    /// Another context changes and saves; this one takes it over, its own changes kept.
    private mutating func useAnotherContext() throws {
        let numbers = saved.nodes.keys.filter { current.nodes[$0] != nil }.sorted()
        guard !numbers.isEmpty else { return }
        let other = GraphLibrary.context(coordinator)
        let number = numbers[random(numbers.count)]
        let id = try #require(ids[number])
        let object = other.object(with: id)
        let merging = context
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { merging.mergeChanges(fromContextDidSave: $0) }
        defer { NotificationCenter.default.removeObserver(token) }
        if current == saved, !context.hasChanges {
            let relation = PlainGraph.relations[random(PlainGraph.relations.count)]
            let nodes = numbers.filter { current.nodes[$0]?.kind.base == relation.kind }
            let ends = numbers.filter { current.nodes[$0]?.kind.base == relation.destination }
            guard !nodes.isEmpty, !ends.isEmpty else { return }
            let node = nodes[random(nodes.count)]
            let end = ends[random(ends.count)]
            let (owner, member) = (
                other.object(with: try #require(ids[node])), other.object(with: try #require(ids[end]))
            )
            log.append("other links \(node).\(relation.name) \(end)")
            if relation.isToMany {
                owner.setValue(
                    relation.isOrdered
                        ? NSOrderedSet(array: owner.list(relation.name) + [member])
                        : owner.set(relation.name).union([member]),
                    forKey: relation.name)
            } else {
                owner.setValue(member, forKey: relation.name)
            }
            current.link(node, relation, end)
            saved = current
        } else {
            // The text that this context may have changed stays; a row that it may delete is left alone.
            guard current.nodes[number]?.text == saved.nodes[number]?.text else { return }
            log.append("other sets text \(number)")
            let text = "other \(random(5))"
            // A change that this context has taken back again is no change: the new text shows through.
            object.setValue(text, forKey: "text")
            current.nodes[number]?.text = text
            saved.nodes[number]?.text = text
        }
        try other.save()
    }

    /// A save that fails leaves everything as it is.
    private mutating func failToSave() throws {
        guard let number = pick(PlainGraph.Kind.allCases) else { return }
        log.append("fail \(number)")
        let object = try object(number)
        object.setValue(5, forKey: "text")
        #expect(throws: CocoaError.self) { try context.save() }
        object.setValue(current.nodes[number]?.text, forKey: "text")
    }

    /// A fetch of all objects of a kind, which reads some of what they lead to along, or their rows in batches, or neither.
    private mutating func request(_ kind: PlainGraph.Kind) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: kind.rawValue)
        if random(3) == 0 { request.fetchBatchSize = 1 + random(5) }
        let relations = PlainGraph.relations.filter { $0.kind == kind.base && random(3) == 0 }
        request.relationshipKeyPathsForPrefetching = relations.map { relation in
            let further = PlainGraph.relations.filter { $0.kind == relation.destination && random(4) == 0 }
            return ([relation.name] + further.prefix(1).map(\.name)).joined(separator: ".")
        }
        return request
    }

    /// Compares every object and every relation.
    mutating func compare(_ context: NSManagedObjectContext, _ expected: PlainGraph) throws {
        var found = PlainGraph()
        for kind in [PlainGraph.Kind.owner, .item, .label] {
            for object in try context.fetch(request(kind)) {
                let number = try #require(object.value(forKey: "uid") as? Int, "seed \(seed): \(log.suffix(30))")
                let own = try #require(PlainGraph.Kind(rawValue: object.entity.name ?? ""))
                var node = PlainGraph.Node(kind: own, text: object.text("text"))
                for relation in PlainGraph.relations where relation.kind == own.base {
                    let others: [NSManagedObject] =
                        if !relation.isToMany {
                            object.object(relation.name).map { [$0] } ?? []
                        } else if relation.isOrdered {
                            object.list(relation.name)
                        } else {
                            Array(object.set(relation.name))
                        }
                    var numbers = others.map { $0.value(forKey: "uid") as? Int ?? -1 }
                    if relation.isToMany, !relation.isOrdered { numbers.sort() }
                    if !numbers.isEmpty { node.links[relation.name] = numbers }
                }
                found.nodes[number] = node
            }
        }
        for number in Set(found.nodes.keys).union(expected.nodes.keys).sorted() {
            var wanted = expected.nodes[number]
            for relation in PlainGraph.relations where relation.isToMany && !relation.isOrdered {
                if wanted?.kind.base == relation.kind { wanted?.links[relation.name]?.sort() }
            }
            try #require(
                found.nodes[number] == wanted,
                "seed \(seed), node \(number), \(context === self.context ? "in memory" : "in the store"): \(log.suffix(40)) \(log.filter { $0.contains("partner") || $0.contains("\(number)") })"
            )
        }
    }
}
