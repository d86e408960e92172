import Foundation
import Sworm
import SwormTools
import Testing

@Suite("Migration plans")
struct MigrationPlanTests {
    private func lines(_ container: PersistentContainer) throws -> [String] {
        try container.perform { context in
            try context.fetch(LibraryV3.Writer.all.sort(\.last)).map { writer in
                let books = try writer.books.map { book in
                    let value = try book.decode()
                    let tags = try book.tags.map { try $0.decode(\.word) }.joined(separator: "+")
                    return "\(value.title) \(value.price) \(tags)"
                }
                return try
                    "\(writer.decode(\.first))/\(writer.decode(\.last))/\(writer.passport?.decode(\.name) ?? "-"): "
                    + books.joined(separator: ", ")
            }
        }
    }

    private let migrated = [
        "Jane/Austen/Jane Austen: Emma 12.5 love, Persuasion 9.99 love",
        "Leo/Tolstoy/Leo Tolstoy: War and Peace 30.0 war, Anna Karenina 25.75 love",
    ]

    @Test func `a store passes through all versions and is opened with the newest`() throws {
        let folder = try StoreFolder()
        try folder.makeLibrary()
        let container = try PersistentContainer(migrating: .library, at: .file(folder.store))
        #expect(try lines(container) == migrated)
        #expect(try container.perform { try $0.decode(LibraryV3.Summary.all).map(\.books) } == [4])
        #expect(try container.perform { try $0.count(of: LibraryV3.Tag.all) } == 2)
        #expect(folder.others.isEmpty)
        #expect(try MigrationPlan.library.versionName(ofStoreAt: folder.store) == "3")
    }

    @Test func `an interrupted migration continues after the last completed stage`() throws {
        let folder = try StoreFolder()
        try folder.makeLibrary()
        #expect(try MigrationPlan.library.migrate(storeAt: folder.store, to: "2") == ["1", "2"])
        do {
            let middle = try PersistentContainer(for: LibraryV2.Book.self, at: .file(folder.store))
            let names = try middle.perform { context in
                try context.fetch(LibraryV2.Book.all.sort(\.title)).map { try $0.writer?.decode(\.name) ?? "-" }
            }
            #expect(names == ["Leo Tolstoy", "Jane Austen", "Jane Austen", "Leo Tolstoy"])
        }
        #expect(try MigrationPlan.library.migrate(storeAt: folder.store) == ["2", "3"])
        #expect(try MigrationPlan.library.migrate(storeAt: folder.store) == [])
        #expect(try lines(PersistentContainer(migrating: .library, at: .file(folder.store))) == migrated)
    }

