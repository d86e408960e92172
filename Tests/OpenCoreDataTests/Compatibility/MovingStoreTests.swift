import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormSQLite
@testable import SwormStore

@Suite("Compatibility: moving a store to another URL or type")
struct MovingStoreTests {
    private let folder: StoreFolder
    private let model: NSManagedObjectModel
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext
    private let long = Data(repeating: 7, count: 200_000)

    init() throws {
        folder = try StoreFolder()
        let cover = Build.attribute("cover", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true }
        let book = Build.entity("Book", [Build.attribute("title"), cover])
        let author = Build.entity("Author", [Build.attribute("name")])
        let (books, writer) = (Build.toMany("books", book), Build.toOne("author", author))
        Build.connect(books, writer)
        book.properties.append(writer)
        author.properties.append(books)
        model = Build.model(author, book)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        context = GraphLibrary.context(coordinator)
    }

    private func url(_ type: NSPersistentStore.StoreType, _ name: String) -> URL {
        type == .inMemory ? URL(fileURLWithPath: "/dev/null") : folder.url(name)
    }

    private func fill() throws -> (author: NSManagedObject, book: NSManagedObject) {
        let author = try context.make("Author", ["name": "Leo"])
        let book = try context.make("Book", ["title": "War and Peace", "cover": long, "author": author])
        try context.save()
        return (author, book)
    }

    @Test(arguments: [
        (NSPersistentStore.StoreType.sqlite, NSPersistentStore.StoreType.sqlite), (.inMemory, .sqlite),
        (.sqlite, .inMemory), (.inMemory, .inMemory),
    ])
    func `objects and their unsaved changes go with the store`(
        from old: NSPersistentStore.StoreType, to new: NSPersistentStore.StoreType
    ) throws {
        let source = try coordinator.addPersistentStore(type: old, at: url(old, "Old.sqlite"))
        let (author, book) = try fill()
        context.refresh(author, mergeChanges: false)
        book.setValue("Anna Karenina", forKey: "title")
        let added = try context.make("Book", ["title": "Resurrection", "author": author])
        let (id, identifier) = (book.objectID, source.identifier)
        let moved = try coordinator.migratePersistentStore(source, to: url(new, "New.sqlite"), type: new)
        #expect(coordinator.persistentStores == [moved] && source.persistentStoreCoordinator == nil)
        #expect(moved.type == new.rawValue && moved.identifier != identifier)
        #expect(book.objectID === id && id.persistentStore === moved)
        #expect(id.uriRepresentation().host == moved.identifier)
        #expect(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == id)
        #expect(author.text("name") == "Leo" && author.set("books") == [book, added])
        #expect(context.hasChanges)
        try context.save()
        let other = GraphLibrary.context(coordinator)
        let titles = try other.all("Book", sort: "title").compactMap { $0.text("title") }
        #expect(titles == ["Anna Karenina", "Resurrection"])
        #expect(try other.existingObject(with: id).value(forKey: "cover") as? Data == long)
        try coordinator.remove(moved)
        if new == .sqlite {
            #expect(try StoreVerification.issues(of: folder.url("New.sqlite"), model: try model.compiled()) == [])
        }
        if old == .sqlite {
            // The old file is as it was.
            let former = try GraphLibrary.coordinator(at: folder.url("Old.sqlite"), model: model)
            #expect(former.persistentStores.first?.identifier == identifier)
            let context = GraphLibrary.context(former)
            let left = try context.all("Book")
            #expect(left.map { $0.text("title") } == ["War and Peace"])
            #expect(left.first?.value(forKey: "cover") as? Data == long)
        }
    }

