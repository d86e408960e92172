import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// One kind of change after the other, each from a store with objects.
@Suite("Migrations by kind of change")
struct MigrationKindTests {
    /// The library with some objects in it.
    private func library() throws -> MigratedStore {
        try MigratedStore(GraphLibrary.model()) { context in
            let authors = try (0..<4).map { try context.make("Author", ["name": "Author \($0)", "age": 30 + $0]) }
            let shelf = try context.make("Shelf", ["label": "left"])
            let tags = try (0..<3).map { try context.make("Tag", ["name": "tag \($0)"]) }
            for index in 0..<8 {
                let book = try context.make(
                    index % 3 == 0 ? "Novel" : "Book",
                    ["title": "Book \(index)", "isbn": "isbn \(index)", "year": 1990 + index])
                if index % 3 == 0 { book.setValue("genre \(index)", forKey: "genre") }
                if index != 5 { book.setValue(authors[index % 4], forKey: "author") }
                if index % 2 == 0 { book.setValue(shelf, forKey: "shelf") }
                book.setValue(Set(tags.prefix(index % 4)), forKey: "tags")
                let reviews = try (0..<(index % 3)).map { try context.make("Review", ["mark": $0]) }
                book.setValue(NSOrderedSet(array: Array(reviews.reversed())), forKey: "reviews")
            }
            let people = try (0..<5).map { try context.make("Person", ["name": "Person \($0)"]) }
            people[0].setValue(people[1], forKey: "partner")
            people[2].setValue(Set([people[3], people[4]]), forKey: "friends")
            people[3].setValue(Set([people[2]]), forKey: "friends")
            people[0].setValue(Set([people[2], people[3]]), forKey: "children")
        }
    }

    private func changed(_ change: (_ entity: (String) -> NSEntityDescription, NSManagedObjectModel) throws -> Void)
        throws -> NSManagedObjectModel
    {
        let model = GraphLibrary.model()
        let entities = model.entitiesByName
        try change({ entities[$0] ?? NSEntityDescription() }, model)
        return model
    }

    private func relationship(_ entity: NSEntityDescription, _ name: String) throws -> NSRelationshipDescription {
        try #require(entity.relationshipsByName[name])
    }

    private func attribute(_ entity: NSEntityDescription, _ name: String) throws -> NSAttributeDescription {
        try #require(entity.attributesByName[name])
    }

    @Test func `attributes are added, deleted and renamed`() throws {
        let store = try library()
        try store.migrate(
            to: changed { entity, _ in
                let title = try attribute(entity("Book"), "title")
                title.name = "heading"
                title.renamingIdentifier = "title"
                entity("Book").properties.append(Build.attribute("subtitle"))
                entity("Novel").properties.append(
                    Build.attribute("pages", .integer32AttributeType, optional: false) { $0.defaultValue = 100 })
                entity("Tag").properties.removeAll { $0.name == "name" }
                entity("Shelf").properties.append(
                    Build.attribute("weight", .doubleAttributeType) { $0.defaultValue = 0.1 })
            })
        #expect(try store.lines("SELECT ZHEADING, ZPAGES FROM ZBOOK WHERE Z_PK < 3 ORDER BY Z_PK").count == 2)
    }

    @Test func `an attribute becomes required, and NULL becomes its default`() throws {
        let store = try library()
        try store.migrate(
            to: changed { entity, _ in
                let code = try attribute(entity("Author"), "code")
                code.isOptional = false
                code.validationRules = []
                code.defaultValue = "AAA"
            })
        #expect(try store.lines("SELECT DISTINCT ZCODE FROM ZAUTHOR") == ["AAA"])
    }

    @Test func `entities are added, deleted and renamed`() throws {
        let store = try library()
        try store.migrate(
            to: changed { entity, model in
                entity("Author").name = "Writer"
                entity("Author").renamingIdentifier = "Author"
                model.entities.first { $0.name == "Writer" }?.renamingIdentifier = "Author"
                entity("Tag").name = "Zebra"
                model.entities.first { $0.name == "Zebra" }?.renamingIdentifier = "Tag"
                entity("Book").properties.removeAll { $0.name == "shelf" }
                model.entities = model.entities.filter { $0.name != "Shelf" }
                model.entities.append(Build.entity("Aardvark", [Build.attribute("name")]))
            })
        #expect(try store.lines("SELECT count(*) FROM ZWRITER") == ["4"])
    }

