import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Checks the report of a rehearsal, and that a rehearsal changes nothing.
@Suite("The rehearsal of a migration")
struct MigrationRehearsalTests {
    /// Books with tags and an author. The test changes the new model.
    private struct Shop {
        var bookProperties: [NSPropertyDescription] = [
            Build.attribute("title"), Build.attribute("pages", .integer32AttributeType), Build.attribute("isbn"),
        ]
        var unique: [[String]] = []
        var hasTags = true
        /// The name of the to-many relationship of a book to its tags; and whether it leads to one tag only.
        var tagIsOne = false
        var hasAuthor = true

        func model() -> NSManagedObjectModel {
            // A description belongs to one model.
            let book = Build.entity("Book", bookProperties.compactMap { $0.copy() as? NSPropertyDescription })
            var entities = [book]
            if hasTags {
                let tag = Build.entity("Tag", [Build.attribute("name")])
                let (tags, books) = (
                    tagIsOne ? Build.toOne("tags", tag) : Build.toMany("tags", tag), Build.toMany("books", book)
                )
                Build.connect(tags, books)
                book.properties.append(tags)
                tag.properties.append(books)
                entities.append(tag)
            }
            if hasAuthor {
                let author = Build.entity("Author", [Build.attribute("name")])
                let (one, many) = (Build.toOne("author", author), Build.toMany("works", book))
                Build.connect(one, many)
                book.properties.append(one)
                author.properties.append(many)
                entities.append(author)
            }
            book.uniquenessConstraints = unique
            let model = NSManagedObjectModel()
            model.entities = entities
            return model
        }
    }

    /// Ten books: five have pages, four an isbn, of which two are equal; six have an author, three have two tags.
    private func store() throws -> MigratedStore {
        try MigratedStore(Shop().model()) { context in
            let author = try context.make("Author", ["name": "Leo"])
            let tags = try ["old", "long"].map { try context.make("Tag", ["name": $0]) }
            for index in 0..<10 {
                var values: [String: Any] = ["title": "book \(index)"]
                if index < 5 { values["pages"] = 100 + index }
                if index < 4 { values["isbn"] = "isbn \(index / 2 * index)" }
                if index < 6 { values["author"] = author }
                if index < 3 { values["tags"] = Set(tags) }
                try context.make("Book", values)
            }
        }
    }

    /// Rehearses, and checks that no byte of the store's folder has changed.
    private func rehearse(
        _ store: MigratedStore, _ chain: NSManagedObjectModel...,
        progress: ((Int, MigrationProgress) throws -> Void)? = nil
    ) throws -> RehearsalReport {
        let before = try store.folder.contents()
        let versions = chain.enumerated().map { MigrationRehearsal.Version("version \($0 + 2)", model: $1) }
        defer { #expect((try? store.folder.contents()) == before) }
        return try MigrationRehearsal(
            of: store.url, from: .init("version 1", model: store.model), through: versions, progress: progress
        ).run()
    }

    private func lines(_ step: RehearsalReport.Step?) -> [String] {
        (step?.findings ?? []).map { "\($0.kind) \($0.entity).\($0.property ?? "") \($0.count)" }
    }

    @Test func `a dropped column reports the number of lost values`() throws {
        let store = try store()
        var shop = Shop()
        shop.bookProperties.remove(at: 1)
        let report = try rehearse(store, shop.model())
        let step = try #require(report.steps.first)
        #expect(report.steps.count == 1 && report.migrates && !report.keepsEverything)
        #expect(lines(step) == ["lost Book.pages 5"])
        #expect(step.findings.first?.message == "the values of 'Book.pages', which 5 objects have, would be deleted")
        #expect(
            step.entities == [
                .init(source: "Author", destination: "Author", rowsIn: 1, rowsOut: 1),
                .init(source: "Book", destination: "Book", rowsIn: 10, rowsOut: 10),
                .init(source: "Tag", destination: "Tag", rowsIn: 2, rowsOut: 2),
            ])
        #expect(step.seconds > 0 && step.peakSize > 0 && step.sizeBefore > 0 && step.sizeAfter ?? 0 > 0)
        #expect(step.peakSize >= step.sizeAfter ?? 0)
    }

