import Foundation
import Sworm
import SwormTools

/// Authors and books to count statements over: some attributes with an index and some without.
enum Kiosk {
    struct Author: Equatable, Sendable {
        var name = ""
        var town = ""
    }
    struct Book: Equatable, Sendable {
        var title = ""
        var shelf = ""
        var year = 0
    }

    static func store(
        authors: Int = 0, booksEach: Int = 2, in place: TestStore.Place = .memory
    ) throws -> TestStore {
        try TestStore.tested(for: Book.self, in: place) { context in
            for number in 0..<authors {
                let author = try context.insert(Author(name: "author \(number)", town: "town \(number % 7)"))
                for index in 0..<booksEach {
                    let book = try context.insert(
                        Book(title: "book \(number).\(index)", shelf: "s\(index)", year: 1800 + number % 200))
                    try author.books.add(book)
                }
            }
        }
    }
}

extension Kiosk.Author: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name", .indexed), .init(\.town, "town")]
    struct Relations: Sendable { let books = ToManyRelation<Kiosk.Book>("books", inverse: \.author) }
    static let relations = Relations()
}

extension Kiosk.Book: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [
        .init(\.title, "title"), .init(\.shelf, "shelf"), .init(\.year, "year", .indexed),
    ]
    struct Relations: Sendable { let author = ToOneRelation<Kiosk.Author>("author") }
    static let relations = Relations()
}
