import Sworm
import SwormTools

/// Owners and items with a relation of every kind, and trees over them for every role.
enum RoleModel {
    struct Owner: ManagedObjectConvertible, Hashable {
        var name = ""

        static let attributes: Set<Attribute<Owner>> = [.init(\.name, "name", .unique)]
        struct Relations: Sendable {
            let favorite = ToOneRelation<Item>("favorite", inverse: \.fans)
            let key = ToOneRelation<Item>("key", inverse: \.lock)
            let parts = ToManyRelation<Item>("parts", inverse: \.whole)
            let steps = ToManyOrderedRelation<Item>("steps", inverse: \.plan)
            let labels = ToManyRelation<Item>("labels", inverse: \.labelled)
        }
        static let relations = Relations()
    }

    struct Item: ManagedObjectConvertible, Hashable {
        var code = ""
        var value = 0

        static let attributes: Set<Attribute<Item>> = [.init(\.code, "code", .unique), .init(\.value, "value")]
        struct Relations: Sendable {
            let fans = ToManyRelation<Owner>("fans")
            let lock = ToOneRelation<Owner>("lock")
            let whole = ToOneRelation<Owner>("whole")
            let plan = ToOneRelation<Owner>("plan")
            let labelled = ToManyRelation<Owner>("labelled")
        }
        static let relations = Relations()
    }

    /// A kind of relation, with trees that have a branch along such a relation.
    enum Kind: CaseIterable { case one, oneToOne, many, ordered, manyToMany }

    enum Role: CaseIterable { case owned, shared, added, linked, linkedOrInserted, readOnly }

    /// A tree of an owner, whatever its type.
    struct Wish: Equatable {
        var owner: String
        var items: [Item]
    }
}

// MARK: Roles as types

protocol RoleName {
    static var option: BranchOption<RoleModel.Item> { get }
}

extension RoleModel {
    enum Owned: RoleName { static var option: BranchOption<Item> { .owned } }
    enum Shared: RoleName { static var option: BranchOption<Item> { .shared } }
    enum Added: RoleName { static var option: BranchOption<Item> { .added } }
    enum Linked: RoleName { static var option: BranchOption<Item> { .linked } }
    enum LinkedOrInserted: RoleName { static var option: BranchOption<Item> { .linkedOrInserted } }
    enum ReadOnly: RoleName { static var option: BranchOption<Item> { .readOnly } }
}

extension RoleModel.Role {
    var name: any RoleName.Type {
        switch self {
        case .owned: RoleModel.Owned.self
        case .shared: RoleModel.Shared.self
        case .added: RoleModel.Added.self
        case .linked: RoleModel.Linked.self
        case .linkedOrInserted: RoleModel.LinkedOrInserted.self
        case .readOnly: RoleModel.ReadOnly.self
        }
    }
}

// MARK: Trees

protocol RoleTree: ManagedTreeConvertible, Equatable where Entity == RoleModel.Owner {
    var wish: RoleModel.Wish { get set }
}

extension RoleTree {
    init(_ wish: RoleModel.Wish) {
        self.init()
        self.wish = wish
    }
}

extension RoleModel {
    struct OneTree<R: RoleName>: RoleTree {
        var name = ""
        var item: Item?
        static var attributes: Set<Attribute<Self>> { [.init(\.name, \.name)] }
        static var branches: [Branch<Self>] { [.init(\.item, \.favorite, R.option)] }
        var wish: Wish {
            get { Wish(owner: name, items: item.map { [$0] } ?? []) }
            set { (name, item) = (newValue.owner, newValue.items.first) }
        }
    }

    struct OneToOneTree<R: RoleName>: RoleTree {
        var name = ""
        var item: Item?
        static var attributes: Set<Attribute<Self>> { [.init(\.name, \.name)] }
        static var branches: [Branch<Self>] { [.init(\.item, \.key, R.option)] }
        var wish: Wish {
            get { Wish(owner: name, items: item.map { [$0] } ?? []) }
            set { (name, item) = (newValue.owner, newValue.items.first) }
        }
    }

    struct ManyTree<R: RoleName>: RoleTree {
        var name = ""
        var items: [Item] = []
        static var attributes: Set<Attribute<Self>> { [.init(\.name, \.name)] }
        static var branches: [Branch<Self>] { [.init(\.items, \.parts, R.option) { $0.sort(\.code) }] }
        var wish: Wish {
            get { Wish(owner: name, items: items) }
            set { (name, items) = (newValue.owner, newValue.items) }
        }
    }

    struct OrderedTree<R: RoleName>: RoleTree {
        var name = ""
        var items: [Item] = []
        static var attributes: Set<Attribute<Self>> { [.init(\.name, \.name)] }
        static var branches: [Branch<Self>] { [.init(\.items, \.steps, R.option)] }
        var wish: Wish {
            get { Wish(owner: name, items: items) }
            set { (name, items) = (newValue.owner, newValue.items) }
        }
    }

    struct ManyToManyTree<R: RoleName>: RoleTree {
        var name = ""
        var items: Set<Item> = []
        static var attributes: Set<Attribute<Self>> { [.init(\.name, \.name)] }
        static var branches: [Branch<Self>] { [.init(\.items, \.labels, R.option)] }
        var wish: Wish {
            get { Wish(owner: name, items: items.sorted { $0.code < $1.code }) }
            set { (name, items) = (newValue.owner, Set(newValue.items)) }
        }
    }
}

// MARK: Stores

extension RoleModel.Kind {
    var isToMany: Bool { self != .one && self != .oneToOne }
    /// Whether an item has at most one owner.
    var hasOneOwner: Bool { self != .one && self != .manyToMany }
    var isOrdered: Bool { self == .ordered }

    func tree<R: RoleName>(_ role: R.Type) -> any RoleTree.Type {
        switch self {
        case .one: RoleModel.OneTree<R>.self
        case .oneToOne: RoleModel.OneToOneTree<R>.self
        case .many: RoleModel.ManyTree<R>.self
        case .ordered: RoleModel.OrderedTree<R>.self
        case .manyToMany: RoleModel.ManyToManyTree<R>.self
        }
    }

    func link(_ item: ManagedObject<RoleModel.Item>, to owner: ManagedObject<RoleModel.Owner>) throws {
        switch self {
        case .one: owner.favorite = item
        case .oneToOne: owner.key = item
        case .many: try owner.parts.add(item)
        case .ordered: try owner.steps.add(item)
        case .manyToMany: try owner.labels.add(item)
        }
    }

    func items(of owner: ManagedObject<RoleModel.Owner>) throws -> [String] {
        switch self {
        case .one: try owner.favorite.map { [try $0.decode(\.code)] } ?? []
        case .oneToOne: try owner.key.map { [try $0.decode(\.code)] } ?? []
        case .many: try owner.parts.map { try $0.decode(\.code) }.sorted()
        case .ordered: try owner.steps.map { try $0.decode(\.code) }
        case .manyToMany: try owner.labels.map { try $0.decode(\.code) }.sorted()
        }
    }
}
