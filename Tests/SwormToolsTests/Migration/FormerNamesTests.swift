import Foundation
import Sworm
import SwormTools
import Testing

private enum Shop1 {
    struct Book: ManagedObjectConvertible {
        var title = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.title, "title")]
        struct Relations: Sendable { let author = ToOneRelation<Author>("author", inverse: \.books) }
        static let relations = Relations()
    }

    struct Author: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let books = ToManyOrderedRelation<Book>("books") }
        static let relations = Relations()
    }
}

/// Everything has another name.
private enum Shop2 {
    struct Work: ManagedObjectConvertible {
        static let formerEntityName: String? = "Book"
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name", .renamed(from: "title"))]
        struct Relations: Sendable {
            let writer = ToOneRelation<Writer>("writer", inverse: \.works, .renamed(from: "author"))
        }
        static let relations = Relations()
    }

    struct Writer: ManagedObjectConvertible {
        static let formerEntityName: String? = "Author"
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let works = ToManyOrderedRelation<Work>("works", .renamed(from: "books")) }
        static let relations = Relations()
    }
}

/// Everything has an identifier that is no name.
private enum Common1 {
    struct Box: ManagedObjectConvertible {
        static let formerEntityName: String? = "box-id"
        var label = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.label, "label", .renamed(from: "label-id"))]
        struct Relations: Sendable {
            let shelf = ToOneRelation<Shelf>("shelf", inverse: \.boxes, .renamed(from: "shelf-link"))
        }
        static let relations = Relations()
    }

    struct Shelf: ManagedObjectConvertible {
        static let formerEntityName: String? = "shelf-id"
        var number = 0
        static let attributes: Set<Attribute<Self>> = [.init(\.number, "number", .renamed(from: "number-id"))]
        struct Relations: Sendable { let boxes = ToManyRelation<Box>("boxes", .renamed(from: "boxes-link")) }
        static let relations = Relations()
    }
}

/// The same with other names.
private enum Common2 {
    struct Crate: ManagedObjectConvertible {
        static let formerEntityName: String? = "box-id"
        var text = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.text, "text", .renamed(from: "label-id"))]
        struct Relations: Sendable {
            let rack = ToOneRelation<Rack>("rack", inverse: \.crates, .renamed(from: "shelf-link"))
        }
        static let relations = Relations()
    }

    struct Rack: ManagedObjectConvertible {
        static let formerEntityName: String? = "shelf-id"
        var place = 0
        static let attributes: Set<Attribute<Self>> = [.init(\.place, "place", .renamed(from: "number-id"))]
        struct Relations: Sendable { let crates = ToManyRelation<Crate>("crates", .renamed(from: "boxes-link")) }
        static let relations = Relations()
    }
}

/// Two attributes claim to be one of the first version.
private enum Split2 {
    struct Author: ManagedObjectConvertible {
        var first = ""
        var last = ""
        static let attributes: Set<Attribute<Self>> = [
            .init(\.first, "first", .renamed(from: "name")), .init(\.last, "last", .renamed(from: "name")),
        ]
        struct Relations: Sendable { let books = ToManyOrderedRelation<Book>("books", inverse: \.author) }
        static let relations = Relations()
    }

    struct Book: ManagedObjectConvertible {
        var title = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.title, "title")]
        struct Relations: Sendable { let author = ToOneRelation<Author>("author") }
        static let relations = Relations()
    }
}

@Suite("Former names in stages")
struct FormerNamesTests {
    private func makeShop(at url: URL) throws {
        let container = try PersistentContainer(for: Shop1.Book.self, at: .file(url))
        try container.perform { context in
            let author = try context.insert(Shop1.Author(name: "Jane Austen"))
            for title in ["Persuasion", "Emma"] { try author.books.add(context.insert(Shop1.Book(title: title))) }
        }
    }

    /// The second version with more attributes of works.
    private func later(_ names: [String]) throws -> NSManagedObjectModel {
        let model = try NSManagedObjectModel(tables: Shop2.Work.self)
        let work = try #require(model.entitiesByName["Work"])
        work.properties += names.map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            attribute.isOptional = true
            return attribute
        }
        return model
    }

    @Test func `identifiers that are left standing keep values, links and objects through custom stages`() throws {
        let folder = try StoreFolder()
        try makeShop(at: folder.store)
        let plan = MigrationPlan([
            .init("1", Shop1.Book.self), .init("2", Shop2.Work.self),
            .init("3", model: try later(["note"]), stage: .custom()),
            // What has the old name now is something else.
            .init("4", model: try later(["note", "title"]), stage: .custom()),
        ])
        #expect(try plan.migrate(storeAt: folder.store) == ["1", "2", "3", "4"])
        let container = try PersistentContainer(model: try later(["note", "title"]), at: .readOnly(folder.store))
        let found = try container.perform { context in
            try context.fetch(Shop2.Writer.all).map { writer in
                try writer.decode(\.name) + ": "
                    + writer.works.map { try "\($0.decode(\.name)) by \($0.writer?.decode(\.name) ?? "nobody")" }
                    .joined(separator: ", ")
            }
        }
        #expect(found == ["Jane Austen: Persuasion by Jane Austen, Emma by Jane Austen"])
        let titled = try container.perform { context in
            try context.instance.fetch(NSFetchRequest<NSManagedObject>(entityName: "Work")).filter {
                $0.value(forKey: "title") != nil
            }
            .count
        }
        #expect(titled == 0)
    }

    @Test func `a common identifier joins properties with other names`() throws {
        let folder = try StoreFolder()
        do {
            let container = try PersistentContainer(for: Common1.Box.self, at: .file(folder.store))
            try container.perform { context in
                let shelf = try context.insert(Common1.Shelf(number: 7))
                for label in ["a", "b"] { try shelf.boxes.add(context.insert(Common1.Box(label: label))) }
            }
        }
        let plan = MigrationPlan([
            .init("1", Common1.Box.self), .init("2", Common2.Crate.self, stage: .custom()),
        ])
        let container = try PersistentContainer(migrating: plan, at: .file(folder.store))
        let found = try container.perform { context in
            try context.fetch(Common2.Crate.all.sort(\.text)).map {
                try "\($0.decode(\.text)) \($0.rack?.decode(\.place) ?? -1)"
            }
        }
        #expect(found == ["a 7", "b 7"])
    }

    @Test func `two properties that claim to be one are rejected where no closure can decide`() throws {
        let folder = try StoreFolder()
        try makeShop(at: folder.store)
        let before = try Data(contentsOf: folder.store)
        let silent = MigrationPlan([
            .init("1", Shop1.Book.self), .init("2", Split2.Author.self, stage: .custom()),
        ])
        let error = #expect(throws: StoreError.self) { try silent.migrate(storeAt: folder.store) }
        #expect(error?.message.contains("'Author.first' and 'Author.last' is ambiguous") == true)
        #expect(try Data(contentsOf: folder.store) == before)

        let plan = MigrationPlan([
            .init("1", Shop1.Book.self),
            .init(
                "2", Split2.Author.self,
                stage: .custom(
                    .change(Shop1.Author.self, to: Split2.Author.self) { old, new in
                        let parts = old.name.split(separator: " ").map(String.init)
                        (new.first, new.last) = (parts.first ?? "", parts.last ?? "")
                    })),
        ])
        let container = try PersistentContainer(migrating: plan, at: .file(folder.store))
        let found = try container.perform { context in
            try context.fetch(Split2.Author.all).map {
                try "\($0.decode(\.first))/\($0.decode(\.last)) \($0.books.count)"
            }
        }
        #expect(found == ["Jane/Austen 2"])
    }
}
