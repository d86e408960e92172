// Generated from Library.xcdatamodel. Without a default in the model, a new value has the zero value of its type.

import Foundation
import Sworm

// Tables do not support inheritance: open the store with its model file.

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

struct Book {
    var cover: Data?
    var id: UUID?
    var isRead: Bool?
    var price: Decimal? = 0
    var rating: Float?
    var title = ""
    var weight: Double?
    var year: Int16?
}

extension Book: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Book>> = [
        .init(\.cover, "cover", .external),
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
    static let fetchIndexes: [FetchIndex<Book>] = [.init("byYear", .descending(\.year))]
}

/// An entity that inherits from Book.
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
    static let attributes: Set<Attribute<Comic>> = [
        .init(\.cover, "cover", .external),
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

/// An entity that is abstract: it can be fetched, but not inserted.
struct Item {
    var label: String?
}

extension Item: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Item>> = [.init(\.label, "label")]
}

/// An entity that inherits from Item.
struct Poster {
    var label: String?
}

extension Poster: ManagedObjectConvertible {
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
