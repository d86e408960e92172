import Foundation
@testable import Sworm
import Testing

/// Tables that do not form a hierarchy.
private enum Wrong {
    struct Circle: ManagedObjectConvertible {
        var name: String?
        var radius = 1.0
        typealias Superentity = Shape
        static let attributes: Set<Attribute<Circle>> = [
            .init(\.name, "name", .unique), .init(\.radius, "radius"),
        ]
        struct Relations: Sendable { let page = ToManyRelation<Page>("page") }
        static let relations = Relations()
    }

    /// The struct lacks the shared attribute.
    struct Square: ManagedObjectConvertible {
        var side = 1.0
        typealias Superentity = Shape
        static let entityName = "Rectangle"
        static let attributes: Set<Attribute<Square>> = [.init(\.side, "side")]
    }

    struct Oblong: ManagedObjectConvertible {
        var name = ""
        typealias Superentity = Shape
        static let entityName = "Rectangle"
        static let attributes: Set<Attribute<Oblong>> = [.init(\.name, "name")]
    }

    /// The struct has the entity of the enum, and more attributes.
    struct PlainShape: ManagedObjectConvertible {
        var name = ""
        var area = 0.0
        typealias Superentity = Shape
        static let entityName = "Shape"
        static let attributes: Set<Attribute<PlainShape>> = [.init(\.name, "name"), .init(\.area, "area")]
    }

    /// The enum has no case for the struct.
    struct Forgotten: ManagedObjectConvertible {
        var name = ""
        typealias Superentity = Shape
        static let attributes: Set<Attribute<Forgotten>> = [.init(\.name, "name")]
    }

    enum Shape: SuperentityConvertible {
        case circle(Circle), square(Square), oblong(Oblong), plain(PlainShape), forgotten(Forgotten)

        struct Subentities: Sendable {
            let circle = Subentity(Shape.circle)
            let square = Subentity(Shape.square)
            let oblong = Subentity(Shape.oblong)
            let plain = Subentity(Shape.plain)
        }
        static let subentities = Subentities()
        var subentity: any ManagedObjectConvertible {
            switch self {
            case .circle(let object): object
            case .square(let object): object
            case .oblong(let object): object
            case .plain(let object): object
            case .forgotten(let object): object
            }
        }
        var name: String { "" }
        init() { self = .circle(Circle()) }
        static let attributes: Set<Attribute<Shape>> = [.init(shared: \.name, named: "name")]
        struct Relations: Sendable { let page = ToOneRelation<Page>("page") }
        static let relations = Relations()
    }

    struct Page: ManagedObjectConvertible {
        var number = 0
        static let attributes: Set<Attribute<Page>> = [.init(\.number, "number")]
    }

    /// An enum that is its own super-entity.
    enum Loop: SuperentityConvertible {
        indirect case loop(Loop)
        case end
        typealias Superentity = Loop
        struct Subentities: Sendable { let loop = Subentity(Loop.loop) }
        static let subentities = Subentities()
        var subentity: any ManagedObjectConvertible { self }
        init() { self = .end }
        static let attributes: Set<Attribute<Loop>> = []
    }

    enum Empty: SuperentityConvertible {
        case none
        struct Subentities: Sendable {}
        static let subentities = Subentities()
        var subentity: any ManagedObjectConvertible { self }
        init() { self = .none }
        static let attributes: Set<Attribute<Empty>> = []
    }
}

/// The media of the shop without one of the cases, and with a struct for an entity that is no sub-entity.
private enum Partial {
    struct Book: ManagedObjectConvertible {
        var title = ""
        typealias Superentity = Media
        static let attributes: Set<Attribute<Book>> = [.init(\.title, "title")]
    }

    struct Shelf: ManagedObjectConvertible {
        var title = ""
        typealias Superentity = Media
        static let attributes: Set<Attribute<Shelf>> = [.init(\.title, "title")]
    }

    struct Print: ManagedObjectConvertible {
        var title = ""
        typealias Superentity = Media
        static let attributes: Set<Attribute<Print>> = [.init(\.title, "title")]
    }

    enum Media: SuperentityConvertible {
        case book(Book), shelf(Shelf), print(Print)
        struct Subentities: Sendable {
            let book = Subentity(Media.book)
            let shelf = Subentity(Media.shelf)
            let print = Subentity(Media.print)
        }
        static let subentities = Subentities()
        var subentity: any ManagedObjectConvertible {
            switch self {
            case .book(let object): object
            case .shelf(let object): object
            case .print(let object): object
            }
        }
        var title: String {
            switch self {
            case .book(let object): object.title
            case .shelf(let object): object.title
            case .print(let object): object.title
            }
        }
        init() { self = .book(Book()) }
        static let attributes: Set<Attribute<Media>> = [.init(shared: \.title, named: "title")]
    }
}

