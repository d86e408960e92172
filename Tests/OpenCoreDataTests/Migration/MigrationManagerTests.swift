import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Migrations object by object")
struct MigrationManagerTests {
    /// Two authors, three books with reviews and tags, and people who know each other.
    private static func fill(_ context: NSManagedObjectContext) throws {
        let verne = try context.make("Author", ["name": "Verne", "age": 77])
        let dumas = try context.make("Author", ["name": "Dumas"])
        let sea = try context.make("Tag", ["name": "sea"])
        let war = try context.make("Tag", ["name": "war"])
        let nautilus = try context.make("Novel", ["title": "Nautilus", "genre": "travel", "author": verne])
        let moon = try context.make("Book", ["title": "Moon", "stock": 3, "author": verne])
        let count = try context.make("Book", ["title": "Count", "isbn": "1", "author": dumas])
        nautilus.setValue(Set([sea, war]), forKey: "tags")
        count.setValue(Set([war]), forKey: "tags")
        for (book, marks) in [(nautilus, [3, 1, 2]), (moon, [5, 4])] {
            book.setValue(
                NSOrderedSet(array: try marks.map { try context.make("Review", ["mark": $0]) }), forKey: "reviews")
        }
        let ann = try context.make("Person", ["name": "Ann"])
        let bob = try context.make("Person", ["name": "Bob", "partner": ann, "parent": ann])
        ann.setValue(Set([bob, ann]), forKey: "friends")
        try context.make("Shelf", ["label": "top", "content": Set([moon, count])])
    }

