import Foundation
import OpenCoreData
import TestSupport
import Testing

/// Source: the documentation of `NSBatchInsertRequest`, `NSBatchUpdateRequest` and `NSBatchDeleteRequest`, and their headers.
@Suite("Sentences about batch requests", .overEachStore)
struct BatchSentenceTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext

    init() throws {
        coordinator = try GraphLibrary.coordinator()
        context = GraphLibrary.context(coordinator)
        let writer = GraphLibrary.context(coordinator)
        for (index, title) in ["a", "b", "c"].enumerated() {
            try writer.make("Book", ["title": title, "year": 1900 + index, "isbn": "\(index)"])
        }
        try writer.save()
    }

    /// The first book, with its values.
    private func book() throws -> NSManagedObject {
        let book = try #require(try context.all("Book", "title == 'a'").first)
        #expect(book.text("title") == "a")
        return book
    }

    private func update(_ values: [String: Any], _ format: String? = nil) -> NSBatchUpdateRequest {
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.predicate = format.map { NSPredicate(format: $0) }
        request.propertiesToUpdate = values
        return request
    }

    private func stored() throws -> [String] {
        let reader = GraphLibrary.context(coordinator)
        return try reader.all("Book", sort: "isbn").map { book in
            "\(book.text("title") ?? "-") \(book.value(forKey: "year") as? Int ?? 0)"
        }
    }

    // MARK: Types of results

    @Test func `the result of a new request is a status`() {
        #expect(NSBatchInsertRequest(entityName: "Book", objects: []).resultType == .statusOnly)
        #expect(NSBatchUpdateRequest(entityName: "Book").resultType == .statusOnlyResultType)
        let books = NSFetchRequest<NSManagedObject>(entityName: "Book")
        #expect(NSBatchDeleteRequest(fetchRequest: books).resultType == .resultTypeStatusOnly)
    }

    @Test func `the types of results are numbered: a status, ids, a count`() {
        let insertion: [NSBatchInsertRequestResultType] = [.statusOnly, .objectIDs, .count]
        let update: [NSBatchUpdateRequestResultType] = [
            .statusOnlyResultType, .updatedObjectIDsResultType, .updatedObjectsCountResultType,
        ]
        let deletion: [NSBatchDeleteRequestResultType] = [
            .resultTypeStatusOnly, .resultTypeObjectIDs, .resultTypeCount,
        ]
        #expect(insertion.map { $0.rawValue } == [0, 1, 2])
        #expect(update.map { $0.rawValue } == [0, 1, 2])
        #expect(deletion.map { $0.rawValue } == [0, 1, 2])
    }

    // MARK: Insertions

    @Test func `inserted rows become no objects of the context`() throws {
        let objects: [[String: Any]] = [["title": "d", "isbn": "3", "year": 1903], ["title": "e", "isbn": "4"]]
        try context.execute(NSBatchInsertRequest(entityName: "Book", objects: objects))
        #expect(context.registeredObjects.isEmpty && context.insertedObjects.isEmpty)
        #expect(try stored() == ["a 1900", "b 1901", "c 1902", "d 1903", "e 0"])
    }

    // MARK: Updates

    @Test func `an update sets several properties of the rows that match, and no others`() throws {
        try context.execute(update(["title": "new", "year": 2000], "year > 1900"))
        #expect(try stored() == ["a 1900", "new 2000", "new 2000"])
        let reader = GraphLibrary.context(coordinator)
        let books = try reader.all("Book", sort: "isbn")
        #expect(books.map { $0.text("isbn") } == ["0", "1", "2"])
    }

    @Test func `an update is no change and no save of its context`() throws {
        let book = try book()
        let saves = NotificationRecorder(NSManagedObjectContext.didSaveObjectsNotification, of: context)
        let changes = NotificationRecorder(NSManagedObjectContext.didChangeObjectsNotification, of: context)
        try context.execute(update(["year": 2000]))
        #expect(!context.hasChanges && !book.hasChanges)
        context.processPendingChanges()
        #expect(saves.received.isEmpty && changes.received.isEmpty)
    }

    @Test func `the ids of an update give objects the new values when they are merged`() throws {
        let book = try book()
        #expect(book.value(forKey: "year") as? Int == 1900)
        let request = update(["year": 2000])
        request.resultType = .updatedObjectIDsResultType
        let answer = try #require(try context.execute(request) as? NSBatchUpdateResult)
        let ids = try #require(answer.result as? [NSManagedObjectID])
        #expect(ids.count == 3 && ids.contains(book.objectID))
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [context])
        #expect(book.value(forKey: "year") as? Int == 2000)
        #expect(!context.hasChanges)
    }

    @Test func `an object that was read before an update of its row is in conflict`() throws {
        let book = try book()
        let other = GraphLibrary.context(coordinator)
        try other.execute(update(["year": 2000]))
        book.setValue("mine", forKey: "title")
        let error = try #require(throws: CocoaError.self) { try context.save() }
        #expect(error.code == .managedObjectMerge)
        #expect(try stored() == ["a 2000", "b 2000", "c 2000"])
    }

    // MARK: Deletions

    @Test func `an object whose row a request has deleted stays in memory with its values`() throws {
        let book = try book()
        try context.execute(NSBatchDeleteRequest(objectIDs: [book.objectID]))
        #expect(try stored() == ["b 1901", "c 1902"])
        #expect(book.managedObjectContext === context && !book.isDeleted)
        #expect(book.text("title") == "a")
        #expect(context.registeredObject(for: book.objectID) === book)
    }

    @Test func `the ids of a deletion delete the objects of a context when they are merged`() throws {
        let book = try book()
        let request = NSBatchDeleteRequest(objectIDs: [book.objectID])
        request.resultType = .resultTypeObjectIDs
        let answer = try #require(try context.execute(request) as? NSBatchDeleteResult)
        let ids = try #require(answer.result as? [NSManagedObjectID])
        #expect(ids == [book.objectID])
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [context])
        #expect(book.isDeleted)
        try context.save()
        #expect(book.managedObjectContext == nil)
        #expect(try stored() == ["b 1901", "c 1902"])
    }

    @Test func `a deletion concerns rows, and no objects that were not saved`() throws {
        let new = try context.make("Book", ["title": "new", "year": 2000])
        try context.execute(NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Book")))
        #expect(try stored().isEmpty)
        #expect(context.insertedObjects == [new] && new.isInserted)
        try context.save()
        #expect(try stored() == ["new 2000"])
    }
}