/// A hierarchy whose enum has a required relation and an attribute that may be nil in the model, with cases of which one contains
/// the other's entity.
private enum Fitting {
    struct Cat: ManagedObjectConvertible {
        var added = Date()
        var lives = 9
        typealias Superentity = Pet
        static let attributes: Set<Attribute<Cat>> = [.init(\.added, "added"), .init(\.lives, "lives")]
    }

    struct Dog: ManagedObjectConvertible {
        var added = Date()
        typealias Superentity = Pet
        static let attributes: Set<Attribute<Dog>> = [.init(\.added, "added")]
    }

    enum Pet: SuperentityConvertible {
        case cat(Cat), dog(Dog)
        struct Subentities: Sendable {
            let cat = Subentity(Pet.cat)
            let dog = Subentity(Pet.dog)
        }
        static let subentities = Subentities()
        var subentity: any ManagedObjectConvertible {
            switch self {
            case .cat(let object): object
            case .dog(let object): object
            }
        }
        var added: Date {
            switch self {
            case .cat(let object): object.added
            case .dog(let object): object.added
            }
        }
        init() { self = .cat(Cat()) }
        static let attributes: Set<Attribute<Pet>> = [.init(shared: \.added, named: "added", .optional)]
        struct Relations: Sendable { let owner = ToOneRelation<Owner>("owner", .required) }
        static let relations = Relations()
    }

    struct Owner: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Owner>> = [.init(\.name, "name")]
    }

    /// A relation whose inverse belongs to the super-entity.
    struct Kennel: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Kennel>> = [.init(\.name, "name")]
        struct Relations: Sendable { let books = ToManyRelation<Shop.Book>("books", inverse: \.shelf) }
        static let relations = Relations()
    }
}

@Suite("Issues of enums of structs") struct SuperentityIssueTests {
    @Test func `the contract of tables with their own model has no violations`() throws {
        let model = try NSManagedObjectModel(tables: Fitting.Pet.self)
        #expect(ModelContract(Fitting.Pet.self).violations(in: model) == [])
    }

    @Test func `an inverse that belongs to the super-entity is rejected`() throws {
        let error = try #require(throws: StoreError.self) { try NSManagedObjectModel(tables: Fitting.Kennel.self) }
        #expect(
            error.message.contains(
                "its inverse Book.shelf belongs to the super-entity Media; make Media the destination"))
    }

    @Test func `an enum that contains itself is rejected without a contract`() throws {
        let entity = NSEntityDescription()
        entity.name = "Loop"
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let store = try PersistentContainer(model: model, at: .memory)
        #expect(throws: StoreError.Code.invalidTable) { try store.perform { _ = try $0.count(of: Wrong.Loop.all) } }
    }

    @Test func `differences between the enum and its structs are listed in one error`() throws {
        let error = try #require(throws: StoreError.self) { try NSManagedObjectModel(tables: Wrong.Shape.self) }
        #expect(error.code == .invalidTable)
        for part in [
            "Circle.name: the property is String?, but that of the super-entity Shape is String",
            "Circle.name: the options of a shared attribute belong in the table of the super-entity Shape",
            "Circle.page: the relation differs from that of the super-entity Shape",
            "Rectangle.name: the table of the super-entity Shape has the attribute",
            "Shape: two cases hold the entity Rectangle",
            "Shape.area: the struct represents the entity itself",
        ] {
            #expect(error.message.contains(part), "\(part)")
        }
        let forgotten = try #require(throws: StoreError.self) { try NSManagedObjectModel(tables: Wrong.Forgotten.self) }
        #expect(forgotten.message.contains("Forgotten: its super-entity Shape has no case for"))
    }

    @Test func `an enum that contains itself, and one without cases, are rejected`() throws {
        let loop = try #require(throws: StoreError.self) { try NSManagedObjectModel(tables: Wrong.Loop.self) }
        #expect(loop.message.contains("Loop: the entity is its own super-entity"))
        let empty = try #require(throws: StoreError.self) { try NSManagedObjectModel(tables: Wrong.Empty.self) }
        #expect(empty.message.contains("Empty: the table of sub-entities is empty"))
    }

    @Test func `a case that is missing in the table is reported when it is used`() throws {
        let error = try #require(throws: StoreError.self) {
            _ = try Wrong.Shape.mapping.link(of: .forgotten(Wrong.Forgotten()))
        }
        #expect(error.code == .invalidTable && error.message.contains("has no case for Forgotten"))
    }

    @Test func `the contract names sub-entities without a case, and cases that are no sub-entities`() throws {
        let model = try NSManagedObjectModel(tables: Shop.Shelf.self)
        let violations = ModelContract(Partial.Media.self).violations(in: model, for: .reading)
            .filter { $0.kind == .subentity }.map(\.description)
        #expect(violations.count == 2)
        #expect(violations.contains { $0.hasPrefix("Media: the model has the sub-entity Film") })
        #expect(violations.contains { $0.hasPrefix("Shelf: the type is a case of") })
        #expect(ModelContract(Shop.Media.self).violations(in: model) == [])
    }
}