    @Test func `numbers that shift take tables and columns with them`() throws {
        let store = try library()
        let model = try changed { _, model in model.entities.append(Build.entity("Aardvark", [Build.attribute("name")]))
        }
        try store.migrate(to: model)
        let again = GraphLibrary.model()
        try store.migrate(to: again)
        #expect(try store.lines("SELECT count(*) FROM Z_2TAGS") != ["0"])
    }

    @Test func `entities swap their names`() throws {
        let store = try library()
        try store.migrate(
            to: changed { entity, model in
                let (tag, shelf) = (entity("Tag"), entity("Shelf"))
                tag.name = "Shelf"
                shelf.name = "Tag"
                tag.renamingIdentifier = "Tag"
                shelf.renamingIdentifier = "Shelf"
            })
    }

    @Test func `attributes swap their names`() throws {
        let store = try MigratedStore(
            Build.model(Build.entity("Thing", [Build.attribute("one"), Build.attribute("two")]))
        ) { try $0.make("Thing", ["one": "1", "two": "2"]) }
        try store.migrate(
            to: Build.model(
                Build.entity(
                    "Thing",
                    [
                        Build.attribute("one") { $0.renamingIdentifier = "two" },
                        Build.attribute("two") { $0.renamingIdentifier = "one" }, Build.attribute("three"),
                    ])))
        #expect(try store.lines("SELECT ZONE, ZTWO FROM ZTHING") == ["2|1"])
    }

    @Test func `a to-one relationship becomes to-many, and a to-many one to-one`() throws {
        let store = try library()
        let wide = try changed { entity, _ in
            try relationship(entity("Book"), "author").maxCount = 0
            try relationship(entity("Book"), "shelf").maxCount = 0
            try relationship(entity("Person"), "parent").maxCount = 0
        }
        try store.migrate(to: wide)
        #expect(try store.lines("SELECT count(*) FROM Z_2AUTHOR") == ["7"])
        try store.migrate(to: GraphLibrary.model())
        try store.migrate(
            to: changed { entity, _ in
                try relationship(entity("Book"), "tags").maxCount = 1
                try relationship(entity("Author"), "books").maxCount = 1
                let reviews = try relationship(entity("Book"), "reviews")
                reviews.isOrdered = false
                reviews.maxCount = 1
            })
    }

