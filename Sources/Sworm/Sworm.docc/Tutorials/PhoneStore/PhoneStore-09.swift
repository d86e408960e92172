import Foundation
import Sworm

struct Book: ManagedObjectConvertible {
    var title = ""
    var year = 0
    static let attributes: Set<Attribute<Book>> = [
        .init(\.title, "title"),
        .init(\.year, "year"),
    ]

    struct Relations: Sendable {
        let author = ToOneRelation<Author>("author", inverse: \.books)
    }
    static let relations = Relations()
}

struct Author: ManagedObjectConvertible {
    var name = ""
    static let attributes: Set<Attribute<Author>> = [.init(\.name, "name")]

    struct Relations: Sendable {
        let books = ToManyRelation<Book>("books")
    }
    static let relations = Relations()
}

let file = URL(filePath: "Library/Library.sqlite")
let stored = try StoredModel(ofStoreAt: file)
let store = try PersistentContainer(
    model: stored.model, checking: Book.self, at: .readOnly(file))

let books = try store.read { context in
    try context.decode(
        Book.all.where { $0.year > 1860 && $0.author.name == "Leo Tolstoy" }.sort(\.year))
}
for book in books { print(book.year, book.title) }
