import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// What becomes of objects that lead to fewer others than the new model demands.
@Suite("Migration to required relationships")
struct RequiredRelationshipTests {
    /// A book with one author, and tags.
    private func model(
        _ title: String = "title", authorIsRequired: Bool = false,
        tags: (isOptional: Bool, minimum: Int) = (true, 0), authors: [String] = ["Author"]
    ) -> NSManagedObjectModel {
        let book = Build.entity("Book", [Build.attribute(title) { $0.renamingIdentifier = "title" }])
        let author = Build.entity("Author", [Build.attribute("name")])
        let (one, works) = (
            Build.toOne("author", author) { $0.isOptional = !authorIsRequired }, Build.toMany("works", book)
        )
        Build.connect(one, works)
        book.properties.append(one)
        author.properties.append(works)
        author.subentities = authors.dropFirst().map { Build.entity($0) }
        let tag = Build.entity("Tag", [Build.attribute("name")])
        let (many, books) = (
            Build.toMany("tags", tag) { ($0.isOptional, $0.minCount) = tags }, Build.toMany("books", book)
        )
        Build.connect(many, books)
        book.properties.append(many)
        tag.properties.append(books)
        let model = NSManagedObjectModel()
        model.entities = [book, author, tag] + author.subentities
        return model
    }

    /// Five books: three have an author; they have none, one, two, three and four tags.
    private func store() throws -> MigratedStore {
        try MigratedStore(model()) { context in
            let author = try context.make("Author", ["name": "Leo"])
            let tags = try (0..<4).map { try context.make("Tag", ["name": "tag \($0)"]) }
            for index in 0..<5 {
                var values: [String: Any] = ["title": "book \(index)", "tags": Set(tags.prefix(index))]
                if index < 3 { values["author"] = author }
                try context.make("Book", values)
            }
        }
    }

    private func refusal(_ store: MigratedStore, _ model: NSManagedObjectModel) throws -> CoreDataError {
        let before = try store.folder.contents()
        let error = try #require(coreDataError { try store.run(to: model) })
        #expect(error.errorCode == NSMigrationError)
        #expect(try store.folder.contents() == before)
        let report = try MigrationRehearsal(
            of: store.url, from: .init("old", model: store.model), through: [.init("new", model: model)]
        ).run()
        #expect(!report.migrates)
        #expect(report.steps.first?.refusals == error.details.map(\.message))
        for detail in error.details {
            let findings = report.steps.first?.findings ?? []
            #expect(
                findings.filter { $0.kind == .missing && $0.entity == detail.entity && $0.property == detail.key }.count
                    == 1)
        }
        return error
    }

    @Test func `objects without a required destination are rejected with their number`() throws {
        let error = try refusal(store(), model(authorIsRequired: true))
        #expect(
            error.details.map(\.message) == [
                "'Book.author' is required in the new model, and has no value in 2 objects of 'Book'"
            ])
        #expect(error.details.map(\.errorCode) == [NSValidationMissingMandatoryPropertyError])
        #expect(error.message.contains("leave it optional"))
    }

    @Test func `objects that all have a destination are migrated`() throws {
        let store = try store()
        try store.write { context in
            let author = try context.all("Author").first
            for book in try context.all("Book") { book.setValue(author, forKey: "author") }
        }
        try store.migrate(to: model(authorIsRequired: true))
    }

    @Test func `objects with too few destinations are rejected if the model has a minimum count`() throws {
        for (rule, count) in [((false, 1), 1), ((false, 2), 2), ((true, 3), 2)] {
            let error = try refusal(store(), model(tags: rule))
            #expect(
                error.details.map(\.message) == [
                    "'Book.tags' needs at least \(rule.1) \(rule.1 == 1 ? "object" : "objects") in the new model, and has fewer in \(count == 1 ? "1 object" : "\(count) objects") of 'Book'"
                ])
            #expect(error.details.map(\.errorCode) == [NSValidationRelationshipLacksMinimumCountError])
        }
        for rule in [(true, 1), (false, 0)] { try store().run(to: model(tags: rule)) }
    }

    @Test func `all missing links are reported at once`() throws {
        let error = try refusal(store(), model(authorIsRequired: true, tags: (false, 4)))
        #expect(error.details.map(\.key) == ["author", "tags"])
        #expect(
            error.message.contains("has no value in 2 objects of 'Book'; ") && error.message.contains("4 objects"))
    }

    @Test func `required links that are deleted with their destinations are rejected`() throws {
        let old = model(authorIsRequired: true, authors: ["Author", "Poet"])
        let store = try MigratedStore(old) { context in
            for name in ["Author", "Poet", "Poet"] {
                try context.make("Book", ["author": try context.make(name)])
            }
        }
        let error = try refusal(store, model(authorIsRequired: true))
        #expect(error.details.map(\.message).first?.contains("2 objects of 'Book'") ?? false)
    }

    @Test func `links that the old model required, too, do not prevent the migration`() throws {
        let store = try MigratedStore(model(authorIsRequired: true)) { context in
            try context.make("Book", ["author": try context.make("Author")])
        }
        _ = try store.lines("UPDATE ZBOOK SET ZAUTHOR = NULL")
        let report = try store.run(to: model("name", authorIsRequired: true))
        #expect(report.notes.count == 1)
        #expect(try store.lines("SELECT count(*) FROM ZBOOK WHERE ZAUTHOR IS NULL") == ["1"])
    }
}
