import Sworm

/// The row that each transaction inserts last, with what it has changed.
struct Commit: Codable, Hashable, Sendable {
    var writer = ""
    /// The number among the transactions of the writer.
    var number = 0
    /// The number among the transactions that write alone, each of which has read the one before; 0 for others.
    var turn = 0
    /// The highest turn that the transaction has read.
    var seen = 0
    var inserted = 0
    var updated = 0
    var deleted = 0
}

extension Commit: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Commit>> = [
        .init(\.writer, "writer"), .init(\.number, "number"), .init(\.turn, "turn", .indexed), .init(\.seen, "seen"),
        .init(\.inserted, "inserted"), .init(\.updated, "updated"), .init(\.deleted, "deleted"),
    ]
}

struct Item: Sendable {
    var writer = ""
    /// The number of the transaction that has inserted it.
    var batch = 0
    var mark = 0
}

extension Item: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Item>> = [
        .init(\.writer, "writer"), .init(\.batch, "batch"), .init(\.mark, "mark"),
    ]
    static let fetchIndexes: [FetchIndex<Item>] = [.init("byBatch", \.writer, \.batch)]
}

enum FeedStore {
    static func open(_ address: String) throws -> PersistentContainer {
        try PersistentContainer(for: Commit.self, Item.self, at: .postgres(address), timeout: 60, history: true)
    }
}
