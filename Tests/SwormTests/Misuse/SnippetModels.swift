/// The entities that snippets are about.
let snippetModels = #"""
    import Foundation
    import Sworm

    enum Status: String, SupportedAttributeType { case draft, printed }
    struct Address: CodableAttribute, Equatable { var city = "" }
    struct Book {
        var id = UUID(); var title = ""; var year = 0; var rating: Int?; var status = Status.draft
        var address: Address?; var subtitle: String?
    }
    extension Book: ManagedObjectConvertible {
        static let attributes: Set<Attribute<Book>> = [
            .init(\.id, "id", .unique), .init(\.title, "title", .indexed), .init(\.year, "year"),
            .init(\.rating, "rating"), .init(\.status, "status"), .init(\.address, "address"),
            .init(\.subtitle, "subtitle"),
        ]
        struct Relations: Sendable {
            let author = ToOneRelation<Author>("author", inverse: \.books)
            let reviews = ToManyOrderedRelation<Review>("reviews", inverse: \.book, deleteRule: .cascade)
        }
        static let relations = Relations()
    }
    struct Author { var name = ""; var born: Int?; var year = 0 }
    extension Author: ManagedObjectConvertible {
        static let attributes: Set<Attribute<Author>> = [
            .init(\.name, "name", .unique, .indexed), .init(\.born, "born"), .init(\.year, "year"),
        ]
        struct Relations: Sendable { let books = ToManyRelation<Book>("books") }
        static let relations = Relations()
    }
    struct Review { var mark = 0; var text = "" }
    extension Review: ManagedObjectConvertible {
        static let attributes: Set<Attribute<Review>> = [.init(\.mark, "mark"), .init(\.text, "text")]
        struct Relations: Sendable { let book = ToOneRelation<Book>("book") }
        static let relations = Relations()
    }
    """#
