// Core Data writes its warnings to the console.
#if !canImport(CoreData)
import Foundation
import Sworm
import SwormTools
import Testing

@Suite("Warnings of snapshots")
struct SnapshotWarningTests {
    typealias Volume = Shelf.Volume

    @Test func `contexts that pin more than eight snapshots are named once`() throws {
        let test = try TestStore(for: Volume.self, in: .file) { try $0.insert(Volume(id: 1)) }
        let url = try #require(test.url)
        let warnings = Locked<[String]>([])
        let model = try NSManagedObjectModel(tables: Volume.self)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let store = PersistentContainer(
            managedObjectContext: {
                let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                context.persistentStoreCoordinator = coordinator
                return context
            }, logError: { error in warnings.withLock { $0.append("\(error)") } })
        #expect(try store.read { try $0.count(of: Volume.all) } == 1)
        var contexts: [NSManagedObjectContext] = []
        func pin() throws {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                try context.setQueryGenerationFrom(.current)
                _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: Volume.entityName))
            }
            contexts.append(context)
        }
        for _ in 0..<8 { try pin() }
        #expect(warnings.withLock { $0 } == [])
        // Calls have a bound of their own.
        #expect(try store.read { try $0.count(of: Volume.all) } == 1)
        #expect(warnings.withLock { $0 } == [])
        for _ in 0..<3 { try pin() }
        #expect(warnings.withLock { $0.count } == 1)
        #expect(warnings.withLock { $0.first }?.contains("More than 8 contexts") ?? false)
        for context in contexts { context.performAndWait { context.reset() } }
    }
}
#endif
