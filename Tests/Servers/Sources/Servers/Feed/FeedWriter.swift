import Foundation
import Sworm

/// A process that writes in several forms until it is killed.
struct FeedWriter {
    private let store: PersistentContainer
    private let name: String
    private var random: SeededRandom
    private var number = 0
    /// The numbers of transactions that have items.
    private var batches: [Int] = []

    init(_ words: [String]) throws {
        guard words.count == 3, let seed = UInt64(words[2]) else { throw Failure("feed-writer ADDRESS NAME SEED") }
        store = try FeedStore.open(words[0])
        name = words[1]
        random = SeededRandom(seed: seed)
    }

    mutating func run() throws {
        while true {
            number += 1
            let change = FeedChange(
                writer: name, number: number, updated: random.pick(batches),
                deleted: batches.count > 8 ? batches.randomElement(using: &random) : nil, seed: random.next())
            let store = store
            switch random.pick(5) {
            case 0: try store.write { try change.make(in: $0, isAlone: true) }
            case 1: try blocking { try await store.write { try change.make(in: $0, isAlone: true) } }
            case 2: try blocking { try await store.schedule(retrying: 5) { try change.make(in: $0) } }
            case 3:
                try store.write(locking: Item.all.where { $0.writer == change.writer && $0.batch == change.number - 1 })
                {
                    try change.make(in: $0)
                }
            default: try store.perform(retrying: 5) { try change.make(in: $0) }
            }
            batches.removeAll { $0 == change.deleted }
            batches.append(number)
        }
    }
}

/// The changes of one transaction.
struct FeedChange: Sendable {
    let writer: String
    let number: Int
    /// The transactions whose items are changed and deleted.
    let updated: Int?
    let deleted: Int?
    let seed: UInt64

    /// - Parameter isAlone: Whether no other transaction writes.
    func make(in context: ManagedObjectContext, isAlone: Bool = false) throws {
        var random = SeededRandom(seed: seed)
        let seen = try context.max(of: Commit.all, \.turn) ?? 0
        var commit = Commit(writer: writer, number: number, turn: isAlone ? seen + 1 : 0, seen: seen)
        let items = (0..<(1 + random.pick(90))).map { _ in Item(writer: writer, batch: number, mark: random.pick(1000))
        }
        if random.chance(70) {
            commit.inserted += try context.insert(contentsOf: items)
        } else {
            for item in items.prefix(20) { try context.insert(item) }
            commit.inserted += min(items.count, 20)
        }
        if let updated, updated != deleted, random.chance(40) {
            commit.updated += try context.update(
                Item.all.where { $0.writer == writer && $0.batch == updated }, set: (\.mark, -number))
        }
        if let deleted {
            commit.deleted += try context.batchDelete(Item.all.where { $0.writer == writer && $0.batch == deleted })
        }
        try context.insert(commit)
    }
}
