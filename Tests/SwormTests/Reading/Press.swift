import Foundation
import Sworm
import SwormTools

/// A model with every kind of relation, three relations deep.
enum Press {
    struct Publisher: Equatable, Sendable { var name = "" }
    struct Author: Equatable, Sendable { var name = "" }
    struct Book: Equatable, Sendable {
        var number = 0
        var title = ""
    }
    struct Note: Equatable, Sendable { var text = "" }
    struct Tag: Equatable, Sendable { var word = "" }

    /// Authors 0, 1, ... of three publishers by turns, each with the same number of books; every book has two notes, the last
    /// written first, and a tag that it shares with others. The last author has no publisher.
    static func store(
        authors: Int, booksEach: Int = 2, in place: TestStore.Place = .memory
    ) throws -> TestStore {
        try TestStore.tested(for: Book.self, in: place) { context in
            let publishers = try (0..<3).map { try context.insert(Publisher(name: "publisher \($0)")) }
            let tags = try (0..<4).map { try context.insert(Tag(word: "tag \($0)")) }
            for number in 0..<authors {
                let author = try context.insert(Author(name: "author \(number)"))
                if number + 1 < authors { author.publisher = publishers[number % 3] }
                for index in 0..<booksEach {
                    let place = number * booksEach + index
                    let book = try context.insert(Book(number: place, title: "book \(place)"))
                    try author.books.add(book)
                    try book.tags.add(tags[place % 4])
                    let notes = try ["b", "a"].map { try context.insert(Note(text: "\(place)\($0)")) }
                    try book.notes.replace(with: notes.reversed())
                }
            }
        }
    }
}

extension Press.Publisher: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
    struct Relations: Sendable { let authors = ToManyRelation<Press.Author>("authors") }
    static let relations = Relations()
}

extension Press.Author: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name", .indexed)]
    struct Relations: Sendable {
        let publisher = ToOneRelation<Press.Publisher>("publisher", inverse: \.authors)
        let books = ToManyRelation<Press.Book>("books", inverse: \.author, deleteRule: .cascade)
    }
    static let relations = Relations()
}

extension Press.Book: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.number, "number", .indexed), .init(\.title, "title")]
    struct Relations: Sendable {
        let author = ToOneRelation<Press.Author>("author")
        let notes = ToManyOrderedRelation<Press.Note>("notes", inverse: \.book, deleteRule: .cascade)
        let tags = ToManyRelation<Press.Tag>("tags", inverse: \.books)
    }
    static let relations = Relations()
}

extension Press.Note: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.text, "text")]
    struct Relations: Sendable { let book = ToOneRelation<Press.Book>("book") }
    static let relations = Relations()
}

extension Press.Tag: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.word, "word")]
    struct Relations: Sendable { let books = ToManyRelation<Press.Book>("books") }
    static let relations = Relations()
}
