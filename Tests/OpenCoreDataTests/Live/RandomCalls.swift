import Foundation
import Sworm
import TestSupport

/// Random calls of Sworm, with objects and statements, nested and failing.
final class RandomCalls {
    private struct Failure: Swift.Error {}

    let run: CommitRun
    private(set) var log: [String] = []
    private let store: PersistentContainer
    private var random: SeededRandom

    init(seed: UInt64, hasHistory: Bool) throws {
        random = SeededRandom(seed: seed)
        run = try CommitRun(NSManagedObjectModel(tables: Shelf.self), hasHistory: hasHistory)
        let coordinator = run.coordinator
        store = PersistentContainer(managedObjectContext: { GraphLibrary.context(coordinator) })
    }

    /// Runs one transaction.
    func step() throws {
        log = []
        switch random.pick(8) {
        case 0: try fail { try perform(in: $0) }
        case 1:
            try store.perform { context in
                try perform(in: context)
                try fail { try perform(in: $0) }
                try store.perform { try perform(in: $0) }
            }
        case 2: try store.write { context in for _ in 0..<3 { try perform(in: context) } }
        default: try store.perform { try perform(in: $0) }
        }
    }

    private func fail(_ body: (ManagedObjectContext) throws -> Void) throws {
        log.append("failing:")
        do {
            try store.perform { context in
                try body(context)
                throw Failure()
            }
        } catch is Failure {}
    }

    private func perform(in context: ManagedObjectContext) throws {
        let number = random.pick(40)
        let operation = random.pick(14)
        log.append("operation \(operation), number \(number)")
        func box() throws -> ManagedObject<Box>? {
            try context.fetchOne(Box.all.where { $0.number >= number }.sort(\.number))
        }
        func shelf() throws -> ManagedObject<Shelf>? {
            try context.fetch(Shelf.all.sort(\.name)).randomElement(using: &random)
        }
        switch operation {
        case 0, 1:
            guard try context.count(of: Box.all.where { $0.number == number }) == 0 else { return }
            let inserted = try context.insert(makeBox(number))
            if random.chance(70) { inserted.shelf = try shelf() }
        case 2: try box()?.encode(\.title, "title \(random.pick(4))")
        case 3: if let box = try box() { try context.delete(box) }
        case 4:
            let (low, rank) = (random.pick(4), random.pick(4))
            _ = try context.update(Box.all.where { $0.rank == low }, set: (\.rank, rank))
        case 5, 6: _ = try context.upsert((0..<3).map { makeBox((number + $0) % 40) }, on: \.number)
        case 7: if random.chance(40) { _ = try context.batchDelete(Box.all.where { $0.rank == number % 4 }) }
        case 8:
            let free = try (40..<44).filter { free in try context.count(of: Box.all.where { $0.number == free }) == 0 }
            do {
                try context.insert(contentsOf: free.map { makeBox($0) })
            } catch StoreError.Code.uniquenessViolation {
                // The deletion of a box with the number is not saved yet.
            }
        case 9: try box()?.shelf = random.chance(20) ? nil : try shelf()
        case 10:
            if try context.count(of: Label.all) < 3 { _ = try context.insert(Label(word: "word \(number)")) }
            let labels = try context.fetch(Label.all.sort(\.word))
            guard let box = try box(), let label = labels.randomElement(using: &random) else { return }
            if random.chance(60) { try box.labels.add(label) } else { try box.labels.remove(label) }
        case 11:
            guard let shelf = try shelf() else { return }
            let pinned = try context.fetch(Box.all.where { $0.number < 8 }).shuffled(using: &random)
            try shelf.pinned.replace(with: Array(pinned.prefix(random.pick(4))))
        case 12: if random.chance(20) { _ = try context.batchDelete(Shelf.all.where { $0.name == "shelf \(number)" }) }
        default:
            if random.chance(15), let shelf = try shelf() { try context.delete(shelf) }
            if random.chance(50) { _ = try context.insert(Shelf(name: "shelf \(number)")) }
        }
    }

    private func makeBox(_ number: Int) -> Box {
        Box(number: number, title: "title \(random.pick(4))", rank: random.pick(4))
    }
}

private struct Shelf: ManagedObjectConvertible {
    var name = ""
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
    struct Relations: Sendable {
        let boxes = ToManyRelation<Box>("boxes", inverse: \.shelf, deleteRule: .cascade)
        let pinned = ToManyOrderedRelation<Box>("pinned", inverse: \.pinnedOn)
    }
    static let relations = Relations()
}

private struct Box: ManagedObjectConvertible {
    var number = 0
    var title = ""
    var rank = 0
    static let attributes: Set<Attribute<Self>> = [
        .init(\.number, "number", .unique), .init(\.title, "title"), .init(\.rank, "rank"),
    ]
    struct Relations: Sendable {
        let shelf = ToOneRelation<Shelf>("shelf")
        let pinnedOn = ToOneRelation<Shelf>("pinnedOn")
        let labels = ToManyRelation<Label>("labels", inverse: \.boxes)
    }
    static let relations = Relations()
}

private struct Label: ManagedObjectConvertible {
    var word = ""
    static let attributes: Set<Attribute<Self>> = [.init(\.word, "word")]
    struct Relations: Sendable { let boxes = ToManyRelation<Box>("boxes") }
    static let relations = Relations()
}
