import Foundation
import Sworm
import SwormTools

/// A model with every kind of relation, and trees over it.
enum ReadingRoom {
    struct Author: ManagedObjectConvertible, Codable, Hashable, Sendable {
        var name = ""
        var born = 0

        static let attributes: Set<Attribute<Author>> = [.init(\.name, "name", .unique), .init(\.born, "born")]
        struct Relations: Sendable {
            let country = ToOneRelation<Country>("country", inverse: \.authors)
            let books = ToManyRelation<Book>("books", deleteRule: .cascade)
        }
        static let relations = Relations()
    }

    struct Country: ManagedObjectConvertible, Codable, Hashable, Sendable {
        var code = ""
        var name: String?

        static let attributes: Set<Attribute<Country>> = [.init(\.code, "code", .unique), .init(\.name, "name")]
        struct Relations: Sendable { let authors = ToManyRelation<Author>("authors") }
        static let relations = Relations()
    }

    struct Book: ManagedObjectConvertible, Codable, Hashable, Sendable {
        var isbn = ""
        var title = ""
        var year = 0
        var rating: Int?

        static let attributes: Set<Attribute<Book>> = [
            .init(\.isbn, "isbn", .unique), .init(\.title, "title"), .init(\.year, "year"), .init(\.rating, "rating"),
        ]
        struct Relations: Sendable {
            let author = ToOneRelation<Author>("author", inverse: \.books)
            let reviews = ToManyOrderedRelation<Review>("reviews", deleteRule: .cascade)
            let tags = ToManyRelation<Tag>("tags", inverse: \.books)
            let sequel = ToOneRelation<Book>("sequel", inverse: \.prequel)
            let prequel = ToOneRelation<Book>("prequel")
        }
        static let relations = Relations()
    }

    struct Review: ManagedObjectConvertible, Codable, Hashable, Sendable {
        var day = Date(timeIntervalSinceReferenceDate: 0)
        var mark = 0
        var text = ""

        static let attributes: Set<Attribute<Review>> = [
            .init(\.day, "day"), .init(\.mark, "mark", .range(0...5)), .init(\.text, "text"),
        ]
        struct Relations: Sendable { let book = ToOneRelation<Book>("book", inverse: \.reviews) }
        static let relations = Relations()
    }

    struct Tag: ManagedObjectConvertible, Codable, Hashable, Sendable {
        var name = ""
        var color: String?

        static let attributes: Set<Attribute<Tag>> = [.init(\.name, "name", .unique), .init(\.color, "color")]
        struct Relations: Sendable { let books = ToManyRelation<Book>("books") }
        static let relations = Relations()
    }

    struct Category: ManagedObjectConvertible, Codable, Hashable, Sendable {
        var name = ""

        static let attributes: Set<Attribute<Category>> = [.init(\.name, "name", .unique)]
        struct Relations: Sendable {
            let parent = ToOneRelation<Category>("parent", inverse: \.children)
            let children = ToManyRelation<Category>("children", deleteRule: .cascade)
        }
        static let relations = Relations()
    }

    static func store(
        in place: TestStore.Place = .memory, seed: (ManagedObjectContext) throws -> Void = { _ in }
    ) throws -> TestStore {
        try TestStore.tested(for: Author.self, Category.self, in: place, seed: seed)
    }
}

// MARK: Trees

extension ReadingRoom {
    /// Flat, as JSON usually is.
    struct BookPage: Codable, Hashable, Sendable {
        var isbn = ""
        var title = ""
        var rating: Int?
        var author: Author?
        var reviews: [Review] = []
        var tags: [String] = []
    }

    /// A whole book, with computed columns and parts of its reviews.
    struct BookCard: Hashable, Sendable {
        var book = Book()
        var author: AuthorCard?
        var best: [Review] = []
        var latest: Review?
        var reviewCount = 0
        var highest: Int?
        var authorName: String?
        var country: String?
    }

    struct AuthorCard: Hashable, Sendable {
        var author = Author()
        var country: Country?
        var bookCount = 0
    }

    /// The body of a PATCH.
    struct BookPatch: Codable, Hashable, Sendable {
        var isbn = ""
        var author: Author??
        var reviews: [Review]?
    }

    struct AuthorPage: Codable, Hashable, Sendable {
        var name = ""
        var born = 0
        var country: String?
        var books: [BookPage] = []
    }

    struct CategoryTree: Codable, Hashable, Sendable {
        var name = ""
        var children: [CategoryTree] = []
    }

