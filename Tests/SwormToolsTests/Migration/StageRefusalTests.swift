import Foundation
import Sworm
import SwormLegacy
import SwormTools
import Testing

private enum Note1 {
    struct Note: ManagedObjectConvertible {
        var text = ""
        var place = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.text, "text"), .init(\.place, "place")]
    }
}

/// The place is an object of its own.
private enum Note2 {
    struct Note: ManagedObjectConvertible {
        var text = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.text, "text")]
        struct Relations: Sendable { let place = ToOneRelation<Place>("place", inverse: \.notes) }
        static let relations = Relations()
    }

    struct Place: ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let notes = ToManyRelation<Note>("notes") }
        static let relations = Relations()
    }
}

/// The first version to programs, and another one to stores.
private enum Note3 {
    struct Note: ManagedObjectConvertible {
        var text = ""
        var place = ""
        static let attributes: Set<Attribute<Self>> = [
            .init(\.text, "text", .hashModifier("3")), .init(\.place, "place"),
        ]
    }
}

@Suite("Rejected stages")
struct StageRefusalTests {
    private func makeNotes(at url: URL) throws {
        let container = try PersistentContainer(for: Note1.Note.self, at: .file(url))
        try container.perform { try $0.insert(Note1.Note(text: "hello", place: "Rome")) }
    }

    private static let shout = EntityChange.change(Note1.Note.self, to: Note1.Note.self) { old, new in
        new.text = old.text.uppercased()
    }

    // MARK: Properties of another kind

    @Test func `an attribute that became a relation is reported, and a closure converts it to objects`() throws {
        let folder = try StoreFolder()
        try makeNotes(at: folder.store)
        let before = try Data(contentsOf: folder.store)
        let silent = MigrationPlan([.init("1", Note1.Note.self), .init("2", Note2.Note.self, stage: .custom())])
        let error = #expect(throws: StoreError.self) { try silent.migrate(storeAt: folder.store) }
        #expect(error?.code == .migrationFailed)
        #expect(error?.message.contains("Relationship 'Note.place' was an attribute before") == true)
        #expect(error?.message.contains("Add a change from 'Note' to 'Note'") == true)
        #expect(try Data(contentsOf: folder.store) == before)

        let plan = MigrationPlan([
            .init("1", Note1.Note.self),
            .init(
                "2", Note2.Note.self,
                stage: .custom(
                    .changeObjects(of: Note1.Note.self, to: Note2.Note.self) { old, new, stores in
                        new.place = try stores.new.insert(Note2.Place(name: old.decode(\.place)))
                    })),
        ])
        let container = try PersistentContainer(migrating: plan, at: .file(folder.store))
        let found = try container.perform { context in
            try context.fetch(Note2.Note.all).map { try "\($0.decode(\.text)) \($0.place?.decode(\.name) ?? "-")" }
        }
        #expect(found == ["hello Rome"])
    }

    @Test func `a relation that became an attribute is reported`() throws {
        let folder = try StoreFolder()
        do {
            let container = try PersistentContainer(for: Note2.Note.self, at: .file(folder.store))
            try container.perform { try $0.insert(Note2.Note(text: "hello")) }
        }
        let plan = MigrationPlan([.init("1", Note2.Note.self), .init("2", Note1.Note.self, stage: .custom())])
        let error = #expect(throws: StoreError.self) { try plan.migrate(storeAt: folder.store) }
        #expect(error?.message.contains("Attribute 'Note.place' was a relationship before") == true)
    }

    // MARK: Abstract entities

    private func animals(isAbstract: Bool) -> NSManagedObjectModel {
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        name.isOptional = true
        let animal = NSEntityDescription()
        animal.name = "Animal"
        animal.properties = [name]
        animal.isAbstract = isAbstract
        let dog = NSEntityDescription()
        dog.name = "Dog"
        animal.subentities = [dog]
        let model = NSManagedObjectModel()
        model.entities = [animal, dog]
        return model
    }

