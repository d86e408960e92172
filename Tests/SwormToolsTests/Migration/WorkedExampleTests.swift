import Foundation
import Sworm
import SwormTools
import Testing

private enum Example1 {
    struct Book: ManagedObjectConvertible {
        var title = ""
        var cents = 0
        var writer = ""
        static let attributes: Set<Attribute<Self>> = [
            .init(\.title, "title"), .init(\.cents, "cents"), .init(\.writer, "writer"),
        ]
    }
}

private enum Example2 {
    struct Book: ManagedObjectConvertible {
        var name = ""
        var cents = 0
        var writer = ""
        var isbn: String?
        static let attributes: Set<Attribute<Self>> = [
            .init(\.name, "name", .renamed(from: "title")), .init(\.cents, "cents"), .init(\.writer, "writer"),
            .init(\.isbn, "isbn"),
        ]
    }
}

private enum Example3 {
    struct Book: ManagedObjectConvertible {
        var name = ""
        var price = 0.0
        var isbn: String?
        static let attributes: Set<Attribute<Self>> = [
            .init(\.name, "name"), .init(\.price, "price"), .init(\.isbn, "isbn"),
        ]
        struct Relations: Sendable { let author = ToOneRelation<Author>("author") }
        static let relations = Relations()
    }

    struct Author: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let books = ToManyRelation<Book>("books", inverse: \.author) }
        static let relations = Relations()
    }
}

/// The example of the guide to changing a model, with a store of each version.
@Suite("The worked example of the guide")
struct WorkedExampleTests {
    private static let library = MigrationPlan([
        .init("1.0", Example1.Book.self),
        .init("2.0", Example2.Book.self),
        .init(
            "3.0", Example3.Book.self,
            stage: .custom(
                .changeObjects(of: Example2.Book.self, to: Example3.Book.self) { old, new, stores in
                    let book = try old.decode()
                    try new.encode(\.price, Double(book.cents) / 100)
                    let known = try stores.new.fetchOne(Example3.Author.all.where { $0.name == book.writer })
                    new.author = try known ?? stores.new.insert(Example3.Author(name: book.writer))
                })),
    ])

    private func lines(of folder: StoreFolder) throws -> [String] {
        let container = try PersistentContainer(migrating: Self.library, at: .file(folder.store))
        return try container.perform { context in
            try context.fetch(Example3.Author.all.sort(\.name)).flatMap { author in
                try author.books.map { book in
                    let value = try book.decode()
                    return try "\(author.decode(\.name)): \(value.name), \(value.price), \(value.isbn ?? "-")"
                }.sorted()
            }
        }
    }

    @Test func `a store of 1.0 passes through both stages`() throws {
        let folder = try StoreFolder()
        try PersistentContainer(for: Example1.Book.self, at: .file(folder.store)).perform { context in
            try context.insert(Example1.Book(title: "Emma", cents: 1250, writer: "Jane Austen"))
            try context.insert(Example1.Book(title: "Persuasion", cents: 999, writer: "Jane Austen"))
            try context.insert(Example1.Book(title: "Middlemarch", cents: 1600, writer: "George Eliot"))
        }
        let expected = [
            "George Eliot: Middlemarch, 16.0, -", "Jane Austen: Emma, 12.5, -", "Jane Austen: Persuasion, 9.99, -",
        ]
        #expect(try lines(of: folder) == expected)
        #expect(try Self.library.versionName(ofStoreAt: folder.store) == "3.0")
        // And once more, when there is nothing left to do.
        #expect(try lines(of: folder) == expected)
    }

    @Test func `a store of 2.0 passes through the last stage, and a new one through none`() throws {
        let folder = try StoreFolder()
        try PersistentContainer(for: Example2.Book.self, at: .file(folder.store)).perform { context in
            _ = try context.insert(Example2.Book(name: "Emma", cents: 1250, writer: "Jane Austen", isbn: "978"))
        }
        #expect(try lines(of: folder) == ["Jane Austen: Emma, 12.5, 978"])
        let fresh = try StoreFolder()
        #expect(try lines(of: fresh) == [])
        #expect(try Self.library.versionName(ofStoreAt: fresh.store) == "3.0")
    }
}
