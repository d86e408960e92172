import Sworm

/// One random change of linked objects. Run again with its seed, it makes the same choices.
struct RuleStep: Sendable {
    let seed: UInt64
    /// The container of the call, for inner calls.
    let store: PersistentContainer
    let parts: Parts

    /// The changes of a step that do not go with every form of call.
    ///
    /// Two transactions that append to one list, and read states of their own until they commit, use the same position. A
    /// `write` sees what all others have committed, and a `perform` that does not write in bulk has no such state when it
    /// saves.
    struct Parts: OptionSet, Sendable {
        let rawValue: Int

        static let lists = Parts(rawValue: 1)
        static let bulkWrites = Parts(rawValue: 2)
    }

    /// Few names, so that the steps of all processes meet each other.
    static func owner(_ random: inout SeededRandom) -> String { "owner \(random.pick(10))" }
    private static func thing(_ random: inout SeededRandom) -> String { "thing \(random.pick(40))" }
    private static func tag(_ random: inout SeededRandom) -> String { "tag \(random.pick(8))" }
    private static func shelf(_ random: inout SeededRandom) -> String { "shelf \(random.pick(4))" }
    private static func badge(_ random: inout SeededRandom) -> String { "badge \(random.pick(12))" }

    func run(in context: ManagedObjectContext) throws {
        var random = SeededRandom(seed: seed)
        // Some calls make several changes.
        for _ in 0..<(random.chance(25) ? 3 : 1) { try change(context, &random) }
    }

    private func change(_ context: ManagedObjectContext, _ random: inout SeededRandom) throws {
        switch random.pick(12) {
        case 0, 1, 2: try insert(context, &random)
        case 3, 4: try delete(context, &random)
        case 5: try rename(context, &random)
        case 6 where parts.contains(.bulkWrites): try inBulk(context, &random)
        case 7:
            // The changes of an inner call that throws are undone.
            let inner = random.next()
            do {
                try store.perform { context in
                    var random = SeededRandom(seed: inner)
                    try link(context, &random)
                    try insert(context, &random)
                    throw Undone()
                }
            } catch is Undone {}
        default: try link(context, &random)
        }
    }

    private struct Undone: Error {}

    // MARK: Objects

    private func insert(_ context: ManagedObjectContext, _ random: inout SeededRandom) throws {
        switch random.pick(10) {
        case 0, 1: try context.insert(Owner(name: Self.owner(&random)))
        case 2: try context.insert(Tag(label: Self.tag(&random)))
        case 3: try context.insert(Shelf(name: Self.shelf(&random)))
        case 4:
            let badge = try context.insert(Badge(number: Self.badge(&random)))
            badge.owner = try find(Self.owner(&random), in: context)
        default:
            let row = random.chance(30) ? random.pick(6) : nil
            let thing = try context.insert(
                Thing(code: Self.thing(&random), row: row, column: random.pick(6), mark: random.pick(100)))
            let owner = try find(Self.owner(&random), in: context)
            if parts.contains(.lists) { thing.owner = owner }
            thing.shelf = try find(shelf: Self.shelf(&random), in: context)
            for _ in 0..<random.pick(3) {
                if let tag = try find(tag: Self.tag(&random), in: context) { try thing.tags.add(tag) }
            }
        }
    }

    private func delete(_ context: ManagedObjectContext, _ random: inout SeededRandom) throws {
        switch random.pick(8) {
        case 0, 1: if let owner = try find(Self.owner(&random), in: context) { try context.delete(owner) }
        case 2: if let tag = try find(tag: Self.tag(&random), in: context) { try context.delete(tag) }
        case 3: if let shelf = try find(shelf: Self.shelf(&random), in: context) { try context.delete(shelf) }
        case 4: try context.delete(Badge.all.where(\.number == Self.badge(&random)))
        case 5: try context.delete(Thing.all.where(\.mark == random.pick(100)))
        default: if let thing = try find(thing: Self.thing(&random), in: context) { try context.delete(thing) }
        }
    }