    @Test func `a dropped column without a value is not a loss`() throws {
        let store = try store()
        try Connection(.file(path: store.url.path)).execute("UPDATE ZBOOK SET ZPAGES = NULL")
        var shop = Shop()
        shop.bookProperties.remove(at: 1)
        let report = try rehearse(store, shop.model())
        #expect(lines(report.steps.first) == [])
        #expect(report.keepsEverything)
    }

    @Test func `values that are missing where they are required now are counted, though nothing can be inferred`()
        throws
    {
        let store = try store()
        var shop = Shop()
        shop.bookProperties[2] = Build.attribute("isbn", optional: false)
        shop.bookProperties.append(Build.attribute("language", optional: false))
        shop.bookProperties.remove(at: 1)
        let report = try rehearse(store, shop.model())
        let step = try #require(report.steps.first)
        #expect(!report.migrates)
        #expect(lines(step) == ["lost Book.pages 5", "missing Book.isbn 6", "missing Book.language 10"])
        #expect(step.refusals.count == 2)
        #expect(step.refusals.first?.contains("'Book.isbn' is now required") ?? false)
        #expect(step.entities.map(\.rowsIn) == [1, 10, 2])
        #expect(step.entities.allSatisfy { $0.rowsOut == nil })
    }

    @Test func `values that are not unique but must be are counted, and all reasons are reported`() throws {
        let store = try store()
        var shop = Shop()
        shop.unique = [["isbn"], ["title"]]
        let report = try rehearse(store, shop.model())
        #expect(lines(report.steps.first) == ["clash Book.isbn 1"])
        #expect(
            report.steps.first?.refusals == [
                "'Book' must be unique by isbn in the new model, and 1 value is shared by several objects"
            ])
        #expect(!report.migrates)
        #expect(throws: CoreDataError.self) { try store.run(to: shop.model()) }
    }

    @Test func `defaults are counted, of new attributes and of those that are required now`() throws {
        let store = try store()
        var shop = Shop()
        shop.bookProperties[2] = Build.attribute("isbn", optional: false) { $0.defaultValue = "none" }
        shop.bookProperties.append(Build.attribute("stock", .integer16AttributeType) { $0.defaultValue = 3 })
        let report = try rehearse(store, shop.model())
        #expect(lines(report.steps.first) == ["defaulted Book.isbn 6", "defaulted Book.stock 10"])
        #expect(report.migrates && report.keepsEverything)
    }

    @Test func `deleted objects and links are counted once`() throws {
        let store = try store()
        var shop = Shop()
        shop.hasTags = false
        shop.hasAuthor = false
        let report = try rehearse(store, shop.model())
        let step = try #require(report.steps.first)
        #expect(lines(step) == ["lost Author. 1", "lost Book.author 6", "lost Book.tags 6", "lost Tag. 2"])
        #expect(step.entities.map(\.rowsOut) == [0, 10, 0])
    }

    @Test func `links that one object cannot have any more are counted`() throws {
        let store = try store()
        var shop = Shop()
        shop.tagIsOne = true
        let model = shop.model()
        #expect(try lines(rehearse(store, model).steps.first) == ["truncated Book.tags 3"])
        try store.run(to: model)
        #expect(try store.lines("SELECT count(*) FROM ZBOOK WHERE ZTAGS IS NOT NULL") == ["3"])
    }

    @Test func `links that are lost because their inverse becomes to-one are counted`() throws {
        enum Kind { case one, many, oneWay, pair, owned }
        func model(_ kind: Kind) -> NSManagedObjectModel {
            let (page, file) = (Build.entity("Page"), Build.entity("File"))
            let isToMany = [.many, .oneWay, .owned].contains(kind)
            let files = isToMany ? Build.toMany("files", file) : Build.toOne("files", file)
            page.properties = [Build.attribute("name"), files]
            guard kind != .one, kind != .oneWay else { return Build.model(page, file) }
            let back = kind == .many ? Build.toMany("pages", page) : Build.toOne("page", page)
            Build.connect(files, back)
            file.properties = [back]
            return Build.model(page, file)
        }
        /// Three pages lead to one file, and one to another.
        func store(_ kind: Kind) throws -> MigratedStore {
            try MigratedStore(model(kind)) { context in
                let files = try (0..<2).map { _ in try context.make("File") }
                for index in 0..<4 {
                    let file = files[index / 3]
                    try context.make("Page", ["files": kind == .one ? file : Set([file])])
                }
            }
        }
        for (old, new) in [(Kind.one, Kind.oneWay), (.one, .pair), (.one, .owned), (.many, .oneWay)] {
            let store = try store(old)
            let step = try #require(try rehearse(store, model(new)).steps.first)
            #expect(lines(step) == ["truncated Page.files 2"], "\(old) to \(new)")
            #expect(
                step.findings.first?.message.contains("2 links of 'Page.files' would be deleted: its inverse") ?? false)
            try store.run(to: model(new))
            try store.write { context in
                let links = try context.all("Page").map { page in
                    new == .pair ? (page.object("files") == nil ? 0 : 1) : page.set("files").count
                }
                #expect(links.reduce(0, +) == 2, "\(old) to \(new)")
            }
        }
    }

    /// Books whose author and tag are not there.
    private func dangling() throws -> MigratedStore {
        let store = try store()
        let plain = try Connection(.file(path: store.url.path))
        try plain.execute("UPDATE ZBOOK SET ZAUTHOR = 77 WHERE ZPAGES = 100")
        try plain.execute("DELETE FROM ZTAG WHERE ZNAME = 'old'")
        try plain.setJournalMode(.delete)
        return store
    }

    @Test func `dangling links that stay are not counted`() throws {
        let store = try dangling()
        var shop = Shop()
        shop.bookProperties.append(Build.attribute("more"))
        let joins = try store.lines("SELECT name FROM sqlite_master WHERE name GLOB 'Z_[0-9]*' AND type = 'table'")
        let join = try #require(joins.first)
        let report = try rehearse(store, shop.model())
        #expect(lines(report.steps.first) == [])
        #expect(report.steps.map(\.refusals) == [[]])
        #expect(report.keepsEverything)
        // What cannot be inferred is counted alike.
        var other = shop
        other.bookProperties.append(Build.attribute("language", optional: false))
        let refused = try rehearse(store, other.model())
        #expect(!refused.migrates)
        #expect(lines(refused.steps.first) == ["missing Book.language 10"])
        try store.run(to: shop.model())
        #expect(try store.lines("SELECT count(*) FROM ZBOOK WHERE ZAUTHOR = 77") == ["1"])
        #expect(try store.lines("SELECT count(*) FROM \(join)") == ["6"])
    }

    @Test func `dangling links that are deleted with other links are counted`() throws {
        let store = try dangling()
        var shop = Shop()
        shop.tagIsOne = true
        let step = try #require(try rehearse(store, shop.model()).steps.first)
        #expect(lines(step) == ["truncated Book.tags 3", "orphan Book.tags 3"])
        try store.run(to: shop.model())
        #expect(try store.lines("SELECT count(ZTAGS) FROM ZBOOK") == ["3"])
        // The author's side is as it was.
        #expect(try store.lines("SELECT count(*) FROM ZBOOK WHERE ZAUTHOR = 77") == ["1"])
    }

    @Test func `links to objects of a deleted entity are counted, if other links stay`() throws {
        func model(_ hasPear: Bool) -> NSManagedObjectModel {
            let fruit = Build.entity("Fruit", [Build.attribute("name")])
            let pear = Build.entity("Pear")
            let bowl = Build.entity("Bowl", [Build.toMany("content", fruit)])
            bowl.properties.append(Build.toOne("best", fruit))
            if hasPear { fruit.subentities = [pear] }
            return hasPear ? Build.model(fruit, pear, bowl) : Build.model(fruit, bowl)
        }
        let store = try MigratedStore(model(true)) { context in
            let fruits = try ["Fruit", "Pear", "Pear"].map { try context.make($0, ["name": $0]) }
            try context.make("Bowl", ["content": Set(fruits), "best": fruits[1]])
        }
        let new = model(false)
        let step = try #require(try rehearse(store, new).steps.first)
        #expect(Set(lines(step)) == ["lost Pear. 2", "orphan Bowl.best 1", "orphan Bowl.content 2"])
        try store.run(to: new)
        #expect(try store.lines("SELECT count(*), count(ZBEST) FROM ZBOWL") == ["1|0"])
    }

    @Test func `a chain of models is rehearsed step by step, each on the result of the previous one`() throws {
        let store = try store()
        var second = Shop()
        second.bookProperties[1] = Build.attribute("length", .integer32AttributeType) {
            $0.renamingIdentifier = "pages"
        }
        var third = second
        third.bookProperties[1] = Build.attribute("length", .integer64AttributeType, optional: false) {
            $0.defaultValue = 1
        }
        var fourth = third
        fourth.bookProperties = [third.bookProperties[0]]
        fourth.unique = [["title"]]
        let models = [second, third, fourth].map { $0.model() }
        var steps: [Int] = []
        let report = try rehearse(store, models[0], models[1], models[1], models[2]) { step, _ in
            if steps.last != step { steps.append(step) }
        }
        #expect(steps == [0, 1, 3])
        #expect(report.steps.map(\.from) == ["version 1", "version 2", "version 3"])
        #expect(report.steps.map(\.to) == ["version 2", "version 3", "version 5"])
        #expect(
            report.steps.map(lines) == [[], ["defaulted Book.length 5"], ["lost Book.isbn 4", "lost Book.length 10"]])
        #expect(report.migrates)
    }

    @Test func `no step follows a rejected step`() throws {
        let store = try store()
        var second = Shop()
        second.unique = [["isbn"]]
        let report = try rehearse(store, second.model(), Shop().model())
        #expect(report.steps.count == 1 && !report.migrates)
        #expect(try rehearse(store, Shop().model()).steps == [])
    }

    @Test func `files of external data are read where they are, in every step, and stay`() throws {
        func model(_ change: (NSAttributeDescription) -> Void) -> NSManagedObjectModel {
            Build.model(
                Build.entity(
                    "Photo",
                    [
                        Build.attribute("name"),
                        Build.attribute("data", .binaryDataAttributeType, optional: true, change),
                    ]))
        }
        let store = try MigratedStore(model { $0.allowsExternalBinaryDataStorage = true }) { context in
            for index in 0..<3 {
                try context.make("Photo", ["name": "\(index)", "data": Data(repeating: UInt8(index), count: 300_000)])
            }
        }
        let files = try store.folder.contents().keys.filter { $0.contains("_EXTERNAL_DATA/") }
        #expect(files.count == 3)
        let renamed = Build.entity(
            "Photo",
            [
                Build.attribute("title") { $0.renamingIdentifier = "name" },
                Build.attribute("data", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
            ])
        let inline = Build.entity(
            "Photo", [Build.attribute("title"), Build.attribute("data", .binaryDataAttributeType)])
        let report = try rehearse(store, Build.model(renamed), Build.model(inline))
        #expect(report.steps.map(\.refusals) == [[], []])
        #expect(report.steps.map(\.notes) == [[], []])
        #expect(report.steps.map(\.removedFiles) == [0, 3])
        #expect(report.steps.last?.sizeAfter ?? 0 > 900_000)
    }

    @Test func `a rehearsal can be cancelled, and leaves no files`() throws {
        struct Cancelled: Error {}
        let store = try store()
        var shop = Shop()
        shop.bookProperties.append(Build.attribute("more"))
        #expect(throws: Cancelled.self) {
            try rehearse(store, shop.model()) { _, progress in
                if progress.phase == .verifying { throw Cancelled() }
            }
        }
    }
}