    @Test func `relationships become ordered, and lose their order`() throws {
        let store = try library()
        let ordered = try changed { entity, _ in
            try relationship(entity("Author"), "books").isOrdered = true
            try relationship(entity("Book"), "tags").isOrdered = true
            try relationship(entity("Person"), "children").isOrdered = true
            try relationship(entity("Book"), "reviews").isOrdered = false
        }
        try store.migrate(to: ordered)
        #expect(
            try store.lines("SELECT DISTINCT min(Z_FOK_AUTHOR) FROM ZBOOK WHERE ZAUTHOR NOT NULL GROUP BY ZAUTHOR") == [
                "2048"
            ])
        try store.migrate(to: GraphLibrary.model())
    }

    @Test func `relationships are added, deleted and renamed`() throws {
        let store = try library()
        try store.migrate(
            to: changed { entity, _ in
                for (name, owner, new) in [
                    ("books", "Author", "works"), ("author", "Book", "writer"), ("tags", "Book", "labels"),
                ] {
                    let renamed = try relationship(entity(owner), name)
                    renamed.name = new
                    renamed.renamingIdentifier = name
                }
                entity("Person").properties.removeAll { $0.name == "friends" || $0.name == "friendOf" }
                let owner = Build.toOne("owner", entity("Person"))
                let owned = Build.toMany("owned", entity("Shelf"))
                Build.connect(owner, owned)
                entity("Shelf").properties.append(owner)
                entity("Person").properties.append(owned)
                entity("Shelf").properties.append(Build.toMany("guests", entity("Person")))
            })
    }

    @Test func `a hierarchy is flattened, and made again`() throws {
        let store = try library()
        let flat = try changed { entity, model in
            let (book, novel) = (entity("Book"), entity("Novel"))
            book.subentities = []
            model.entities = model.entities.filter { $0 !== novel }
            book.properties.append(Build.attribute("genre"))
        }
        let mapping = try ModelMapping.inferred(from: store.model, to: flat)
        try store.migrate(to: flat, mapping: mapping)
        #expect(try store.lines("SELECT count(*) FROM ZBOOK") == ["5"])
        try store.migrate(to: GraphLibrary.model())
    }

    @Test func `a parent comes between, and properties move up and down`() throws {
        let store = try library()
        let above = try changed { entity, model in
            let (book, novel) = (entity("Book"), entity("Novel"))
            let work = Build.entity("Work")
            let (isbn, year) = (try attribute(book, "isbn"), try attribute(book, "year"))
            book.uniquenessConstraints = []
            book.properties = book.properties.filter { $0 !== isbn && $0 !== year }
            work.properties = [isbn, year]
            work.uniquenessConstraints = [["isbn"]]
            work.isAbstract = true
            book.subentities = [novel]
            work.subentities = [book]
            model.entities.append(work)
        }
        try store.migrate(to: above)
        #expect(try store.lines("SELECT count(*) FROM ZWORK") == ["8"])
        try store.migrate(to: GraphLibrary.model())
    }

    @Test func `a child leaves its hierarchy`() throws {
        let store = try library()
        let apart = try changed { entity, _ in
            let (book, novel) = (entity("Book"), entity("Novel"))
            book.subentities = []
            novel.properties = [Build.attribute("genre"), Build.attribute("title"), Build.attribute("isbn")]
            for (name, owner) in [("content", "Shelf"), ("books", "Author")] {
                let other = try relationship(entity(owner), name)
                other.inverseRelationship?.declaringEntity?.properties.removeAll { $0 === other.inverseRelationship }
                entity(owner).properties.removeAll { $0 === other }
            }
            for (name, owner) in [("books", "Tag"), ("book", "Review")] {
                let other = try relationship(entity(owner), name)
                other.inverseRelationship?.declaringEntity?.properties.removeAll { $0 === other.inverseRelationship }
                entity(owner).properties.removeAll { $0 === other }
            }
        }
        try store.migrate(to: apart)
        #expect(try store.lines("SELECT (SELECT count(*) FROM ZNOVEL), (SELECT count(*) FROM ZBOOK)") == ["3|5"])
    }

    @Test func `a change without a change of columns updates the description of the model`() throws {
        let store = try library()
        try store.migrate(
            to: changed { entity, _ in
                try relationship(entity("Author"), "books").deleteRule = .cascadeDeleteRule
                entity("Tag").uniquenessConstraints = [["name"]]
                entity("Book").uniquenessConstraints = []
                entity("Tag").versionHashModifier = "2"
                let index = NSFetchIndexDescription(
                    name: "byYear",
                    elements: [
                        NSFetchIndexElementDescription(
                            property: try attribute(entity("Book"), "year"), collationType: .binary)
                    ])
                entity("Book").indexes = [index]
            })
        #expect(try store.lines("SELECT name FROM sqlite_master WHERE name = 'Z_Book_byYear'").count == 1)
        #expect(try store.lines("SELECT name FROM sqlite_master WHERE name = 'Z_Book_UNIQUE_isbn'").isEmpty)
    }

    @Test func `derived values are computed, and have their triggers`() throws {
        let store = try library()
        let derived = try changed { entity, _ in
            entity("Author").properties.append(Build.derived("count", .integer64AttributeType, "books.@count"))
            entity("Book").properties.append(Build.derived("writer", .stringAttributeType, "author.name"))
            entity("Tag").properties.append(Build.derived("folded", .stringAttributeType, "canonical:(name)"))
        }
        try store.migrate(to: derived)
        #expect(try store.lines("SELECT ZCOUNT FROM ZAUTHOR ORDER BY Z_PK") == ["2", "1", "2", "2"])
        #expect(
            try store.lines(
                "SELECT DISTINCT ZWRITER IS (SELECT ZNAME FROM ZAUTHOR a WHERE a.Z_PK = ZAUTHOR) FROM ZBOOK") == ["1"])
        try store.migrate(to: GraphLibrary.model())
        #expect(try store.lines("SELECT name FROM sqlite_master WHERE type = 'trigger'").isEmpty)
    }

    @Test func `the application's own metadata stay`() throws {
        let store = try library()
        let coordinator = try GraphLibrary.coordinator(at: store.url)
        let open = try #require(coordinator.persistentStores.first)
        open.metadata = ["colour": "green", "number": 7]
        let context = GraphLibrary.context(coordinator)
        try context.performAndWait {
            try context.make("Tag", ["name": "one more"])
            try context.save()
        }
        try coordinator.remove(open)
        try store.migrate(to: changed { entity, _ in entity("Tag").properties.append(Build.attribute("more")) })
        let metadata = try PlainStore(copyOf: store.url).metadata
        #expect(metadata["colour"] as? String == "green")
        #expect(metadata["number"] as? Int == 7)
    }
}
