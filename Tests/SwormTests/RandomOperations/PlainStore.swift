import Sworm

/// A leaf of the random operations: unique, with values of its own, and on a stem or not.
struct RandomLeaf: ManagedObjectConvertible, Equatable {
    var key = 0
    var a = ""
    var b = ""
    static let attributes: Set<Attribute<RandomLeaf>> = [
        .init(\.key, "key", .unique), .init(\.a, "a"), .init(\.b, "b", .indexed),
    ]
    struct Relations: Sendable { let owner = ToOneRelation<RandomStem>("owner", inverse: \.leaves) }
    static let relations = Relations()
}

struct RandomStem: ManagedObjectConvertible {
    var key = 0
    static let attributes: Set<Attribute<RandomStem>> = [.init(\.key, "key", .unique)]
    struct Relations: Sendable { let leaves = ToManyRelation<RandomLeaf>("leaves") }
    static let relations = Relations()
}

/// A store as plain values: the model that the random operations are compared with.
struct PlainStore: Equatable {
    struct Leaf: Equatable, CustomStringConvertible {
        /// Two leaves that had one key after each other are different ones.
        let id: Int
        var key: Int
        var a: String
        var b: String
        /// The key of its stem.
        var owner: Int?

        var value: RandomLeaf { RandomLeaf(key: key, a: a, b: b) }
        var description: String { "\(key):\(a)/\(b)" + (owner.map { "@\($0)" } ?? "") }
    }

    /// A property that a merge policy settles alone.
    enum Field: CaseIterable { case a, b, owner }

    /// In no order that means anything.
    private(set) var leaves: [Leaf] = []
    /// The keys of the stems.
    var stems: Set<Int> = []

    var sorted: [Leaf] { leaves.sorted { $0.key < $1.key } }

    subscript(id: Int) -> Leaf? {
        get { leaves.first { $0.id == id } }
        set {
            leaves.removeAll { $0.id == id }
            if let newValue { leaves.append(newValue) }
        }
    }

    func leaf(withKey key: Int) -> Leaf? { leaves.first { $0.key == key } }

    static func == (left: PlainStore, right: PlainStore) -> Bool {
        left.stems == right.stems && left.sorted == right.sorted
    }
}

extension PlainStore.Leaf {
    /// Takes over one property of another state of the leaf.
    mutating func take(_ field: PlainStore.Field, from other: Self) {
        switch field {
        case .a: a = other.a
        case .b: b = other.b
        case .owner: owner = other.owner
        }
    }

    func agrees(with other: Self, in field: PlainStore.Field) -> Bool {
        switch field {
        case .a: a == other.a
        case .b: b == other.b
        case .owner: owner == other.owner
        }
    }
}
