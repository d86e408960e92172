import Foundation
import SwormPredicates
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Fetches that read batches", .overEachStore)
struct FetchBatchTests {
    private func store(_ books: Int) throws -> (counter: StatementCounter, coordinator: NSPersistentStoreCoordinator) {
        let counter = StatementCounter()
        let coordinator = try GraphLibrary.coordinator(options: counter.options)
        let context = GraphLibrary.context(coordinator)
        let author = try context.make("Author", ["name": "author"])
        for number in 0..<books {
            try context.make(
                number % 3 == 0 ? "Novel" : "Book",
                ["title": "book \(number)", "year": number, "author": author])
        }
        try context.save()
        return (counter, coordinator)
    }

    private func request(_ size: Int) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.fetchBatchSize = size
        request.sortDescriptors = [NSSortDescriptor(key: "year", ascending: false)]
        return request
    }

    @Test func `the objects are faults, and the first of a batch reads all of it`() throws {
        let (counter, coordinator) = try store(25)
        let context = GraphLibrary.context(coordinator)
        let books = try counter.expect(1) { try context.fetch(request(10)) }
        #expect(books.count == 25 && books.allSatisfy { $0.isFault })
        counter.expect(1) { #expect(books[17].text("title") == "book 7") }
        counter.expect(0) { #expect(books[10].text("title") == "book 14" && books[19].text("title") == "book 5") }
        counter.expect(2) { #expect(books.map { $0.text("title") } == (0..<25).reversed().map { "book \($0)" }) }
        #expect(books.filter { $0.entity.name == "Novel" }.count == 9)
        // Faults of another request take part.
        context.refresh(books[3], mergeChanges: false)
        context.refresh(books[4], mergeChanges: false)
        let again = try context.fetch(request(5))
        #expect(again == books)
        counter.expect(1) { #expect(again[3].text("title") == "book 21" && again[4].text("title") == "book 20") }
    }

    @Test func `prefetched relationships are read with each batch`() throws {
        let (counter, coordinator) = try store(25)
        let context = GraphLibrary.context(coordinator)
        let request = request(10)
        request.relationshipKeyPathsForPrefetching = ["author", "tags", "reviews"]
        let books = try counter.expect(1) { try context.fetch(request) }
        counter.expect(1 + 3) { #expect(books[0].text("title") == "book 24") }
        counter.expect(0) {
            for book in books.prefix(10) {
                #expect(book.object("author")?.text("name") == "author")
                #expect(book.set("tags").isEmpty && book.list("reviews").isEmpty)
            }
        }
    }

    @Test func `a row that was deleted before its batch was read is nil, and its neighbors are present`() throws {
        let (_, coordinator) = try store(12)
        let context = GraphLibrary.context(coordinator)
        let books = try context.fetch(request(5))
        #expect(books[0].text("title") == "book 11")
        let other = GraphLibrary.context(coordinator)
        for book in try other.all("Book", "year IN {10, 4}") { other.delete(book) }
        try other.save()
        // The first batch was read before.
        #expect(books[1].text("title") == "book 10")
        #expect(books[7].text("title") == nil)
        #expect(books[6].text("title") == "book 5" && books[8].text("title") == "book 3")
        let error = coreDataError { _ = try context.existingObject(with: books[7].objectID) }
        #expect(error?.errorCode == NSManagedObjectReferentialIntegrityError)
    }

    @Test func `unsaved changes, a refresh and ids are as without batches`() throws {
        let (_, coordinator) = try store(6)
        let context = GraphLibrary.context(coordinator)
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        ids.resultType = .managedObjectIDResultType
        ids.fetchBatchSize = 2
        ids.relationshipKeyPathsForPrefetching = ["author"]
        #expect(try context.fetch(ids).count == 6)
        let known = try #require(try context.all("Book", "year == 3").first)
        let other = GraphLibrary.context(coordinator)
        try #require(try other.all("Book", "year == 3").first).setValue("new", forKey: "title")
        try other.save()
        let refreshing = request(2)
        refreshing.shouldRefreshRefetchedObjects = true
        _ = try context.fetch(refreshing)
        #expect(known.text("title") == "new")
        known.setValue(100, forKey: "year")
        try context.make("Book", ["title": "made", "year": 50])
        #expect(
            try context.fetch(request(2)).map { $0.text("title") } == [
                "new", "made", "book 5", "book 4", "book 2", "book 1", "book 0",
            ])
        #expect(try context.fetch(ids).count == 7)
    }

    @Test func `a damaged row is an error of its own alone`() throws {
        let folder = try StoreFolder()
        do {
            let context = try GraphLibrary.context(at: folder.url())
            for number in 0..<9 { try context.make("Book", ["title": "book \(number)", "year": number]) }
            try context.save()
        }
        try folder.raw().execute("UPDATE ZBOOK SET ZTITLE = x'ff' WHERE ZYEAR = 4")
        let context = try GraphLibrary.context(at: folder.url())
        let entity = try #require(context.compiledModel?.entity(named: "Book"))
        guard case .attribute(let title) = entity.slot(named: "title") else { throw CancellationError() }
        let rows = try #require(
            try context.fetchRows(FetchSpecification(entity: entity.number), reading: FetchReading(batchSize: 3)))
        #expect(try (0..<9).filter { $0 != 4 }.map { try rows.value(row: $0, slot: title) }.count == 8)
        let error = coreDataError { _ = try rows.value(row: 4, slot: title) }
        #expect(error?.isOfDamage == true && error?.message.contains("title") == true)
        // The same through objects.
        let books = try context.fetch(request(3))
        #expect(books.compactMap { $0.text("title") }.count == 8)
        // An entity number that is none of the table's shows at once.
        try folder.raw().execute("UPDATE ZBOOK SET Z_ENT = 999 WHERE ZYEAR = 2")
        let next = try GraphLibrary.context(at: folder.url())
        #expect(coreDataError { _ = try next.fetch(request(3)) }?.isOfDamage == true)
        withExtendedLifetime(folder) {}
    }
}
