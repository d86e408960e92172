import Foundation
import Sworm

struct Author: Codable, Equatable { var name = ""; var born = 0 }
struct Book: Codable, Equatable { var isbn = ""; var title = ""; var year = 0; var rating: Int?; var revision = 0 }
struct Review: Codable, Equatable { var day = Date(); var mark = 0; var text = "" }
struct Tag: Codable, Equatable { var name = "" }

extension Author: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Author>> = [
        .init(\.name, "name", .unique, .length(1...100)), .init(\.born, "born"),
    ]
    struct Relations: Sendable { let books = ToManyRelation<Book>("books", inverse: \.author) }
    static let relations = Relations()
}

extension Book: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Book>> = [
        .init(\.isbn, "isbn", .unique, .length(1...20)), .init(\.title, "title", .indexed, .length(1...200)),
        .init(\.year, "year", .indexed), .init(\.rating, "rating", .range(1...5)), .init(\.revision, "revision"),
    ]
    struct Relations: Sendable {
        let author = ToOneRelation<Author>("author")
        let reviews = ToManyOrderedRelation<Review>("reviews", inverse: \.book, deleteRule: .cascade)
        let tags = ToManyRelation<Tag>("tags", inverse: \.books)
    }
    static let relations = Relations()
}

extension Review: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Review>> = [
        .init(\.day, "day"), .init(\.mark, "mark", .range(0...5)), .init(\.text, "text", .length(...5_000)),
    ]
    struct Relations: Sendable { let book = ToOneRelation<Book>("book") }
    static let relations = Relations()
}

extension Tag: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Tag>> = [.init(\.name, "name", .unique, .length(1...50))]
    struct Relations: Sendable { let books = ToManyRelation<Book>("books") }
    static let relations = Relations()
}
