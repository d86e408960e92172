import Foundation
import Sworm

struct Author: Sendable {
    var name = ""
}

struct Book: Sendable {
    var title = ""
    var pages = 0
}

extension Author: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Author>> = [.init(\.name, "name")]
    struct Relations: Sendable { let books = ToManyRelation<Book>("books", inverse: \.author) }
    static let relations = Relations()
}

extension Book: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Book>> = [.init(\.title, "title"), .init(\.pages, "pages")]
    struct Relations: Sendable { let author = ToOneRelation<Author>("author") }
    static let relations = Relations()
}

/// Made-up authors with ten books each. The books of one do not lie beside each other, as where books come in over years.
struct Shelf {
    let books: Int
    var authors: Int { max(1, books / 10) }

    func name(_ author: Int) -> String { "Author number \(author)" }
    func title(_ book: Int) -> String { "The title of book \(book &* 7919)" }
    func pages(_ book: Int) -> Int { book % 997 + 3 }
    func author(of book: Int) -> Int { book % authors }
}

/// What a walk over authors and their books adds up, in whatever order.
struct ShelfWalk {
    private var authors = 0
    private var books = 0
    private var bytes = 0
    private var pages = 0
    /// A number that depends on whether every book was found at its author.
    private var pairs = 0
    private var name = 0

    init() {}

    /// A walk that somebody else has added up.
    init(authors: Int, books: Int, bytes: Int, pages: Int, pairs: Int) {
        (self.authors, self.books, self.bytes, self.pages, self.pairs) = (authors, books, bytes, pages, pairs)
    }

    init(_ authors: [RawAuthor]) {
        for author in authors {
            add(author: author.name)
            for book in author.books { add(book: book.title, book.pages) }
        }
    }

    mutating func add(author: String) {
        authors += 1
        bytes &+= author.utf8.count
        name = author.utf8.reduce(0) { $0 &* 31 &+ Int($1) }
    }

    mutating func add(book: String, _ pages: Int) {
        books += 1
        bytes &+= book.utf8.count
        self.pages &+= pages
        pairs &+= name &* pages
    }

    var fingerprint: Int { [authors, books, bytes, pages, pairs].hashValue }
}

struct RawAuthor {
    var name: String
    var books: [RawBook] = []
}

struct RawBook {
    var title: String
    var pages: Int
}
