import Sworm

/// A model whose relations to many have no inverse, and trees over it.
enum Cellar {
    enum Color: String, SupportedAttributeType, Codable { case red, white }

    struct Rack: ManagedObjectConvertible, Equatable {
        var name = ""
        var isOpen = true

        static let attributes: Set<Attribute<Rack>> = [.init(\.name, "name", .unique), .init(\.isOpen, "isOpen")]
        struct Relations: Sendable { let bottles = ToManyRelation<Bottle>("bottles") }
        static let relations = Relations()
    }

    struct Bottle: ManagedObjectConvertible, Equatable {
        var label = ""
        var color = Color.red
        var price = 0

        static let attributes: Set<Attribute<Bottle>> = [
            .init(\.label, "label", .unique), .init(\.color, "color"), .init(\.price, "price"),
        ]
        struct Relations: Sendable {}
        static let relations = Relations()
    }

    struct RackTree: ManagedTreeConvertible, Equatable {
        typealias Entity = Rack
        var name = ""
        var bottles: [Bottle] = []
        static let attributes: Set<Attribute<RackTree>> = [.init(\.name, \.name)]
        static let branches: [Branch<RackTree>] = [.init(\.bottles, \.bottles, .shared) { $0.sort(\.label) }]
    }

    struct MovableTree: ManagedTreeConvertible, Equatable {
        typealias Entity = Rack
        var name = ""
        var bottles: [Bottle] = []
        static let attributes: Set<Attribute<MovableTree>> = [.init(\.name, \.name)]
        static let branches: [Branch<MovableTree>] = [
            .init(\.bottles, \.bottles, .shared, .movable) { $0.sort(\.label) }
        ]
    }

    struct RackPage: ManagedTreeConvertible, Equatable {
        typealias Entity = Rack
        var name = ""
        var bottles: [Bottle] = []
        static let attributes: Set<Attribute<RackPage>> = [.init(\.name, \.name)]
        static let branches: [Branch<RackPage>] = [.init(\.bottles, \.bottles)]
    }
}

extension Cellar {
    /// An owner with a relation of the same name, whose bottles are deleted with it.
    struct Crate: ManagedObjectConvertible, Equatable {
        var name = ""
        static let attributes: Set<Attribute<Crate>> = [.init(\.name, "name", .unique)]
        struct Relations: Sendable {
            let bottles = ToManyRelation<Bottle>("bottles", deleteRule: .cascade)
        }
        static let relations = Relations()
    }

    struct House: ManagedObjectConvertible, Equatable {
        var name = ""
        static let attributes: Set<Attribute<House>> = [.init(\.name, "name", .unique)]
        struct Relations: Sendable {
            let racks = ToManyRelation<Rack>("racks")
            let crates = ToManyRelation<Crate>("crates")
            let storages = ToManyRelation<Storage>("storages", deleteRule: .cascade)
        }
        static let relations = Relations()
    }

    struct CrateTree: ManagedTreeConvertible, Equatable {
        typealias Entity = Crate
        var name = ""
        var bottles: [Bottle] = []
        static let attributes: Set<Attribute<CrateTree>> = [.init(\.name, \.name)]
        static let branches: [Branch<CrateTree>] = [.init(\.bottles, \.bottles, .shared) { $0.sort(\.label) }]
    }

    struct HouseTree: ManagedTreeConvertible, Equatable {
        typealias Entity = House
        var name = ""
        var racks: [RackTree] = []
        var crates: [CrateTree] = []
        static let attributes: Set<Attribute<HouseTree>> = [.init(\.name, \.name)]
        static let branches: [Branch<HouseTree>] = [
            .init(\.racks, \.racks, .shared), .init(\.crates, \.crates, .shared),
        ]
    }

    struct StorageTree: ManagedTreeConvertible, Equatable {
        typealias Entity = Storage
        var name = ""
        static let attributes: Set<Attribute<StorageTree>> = [.init(\.name, \.name)]
    }

    struct Storages: ManagedTreeConvertible, Equatable {
        typealias Entity = House
        var name = ""
        var storages: [StorageTree] = []
        static let attributes: Set<Attribute<Storages>> = [.init(\.name, \.name)]
        static let branches: [Branch<Storages>] = [.init(\.storages, \.storages, .matched(by: \.name))]
    }

    /// Owners of two entities under one that has the relation.
    enum Storage: SuperentityConvertible {
        case box(Box)
        case bin(Bin)

        struct Subentities: Sendable {
            let box = Subentity(Storage.box)
            let bin = Subentity(Storage.bin)
        }
        static let subentities = Subentities()

        var subentity: any ManagedObjectConvertible {
            switch self {
            case .box(let box): box
            case .bin(let bin): bin
            }
        }
        var name: String {
            switch self {
            case .box(let box): box.name
            case .bin(let bin): bin.name
            }
        }

        init() { self = .box(Box()) }
        static let attributes: Set<Attribute<Storage>> = [.init(shared: \.name, named: "name", .unique)]
        struct Relations: Sendable { let bottles = ToManyRelation<Bottle>("bottles") }
        static let relations = Relations()
    }

    struct Box: ManagedObjectConvertible, Equatable {
        typealias Superentity = Storage
        var name = ""
        static let attributes: Set<Attribute<Box>> = [.init(\.name, "name")]
        struct Relations: Sendable { let bottles = ToManyRelation<Bottle>("bottles") }
        static let relations = Relations()
    }

    struct Bin: ManagedObjectConvertible, Equatable {
        typealias Superentity = Storage
        var name = ""
        static let attributes: Set<Attribute<Bin>> = [.init(\.name, "name")]
        struct Relations: Sendable { let bottles = ToManyRelation<Bottle>("bottles") }
        static let relations = Relations()
    }

    struct BoxTree: ManagedTreeConvertible, Equatable {
        typealias Entity = Box
        var name = ""
        var bottles: [Bottle] = []
        static let attributes: Set<Attribute<BoxTree>> = [.init(\.name, \.name)]
        static let branches: [Branch<BoxTree>] = [.init(\.bottles, \.bottles, .shared)]
    }

    /// A tree without the attribute that its entity shares with others.
    struct BoxContent: ManagedTreeConvertible, Equatable {
        typealias Entity = Box
        var bottles: [Bottle] = []
        static let attributes: Set<Attribute<BoxContent>> = []
        static let branches: [Branch<BoxContent>] = [.init(\.bottles, \.bottles, .shared)]
    }

    struct BinTree: ManagedTreeConvertible, Equatable {
        typealias Entity = Bin
        var name = ""
        var bottles: [Bottle] = []
        static let attributes: Set<Attribute<BinTree>> = [.init(\.name, \.name)]
        static let branches: [Branch<BinTree>] = [.init(\.bottles, \.bottles, .shared)]
    }
}
