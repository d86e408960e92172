import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// What is written depends on the changes alone: not on chance, the order of sets, or the number of times a store was opened.
@Suite("The same changes, written twice")
struct RepeatedWritingTests {
    private func open(_ url: URL, _ body: (NSManagedObjectContext) throws -> Void) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryStoreModel.make(2))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            try body(context)
            try context.save()
        }
        try coordinator.remove(store)
    }

    private func write(_ url: URL) throws {
        try open(url) { context in
            let model = try #require(context.persistentStoreCoordinator?.managedObjectModel)
            func insert(_ name: String, _ values: [String: Any]) throws -> NSManagedObject {
                let object = NSManagedObject(entity: try #require(model.entitiesByName[name]), insertInto: context)
                for (key, value) in values { object.setValue(value, forKey: key) }
                return object
            }
            for number in 0..<5 {
                let author = try insert("Author", ["alias": "author \(number)", "age": 30 + number])
                let kind = number % 2 == 0 ? "Book" : "GraphicNovel"
                let book = try insert(
                    kind,
                    [
                        "title": "title \(number)", "price": NSDecimalNumber(value: Double(number) + 0.25),
                        "publishedAt": Date(timeIntervalSinceReferenceDate: Double(number)),
                        "uniqueID": try #require(UUID(uuidString: "00000000-0000-0000-0000-00000000000\(number)")),
                        "frontCover": Data([UInt8(number)]), "author": author,
                    ])
                for page in 0..<3 {
                    _ = try insert("Page", ["number": page, "isBookmarked": false, "content": Data([1]), "book": book])
                }
            }
        }
        try open(url) { context in
            let pages = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Page"))
            for page in pages.prefix(4) { page.setValue(true, forKey: "isBookmarked") }
            if let last = pages.last { context.delete(last) }
        }
    }

    @Test func `two stores differ in their identifiers alone`() throws {
        let folder = try StoreFolder()
        let urls = [folder.url("One.sqlite"), folder.url("Two.sqlite")]
        for url in urls { try write(url) }
        let stores = try urls.map { try PlainStore(copyOf: $0) }
        #expect(stores[0].tables == stores[1].tables)
        #expect(stores[0].rows.keys.sorted() == stores[1].rows.keys.sorted())
        for (table, rows) in stores[0].rows where table != "Z_METADATA" {
            #expect(rows == stores[1].rows[table], "\(table)")
        }
        let lists = stores.map { NSDictionary(dictionary: $0.metadata) }
        #expect(lists[0] == lists[1])
        #expect(stores[0].rows["Z_METADATA"]?.first?["Z_UUID"] != stores[1].rows["Z_METADATA"]?.first?["Z_UUID"])
    }

    @Test func `a store that is opened and saved without changes stays as it is`() throws {
        let folder = try StoreFolder()
        try write(folder.url())
        let before = try Data(contentsOf: folder.url())
        for _ in 0..<3 {
            try open(folder.url()) { _ = try $0.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) }
        }
        #expect(try Data(contentsOf: folder.url()) == before)
    }

    @Test(
        .enabled(if: Fixtures.folder != nil, AppleStores.missing),
        arguments: AppleStores.stores.filter { $0.isFromFile })
    func `a store of Apple's that is opened for writing and not changed has every row as it was`(_ store: AppleStore)
        throws
    {
        let (folder, url) = try store.copied()
        let before = try PlainStore(copyOf: url)
        for _ in 0..<2 {
            try store.withContext(at: url) { context in
                for entity in try store.model.make().entities where entity.superentity == nil {
                    _ = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity.name ?? ""))
                }
                try context.save()
            }
        }
        let after = try PlainStore(copyOf: url)
        #expect(after.tables == before.tables && after.rows == before.rows)
        withExtendedLifetime(folder) {}
    }
}
