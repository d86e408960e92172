import Foundation
import Sworm

/// A model with a hierarchy of entities: media are books, films and prints; prints are magazines, papers, or just prints. Media
/// belong to a shelf, and reference a previous one.
enum Shop {
    struct Origin: CompositeConvertible, Equatable, Sendable {
        var city = ""
        var year: Int?
        static let attributes: Set<Attribute<Origin>> = [.init(\.city, "city"), .init(\.year, "year")]
    }

    struct Book: Equatable, Sendable {
        var title = "untitled"
        var code: Int?
        var origin = Origin()
        var pages = 100
        var cover: Data?
    }

    struct Film: Equatable, Sendable {
        var title = "untitled"
        var code: Int?
        var origin = Origin()
        var minutes = 90.0
        var pages: String?
    }

    struct Magazine: Equatable, Sendable {
        var title = "untitled"
        var code: Int?
        var origin = Origin()
        var publisher = ""
        var issue = 0
    }

    struct Paper: Equatable, Sendable {
        var title = "untitled"
        var code: Int?
        var origin = Origin()
        var publisher = ""
        var isDaily = true
    }

    /// An object of the entity Print itself.
    struct OtherPrint: Equatable, Sendable {
        var title = "untitled"
        var code: Int?
        var origin = Origin()
        var publisher = ""
    }

    enum Print: Equatable, Sendable { case magazine(Magazine), paper(Paper), other(OtherPrint) }

    enum Media: Equatable, Sendable { case book(Book), film(Film), print(Print) }

    struct Shelf: Equatable, Sendable { var name = "" }

    /// The properties that all media share.
    protocol Item {
        var title: String { get set }
        var code: Int? { get }
        var origin: Origin { get }
    }
}

extension Shop.Book: Shop.Item {}
extension Shop.Film: Shop.Item {}
extension Shop.Magazine: Shop.Item {}
extension Shop.Paper: Shop.Item {}
extension Shop.OtherPrint: Shop.Item {}

extension Shop.Print: SuperentityConvertible, CompositeOwner, Shop.Item {
    typealias Superentity = Shop.Media

    struct Subentities: Sendable {
        let magazine = Subentity(Shop.Print.magazine)
        let paper = Subentity(Shop.Print.paper)
        let other = Subentity(Shop.Print.other)
    }
    static let subentities = Subentities()

    var subentity: any ManagedObjectConvertible {
        switch self {
        case .magazine(let magazine): magazine
        case .paper(let paper): paper
        case .other(let other): other
        }
    }

    private var item: any Shop.Item {
        switch self {
        case .magazine(let magazine): magazine
        case .paper(let paper): paper
        case .other(let other): other
        }
    }

    var title: String {
        get { item.title }
        set {
            switch self {
            case .magazine(var magazine):
                magazine.title = newValue
                self = .magazine(magazine)
            case .paper(var paper):
                paper.title = newValue
                self = .paper(paper)
            case .other(var other):
                other.title = newValue
                self = .other(other)
            }
        }
    }
    var code: Int? { item.code }
    var origin: Shop.Origin { item.origin }
    var publisher: String {
        switch self {
        case .magazine(let magazine): magazine.publisher
        case .paper(let paper): paper.publisher
        case .other(let other): other.publisher
        }
    }

    init() { self = .magazine(Shop.Magazine()) }

    static let attributes: Set<Attribute<Shop.Print>> = [
        .init(shared: \.title, named: "title"), .init(shared: \.code, named: "code"),
        .init(shared: \.origin, named: "origin"), .init(shared: \.publisher, named: "publisher"),
    ]
}

extension Shop.Media: SuperentityConvertible, CompositeOwner, Shop.Item {
    struct Subentities: Sendable {
        let book = Subentity(Shop.Media.book)
        let film = Subentity(Shop.Media.film)
        let print = Subentity(Shop.Media.print)
    }
    static let subentities = Subentities()

    var subentity: any ManagedObjectConvertible {
        switch self {
        case .book(let book): book
        case .film(let film): film
        case .print(let print): print
        }
    }

    private var item: any Shop.Item {
        switch self {
        case .book(let book): book
        case .film(let film): film
        case .print(let print): print
        }
    }

