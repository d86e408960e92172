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
