import Sworm

/// An object whose things and badge are deleted with it.
struct Owner: Sendable {
    var name = ""
    var mark = 0
}

extension Owner: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Owner>> = [.init(\.name, "name", .unique), .init(\.mark, "mark")]
    struct Relations: Sendable {
        let things = ToManyOrderedRelation<Thing>("things", inverse: \.owner, deleteRule: .cascade)
        let badge = ToOneRelation<Badge>("badge", inverse: \.owner, deleteRule: .cascade)
        let picks = ToManyOrderedRelation<Tag>("picks", inverse: \.pickers)
    }
    static let relations = Relations()
}

struct Thing: Sendable {
    var code = ""
    /// Two numbers that are unique together.
    var row: Int?
    var column = 0
    var mark = 0
}

extension Thing: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Thing>> = [
        .init(\.code, "code", .unique), .init(\.row, "row"), .init(\.column, "column"), .init(\.mark, "mark"),
    ]
    struct Relations: Sendable {
        let owner = ToOneRelation<Owner>("owner")
        let shelf = ToOneRelation<Shelf>("shelf")
        let tags = ToManyRelation<Tag>("tags", inverse: \.things)
        let base = ToOneRelation<Thing>("base", inverse: \.parts)
        let parts = ToManyRelation<Thing>("parts")
    }
    static let relations = Relations()
    static let uniquenessConstraints: [UniquenessConstraint<Thing>] = [.init(\.row, \.column)]
}

struct Tag: Sendable { var label = "" }

extension Tag: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Tag>> = [.init(\.label, "label", .unique)]
    struct Relations: Sendable {
        let things = ToManyRelation<Thing>("things")
        let pickers = ToManyRelation<Owner>("pickers")
    }
    static let relations = Relations()
}

/// An object that cannot be deleted as long as it has things.
struct Shelf: Sendable { var name = "" }

extension Shelf: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Shelf>> = [.init(\.name, "name", .unique)]
    struct Relations: Sendable { let things = ToManyRelation<Thing>("things", inverse: \.shelf, deleteRule: .deny) }
    static let relations = Relations()
}

/// An object that exists only with its owner.
struct Badge: Sendable { var number = "" }

extension Badge: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Badge>> = [.init(\.number, "number", .unique)]
    struct Relations: Sendable { let owner = ToOneRelation<Owner>("owner", .required) }
    static let relations = Relations()
}