    var title: String {
        get { item.title }
        set {
            switch self {
            case .book(var book):
                book.title = newValue
                self = .book(book)
            case .film(var film):
                film.title = newValue
                self = .film(film)
            case .print(var print):
                print.title = newValue
                self = .print(print)
            }
        }
    }
    var code: Int? { item.code }
    var origin: Shop.Origin { item.origin }

    init() { self = .book(Shop.Book()) }

    static let attributes: Set<Attribute<Shop.Media>> = [
        .init(shared: \.title, named: "title", .indexed), .init(shared: \.code, named: "code", .unique),
        .init(shared: \.origin, named: "origin"),
    ]

    struct Relations: Sendable {
        let shelf = ToOneRelation<Shop.Shelf>("shelf", inverse: \.media)
        let previous: ToOneRelation<Shop.Media> = .init("previous", inverse: \.next)
        let next = ToManyRelation<Shop.Media>("next")
    }
    static let relations = Relations()
}

extension Shop.Book: ManagedObjectConvertible, CompositeOwner {
    typealias Superentity = Shop.Media
    static let attributes: Set<Attribute<Shop.Book>> = [
        .init(\.title, "title"), .init(\.code, "code"), .init(\.origin, "origin"), .init(\.pages, "pages", .indexed),
        .init(\.cover, "cover", .external),
    ]
    struct Relations: Sendable {
        let shelf = ToOneRelation<Shop.Shelf>("shelf")
        let sequels = ToManyOrderedRelation<Shop.Film>("sequels", inverse: \.source)
    }
    static let relations = Relations()
}

extension Shop.Film: ManagedObjectConvertible, CompositeOwner {
    typealias Superentity = Shop.Media
    static let attributes: Set<Attribute<Shop.Film>> = [
        .init(\.title, "title"), .init(\.code, "code"), .init(\.origin, "origin"), .init(\.minutes, "minutes"),
        .init(\.pages, "pages"),
    ]
    struct Relations: Sendable { let source = ToOneRelation<Shop.Book>("source") }
    static let relations = Relations()
}

extension Shop.Magazine: ManagedObjectConvertible, CompositeOwner {
    typealias Superentity = Shop.Print
    static let attributes: Set<Attribute<Shop.Magazine>> = [
        .init(\.title, "title"), .init(\.code, "code"), .init(\.origin, "origin"), .init(\.publisher, "publisher"),
        .init(\.issue, "issue"),
    ]
}

extension Shop.Paper: ManagedObjectConvertible, CompositeOwner {
    typealias Superentity = Shop.Print
    static let attributes: Set<Attribute<Shop.Paper>> = [
        .init(\.title, "title"), .init(\.code, "code"), .init(\.origin, "origin"), .init(\.publisher, "publisher"),
        .init(\.isDaily, "isDaily"),
    ]
}

extension Shop.OtherPrint: ManagedObjectConvertible, CompositeOwner {
    typealias Superentity = Shop.Print
    static let entityName = "Print"
    static let attributes: Set<Attribute<Shop.OtherPrint>> = [
        .init(\.title, "title"), .init(\.code, "code"), .init(\.origin, "origin"), .init(\.publisher, "publisher"),
    ]
}

extension Shop.Shelf: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Shop.Shelf>> = [.init(\.name, "name")]
    struct Relations: Sendable { let media = ToManyRelation<Shop.Media>("media") }
    static let relations = Relations()
}

extension Shop {
    static let all: [Media] = [
        .book(Book(title: "a", code: 1, origin: Origin(city: "Kyiv", year: 1869), pages: 1225, cover: Data([1, 2]))),
        .film(Film(title: "b", code: 2, minutes: 208, pages: "none")),
        .print(.magazine(Magazine(title: "c", code: 3, publisher: "Sun", issue: 7))),
        .book(Book(title: "d", pages: 300)),
        .print(.other(OtherPrint(title: "e", code: 5, origin: Origin(city: "Oslo"), publisher: "Moon"))),
        .print(.paper(Paper(title: "f", code: 6, publisher: "Sun", isDaily: false))),
        .film(Film(title: "g", minutes: 12.5)),
    ]
}