    /// A tree that ends where its depth does.
    struct CategoryTop: Codable, Hashable, Sendable {
        var name = ""
        var children: [CategoryTop]?
    }

    struct Volume: Codable, Hashable, Sendable {
        var isbn = ""
        var author = Author()
    }

    /// A class, with a set of objects.
    final class Shelf: Sendable {
        // Unsafe: a shelf is decoded or made by one test, whose thread alone uses it.
        nonisolated(unsafe) var tag = ""
        nonisolated(unsafe) var books: Set<Book> = []
        nonisolated(unsafe) var pages: [BookPage] = []
    }
}

extension ReadingRoom.BookPage: ManagedTreeConvertible {
    typealias Entity = ReadingRoom.Book
    static let attributes: Set<Attribute<Self>> = [
        .init(\.isbn, \.isbn), .init(\.title, \.title), .init(\.rating, \.rating),
    ]
    static let branches: [Branch<Self>] = [
        .init(\.author, \.author, .shared), .init(\.reviews, \.reviews, .matched(by: \.day)),
        .init(\.tags, \.tags, \.name),
    ]
}

extension ReadingRoom.BookCard: ManagedTreeConvertible {
    typealias Entity = ReadingRoom.Book
    static let attributes = ReadingRoom.Book.attributes(in: \ReadingRoom.BookCard.book)
    static let branches: [Branch<Self>] = [
        .init(\.author, \.author, .readOnly),
        .init(\.best, \.reviews) { $0.where { $0.mark > 3 }.sort(\.mark, ascending: false).sort(\.text).limit(2) },
        .init(\.latest, first: \.reviews) { $0.sort(\.day, ascending: false) },
        .init(\.reviewCount, \.reviews.count),
        .init(\.highest) { $0.reviews.max(\.mark) },
        .init(\.authorName, \.author.name),
        .init(\.country, \.author.country.code),
    ]
}

extension ReadingRoom.AuthorCard: ManagedTreeConvertible {
    typealias Entity = ReadingRoom.Author
    static let attributes = ReadingRoom.Author.attributes(in: \ReadingRoom.AuthorCard.author)
    static let branches: [Branch<Self>] = [.init(\.country, \.country), .init(\.bookCount, \.books.count)]
}

extension ReadingRoom.BookPatch: ManagedTreeConvertible {
    typealias Entity = ReadingRoom.Book
    static let attributes: Set<Attribute<Self>> = [.init(\.isbn, \.isbn)]
    static let branches: [Branch<Self>] = [
        .init(\.author, \.author, .linked), .init(\.reviews, \.reviews, .matchedByPosition),
    ]
}

extension ReadingRoom.AuthorPage: ManagedTreeConvertible {
    typealias Entity = ReadingRoom.Author
    static let attributes: Set<Attribute<Self>> = [.init(\.name, \.name), .init(\.born, \.born)]
    static let branches: [Branch<Self>] = [
        .init(\.country, \.country, \.code, .linkedOrInserted), .init(\.books, \.books, .owned) { $0.sort(\.isbn) },
    ]
}

extension ReadingRoom.CategoryTree: ManagedTreeConvertible {
    typealias Entity = ReadingRoom.Category
    static let attributes: Set<Attribute<Self>> = [.init(\.name, \.name)]
    static let branches: [Branch<Self>] = [.init(\.children, \.children, .depth(3)) { $0.sort(\.name) }]
}

extension ReadingRoom.CategoryTop: ManagedTreeConvertible {
    typealias Entity = ReadingRoom.Category
    static let attributes: Set<Attribute<Self>> = [.init(\.name, \.name)]
    static let branches: [Branch<Self>] = [.init(\.children, \.children, .depth(1)) { $0.sort(\.name) }]
}

extension ReadingRoom.Volume: ManagedTreeConvertible {
    typealias Entity = ReadingRoom.Book
    static let attributes: Set<Attribute<Self>> = [.init(\.isbn, \.isbn)]
    static let branches: [Branch<Self>] = [.init(\.author, \.author)]
}

extension ReadingRoom.Shelf: ManagedTreeConvertible {
    typealias Entity = ReadingRoom.Tag
    static let attributes: Set<Attribute<ReadingRoom.Shelf>> = [.init(\.tag, \.name)]
    static let branches: [Branch<ReadingRoom.Shelf>] = [
        .init(\.books, \.books), .init(\.pages, \.books, .readOnly) { $0.sort(\.title, ascending: false) },
    ]
}
