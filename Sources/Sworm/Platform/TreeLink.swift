/// A row of a save, by its entity and its key. The key of a new row is negative.
struct TreeRow: Hashable {
    let entity: EntityKey
    let key: Int64

    var isNew: Bool { key < 0 }
}

/// The facts about a relation that decide how its links are stored.
struct TreeLink {
    enum Inverse {
        case none
        case one(Int)
        case many(Int, isOrdered: Bool)
    }

    let slot: Int
    let isToMany: Bool
    let isOrdered: Bool
    /// Whether the number of objects behind the relation is limited.
    let hasCountRules: Bool
    let inverse: Inverse
    let inverseHasCountRules: Bool
    /// Whether links are named from this side.
    let isFirst: Bool

    /// Whether a member has one owner only, which it also has if the relation to many has no inverse.
    var hasOneOwner: Bool {
        switch inverse {
        case .none: isToMany
        case .one: true
        case .many: false
        }
    }
}

/// The reason why a save cannot be decided by a comparison with rows, and has to use objects. It never leaves a save.
struct NeedsObjects: Error {}
