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
    model: stored.model, checking: Book.self, at: .file(file))

try store.perform { context in
    let found = try context.fetchOne(Author.all.where { $0.name == "Leo Tolstoy" })
    guard let author = found else { return }
    let book = try context.insert(Book(title: "Resurrection", year: 1899))
    try author.books.add(book)
}
