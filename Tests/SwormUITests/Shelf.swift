import Sworm
import SwormTools

/// A model for views: books with a year.
struct Book: Equatable, Sendable {
    var title = ""
    var year = 0
    var pages = 0
}

extension Book: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [
        .init(\.title, "title"), .init(\.year, "year"), .init(\.pages, "pages"),
    ]
}

/// Returns a store with the books a to f, two of each year.
func makeShelf() throws -> PersistentContainer {
    let store = try PersistentContainer(for: Book.self, at: .memory)
    try store.perform { context in
        for (number, title) in ["a", "b", "c", "d", "e", "f"].enumerated() {
            _ = try context.insert(Book(title: title, year: 1900 + number / 2))
        }
    }
    return store
}
