import Foundation
import Sworm
import SwormTools
import Testing

@Suite("Objects that a context keeps from call to call")
struct KeptObjectTests {
    typealias Volume = Shelf.Volume

    private let folder: StoreFolder
    private let context: NSManagedObjectContext
    private let store: PersistentContainer
    private let other: PersistentContainer
    private let id: ManagedObjectID<Volume>

    /// The object was read, and changed by somebody else after that.
    init() throws {
        folder = try StoreFolder()
        let context = try sharedContext(of: Volume.self, at: folder.file())
        context.retainsRegisteredObjects = true
        self.context = context
        store = PersistentContainer(managedObjectContext: { context }, cleanUpAfterExecution: false)
        other = try PersistentContainer(for: Volume.self, at: .file(folder.file()))
        let id = try store.perform { try $0.insert(Volume(id: 1, pages: 1)) }
        self.id = id
        _ = try store.read { try $0.object(with: id).decode(\.pages) }
        try setByOther(10)
    }

    private func setByOther(_ pages: Int) throws {
        try other.write { try $0.fetchOne(Volume.all)?.encode(\.pages, pages) }
    }

    private var pages: Int? {
        get throws { try other.read { try $0.decodeOne(Volume.all)?.pages } }
    }

    @Test func `are of the state that a call reads`() throws {
        for pages in 11...12 {
            try setByOther(pages)
            try store.read { context in
                #expect(try context.object(with: id).decode(\.pages) == pages)
                #expect(try context.count(of: Volume.all.where { $0.pages == pages }) == 1)
                // Nothing newer comes in before its end.
                try setByOther(0)
                #expect(try context.object(with: id).decode(\.pages) == pages)
            }
        }
    }

    #if !canImport(CoreData)
    @Test func `lose no update by a bulk write that follows from their values`() throws {
        try store.perform { context in
            let pages = try context.object(with: id).decode(\.pages)
            try context.update(Volume.all, set: (\.pages, pages + 1))
        }
        #expect(try pages == 11)
        let error = storeError {
            try store.perform { context in
                let pages = try context.object(with: id).decode(\.pages)
                try setByOther(20)
                try context.update(Volume.all, set: (\.pages, pages + 1))
            }
        }
        #expect(error?.code == .conflict)
        #expect(try pages == 20)
    }
    #endif

    @Test func `are read from a newer snapshot by each repetition`() throws {
        var runs = 0
        try store.perform(retrying: 5) { context in
            runs += 1
            let volume = try context.object(with: id)
            let pages = try volume.decode(\.pages)
            if runs == 1 { try setByOther(20) }
            try volume.encode(\.pages, pages + 1)
        }
        #expect(runs == 2)
        #expect(try pages == 21)
    }

    @Test func `keep their unsaved changes`() throws {
        let kept = try #require(
            try context.performAndWait {
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Volume")).first
            })
        context.performAndWait { kept.setValue("pending", forKey: "title") }
        #expect(try store.read { try $0.object(with: id).decode(\.title) } == "pending")
        context.performAndWait { #expect(kept.value(forKey: "title") as? String == "pending" && kept.hasChanges) }
    }
}
