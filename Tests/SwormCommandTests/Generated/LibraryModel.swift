// Generated from Library.xcdatamodel. Without a default in the model, a new value has the zero value of its type.

import Foundation
import Sworm

struct Author {
    var born: Date?
    var name = ""
}

extension Author: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Author>> = [
        .init(\.born, "born"),
        .init(\.name, "name", .unique),
    ]

    struct Relations: Sendable {
        let books = ToManyOrderedRelation<Book>("books", inverse: \.author, deleteRule: .cascade)
        let profile = ToOneRelation<Profile>("profile", inverse: \.author)
    }
    static let relations = Relations()
}

enum Book {
    case comic(Comic)
    case plainBook(PlainBook)

    var cover: Data? {
        switch self {
        case .comic(let object): object.cover
        case .plainBook(let object): object.cover
        }
    }

    var id: UUID? {
        switch self {
        case .comic(let object): object.id
        case .plainBook(let object): object.id
        }
    }

    var isRead: Bool? {
        switch self {
        case .comic(let object): object.isRead
        case .plainBook(let object): object.isRead
        }
    }

    var price: Decimal? {
        switch self {
        case .comic(let object): object.price
        case .plainBook(let object): object.price
        }
    }

    var rating: Float? {
        switch self {
        case .comic(let object): object.rating
        case .plainBook(let object): object.rating
        }
    }

    var title: String {
        switch self {
        case .comic(let object): object.title
        case .plainBook(let object): object.title
        }
    }

    var weight: Double? {
        switch self {
        case .comic(let object): object.weight
        case .plainBook(let object): object.weight
        }
    }

    var year: Int16? {
        switch self {
        case .comic(let object): object.year
        case .plainBook(let object): object.year
        }
    }
}

extension Book: SuperentityConvertible {
    struct Subentities: Sendable {
        let comic = Subentity(Book.comic)
        let plainBook = Subentity(Book.plainBook)
    }
    static let subentities = Subentities()

    var subentity: any ManagedObjectConvertible {
        switch self {
        case .comic(let object): object
        case .plainBook(let object): object
        }
    }

    init() { self = .comic(Comic()) }

    static let attributes: Set<Attribute<Book>> = [
        .init(shared: \.cover, named: "cover", .external),
        .init(shared: \.id, named: "id"),
        .init(shared: \.isRead, named: "isRead"),
        .init(shared: \.price, named: "price"),
        .init(shared: \.rating, named: "rating"),
        .init(shared: \.title, named: "title"),
        .init(shared: \.weight, named: "weight"),
        .init(shared: \.year, named: "year"),
    ]

    struct Relations: Sendable {
        let author = ToOneRelation<Author>("author")
        let sequel = ToOneRelation<Book>("sequel")
        let tags = ToManyOrderedRelation<Tag>("tags", inverse: \.books)
    }
    static let relations = Relations()
    static let fetchIndexes: [FetchIndex<Book>] = [.init("byYear", .descending(\.year))]
}

/// An object of the entity Book itself.
struct PlainBook {
    var cover: Data?
    var id: UUID?
    var isRead: Bool?
    var price: Decimal? = 0
    var rating: Float?
    var title = ""
    var weight: Double?
    var year: Int16?
}

extension PlainBook: ManagedObjectConvertible {
    typealias Superentity = Book
    static let entityName = "Book"
    static let attributes: Set<Attribute<PlainBook>> = [
        .init(\.cover, "cover"),
        .init(\.id, "id"),
        .init(\.isRead, "isRead"),
        .init(\.price, "price"),
        .init(\.rating, "rating"),
        .init(\.title, "title"),
        .init(\.weight, "weight"),
        .init(\.year, "year"),
    ]

    struct Relations: Sendable {
        let author = ToOneRelation<Author>("author")
        let sequel = ToOneRelation<Book>("sequel")
        let tags = ToManyOrderedRelation<Tag>("tags", inverse: \.books)
    }
    static let relations = Relations()
}

struct Comic {
    var cover: Data?
    var id: UUID?
    var isRead: Bool?
    var price: Decimal? = 0
    var rating: Float?
    var title = ""
    var weight: Double?
    var year: Int16?
    var isColored: Bool?
}

extension Comic: ManagedObjectConvertible {
    typealias Superentity = Book
    static let attributes: Set<Attribute<Comic>> = [
        .init(\.cover, "cover"),
        .init(\.id, "id"),
        .init(\.isRead, "isRead"),
        .init(\.price, "price"),
        .init(\.rating, "rating"),
        .init(\.title, "title"),
        .init(\.weight, "weight"),
        .init(\.year, "year"),
        .init(\.isColored, "isColored"),
    ]

    struct Relations: Sendable {
        let author = ToOneRelation<Author>("author")
        let sequel = ToOneRelation<Book>("sequel")
        let tags = ToManyOrderedRelation<Tag>("tags")
        let parodies = ToOneRelation<Comic>("parodies")
    }
    static let relations = Relations()
}

enum Item {
    case poster(Poster)

    var label: String? {
        switch self {
        case .poster(let object): object.label
        }
    }
}

extension Item: SuperentityConvertible {
    struct Subentities: Sendable {
        let poster = Subentity(Item.poster)
    }
    static let subentities = Subentities()

    var subentity: any ManagedObjectConvertible {
        switch self {
        case .poster(let object): object
        }
    }

    init() { self = .poster(Poster()) }

    static let attributes: Set<Attribute<Item>> = [.init(shared: \.label, named: "label")]
}

struct Poster {
    var label: String?
}

extension Poster: ManagedObjectConvertible {
    typealias Superentity = Item
    static let attributes: Set<Attribute<Poster>> = [.init(\.label, "label")]
}

struct Profile {
    var text: String?
}

extension Profile: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Profile>> = [.init(\.text, "text")]

    struct Relations: Sendable {
        let author = ToOneRelation<Author>("author")
    }
    static let relations = Relations()
}

struct Shelf {
    var label: String?
}

extension Shelf: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Shelf>> = [.init(\.label, "label")]

    struct Relations: Sendable {
        let posters = ToManyRelation<Poster>("posters")
    }
    static let relations = Relations()
}

struct Tag {
    var name: String?
}

extension Tag: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Tag>> = [.init(\.name, "name")]

    struct Relations: Sendable {
        let books = ToManyRelation<Book>("books")
    }
    static let relations = Relations()
}
