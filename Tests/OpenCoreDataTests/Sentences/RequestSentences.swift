import OpenCoreData
import TestSupport
import Testing

/// Source: the documentation of `NSFetchRequest` and `NSPersistentStoreRequest`, and NSFetchRequest.h.
@Suite("Sentences about requests", .overEachStore)
struct RequestSentenceTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext

    init() throws {
        coordinator = try GraphLibrary.coordinator()
        context = GraphLibrary.context(coordinator)
        let writer = GraphLibrary.context(coordinator)
        let leo = try writer.make("Author", ["name": "Leo"])
        for (index, title) in ["a", "b", "c", "d"].enumerated() {
            try writer.make(
                "Book", ["title": title, "year": 1900 + index, "stock": index < 2 ? 1 : 2, "author": leo])
        }
        try writer.save()
    }

    private func request() -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return request
    }

    private func titles(_ request: NSFetchRequest<NSManagedObject>) throws -> [String] {
        try context.fetch(request).compactMap { $0.text("title") }
    }

    private func year(_ book: NSManagedObject) -> Int? { book.value(forKey: "year") as? Int }

    /// The first book, whose values were read, after another context has saved the year 2000 for it.
    private func outdated() throws -> NSManagedObject {
        let book = try #require(try context.fetch(request()).first)
        #expect(year(book) == 1900)
        let other = GraphLibrary.context(coordinator)
        let same = try other.existingObject(with: book.objectID)
        same.setValue(2000, forKey: "year")
        try other.save()
        return book
    }

    // MARK: Settings

    @Test func `a new request has no limit, no offset and no batches`() {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        #expect(request.fetchLimit == 0 && request.fetchOffset == 0 && request.fetchBatchSize == 0)
    }

    @Test func `a new request includes subentities, pending changes and values, and returns objects as faults`() {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        #expect(request.includesSubentities && request.includesPendingChanges)
        #expect(request.includesPropertyValues && request.returnsObjectsAsFaults)
    }

    @Test func `the types of results have numbers that are bits`() {
        let types: [NSFetchRequestResultType] = [
            .managedObjectResultType, .managedObjectIDResultType, .dictionaryResultType, .countResultType,
        ]
        #expect(types.map { $0.rawValue } == [0, 1, 2, 4])
    }

    @Test func `a request without a name of an entity has that of the entity it gets`() throws {
        let request = NSFetchRequest<NSManagedObject>()
        request.entity = coordinator.managedObjectModel.entitiesByName["Book"]
        #expect(request.entityName == "Book")
        #expect(try context.fetch(request).count == 4)
    }

    // MARK: Execution

    @Test func `a request executes itself in the context whose block calls it`() throws {
        let request = request()
        let books = try context.performAndWait { try request.execute() }
        #expect(books.compactMap { $0.text("title") } == ["a", "b", "c", "d"])
        #expect(books.allSatisfy { $0.managedObjectContext === context })
    }

    @Test(.over(.file)) func `a request is sent to the stores that it names`() throws {
        let folder = try StoreFolder()
        defer { withExtendedLifetime(folder) {} }
        let first = try #require(coordinator.persistentStores.first)
        let second = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url("Second.sqlite"))
        let book = try context.make("Book", ["title": "z"])
        context.assign(book, to: second)
        try context.save()
        let request = request()
        #expect(try titles(request) == ["a", "b", "c", "d", "z"])
        request.affectedStores = [second]
        #expect(try titles(request) == ["z"])
        request.affectedStores = [first]
        #expect(try titles(request) == ["a", "b", "c", "d"])
    }

    // MARK: Objects that are known

    @Test func `a fetch leaves the values of objects that are known, though the store has newer ones`() throws {
        let book = try outdated()
        let found = try #require(try context.fetch(request()).first)
        #expect(found === book && year(book) == 1900)
    }

    @Test func `a fetch that refreshes objects gives those that are known the values of the store`() throws {
        let book = try outdated()
        let request = request()
        request.shouldRefreshRefetchedObjects = true
        let found = try #require(try context.fetch(request).first)
        #expect(found === book && year(book) == 2000)
    }

    // MARK: Properties

    @Test func `objects of which some properties were fetched are faults that have the other ones too`() throws {
        let request = request()
        request.propertiesToFetch = ["title"]
        let books = try context.fetch(request)
        #expect(books.count == 4 && books.allSatisfy { $0.isFault })
        #expect(books.compactMap { $0.text("title") } == ["a", "b", "c", "d"])
        #expect(books.map(year) == [1900, 1901, 1902, 1903])
        #expect(books.allSatisfy { $0.object("author")?.text("name") == "Leo" })
    }

    @Test func `objects that are no faults have faults as relationships`() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.returnsObjectsAsFaults = false
        let author = try #require(try context.fetch(request).first)
        #expect(!author.isFault && author.hasFault(forRelationshipNamed: "books"))
    }

    @Test func `distinct results are for dictionaries, and leave out no object`() throws {
        let request = request()
        request.propertiesToFetch = ["stock"]
        request.returnsDistinctResults = true
        #expect(try titles(request) == ["a", "b", "c", "d"])
    }

    @Test func `a predicate chooses rows before they are grouped, and another one chooses groups`() throws {
        let number = NSExpressionDescription()
        number.name = "number"
        number.expression = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "title")])
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["stock", number]
        request.propertiesToGroupBy = ["stock"]
        request.havingPredicate = NSPredicate(format: "$number > %@", 1)
        let all = try context.fetch(request)
        #expect(Set(all.compactMap { ($0["stock"] as? NSNumber)?.intValue }) == [1, 2])
        request.predicate = NSPredicate(format: "title != %@", "a")
        let rows = try context.fetch(request)
        #expect(rows.map { ($0["stock"] as? NSNumber)?.intValue } == [2])
        #expect(rows.map { ($0["number"] as? NSNumber)?.intValue } == [2])
    }
}
