import Foundation
import Sworm
import SwormTools

/// Versions of one model in code.
enum LibraryV1 {
    struct Book: ManagedObjectConvertible, Equatable {
        var title = ""
        var cents = 0
        static let attributes: Set<Attribute<Self>> = [.init(\.title, "title"), .init(\.cents, "cents")]
        struct Relations: Sendable {
            let author = ToOneRelation<Author>("author", inverse: \.books)
            let tags = ToManyRelation<Tag>("tags", inverse: \.books)
        }
        static let relations = Relations()
    }

    struct Author: ManagedObjectConvertible, Equatable {
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let books = ToManyOrderedRelation<Book>("books") }
        static let relations = Relations()
    }

    struct Tag: ManagedObjectConvertible, Equatable {
        var word = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.word, "word")]
        struct Relations: Sendable { let books = ToManyRelation<Book>("books") }
        static let relations = Relations()
    }
}

/// An attribute comes; authors are called writers.
enum LibraryV2 {
    struct Book: ManagedObjectConvertible, Equatable {
        var title = ""
        var cents = 0
        var year: Int?
        static let attributes: Set<Attribute<Self>> = [
            .init(\.title, "title"), .init(\.cents, "cents"), .init(\.year, "year"),
        ]
        struct Relations: Sendable {
            let writer = ToOneRelation<Writer>("writer", inverse: \.books, .renamed(from: "author"))
            let tags = ToManyRelation<Tag>("tags", inverse: \.books)
        }
        static let relations = Relations()
    }

    struct Writer: ManagedObjectConvertible, Equatable {
        static let formerEntityName: String? = "Author"
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let books = ToManyOrderedRelation<Book>("books") }
        static let relations = Relations()
    }

    struct Tag: ManagedObjectConvertible, Equatable {
        var word = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.word, "word")]
        struct Relations: Sendable { let books = ToManyRelation<Book>("books") }
        static let relations = Relations()
    }
}

/// Cents become a price, names are split, equal tags become one, and there is a summary.
enum LibraryV3 {
    struct Book: ManagedObjectConvertible, Equatable {
        var title = ""
        var price = 0.0
        var year: Int?
        static let attributes: Set<Attribute<Self>> = [
            .init(\.title, "title"), .init(\.price, "price"), .init(\.year, "year"),
        ]
        struct Relations: Sendable {
            let writer = ToOneRelation<Writer>("writer", inverse: \.books)
            let tags = ToManyRelation<Tag>("tags", inverse: \.books)
        }
        static let relations = Relations()
    }

    struct Writer: ManagedObjectConvertible, Equatable {
        var first = ""
        var last = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.first, "first"), .init(\.last, "last")]
        struct Relations: Sendable {
            let books = ToManyOrderedRelation<Book>("books")
            let passport = ToOneRelation<Passport>("passport", inverse: \.writer)
        }
        static let relations = Relations()
    }

    struct Passport: ManagedObjectConvertible, Equatable {
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let writer = ToOneRelation<Writer>("writer") }
        static let relations = Relations()
    }

    struct Tag: ManagedObjectConvertible, Equatable {
        var word = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.word, "word", .unique)]
        struct Relations: Sendable { let books = ToManyRelation<Book>("books") }
        static let relations = Relations()
    }

    struct Summary: ManagedObjectConvertible, Equatable {
        var books = 0
        static let attributes: Set<Attribute<Self>> = [.init(\.books, "books")]
    }
}

extension MigrationPlan {
    static let library = MigrationPlan([
        .init("1", LibraryV1.Book.self),
        .init("2", LibraryV2.Book.self),
        .init(
            "3", LibraryV3.Book.self, LibraryV3.Summary.self,
            stage: .custom(
                .change(LibraryV2.Book.self, to: LibraryV3.Book.self) { old, new in
                    new.price = Double(old.cents) / 100
                },
                .changeObjects(of: LibraryV2.Writer.self, to: LibraryV3.Writer.self) { old, new, stores in
                    let name = try old.decode(\.name)
                    let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
                    try new.encode(\.first, parts.first ?? "").encode(\.last, parts.dropFirst().first ?? "")
                    try stores.note(old, became: stores.new.insert(LibraryV3.Passport(name: name)))
                } relations: { old, new, stores in
                    new.passport = try stores.successors(of: old, as: LibraryV3.Passport.self).first
                },
                .make(LibraryV3.Tag.self, from: LibraryV2.Tag.self) { old, stores in
                    let word = try old.decode(\.word).lowercased()
                    let known = try stores.new.fetchOne(LibraryV3.Tag.all.where { $0.word == word })
                    return [try known ?? stores.new.insert(LibraryV3.Tag(word: word))]
                },
                finally: { stores in
                    let count = try stores.old.count(of: LibraryV2.Book.all)
                    try stores.new.insert(LibraryV3.Summary(books: count))
                })),
    ])
}

/// A folder for the stores of one test, which goes with the value.
final class StoreFolder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("sworm-test-\(UUID().uuidString)")
    var store: URL { url.appendingPathComponent("Store.sqlite") }

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }

    /// What is in the folder beside the store's own files.
    var others: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).filter {
            !["Store.sqlite", "Store.sqlite-wal", "Store.sqlite-shm", ".Store_SUPPORT"].contains($0)
        }
    }

    /// Makes a store of the first version.
    func makeLibrary() throws {
        let container = try PersistentContainer(for: LibraryV1.Book.self, at: .file(store))
        try container.perform { context in
            let jane = try context.insert(LibraryV1.Author(name: "Jane Austen"))
            let leo = try context.insert(LibraryV1.Author(name: "Leo Tolstoy"))
            let tags = try ["Love", "love", "War"].map { try context.insert(LibraryV1.Tag(word: $0)) }
            for (title, cents, author, tag) in [
                ("Emma", 1250, jane, 0), ("Persuasion", 999, jane, 1), ("War and Peace", 3000, leo, 2),
                ("Anna Karenina", 2575, leo, 1),
            ] {
                let book = try context.insert(LibraryV1.Book(title: title, cents: cents))
                try author.books.add(book)
                try book.tags.add(tags[tag])
            }
        }
    }
}