    private func rename(_ context: ManagedObjectContext, _ random: inout SeededRandom) throws {
        switch random.pick(4) {
        case 0: try find(Self.owner(&random), in: context)?.encode(\.name, Self.owner(&random))
        case 1: try find(tag: Self.tag(&random), in: context)?.encode(\.label, Self.tag(&random))
        case 2:
            let thing = try find(thing: Self.thing(&random), in: context)
            try thing?.encode(\.row, random.chance(80) ? random.pick(6) : nil)
            try thing?.encode(\.column, random.pick(6))
        default:
            // Two objects exchange their unique values.
            let (first, second) = (Self.thing(&random), Self.thing(&random))
            let things = (try find(thing: first, in: context), try find(thing: second, in: context))
            if let second = things.1 { try things.0?.encode(\.code, second.decode(\.code)) }
            if things.0 != nil { try things.1?.encode(\.code, first) }
        }
    }

    // MARK: Links

    private func link(_ context: ManagedObjectContext, _ random: inout SeededRandom) throws {
        // The first ones change lists.
        switch parts.contains(.lists) ? random.pick(9) : 5 + random.pick(4) {
        case 0, 1:
            let owner = random.chance(85) ? try find(Self.owner(&random), in: context) : nil
            try find(thing: Self.thing(&random), in: context)?.owner = owner
        case 2:
            guard let owner = try find(Self.owner(&random), in: context) else { return }
            let count = owner.things.count
            if count > 1 { try owner.things.move(from: random.pick(count), to: random.pick(count)) }
        case 3:
            guard let owner = try find(Self.owner(&random), in: context),
                let thing = try find(thing: Self.thing(&random), in: context)
            else { return }
            if !owner.things.contains(thing) { try owner.things.insert(thing, at: random.pick(owner.things.count + 1)) }
        case 4:
            guard let owner = try find(Self.owner(&random), in: context) else { return }
            var tags = try context.fetch(Tag.all)
            tags.shuffle(using: &random)
            try owner.picks.replace(with: Array(tags.prefix(random.pick(5))))
        case 5:
            let shelf = random.chance(60) ? try find(shelf: Self.shelf(&random), in: context) : nil
            try find(thing: Self.thing(&random), in: context)?.shelf = shelf
        case 6:
            guard let thing = try find(thing: Self.thing(&random), in: context),
                let tag = try find(tag: Self.tag(&random), in: context)
            else { return }
            if thing.tags.contains(tag) { try thing.tags.remove(tag) } else { try thing.tags.add(tag) }
        case 7:
            guard let owner = try find(Self.owner(&random), in: context) else { return }
            let badge = try context.fetchOne(Badge.all.where(\.number == Self.badge(&random)))
            if let badge { owner.badge = badge }
        default:
            let base = random.chance(70) ? try find(thing: Self.thing(&random), in: context) : nil
            try find(thing: Self.thing(&random), in: context)?.base = base
        }
    }

    // MARK: Bulk writes

    private func inBulk(_ context: ManagedObjectContext, _ random: inout SeededRandom) throws {
        switch random.pick(6) {
        case 0: try context.update(Thing.all.where(\.mark < random.pick(100)), set: (\.mark, random.pick(100)))
        case 1: try context.batchDelete(Thing.all.where(\.mark == random.pick(100)))
        case 2: try context.batchDelete(Owner.all.where(\.name == Self.owner(&random)))
        case 3: try context.batchDelete(Tag.all.where(\.label == Self.tag(&random)))
        case 4:
            let things = (0..<4).map { _ in Thing(code: Self.thing(&random), mark: random.pick(100)) }
            _ = try context.upsert(things, on: \.code)
        default:
            let start = random.pick(1_000_000)
            try context.insert(contentsOf: (0..<3).map { Thing(code: "bulk \(start + $0)", mark: random.pick(100)) })
        }
    }

    // MARK: Finding

    private func find(_ name: String, in context: ManagedObjectContext) throws -> ManagedObject<Owner>? {
        try context.fetchOne(Owner.all.where(\.name == name))
    }

    private func find(thing code: String, in context: ManagedObjectContext) throws -> ManagedObject<Thing>? {
        try context.fetchOne(Thing.all.where(\.code == code))
    }

    private func find(tag label: String, in context: ManagedObjectContext) throws -> ManagedObject<Tag>? {
        try context.fetchOne(Tag.all.where(\.label == label))
    }

    private func find(shelf name: String, in context: ManagedObjectContext) throws -> ManagedObject<Shelf>? {
        try context.fetchOne(Shelf.all.where(\.name == name))
    }
}