    @Test func `everything is migrated unchanged, including relationships of all kinds`() throws {
        let library = try MigratedLibrary(fill: Self.fill)
        try library.migrate()
        #expect(
            try library.objects("Author", "name", "age", "books") == ["Dumas - {Count}", "Verne 77 {Moon,Nautilus}"])
        #expect(
            try library.objects("Book", "title", "isbn", "stock", "author", "reviews", "tags", "shelf.label") == [
                "Count 1 7 Dumas [] {war} top", "Moon - 3 Verne [5,4] {} top",
                "Nautilus - 7 Verne [3,1,2] {sea,war} -",
            ])
        #expect(try library.objects("Novel", "title", "genre") == ["Nautilus travel"])
        #expect(
            try library.objects("Person", "name", "partner", "friends", "friendOf", "children", "parent") == [
                "Ann Bob {Ann,Bob} {Ann} {Bob} -", "Bob Ann {} {Ann} {} Ann",
            ])
    }

    @Test func `an inferred mapping is carried out: renamed, added, required with a default value, to-many`() throws {
        let library = try MigratedLibrary(
            change: {
                $0["Author"].renamingIdentifier = "Author"
                $0["Author"].name = "Writer"
                $0.attribute("Book.isbn").renamingIdentifier = "isbn"
                $0.attribute("Book.isbn").name = "code"
                $0["Book"].uniquenessConstraints = []
                $0.attribute("Writer.age").isOptional = false
                $0.attribute("Writer.age").defaultValue = 40
                $0.add(
                    Build.attribute("pages", .integer32AttributeType, optional: false) { $0.defaultValue = 9 },
                    to: "Book")
                $0.relationship("Book.author").maxCount = 0
                $0.remove("Book.shelf")
                $0.remove(entity: "Shelf")
            }, fill: Self.fill)
        try library.migrate()
        #expect(
            try library.objects("Writer", "name", "age", "books") == ["Dumas 40 {Count}", "Verne 77 {Moon,Nautilus}"])
        #expect(
            try library.objects("Book", "title", "code", "pages", "author") == [
                "Count 1 9 {Dumas}", "Moon - 9 {Verne}", "Nautilus - 9 {Verne}",
            ])
    }

    @Test func `a mapping in code makes other values`() throws {
        let library = try MigratedLibrary(
            change: { $0.add(Build.attribute("label"), Build.attribute("kind"), to: "Book") }, fill: Self.fill)
        let mapping = try library.mapping()
        for entity in mapping.entityMappings where entity.sourceEntityName == "Book" {
            entity.sourceExpression = NSExpression(
                format:
                    "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', 'Book', %@), $manager.sourceContext, NO)",
                "title != 'Moon'")
            for property in entity.attributeMappings ?? [] {
                switch property.name {
                case "label":
                    property.valueExpression = NSExpression(
                        block: { _, arguments, _ in
                            let old = arguments.first as? NSManagedObject
                            return "\(old?.text("title") ?? "") of \(old?.object("author")?.text("name") ?? "")"
                        }, arguments: [NSExpression(forVariable: "source")])
                case "kind": property.valueExpression = NSExpression(forConstantValue: "paper")
                case "title": property.valueExpression = NSExpression(format: "$source.author.name")
                default: break
                }
            }
        }
        try library.migrate(mapping)
        #expect(
            try library.objects("Book", "title", "label", "kind") == ["Dumas Count of Dumas paper", "Nautilus - -"])
    }

    /// Makes an object of each name, shared by those that have it: an attribute becomes an entity.
    final class GenrePolicy: NSEntityMigrationPolicy {
        private var genres: [String: NSManagedObjectID] = [:]

        override func createRelationships(
            forDestination new: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
        ) throws {
            try super.createRelationships(forDestination: new, in: mapping, manager: manager)
            let old = manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: [new])
            guard let name = old.first?.value(forKey: "genre") as? String else { return }
            let genre = NSEntityDescription.insertNewObject(forEntityName: "Genre", into: manager.destinationContext)
            genre.setValue(name, forKey: "name")
            new.setValue(genre, forKey: "genreObject")
        }
    }

    @Test func `a policy sees old and new objects together`() throws {
        let library = try MigratedLibrary(
            change: {
                let genre = Build.entity("Genre", [Build.attribute("name", optional: false)])
                $0.add(genre)
                let novels = Build.toMany("novels", $0["Novel"])
                let link = Build.toOne("genreObject", genre) { $0.isOptional = false }
                Build.connect(novels, link)
                $0.remove("Novel.genre")
                $0.add(link, to: "Novel")
                $0.add(novels, to: "Genre")
            }, fill: Self.fill)
        // What is required newly cannot be inferred, so the mapping is made from one that can.
        library.new.entitiesByName["Novel"]?.relationshipsByName["genreObject"]?.isOptional = true
        let mapping = try library.mapping()
        library.new.entitiesByName["Novel"]?.relationshipsByName["genreObject"]?.isOptional = false
        let novel = try #require(mapping.entityMappings.first { $0.sourceEntityName == "Novel" })
        novel.destinationEntityVersionHash = nil
        novel.mappingType = .customEntityMappingType
        novel.entityMigrationPolicyType = GenrePolicy.self
        try library.migrate(mapping)
        #expect(try library.objects("Novel", "title", "genreObject", "tags") == ["Nautilus travel {sea,war}"])
        #expect(try library.objects("Genre", "name", "novels") == ["travel {Nautilus}"])
    }

    /// Makes two objects of one and one of two.
    final class SplittingPolicy: NSEntityMigrationPolicy {
        override func createDestinationInstances(
            forSource old: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
        ) throws {
            for part in ["first", "second"] {
                let new = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: manager.destinationContext)
                new.setValue("\(part) \(old.value(forKey: "name") ?? "")", forKey: "name")
                manager.associate(sourceInstance: old, withDestinationInstance: new, for: mapping)
            }
            #expect(manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [old]).count == 2)
        }
    }

    @Test func `a policy makes several objects of one, and links follow to all of them`() throws {
        let library = try MigratedLibrary(fill: Self.fill)
        let mapping = try library.mapping()
        let tag = try #require(mapping.entityMappings.first { $0.sourceEntityName == "Tag" })
        tag.entityMigrationPolicyType = SplittingPolicy.self
        try library.migrate(mapping)
        #expect(
            try library.objects("Book", "title", "tags") == [
                "Count {first war,second war}", "Moon {}", "Nautilus {first sea,first war,second sea,second war}",
            ])
    }

    /// Deletes a book again.
    final class DroppingPolicy: NSEntityMigrationPolicy {
        override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
            let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: nil)
            for book in made where book.text("title") == "Moon" { manager.destinationContext.delete(book) }
        }
    }

    @Test func `an object that a policy deletes again leaves no links`() throws {
        let library = try MigratedLibrary(fill: Self.fill)
        let mapping = try library.mapping()
        let book = try #require(mapping.entityMappings.first { $0.sourceEntityName == "Book" })
        book.entityMigrationPolicyType = DroppingPolicy.self
        try library.migrate(mapping)
        #expect(try library.objects("Author", "name", "books") == ["Dumas {Count}", "Verne {Nautilus}"])
        #expect(try library.objects("Shelf", "label", "content") == ["top {Count}"])
        #expect(
            try library.objects("Review", "mark", "book") == [
                "1 Nautilus", "2 Nautilus", "3 Nautilus", "4 -", "5 -",
            ])
    }

    /// Notes what is called, and that batches leave nothing behind.
    final class LoggingPolicy: NSEntityMigrationPolicy {
        override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
            log("begin", mapping, manager)
        }

        override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
            log("made", mapping, manager)
        }

        override func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
            log("linked", mapping, manager)
        }

        override func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
            log("checked", mapping, manager)
        }

        override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
            log("end", mapping, manager)
        }

        private func log(_ word: String, _ mapping: NSEntityMapping, _ manager: NSMigrationManager) {
            #expect(manager.currentEntityMapping === mapping)
            #expect(manager.sourceContext.registeredObjects.count <= 600)
            #expect(manager.destinationContext.registeredObjects.count <= 600)
            var lines = manager.userInfo?["log"] as? [String] ?? []
            lines.append("\(word) \(mapping.sourceEntityName ?? "") \(Int(manager.migrationProgress * 100))")
            manager.userInfo = ["log": lines]
        }
    }

    @Test func `many objects are migrated in batches, and the calls of a policy come in their order`() throws {
        let library = try MigratedLibrary { context in
            let tags = try (0..<3).map { try context.make("Tag", ["name": "t\($0)"]) }
            for number in 0..<1_201 {
                try context.make("Book", ["title": "b\(number)", "tags": Set([tags[number % 3]])])
            }
        }
        let mapping = try library.mapping()
        for entity in mapping.entityMappings where ["Book", "Tag"].contains(entity.sourceEntityName) {
            entity.entityMigrationPolicyType = LoggingPolicy.self
        }
        let manager = NSMigrationManager(sourceModel: library.old, destinationModel: library.new)
        try library.migrate(mapping, with: manager)
        #expect(
            manager.userInfo?["log"] as? [String] == [
                "begin Book 0", "made Book 49", "begin Tag 49", "made Tag 50", "linked Book 89", "linked Tag 90",
                "checked Book 90", "checked Tag 90", "end Book 90", "end Tag 90",
            ])
        try library.with(library.new, library.destination) { context in
            let counts = try context.all("Tag").map { $0.set("books").count }
            #expect(counts == [401, 400, 400])
        }
    }

    @Test func `large values in files are migrated`() throws {
        let model = Build.model(
            Build.entity(
                "Photo",
                [
                    Build.attribute("name"),
                    Build.attribute("image", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
                ]))
        let library = try MigratedLibrary(from: model, change: { $0.add(Build.attribute("note"), to: "Photo") }) {
            context in
            for number in 0..<5 {
                try context.make(
                    "Photo", ["name": "p\(number)", "image": Data(repeating: UInt8(number), count: 300_000 + number)])
            }
        }
        try library.migrate()
        try library.with(library.new, library.destination) { context in
            let photos = try context.all("Photo")
            #expect(
                photos.map { $0.value(forKey: "image") as? Data }
                    == (0..<5).map { Data(repeating: UInt8($0), count: 300_000 + $0) })
        }
        let files = try library.folder.contents().keys.filter { $0.contains("New_SUPPORT/_EXTERNAL_DATA/") }
        #expect(files.count == 5)
    }

    @Test func `objects that are not valid in the new model end the migration, and nothing is left of it`() throws {
        let library = try MigratedLibrary(
            change: {
                $0.attribute("Author.age").validationRules = [.maximum(.int(50))]
                $0.relationship("Book.shelf").isOptional = false
            }, fill: Self.fill)
        let before = try library.folder.contents()
        let error = try #require(coreDataError { try library.migrate() })
        #expect(error.errorCode == NSMigrationError)
        #expect(error.details.map(\.entity) == ["Author", "Novel"])
        #expect(error.details.map(\.key) == ["age", "shelf"])
        #expect(try library.folder.contents() == before)
    }

    @Test func `several objects for a to-one relationship are rejected rather than lost`() throws {
        let library = try MigratedLibrary(
            change: { $0.relationship("Author.books").maxCount = 1 }, fill: Self.fill)
        let error = try #require(coreDataError { try library.migrate() })
        #expect(error.message.contains("'Author.books' is to-one, but 2 objects were related to"))
        #expect(!FileManager.default.fileExists(atPath: library.destination.path))
    }

    /// Cancels at the second object.
    final class CancellingPolicy: NSEntityMigrationPolicy {
        override func createDestinationInstances(
            forSource old: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
        ) throws {
            try super.createDestinationInstances(forSource: old, in: mapping, manager: manager)
            manager.cancelMigrationWithError(CancellationError())
        }
    }

    @Test func `a cancelled migration throws the given error, and leaves nothing`() throws {
        let library = try MigratedLibrary(fill: Self.fill)
        let before = try library.folder.contents()
        let mapping = try library.mapping()
        for entity in mapping.entityMappings { entity.entityMigrationPolicyType = CancellingPolicy.self }
        let manager = NSMigrationManager(sourceModel: library.old, destinationModel: library.new)
        #expect(throws: CancellationError.self) { try library.migrate(mapping, with: manager) }
        #expect(try library.folder.contents() == before)
        // The same manager can be used again.
        try library.migrate(with: manager)
        #expect(try library.objects("Author", "name") == ["Dumas", "Verne"])
    }

    @Test func `an existing file at the URL of the new store stays`() throws {
        let library = try MigratedLibrary(fill: Self.fill)
        try Data("mine".utf8).write(to: library.destination)
        let error = try #require(coreDataError { try library.migrate() })
        #expect(error.message.contains("the file already exists"))
        #expect(FileManager.default.contents(atPath: library.destination.path) == Data("mine".utf8))
    }

    @Test func `a store of another model is rejected`() throws {
        let library = try MigratedLibrary(fill: Self.fill)
        let manager = NSMigrationManager(sourceModel: OldLibrary.model(), destinationModel: library.new)
        expectError(.persistentStoreIncompatibleVersionHash) {
            try library.migrate(NSMappingModel(), with: manager)
        }
    }

    @Test func `application keys of the metadata are migrated`() throws {
        let library = try MigratedLibrary { context in
            try Self.fill(context)
            let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
            store.metadata["owner"] = "me"
        }
        try library.migrate()
        try library.with(library.new, library.destination) { context in
            #expect(context.persistentStoreCoordinator?.persistentStores.first?.metadata["owner"] as? String == "me")
        }
    }

    @Test func `a mapping that does not fit is rejected with all its issues`() throws {
        let library = try MigratedLibrary(fill: Self.fill)
        let mapping = try library.mapping()
        let book = try #require(mapping.entityMappings.first { $0.sourceEntityName == "Book" })
        book.sourceEntityVersionHash = Data([1])
        book.entityMigrationPolicyClassName = "Nowhere.Policy"
        func map(_ name: String, to format: String) -> NSPropertyMapping {
            let mapping = NSPropertyMapping()
            mapping.name = name
            mapping.valueExpression = NSExpression(format: format)
            return mapping
        }
        book.attributeMappings?.append(map("price", to: "$source.cost"))
        book.relationshipMappings?.append(
            map(
                "tags",
                to:
                    "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'None', $source.tags)"
            ))
        let twin = NSEntityMapping()
        twin.name = book.name
        twin.sourceEntityName = "Lost"
        mapping.entityMappings.append(twin)
        let error = try #require(coreDataError { try library.migrate(mapping) })
        #expect(
            error.details.map(\.message) == [
                "The policy 'Nowhere.Policy' of entity mapping 'IEM_Copy_Book' is not a known class. Qualify it with its "
                    + "module, or set entityMigrationPolicyType.",
                "Entity mapping 'IEM_Copy_Book' is for another version of the entity 'Book' than the version in the old model.",
                "Entity mapping 'IEM_Copy_Book' names the property 'Book.price', which the new model does not have.",
                "Entity mapping 'IEM_Copy_Book' names the property 'Book.cost', which the old model does not have.",
                "Entity mapping 'IEM_Copy_Book' names the entity mapping 'None', which does not exist.",
                "There are two entity mappings named 'IEM_Copy_Book'. Rename one of them.",
                "Entity mapping 'IEM_Copy_Book' names the entity 'Lost', which the old model does not have.",
            ])
        #expect(!FileManager.default.fileExists(atPath: library.destination.path))
    }

    @Test func `a policy is found by the name of its class`() {
        let mapping = NSEntityMapping()
        #expect(mapping.policyType == NSEntityMigrationPolicy.self)
        mapping.entityMigrationPolicyClassName = "OpenCoreDataTests.NamedPolicy"
        #expect(mapping.policyType == NamedPolicy.self)
    }
}

final class NamedPolicy: NSEntityMigrationPolicy {}