    @Test func `a store from memory has the settings, the type and the model of one in a file`() throws {
        let source = try coordinator.addPersistentStore(type: .inMemory, at: url(.inMemory, ""))
        _ = try fill()
        source.metadata = ["owner": "me"]
        let moved = try coordinator.migratePersistentStore(source, to: folder.url(), type: .sqlite)
        #expect(moved.metadata["owner"] as? String == "me")
        try coordinator.remove(moved)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: folder.url())
        #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType && metadata["_NSAutoVacuumLevel"] != nil)
        #expect(metadata["owner"] as? String == "me")
        let raw = try folder.raw()
        #expect(try raw.lines("PRAGMA auto_vacuum") == ["2"] && raw.lines("PRAGMA journal_mode") == ["wal"])
        let cached = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: folder.url())
        #expect(cached.versionChecksum == model.versionChecksum)
    }

    @Test func `a seed that was opened read-only becomes a store of its own`() throws {
        let seed = folder.url("Seed.sqlite")
        do {
            let store = try coordinator.addPersistentStore(type: .sqlite, at: seed)
            _ = try fill()
            try coordinator.remove(store)
            context.reset()
        }
        let options = [NSReadOnlyPersistentStoreOption: true]
        let store = try coordinator.addPersistentStore(type: .sqlite, at: seed, options: options)
        let author = try #require(try context.all("Author").first)
        let moved = try coordinator.migratePersistentStore(
            store, to: folder.url(), options: [NSPersistentHistoryTrackingKey: true], type: .sqlite)
        #expect(!moved.isReadOnly)
        author.setValue("Ann", forKey: "name")
        try context.save()
        #expect(coordinator.currentPersistentHistoryToken(fromStores: [moved]) != nil)
    }

    @Test func `both stores are in the notification, in order`() throws {
        let store = try coordinator.addPersistentStore(type: .inMemory, at: url(.inMemory, ""))
        let recorder = NotificationRecorder(.NSPersistentStoreCoordinatorStoresDidChange, of: coordinator)
        let removing = NotificationRecorder(.NSPersistentStoreCoordinatorWillRemoveStore, of: coordinator)
        let moved = try coordinator.migratePersistentStore(store, to: folder.url(), type: .sqlite)
        let information = try #require(recorder.received.last)
        #expect(recorder.received.count == 1 && removing.received.count == 1)
        #expect(information[NSUUIDChangedPersistentStoresKey] as? [NSPersistentStore] == [store, moved])
        #expect(information[NSAddedPersistentStoresKey] as? [NSPersistentStore] == [moved])
        #expect(information[NSRemovedPersistentStoresKey] as? [NSPersistentStore] == [store])
    }

    @Test func `a store is not moved over a file, from elsewhere or while this thread writes it`() throws {
        let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.url("Old.sqlite"))
        let (author, _) = try fill()
        try Data("a letter".utf8).write(to: folder.url("letter"))
        for url in [folder.url("letter"), folder.url("Old.sqlite")] {
            let code = thrownCode { _ = try coordinator.migratePersistentStore(store, to: url, type: .sqlite) }
            #expect(code == NSPersistentStoreOperationError)
        }
        let stranger = try GraphLibrary.coordinator().persistentStores[0]
        #expect(
            thrownCode { _ = try coordinator.migratePersistentStore(stranger, to: folder.url(), type: .sqlite) }
                == NSPersistentStoreOperationError)
        try context.beginWriting()
        let code = thrownCode { _ = try coordinator.migratePersistentStore(store, to: folder.url(), type: .sqlite) }
        #expect(code != nil && FileKind(path: folder.url().path) == nil)
        context.undoTransactions {}
        #expect(coordinator.persistentStores == [store] && author.text("name") == "Leo")
    }

    @Test func `saves of another thread go on in the new store, or fail and can be repeated`() async throws {
        let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.url("Old.sqlite"))
        _ = try fill()
        let (coordinator, new) = (coordinator, folder.url())
        let writer = Task.detached {
            let context = GraphLibrary.context(coordinator)
            return try await context.perform {
                for number in 0..<100 {
                    try context.make("Book", ["title": "\(number)"])
                    var failures = 0
                    while context.hasChanges {
                        do {
                            try context.save()
                        } catch {
                            failures += 1
                            if failures > 100 { throw error }
                        }
                    }
                }
            }
        }
        let moved = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result { try coordinator.migratePersistentStore(store, to: new, type: .sqlite) })
            }
        }
        try await writer.value
        #expect(try GraphLibrary.context(coordinator).all("Book").count == 101)
        #expect(coordinator.persistentStores == [moved])
    }

    @Test func `a store can use a copy of its file`() throws {
        let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.url("Old.sqlite"))
        let (author, _) = try fill()
        let copy = folder.url("Copy.sqlite")
        try NSPersistentStoreCoordinator(managedObjectModel: model).replacePersistentStore(
            at: copy, withPersistentStoreFrom: folder.url("Old.sqlite"), type: .sqlite)
        #expect(coordinator.setURL(copy, for: store))
        #expect(store.url == copy && author.objectID.persistentStore === store)
        author.setValue("Ann", forKey: "name")
        try context.save()
        let old = try GraphLibrary.context(GraphLibrary.coordinator(at: folder.url("Old.sqlite"), model: model))
        #expect(try old.all("Author").first?.text("name") == "Leo")
        #expect(!coordinator.setURL(folder.url("Missing.sqlite"), for: store))
        #expect(store.url == copy && FileKind(path: folder.url("Missing.sqlite").path) == nil)
        let memory = try GraphLibrary.coordinator()
        #expect(!memory.setURL(copy, for: memory.persistentStores[0]))
    }
}
