import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Deletions of chains by statements", .overEachStore) struct ChainDeletionTests {
    /// A store with a chain of people, each the parent of the next.
    private func context(
        _ count: Int, _ counter: StatementCounter, _ folder: StoreFolder, keepingHistory: Bool = false
    ) throws -> NSManagedObjectContext {
        let model = GraphLibrary.model()
        // Only downwards: with the parents each round would find two of them.
        model.entitiesByName["Person"]?.relationshipsByName["parent"]?.deleteRule = .nullifyDeleteRule
        var options = counter.options
        options[NSPersistentHistoryTrackingKey] = keepingHistory
        let context = GraphLibrary.context(
            try GraphLibrary.coordinator(at: folder.url(), model: model, options: options))
        var parent: NSManagedObject?
        for index in 0..<count {
            let person = try context.make("Person", ["name": "\(index)"])
            if let parent { person.setValue(parent, forKey: "parent") }
            parent = person
        }
        try context.save()
        context.reset()
        return context
    }

    @Test(arguments: [false, true]) func `a chain is deleted with work that grows as it does`(keepsHistory: Bool) throws
    {
        func work(_ count: Int) throws -> Int {
            let (counter, folder) = (StatementCounter(), try StoreFolder())
            let context = try context(count, counter, folder, keepingHistory: keepsHistory)
            var found = 0
            let work = try counter.work { found = try context.deleteAll("Person", "name == '0'") }
            #expect(found == 1)
            #expect(try context.all("Person").isEmpty)
            return work
        }
        let (short, long) = (try work(150), try work(1200))
        #expect(long < short * 8 * 3 / 2, "\(short) and \(long)")
    }

    @Test func `a ring and a tree are deleted whole, and nothing besides`() throws {
        let (counter, folder) = (StatementCounter(), try StoreFolder())
        let context = try context(30, counter, folder)
        let people = try context.all("Person").sorted { ($0.text("name") ?? "").count < ($1.text("name") ?? "").count }
        // The first one's parent is the last one; two more branches hang in the middle.
        let first = try #require(try context.all("Person", "name == '0'").first)
        first.setValue(try context.all("Person", "name == '29'").first, forKey: "parent")
        for name in ["a", "b"] { try context.make("Person", ["name": name, "parent": people[12]]) }
        try context.make("Person", ["name": "alone"])
        try context.save()
        #expect(try context.deleteAll("Person", "name == '17'") == 1)
        #expect(try context.all("Person").map { $0.text("name") } == ["alone"])
        #expect(
            try StoreVerification.issues(
                of: folder.url(), model: try #require(context.persistentStoreCoordinator).managedObjectModel.compiled())
                == [])
    }
}
