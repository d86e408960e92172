import Foundation
import Sworm
import SwormTools
import Testing

private enum Zoo1 {
    struct Cat: ManagedObjectConvertible {
        var name = ""
        var lives = 9
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name"), .init(\.lives, "lives")]
        struct Relations: Sendable { let cage = ToOneRelation<Cage>("cage", inverse: \.cats) }
        static let relations = Relations()
    }

    struct Dog: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let cage = ToOneRelation<Cage>("cage", inverse: \.dogs) }
        static let relations = Relations()
    }

    struct Cage: ManagedObjectConvertible {
        var number: Int16 = 0
        var photo: Data?
        static let attributes: Set<Attribute<Self>> = [
            .init(\.number, "number"), .init(\.photo, "photo", .external),
        ]
        struct Relations: Sendable {
            let cats = ToManyRelation<Cat>("cats")
            let dogs = ToManyRelation<Dog>("dogs")
        }
        static let relations = Relations()
    }
}

private enum Zoo2 {
    struct Animal: ManagedObjectConvertible {
        var name = ""
        var kind = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name"), .init(\.kind, "kind")]
        struct Relations: Sendable { let cage = ToOneRelation<Cage>("cage", inverse: \.animals) }
        static let relations = Relations()
    }

    struct Cage: ManagedObjectConvertible {
        var number = 0
        var photo: Data?
        static let attributes: Set<Attribute<Self>> = [
            .init(\.number, "number"), .init(\.photo, "photo", .external),
        ]
        struct Relations: Sendable { let animals = ToManyRelation<Animal>("animals") }
        static let relations = Relations()
    }
}

@Suite("Stages of a migration")
struct StageTests {
    private static let merging = MigrationPlan([
        .init("1", Zoo1.Cat.self),
        .init(
            "2", Zoo2.Animal.self,
            stage: .custom(
                .change(Zoo1.Cat.self, to: Zoo2.Animal.self) { old, new in new.kind = "cat with \(old.lives) lives" },
                .change(Zoo1.Dog.self, to: Zoo2.Animal.self) { _, new in new.kind = "dog" })),
    ])

    private func makeZoo(at url: URL, photo: Data?) throws {
        let container = try PersistentContainer(for: Zoo1.Cat.self, at: .file(url))
        try container.perform { context in
            for number in 1...2 {
                let cage = try context.insert(Zoo1.Cage(number: Int16(number), photo: photo))
                try cage.cats.add(context.insert(Zoo1.Cat(name: "Tom\(number)", lives: number)))
                try cage.dogs.add(context.insert(Zoo1.Dog(name: "Rex\(number)")))
            }
        }
    }

    private func files(of folder: StoreFolder) -> Int {
        let path = folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA").path
        return (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
    }

    @Test func `two entities become one, with the objects related to both`() throws {
        let folder = try StoreFolder()
        try makeZoo(at: folder.store, photo: nil)
        let container = try PersistentContainer(migrating: Self.merging, at: .file(folder.store))
        let found = try container.perform { context in
            try context.fetch(Zoo2.Animal.all.sort(\.name)).map { animal in
                let value = try animal.decode()
                return try "\(value.name) \(value.kind) in \(animal.cage?.decode(\.number) ?? 0)"
            }
        }
        #expect(
            found == ["Rex1 dog in 1", "Rex2 dog in 2", "Tom1 cat with 1 lives in 1", "Tom2 cat with 2 lives in 2"])
    }

    @Test func `large values are in files of the store before and after, without other files`() throws {
        let folder = try StoreFolder()
        let photo = Data(repeating: 7, count: 300_000)
        try makeZoo(at: folder.store, photo: photo)
        #expect(files(of: folder) == 2)
        let container = try PersistentContainer(migrating: Self.merging, at: .file(folder.store))
        #expect(try container.perform { try $0.decode(Zoo2.Cage.all).map(\.photo) } == [photo, photo])
        #expect(files(of: folder) == 2)
        #expect(folder.others.isEmpty)
    }

    @Test func `a stage that fails keeps the files of large values`() throws {
        struct Stop: Error {}
        let folder = try StoreFolder()
        let photo = Data(repeating: 7, count: 300_000)
        try makeZoo(at: folder.store, photo: photo)
        let plan = MigrationPlan([
            Self.merging.versions[0],
            .init("2", Zoo2.Animal.self, stage: .custom(finally: { _ in throw Stop() })),
        ])
        #expect(throws: Stop.self) { try plan.migrate(storeAt: folder.store) }
        #expect(folder.others.isEmpty)
        let container = try PersistentContainer(for: Zoo1.Cat.self, at: .file(folder.store))
        #expect(try container.perform { try $0.decode(Zoo1.Cage.all).map(\.photo) } == [photo, photo])
        #expect(files(of: folder) == 2)
    }

