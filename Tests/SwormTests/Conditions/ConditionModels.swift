import Foundation
import Sworm

enum Status: String, SupportedAttributeType { case draft, printed }
struct Address: CodableAttribute, Equatable { var city = "" }

struct Book {
    var id = UUID()
    var title = ""
    var year = 0
    var rating: Int?
    var status = Status.draft
    var address: Address?
    var subtitle: String?
    var price = Decimal()
    var weight = 0.0
    /// Not in the table.
    var cover = ""
}

extension Book: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Book>> = [
        .init(\.id, "id", .unique), .init(\.title, "title", .indexed), .init(\.year, "year"),
        .init(\.rating, "rating"), .init(\.status, "status"), .init(\.address, "address"),
        .init(\.subtitle, "subtitle"), .init(\.price, "price"), .init(\.weight, "weight"),
    ]
    struct Relations: Sendable {
        let author: ToOneRelation<Author> = .init("author", inverse: \.books)
        let editor = ToOneRelation<Author>("editor")
        let reviews: ToManyOrderedRelation<Review> = .init("reviews", inverse: \.book, deleteRule: .cascade)
    }
    static let relations = Relations()
}

struct Author {
    var name = ""
    var born: Int?
    var year = 0
}

extension Author: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Author>> = [
        .init(\.name, "name", .unique, .indexed), .init(\.born, "born"), .init(\.year, "year"),
    ]
    struct Relations: Sendable {
        let books: ToManyRelation<Book> = .init("books", inverse: \.author)
    }
    static let relations = Relations()
}

struct Review {
    var mark = 0
    var text = ""
}

extension Review: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Review>> = [.init(\.mark, "mark"), .init(\.text, "text")]
    struct Relations: Sendable {
        let book: ToOneRelation<Book> = .init("book", inverse: \.reviews)
    }
    static let relations = Relations()
}

/// An entity whose attributes are called like words of the predicate language.
struct Reserved: ManagedObjectConvertible {
    var first = 0
    var size = 0
    var no = ""
    static let attributes: Set<Attribute<Reserved>> = [
        .init(\.first, "first"), .init(\.size, "size"), .init(\.no, "in"),
    ]
}

/// The values of a condition as text, for comparison.
func values<T>(_ condition: Condition<T>) -> String {
    "\(condition.arguments.map { $0 is NSNull ? "nil" : "\($0)" })"
}
