import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Migrations object by object of objects that share others.
@Suite("Migrations over shared hubs") struct SharedHubMigrationTests {
    /// Books with some of a few tags and one of a few authors.
    private func library(
        _ books: Int, hubs: Int = 8, isOrdered: Bool = false, _ change: (OldLibrary.Changes) -> Void = { _ in }
    ) throws -> MigratedLibrary {
        let model = GraphLibrary.model()
        model.entitiesByName["Author"]?.relationshipsByName["books"]?.isOrdered = isOrdered
        return try MigratedLibrary(
            from: model,
            change: {
                $0.add(Build.attribute("pages", .integer32AttributeType), to: "Book")
                change($0)
            },
            fill: { context in
                let tags = try (0..<hubs).map { try context.make("Tag", ["name": "tag\($0)"]) }
                let authors = try (0..<hubs).map { try context.make("Author", ["name": "author\($0)"]) }
                for index in 0..<books {
                    // In an order that is not that of the keys.
                    let book = try context.make(
                        "Book", ["title": "t\(index)", "tags": Set((0..<3).map { tags[(index + $0) % hubs] })])
                    let author = authors[index * 5 % hubs]
                    if isOrdered {
                        author.mutableOrderedSetValue(forKey: "books").insert(book, at: 0)
                    } else {
                        book.setValue(author, forKey: "author")
                    }
                }
            })
    }

    /// The work of a migration for each book.
    private func work(_ books: Int, isOrdered: Bool = false) throws -> Double {
        let library = try library(books, isOrdered: isOrdered)
        let manager = NSMigrationManager(sourceModel: library.old, destinationModel: library.new)
        let counter = StatementCounter()
        let work = try counter.work {
            try manager.migrateStore(
                from: library.source, sourceType: NSSQLiteStoreType, options: counter.options, with: nil,
                toDestinationURL: library.destination, destinationType: NSSQLiteStoreType,
                destinationOptions: counter.options)
        }
        return Double(work) / Double(books)
    }

    @Test(arguments: [false, true]) func `the work for one object is the same, however many share a hub`(
        isOrdered: Bool
    ) throws {
        // Several batches both times: each has the hubs to read.
        let (few, many) = (try work(1000, isOrdered: isOrdered), try work(4000, isOrdered: isOrdered))
        #expect(many < few * 1.3, "\(few) and \(many)")
    }

    @Test(arguments: [false, true]) func `all links and their order are preserved`(isOrdered: Bool) throws {
        let library = try library(700, hubs: 5, isOrdered: isOrdered)
        func links(_ model: NSManagedObjectModel, _ url: URL) throws -> [String] {
            try library.with(model, url) { context in
                let books = try context.all("Book").map { book in
                    let tags = book.set("tags").compactMap { $0.text("name") }.sorted().joined(separator: ",")
                    return "\(book.text("title") ?? "") \(tags) \(book.object("author")?.text("name") ?? "-")"
                }
                let tags = try context.all("Tag").map { tag in
                    "\(tag.text("name") ?? "") \(tag.set("books").compactMap { $0.text("title") }.sorted())"
                }
                let authors = try context.all("Author").map { author in
                    let titles =
                        isOrdered
                        ? author.list("books").compactMap { $0.text("title") }
                        : author.set("books").compactMap { $0.text("title") }.sorted()
                    return "\(author.text("name") ?? "") \(titles)"
                }
                return books.sorted() + tags.sorted() + authors.sorted()
            }
        }
        let before = try links(library.old, library.source)
        try library.migrate()
        #expect(try links(library.new, library.destination) == before)
        #expect(before.count == 710)
    }

    @Test func `a policy of one side leaves the links to that side`() throws {
        final class Renaming: NSEntityMigrationPolicy {
            override func createRelationships(
                forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
            ) throws {
                try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
                // It sees the links that the mapping has set.
                dInstance.setValue(
                    "\(dInstance.set(mapping.sourceEntityName == "Tag" ? "books" : "tags").count)",
                    forKey: mapping.sourceEntityName == "Tag" ? "name" : "isbn")
            }
        }
        for entity in ["Tag", "Book"] {
            let library = try library(20, hubs: 4) {
                $0["Book"].uniquenessConstraints = []
            }
            let mapping = try library.mapping()
            for own in mapping.entityMappings where own.sourceEntityName == entity {
                own.entityMigrationPolicyType = Renaming.self
            }
            try library.migrate(mapping)
            let counts = try library.objects(entity, entity == "Tag" ? "name" : "isbn")
            #expect(counts == Array(repeating: entity == "Tag" ? "15" : "3", count: entity == "Tag" ? 4 : 20))
            let books = try library.with(library.new, library.destination) { context in
                try context.all("Tag").map { $0.set("books").count }
            }
            #expect(books == [15, 15, 15, 15])
        }
    }
}
