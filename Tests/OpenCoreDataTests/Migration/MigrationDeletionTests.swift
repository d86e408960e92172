import Foundation
import Testing

@testable import OpenCoreData

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
}
