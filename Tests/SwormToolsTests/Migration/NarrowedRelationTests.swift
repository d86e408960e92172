import Foundation
import Sworm
import SwormTools
import Testing

private enum Many {
    struct Book: ManagedObjectConvertible {
        var title = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.title, "title")]
        struct Relations: Sendable { let authors = ToManyOrderedRelation<Author>("authors", inverse: \.books) }
        static let relations = Relations()
    }

    struct Author: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let books = ToManyOrderedRelation<Book>("books") }
        static let relations = Relations()
    }
}

/// A book has one author.
private enum One {
    struct Book: ManagedObjectConvertible {
        var title = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.title, "title")]
        struct Relations: Sendable {
            let author = ToOneRelation<Author>("author", inverse: \.books, .renamed(from: "authors"))
        }
        static let relations = Relations()
    }

    struct Author: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let books = ToManyOrderedRelation<Book>("books") }
        static let relations = Relations()
    }
}

/// And an author has one book.
private enum Pair {
    struct Book: ManagedObjectConvertible {
        var title = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.title, "title")]
        struct Relations: Sendable {
            let author = ToOneRelation<Author>("author", inverse: \.book, .renamed(from: "authors"))
        }
        static let relations = Relations()
    }

    struct Author: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let book = ToOneRelation<Book>("book", .renamed(from: "books")) }
        static let relations = Relations()
    }
}

@Suite("Relations that become to-one")
struct NarrowedRelationTests {
    private func fill(_ url: URL) throws {
        let container = try PersistentContainer(for: Many.Book.self, at: .file(url))
        try container.perform { context in
            let names = ["Anna", "Boris", "Clara"]
            let authors = try names.map { try context.insert(Many.Author(name: $0)) }
            for (title, order) in [("W", [1, 0]), ("X", [1, 2, 0]), ("Y", [0, 2]), ("Z", [])] {
                let book = try context.insert(Many.Book(title: title))
                for index in order { try book.authors.add(authors[index]) }
            }
        }
        // The order of an author's books is another one than that in which they were made.
        try container.perform { context in
            let boris = try #require(try context.fetchOne(Many.Author.all.where { $0.name == "Boris" }))
            let first = try #require(try context.fetchOne(Many.Book.all.where { $0.title == "W" }))
            try boris.books.remove(first)
            try boris.books.add(first)
            try first.authors.remove(boris)
            let anna = try #require(try context.fetchOne(Many.Author.all.where { $0.name == "Anna" }))
            try first.authors.remove(anna)
            try first.authors.add(boris)
            try first.authors.add(anna)
        }
    }

    private func books(_ container: PersistentContainer) throws -> [String] {
        try container.perform { context in
            try context.fetch(One.Book.all.sort(\.title)).map {
                try "\($0.decode(\.title)) \($0.author?.decode(\.name) ?? "-")"
            }
        }
    }

    @Test func `the first link is carried, as an inferred stage does it`() throws {
        var found: [[String]] = []
        #if canImport(CoreData)
        // Which link an inferred stage keeps there is Core Data's affair.
        let stages: [MigrationStage] = [.custom()]
        #else
        let stages: [MigrationStage] = [.custom(), .inferred]
        #endif
        for stage in stages {
            let folder = try StoreFolder()
            try fill(folder.store)
            let plan = MigrationPlan([.init("1", Many.Book.self), .init("2", One.Book.self, stage: stage)])
            let container = try PersistentContainer(migrating: plan, at: .file(folder.store))
            let authors = try container.perform { context in
                try context.fetch(One.Author.all.sort(\.name)).map {
                    try "\($0.decode(\.name)):" + $0.books.map { try $0.decode(\.title) }.joined()
                }
            }
            found.append(try books(container) + authors)
        }
        #expect(found[0] == ["W Boris", "X Boris", "Y Anna", "Z -", "Anna:Y", "Boris:XW", "Clara:"])
        #expect(found.allSatisfy { $0 == found[0] })
    }

    @Test func `a closure for relations chooses the link itself`() throws {
        let folder = try StoreFolder()
        try fill(folder.store)
        let plan = MigrationPlan([
            .init("1", Many.Book.self),
            .init(
                "2", One.Book.self,
                stage: .custom(
                    .changeObjects(of: Many.Book.self, to: One.Book.self) { _, _, _ in
                    } relations: { old, new, stores in
                        let authors = old.authors.map { $0 }
                        new.author = try authors.last.flatMap {
                            try stores.successors(of: $0, as: One.Author.self).first
                        }
                    })),
        ])
        let container = try PersistentContainer(migrating: plan, at: .file(folder.store))
        #expect(try books(container) == ["W Anna", "X Anna", "Y Clara", "Z -"])
    }

    @Test func `if both sides are to-one, each object has one partner`() throws {
        let folder = try StoreFolder()
        try fill(folder.store)
        let plan = MigrationPlan([.init("1", Many.Book.self), .init("2", Pair.Book.self, stage: .custom())])
        let container = try PersistentContainer(migrating: plan, at: .file(folder.store))
        try container.perform { context in
            let books = try context.fetch(Pair.Book.all).map { $0 }
            let linked = books.filter { $0.author != nil }
            #expect(!linked.isEmpty)
            for book in linked {
                let back = try book.author?.book?.decode(\.title)
                let title = try book.decode(\.title)
                #expect(back == title)
            }
        }
    }
}