    @Test func `an error in a stage leaves the store as it was`() throws {
        struct Stop: Error {}
        let folder = try StoreFolder()
        try folder.makeLibrary()
        let before = try Data(contentsOf: folder.store)
        #expect(throws: Stop.self) {
            try MigrationPlan.library.migrate(storeAt: folder.store) { state in
                if state.done == 1, state.fraction > 0.2 { throw Stop() }
            }
        }
        #expect(try Data(contentsOf: folder.store) == before)
        #expect(folder.others.isEmpty)
        #expect(try MigrationPlan.library.versionName(ofStoreAt: folder.store) == "1")
    }

    @Test func `progress reports every stage from its beginning to its end`() throws {
        let folder = try StoreFolder()
        try folder.makeLibrary()
        var reported: [MigrationPlan.Progress] = []
        try MigrationPlan.library.migrate(storeAt: folder.store) { reported.append($0) }
        #expect(reported.allSatisfy { (0...1).contains($0.fraction) && $0.count == 2 })
        #expect(reported.filter { $0.fraction == 1 }.map(\.to).suffix(1) == ["3"])
        let first = try #require(reported.first)
        #expect(first.done == 0 && first.from == "1" && first.to == "2" && first.fraction == 0)
    }

    @Test func `a newer store is not migrated back`() throws {
        let folder = try StoreFolder()
        try folder.makeLibrary()
        try MigrationPlan.library.migrate(storeAt: folder.store)
        let error = #expect(throws: StoreError.self) {
            try MigrationPlan.library.migrate(storeAt: folder.store, to: "1")
        }
        #expect(error?.code == .migrationFailed)
        #expect(error?.message.contains("cannot be migrated back") == true)
    }

    @Test func `a store of none of the versions is rejected with the closest version`() throws {
        let folder = try StoreFolder()
        try folder.makeLibrary()
        let plan = MigrationPlan([.init("2", LibraryV2.Book.self), .init("3", LibraryV3.Book.self)])
        let error = #expect(throws: StoreError.self) { try plan.migrate(storeAt: folder.store) }
        #expect(error?.code == .incompatibleModel)
        #expect(
            error?.message.contains("The closest version is '2', from which these entities differ: Author, Book, ")
                == true)
    }

    @Test func `a migration that cannot be inferred is reported and changes nothing`() throws {
        let folder = try StoreFolder()
        try folder.makeLibrary()
        let before = try Data(contentsOf: folder.store)
        let plan = MigrationPlan([.init("1", LibraryV1.Tag.self), .init("x", Untyped.Tag.self)])
        let error = #expect(throws: StoreError.self) { try plan.migrate(storeAt: folder.store) }
        #expect(error?.code == .migrationFailed)
        #expect(error?.message.contains("word") == true)
        #expect(try Data(contentsOf: folder.store) == before)
    }

    @Test func `an incomplete stage is rejected with everything that it omits`() throws {
        let folder = try StoreFolder()
        try folder.makeLibrary()
        let plan = MigrationPlan([
            .init("1", LibraryV1.Tag.self),
            .init(
                "x", Untyped.Tag.self,
                stage: .custom(.changeManagedObjects(of: "Author", to: "Book") { _, _, _ in })),
        ])
        let error = #expect(throws: StoreError.self) { try plan.migrate(storeAt: folder.store) }
        #expect(error?.code == .migrationFailed)
        #expect(error?.message.contains("'Tag.word' has another type than before") == true)
        #expect(error?.message.contains("no change migrates the objects of the old 'Book'") == true)
    }

    @Test func `names that are in neither version are reported`() throws {
        let folder = try StoreFolder()
        try folder.makeLibrary()
        let plan = MigrationPlan([
            .init("1", LibraryV1.Book.self),
            .init(
                "2", LibraryV2.Book.self,
                stage: .custom(.changeManagedObjects(of: "Autor", to: "Poet") { _, _, _ in })),
        ])
        let error = #expect(throws: StoreError.self) { try plan.migrate(storeAt: folder.store) }
        #expect(
            error?.message.contains("'Autor', which the old version does not have. It has: Author, Book, Tag") == true)
        #expect(
            error?.message.contains("'Poet', which the new version does not have. It has: Book, Tag, Writer") == true)
    }

    @Test func `plans without versions or with equal names are rejected`() throws {
        let folder = try StoreFolder()
        #expect { try MigrationPlan([]).migrate(storeAt: folder.store) } throws: {
            StoreError.Code.migrationFailed ~= $0
        }
        let twice = MigrationPlan([.init("1", LibraryV1.Book.self), .init("1", LibraryV2.Book.self)])
        #expect { try twice.migrate(storeAt: folder.store) } throws: { StoreError.Code.migrationFailed ~= $0 }
    }

    @Test func `a new file begins with the newest version`() throws {
        let folder = try StoreFolder()
        let container = try PersistentContainer(migrating: .library, at: .file(folder.store))
        try container.perform { try $0.insert(LibraryV3.Summary(books: 1)) }
        #expect(try MigrationPlan.library.versionName(ofStoreAt: folder.store) == "3")
        let memory = try PersistentContainer(migrating: .library, at: .memory)
        #expect(try memory.perform { try $0.count(of: LibraryV3.Book.all) } == 0)
    }
}

/// The first version with words as numbers.
enum Untyped {
    struct Tag: ManagedObjectConvertible {
        var word = 0
        static let attributes: Set<Attribute<Self>> = [.init(\.word, "word")]
        struct Relations: Sendable { let books = ToManyRelation<Book>("books", inverse: \.tags) }
        static let relations = Relations()
    }

    struct Book: ManagedObjectConvertible {
        var title = ""
        var cents = 0
        static let attributes: Set<Attribute<Self>> = [.init(\.title, "title"), .init(\.cents, "cents")]
        struct Relations: Sendable { let tags = ToManyRelation<Tag>("tags") }
        static let relations = Relations()
    }
}