    @Test func `an entity that is abstract now does not lose its objects silently`() throws {
        let folder = try StoreFolder()
        do {
            let container = try PersistentContainer(model: animals(isAbstract: false), at: .file(folder.store))
            try container.perform { context in
                let object = NSEntityDescription.insertNewObject(forEntityName: "Animal", into: context.instance)
                object.setValue("Rex", forKey: "name")
            }
        }
        func plan(_ stage: MigrationStage) -> MigrationPlan {
            MigrationPlan([
                .init("1", model: animals(isAbstract: false)),
                .init("2", model: animals(isAbstract: true), stage: stage),
            ])
        }
        let error = #expect(throws: StoreError.self) { try plan(.custom()).migrate(storeAt: folder.store) }
        #expect(error?.message.contains("'Animal' is now abstract") == true)
        #expect(error?.message.contains("Add a change from 'Animal' to 'Dog'") == true)
        let changes = ["Animal", "Dog"].map { EntityChange.changeManagedObjects(of: $0, to: "Dog") { _, _, _ in } }
        try plan(.custom(changes[0], changes[1])).migrate(storeAt: folder.store)
        let container = try PersistentContainer(model: animals(isAbstract: true), at: .file(folder.store))
        let names = try container.perform { context in
            try context.instance.fetch(NSFetchRequest<NSManagedObject>(entityName: "Dog")).map {
                $0.value(forKey: "name") as? String
            }
        }
        #expect(names == ["Rex"])
    }

    // MARK: Versions that are the same to stores

    @Test func `a stage between versions with the same version hashes is rejected`() throws {
        let folder = try StoreFolder()
        try makeNotes(at: folder.store)
        let before = try Data(contentsOf: folder.store)
        for plan in [
            MigrationPlan([.init("1", Note1.Note.self), .init("2", Note1.Note.self, stage: .custom(Self.shout))]),
            // There and back again.
            MigrationPlan([
                .init("1", Note1.Note.self), .init("x", Note3.Note.self, stage: .custom()), .init("2", Note1.Note.self),
            ]),
        ] {
            for url in [folder.store, folder.url.appendingPathComponent("None.sqlite")] {
                let error = #expect(throws: StoreError.self) { try plan.migrate(storeAt: url) }
                #expect(error?.code == .migrationFailed)
                #expect(error?.message.contains("'1' and '2' have the same version hashes") == true)
                #expect(error?.message.contains("Give the version a hash modifier") == true)
            }
        }
        #expect(try Data(contentsOf: folder.store) == before)
        #expect(folder.others.isEmpty)
    }

    @Test func `with a hash modifier the stage runs`() throws {
        let folder = try StoreFolder()
        try makeNotes(at: folder.store)
        let plan = MigrationPlan([
            .init("1", Note1.Note.self),
            .init(
                "3", Note3.Note.self,
                stage: .custom(
                    .change(Note1.Note.self, to: Note3.Note.self) { old, new in new.text = old.text.uppercased() })),
        ])
        let container = try PersistentContainer(migrating: plan, at: .file(folder.store))
        #expect(try container.perform { try $0.decode(Note3.Note.all).map(\.text) } == ["HELLO"])
    }

    @Test func `versions in files are rejected likewise, but not for a policy that is for all of them`() throws {
        try MigratableModel.with { store, bundle in
            let container = try NSPersistentContainer(store: store.with(maxVersion: 0), bundle: bundle)
            try container.loadPersistentStore()
            try container.removePersistentStores()
            func versions(_ second: SQLiteStoreDescription.ModelVersion) -> SQLiteStoreDescription {
                SQLiteStoreDescription(
                    name: store.name, url: store.url, modelName: store.modelName, modelVersions: ["V0", second])
            }
            let error = #expect(throws: StoreError.self) {
                _ = try SQLiteProgressiveMigration(
                    store: versions(.init(name: "V0", stage: .custom())), bundle: bundle)
            }
            #expect(error?.message.contains("would never run") == true)
            let none = try SQLiteProgressiveMigration(
                store: versions("V0"), bundle: bundle,
                defaultEntityMigrationPolicyClassName: "ExternalBinaryDataEntityMigrationPolicy")
            #expect(none == nil)
        }
    }
}