    /// A model with so many attributes more than the first.
    private func zoo(with count: Int) throws -> NSManagedObjectModel {
        let model = try NSManagedObjectModel(tables: Zoo1.Cat.self)
        let cage = try #require(model.entitiesByName["Cage"])
        cage.properties += (0..<count).map { number in
            let attribute = NSAttributeDescription()
            attribute.name = "extra\(number)"
            attribute.attributeType = .integer64AttributeType
            attribute.isOptional = true
            return attribute
        }
        return model
    }

    @Test(arguments: [[0, 0], [0, 1], [1, 0], [0, 1, 0], [1, 0, 1]])
    func `large values come through inferred and custom stages in any order`(kinds: [Int]) throws {
        let folder = try StoreFolder()
        let photo = Data(repeating: 9, count: 250_000)
        try makeZoo(at: folder.store, photo: photo)
        let later = try kinds.enumerated().map { index, kind in
            MigrationPlan.Version(
                "\(index + 1)", model: try zoo(with: index + 1), stage: kind == 0 ? .inferred : .custom())
        }
        let plan = MigrationPlan([.init("0", model: try zoo(with: 0))] + later)
        #expect(try plan.migrate(storeAt: folder.store).count == kinds.count + 1)
        let container = try PersistentContainer(model: zoo(with: kinds.count), at: .readOnly(folder.store))
        let cages = try container.perform { context in
            try context.fetch(Zoo1.Cage.all.sort(\.number)).map { cage in
                try (cage.decode(\.photo), cage.cats.count, cage.dogs.count)
            }
        }
        #expect(cages.map(\.0) == [photo, photo])
        #expect(cages.map(\.1) == [1, 1] && cages.map(\.2) == [1, 1])
        #expect(files(of: folder) == 2)
        #expect(folder.others.isEmpty)
    }

    @Test func `objects without a result of a closure are deleted`() throws {
        let folder = try StoreFolder()
        try makeZoo(at: folder.store, photo: nil)
        let plan = MigrationPlan([
            Self.merging.versions[0],
            .init(
                "2", Zoo2.Animal.self,
                stage: .custom(
                    .make(Zoo2.Animal.self, from: Zoo1.Cat.self) { old, stores in
                        guard try old.decode(\.lives) > 1 else { return [] }
                        return try ["twin", "brother"].map {
                            try stores.new.insert(Zoo2.Animal(name: old.decode(\.name), kind: $0))
                        }
                    })),
        ])
        let container = try PersistentContainer(migrating: plan, at: .file(folder.store))
        let found = try container.perform { context in
            try context.fetch(Zoo2.Animal.all.sort(\.kind)).map { animal in
                try "\(animal.decode(\.name)) \(animal.decode(\.kind)) \(animal.cage?.decode(\.number) ?? 0)"
            }
        }
        #expect(found == ["Tom2 brother 2", "Tom2 twin 2"])
    }

    @Test func `a custom mapping model migrates to a version`() throws {
        let folder = try StoreFolder()
        try folder.makeLibrary()
        let plan = MigrationPlan([
            .init("1", LibraryV1.Book.self),
            .init(
                "2", LibraryV2.Book.self,
                stage: .mapping { old, new in
                    let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
                    for entity in mapping.entityMappings where entity.destinationEntityName == "Tag" {
                        entity.mappingType = .removeEntityMappingType
                    }
                    return mapping
                }),
        ])
        let container = try PersistentContainer(migrating: plan, at: .file(folder.store))
        #expect(try container.perform { try $0.count(of: LibraryV2.Book.all) } == 4)
        #expect(try container.perform { try $0.count(of: LibraryV2.Tag.all) } == 0)
    }

    @Test func `of versions that are the same to stores the last is taken`() throws {
        let folder = try StoreFolder()
        try makeZoo(at: folder.store, photo: nil)
        let plan = MigrationPlan([
            Self.merging.versions[0], .init("2", Zoo1.Cage.self), .init("3", Zoo2.Cage.self, stage: .custom()),
        ])
        #expect(try plan.migrate(storeAt: folder.store) == ["2", "3"])
        let container = try PersistentContainer(for: Zoo2.Cage.self, at: .file(folder.store))
        // The numbers have more room now, and are carried over by themselves.
        #expect(try container.perform { try $0.fetch(Zoo2.Cage.all.sort(\.number), \.number) } == [1, 2])
    }

    @Test func `a store that somebody has open is not migrated`() throws {
        let folder = try StoreFolder()
        try makeZoo(at: folder.store, photo: nil)
        let open = try PersistentContainer(for: Zoo1.Cat.self, at: .file(folder.store))
        try open.perform { context in
            let count = try context.count(of: Zoo1.Cat.all)
            #expect(count == 2)
            #expect(throws: StoreError.self) { try Self.merging.migrate(storeAt: folder.store, timeout: 0.1) }
        }
        #expect(try Self.merging.versionName(ofStoreAt: folder.store) == "1")
        #expect(folder.others.isEmpty)
    }
}
