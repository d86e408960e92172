import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("New objects that are deleted while they are made")
struct MigrationDeletionTests {
    /// Makes an object of each, asks for what belongs to it, by which it gets its key, and deletes one again.
    final class ChangingPolicy: NSEntityMigrationPolicy {
        override func createDestinationInstances(
            forSource old: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
        ) throws {
            try super.createDestinationInstances(forSource: old, in: mapping, manager: manager)
            let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [old])
            let sources = manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: made)
            #expect(sources.map(\.objectID) == [old.objectID])
            for tag in made where tag.text("name") == "war" {
                #expect(!tag.objectID.isTemporaryID)
                manager.destinationContext.delete(tag)
            }
        }

        override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
            let all = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: nil)
            manager.userInfo = ["names": all.map { $0.text("name") ?? "gone" }]
        }
    }

    @Test func `a new object that is deleted when it has its key belongs to nothing any more`() throws {
        let library = try MigratedLibrary { context in
            let tags = try ["sea", "war"].map { try context.make("Tag", ["name": $0]) }
            try context.make("Book", ["title": "Nautilus", "tags": Set(tags)])
        }
        let mapping = try library.mapping()
        let tag = try #require(mapping.entityMappings.first { $0.sourceEntityName == "Tag" })
        tag.entityMigrationPolicyType = ChangingPolicy.self
        let manager = NSMigrationManager(sourceModel: library.old, destinationModel: library.new)
        try library.migrate(mapping, with: manager)
        #expect(manager.userInfo?["names"] as? [String] == ["sea"])
        #expect(try library.objects("Tag", "name") == ["sea"])
        #expect(try library.objects("Book", "title", "tags") == ["Nautilus {sea}"])
    }

    /// Deletes new objects that are saved already, and asks for them.
    final class LatePolicy: NSEntityMigrationPolicy {
        override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
            let context = manager.destinationContext
            func names() -> [String] {
                let sources = manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: nil)
                let all = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: nil)
                let each = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: sources)
                #expect(Set(all) == Set(each))
                return all.compactMap { $0.text("name") }.sorted()
            }
            func delete(_ name: String) throws {
                for tag in try context.all("Tag") where tag.text("name") == name { context.delete(tag) }
            }
            #expect(names() == ["air", "sea", "war"])
            try delete("war")
            #expect(names() == ["air", "sea"])
            // A deletion that is taken back was none.
            context.rollback()
            #expect(names() == ["air", "sea", "war"])
            try delete("war")
            try context.save()
            context.reset()
            #expect(names() == ["air", "sea"])
            try delete("air")
        }

        override func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
            let all = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: nil)
            manager.userInfo = ["names": all.map { $0.text("name") ?? "gone" }]
        }
    }

    @Test func `a new object that is deleted after it was saved belongs to nothing any more`() throws {
        let library = try MigratedLibrary { context in
            let tags = try ["sea", "war", "air"].map { try context.make("Tag", ["name": $0]) }
            try context.make("Book", ["title": "Nautilus", "tags": Set(tags)])
        }
        let mapping = try library.mapping()
        let tag = try #require(mapping.entityMappings.first { $0.sourceEntityName == "Tag" })
        tag.entityMigrationPolicyType = LatePolicy.self
        let manager = NSMigrationManager(sourceModel: library.old, destinationModel: library.new)
        try library.migrate(mapping, with: manager)
        #expect(manager.userInfo?["names"] as? [String] == ["sea"])
        #expect(try library.objects("Tag", "name") == ["sea"])
        #expect(try library.objects("Book", "title", "tags") == ["Nautilus {sea}"])
    }

    /// Deletes a new object before it was ever saved, and asks for it at once.
    final class HastyPolicy: NSEntityMigrationPolicy {
        override func createDestinationInstances(
            forSource old: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
        ) throws {
            try super.createDestinationInstances(forSource: old, in: mapping, manager: manager)
            func made() -> [NSManagedObject] {
                manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [old])
            }
            let hasKey = old.text("name") == "war"
            if hasKey { _ = manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: nil) }
            for tag in made() where tag.text("name") != "sea" { manager.destinationContext.delete(tag) }
            #expect(made().count == (old.text("name") == "sea" ? 1 : 0))
        }
    }

    @Test func `a new object that is deleted at once is given no more`() throws {
        let library = try MigratedLibrary { context in
            for name in ["sea", "war", "air"] { try context.make("Tag", ["name": name]) }
        }
        let mapping = try library.mapping()
        let tag = try #require(mapping.entityMappings.first { $0.sourceEntityName == "Tag" })
        tag.entityMigrationPolicyType = HastyPolicy.self
        try library.migrate(mapping)
        #expect(try library.objects("Tag", "name") == ["sea"])
    }
}
