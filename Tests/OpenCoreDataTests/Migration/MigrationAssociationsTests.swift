import Foundation
import Testing

@testable import OpenCoreData

@Suite("What old objects have become")
struct MigrationAssociationsTests {
    private func row(_ key: Int) -> SaveRequest.Row { SaveRequest.Row(entity: 1, key: Int64(key)) }

    @Test func `every pair is there once, in the order in which they came, few or many`() {
        for count in [1, 2, 15, 16, 17, 18, 40] {
            var associations = MigrationAssociations()
            for _ in 0..<2 {
                for key in (1...count).reversed() { associations.add(row(key), row(100), mapping: "merge") }
                for key in (1...count).reversed() { associations.add(row(200), row(300 + key), mapping: "merge") }
            }
            #expect(associations.sources(of: row(100), mapping: "merge") == (1...count).reversed().map(row))
            #expect(
                associations.destinations(of: row(200), mapping: "merge")
                    == (1...count).reversed().map { row(300 + $0) })
            associations.remove(Set((2...(count + 1)).map { row(300 + $0) }))
            #expect(associations.destinations(of: row(200), mapping: "merge") == [row(301)])
            associations.remove([row(301), row(100)])
            #expect(associations.destinations(of: row(200), mapping: "merge") == [])
            #expect(associations.sources(of: row(100), mapping: "merge") == [])
            #expect(associations.destinations(of: row(1), mapping: "merge") == [])
            #expect(associations.sources(mapping: "merge") == [])
        }
    }

    /// With time that grows with the square of the number this would take a minute.
    @Test func `many objects become one in a moment`() {
        var associations = MigrationAssociations()
        let seconds = ContinuousClock().measure {
            for key in 1...100_000 { associations.add(row(key), row(0), mapping: "merge") }
        }
        #expect(associations.sources(of: row(0), mapping: "merge").count == 100_000)
        #expect(seconds < .seconds(10))
    }

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
