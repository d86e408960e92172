import Foundation
@testable import Sworm

/// A model for stores that exchange bundles: all kinds of relations, and small keys.
enum Exchange {
    struct Author: Equatable, Sendable {
        var name = ""
        var rank = 0
    }
    struct Book: Equatable, Sendable {
        var number = 0
        var title = ""
        var rating: Int?
        var cover: Data?
    }
    struct Chapter: Equatable, Sendable {
        var code = ""
        var text = ""
    }
    struct Tag: Equatable, Sendable {
        var word = ""
        var color = 0
    }

    static func store(at location: StoreLocation = .tested) throws -> PersistentContainer {
        try PersistentContainer(for: Book.self, BundleRecord.self, at: location, history: true)
    }

    /// A bundle of another store that contains nothing but a time.
    static func tick(_ number: Int64, time: Date) throws -> ChangeBundle {
        let text =
            #"{"version":1,"origin":"clock \#(number)","after":0,"number":1,"seen":{},"transactions":[{"origin":"clock \#(number)","number":1,"time":\#(time.bundleTime),"changes":[]}]}"#
        return try JSONDecoder().decode(ChangeBundle.self, from: Data(text.utf8))
    }

    /// The content of a store, without row numbers.
    static func content(of store: PersistentContainer) throws -> [String] {
        try store.read { (context: ManagedObjectContext) throws -> [String] in
            var lines: [String] = []
            for author in try context.fetch(Author.all.sort(\.name)) {
                let books = try author.books.map { try $0.decode().number }
                lines.append("\(try author.decode()) books \(books)")
            }
            for book in try context.fetch(Book.all.sort(\.number)) {
                let value = try book.decode()
                let tags = try book.tags.map { try $0.decode().word }.sorted()
                let chapters = try book.chapters.map { try $0.decode().code }
                let links = [
                    try book.author?.decode().name ?? "-", try book.sequel.map { "\(try $0.decode().number)" } ?? "-",
                    try book.prequel.map { "\(try $0.decode().number)" } ?? "-",
                ]
                lines.append(
                    "\(value.number) \(value.title) \(value.rating ?? -1) \(value.cover?.count ?? -1) tags \(tags) chapters \(chapters) \(links)"
                )
            }
            for chapter in try context.fetch(Chapter.all.sort(\.code)) {
                lines.append("\(try chapter.decode()) of \(try chapter.book?.decode().number ?? -1)")
            }
            for tag in try context.fetch(Tag.all.sort(\.word)) { lines.append("\(try tag.decode())") }
            return lines
        }
    }
}

extension Exchange.Author: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name", .unique), .init(\.rank, "rank")]
    struct Relations: Sendable {
        let books = ToManyOrderedRelation<Exchange.Book>("books", inverse: \.author)
    }
    static let relations = Relations()
}

extension Exchange.Book: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [
        .init(\.number, "number", .unique), .init(\.title, "title"), .init(\.rating, "rating"),
        .init(\.cover, "cover"),
    ]
    struct Relations: Sendable {
        let author: ToOneRelation<Exchange.Author> = ToOneRelation("author")
        let tags: ToManyRelation<Exchange.Tag> = ToManyRelation("tags")
        let chapters = ToManyOrderedRelation<Exchange.Chapter>("chapters", inverse: \.book, deleteRule: .cascade)
        let sequel: ToOneRelation<Exchange.Book> = ToOneRelation("sequel")
        let prequel = ToOneRelation<Exchange.Book>("prequel", inverse: \.sequel)
    }
    static let relations = Relations()
}

extension Exchange.Chapter: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.code, "code", .unique), .init(\.text, "text")]
    struct Relations: Sendable {
        let book: ToOneRelation<Exchange.Book> = ToOneRelation("book", .required)
    }
    static let relations = Relations()
}

extension Exchange.Tag: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.word, "word", .unique), .init(\.color, "color")]
    struct Relations: Sendable {
        let books = ToManyRelation<Exchange.Book>("books", inverse: \.tags)
    }
    static let relations = Relations()
}
