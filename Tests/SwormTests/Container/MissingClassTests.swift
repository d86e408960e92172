// Core Data writes its warnings to the console.
#if !canImport(CoreData)
import Foundation
import Sworm
import SwormTools
import Testing

@Suite("Classes of managed objects that do not exist")
struct MissingClassTests {
    typealias Volume = Shelf.Volume

    @Test func `a class that the model names and the program does not have is one line to logError`() throws {
        let model = try NSManagedObjectModel(tables: Volume.self)
        model.entitiesByName[Volume.entityName]?.managedObjectClassName = "Phone.Volume"
        let errors = Locked<[String]>([])
        let store = try PersistentContainer(
            model: model, checking: Volume.self, at: .memory,
            logError: { error in errors.withLock { $0.append("\(error)") } }, strict: true)
        for id in 1...3 {
            try store.perform { context in
                try context.insert(Volume(id: id))
                _ = try context.fetch(Volume.all).map { try $0.decode() }
            }
        }
        #expect(try store.read { try $0.count(of: Volume.all) } == 3)
        #expect(errors.withLock { $0.count } == 1)
        #expect(errors.withLock { $0.first }?.contains("'Phone.Volume'") ?? false)
    }
}
#endif
