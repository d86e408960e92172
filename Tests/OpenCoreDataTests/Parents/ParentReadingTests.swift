import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// The statements that a child makes its root run, and the values that it reads.
@Suite(.overEachStore)
struct ParentReadingTests {
    private let counter = StatementCounter()
    private let coordinator: NSPersistentStoreCoordinator
    private let root: NSManagedObjectContext
    private let child: NSManagedObjectContext

    /// A store with 20 books of 5 authors, each with two reviews.
    init() throws {
        let model = GraphLibrary.model()
        model.entitiesByName["Tag"]?.managedObjectClassName = String(reflecting: LifeTag.self)
        coordinator = try GraphLibrary.coordinator(model: model, options: counter.options)
        let context = GraphLibrary.context(coordinator)
        let authors = try (0..<5).map { try context.make("Author", ["name": "author \($0)"]) }
        for year in 0..<20 {
            let book = try context.make("Book", ["title": "\(year)", "year": year, "author": authors[year % 5]])
            for mark in 1...2 {
                book.mutableOrderedSetValue(forKey: "reviews").add(try context.make("Review", ["mark": mark]))
            }
        }
        try context.make("Tag", ["name": "t"])
        try context.save()
        root = GraphLibrary.context(coordinator)
        child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = root
    }

    private func request(_ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in })
        -> NSFetchRequest<NSManagedObject>
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "year", ascending: true)]
        change(request)
        return request
    }

    private let titles = (0..<20).map { "\($0)" }

    @Test func `the objects of a fetch do not read their rows again`() throws {
        let books = try counter.expect(1) { try child.fetch(request()) }
        #expect(books.allSatisfy { $0.isFault })
        counter.expect(0) { #expect(books.compactMap { $0.text("title") } == titles) }
    }

    @Test func `the objects of a fetch of a grandchild do not read their rows again`() throws {
        let grandchild = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        grandchild.parent = child
        let books = try counter.expect(1) { try grandchild.fetch(request()) }
        counter.expect(0) { #expect(books.compactMap { $0.text("title") } == titles) }
    }

    @Test func `the objects of a fetch in batches read batches`() throws {
        let books = try counter.expect(1) { try child.fetch(request { $0.fetchBatchSize = 5 }) }
        #expect(books.count == 20)
        counter.expect(4) { #expect(books.compactMap { $0.text("title") } == titles) }
    }

    @Test func `a fetch looks in the parent only for the changed objects that it finds`() throws {
        let books = try child.fetch(request())
        for book in books { book.setValue(5, forKey: "stock") }
        var found: [NSManagedObject] = []
        let count = try counter.count { found = try child.all("Book", "year == 3") }
        #expect(found == [books[3]])
        // The statement of the fetch, and that of the object.
        #expect(count <= 2)
    }

    @Test func `a fetch does not read a changed object that the parent has deleted`() throws {
        let own = try #require(try child.all("Book", "year == 0").first)
        let author = try #require(own.object("author"))
        root.delete(root.object(with: author.objectID))
        own.setValue(nil, forKey: "author")
        #expect(child.updatedObjects == [own, author])
        // From now on, reading the object is an error of the fetch.
        child.shouldDeleteInaccessibleFaults = false
        #expect(try child.all("Author", "name == 'author 0'").isEmpty)
        #expect(try child.all("Author").count == 4)
    }

    @Test func `prefetched relationships are not read again`() throws {
        let request = request { $0.relationshipKeyPathsForPrefetching = ["author", "reviews"] }
        let books = try child.fetch(request)
        counter.expect(0) {
            for (year, book) in books.enumerated() {
                #expect(book.text("title") == "\(year)")
                #expect(book.object("author")?.text("name") == "author \(year % 5)")
                #expect(book.list("reviews").compactMap { $0.value(forKey: "mark") as? Int } == [1, 2])
            }
        }
    }

    @Test func `members do not read their rows one by one`() throws {
        let author = try #require(try child.all("Author", "name == 'author 0'").first)
        let books = author.set("books")
        let count = counter.count { #expect(Set(books.compactMap { $0.text("title") }) == ["0", "5", "10", "15"]) }
        #expect(count <= 1)
    }

    @Test func `a fault shows what the parent has when it is read`() throws {
        let above = try root.fetch(request())
        let books = try child.fetch(request())
        above[0].setValue("changed", forKey: "title")
        root.delete(above[1])
        #expect(books[0].text("title") == "changed" && books[1].text("title") == nil)
    }

    @Test func `objects of custom classes are no faults if the request says so`() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.returnsObjectsAsFaults = false
        let tag = try #require(try child.fetch(request).first as? LifeTag)
        #expect(!tag.isFault && tag.events == ["awakeFromFetch"])
    }

    @Test func `objects of a grandchild are no faults if the request says so`() throws {
        let grandchild = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        grandchild.parent = child
        let books = try grandchild.fetch(request { $0.returnsObjectsAsFaults = false })
        #expect(books.count == 20 && books.allSatisfy { !$0.isFault })
    }

    @Test func `a fetch gives an object whose URI names a sub-entity the entity of its row`() throws {
        let id = try #require(try root.fetch(request()).first?.objectID)
        let text = id.uriRepresentation().absoluteString.replacingOccurrences(of: "Book", with: "Novel")
        let uri = try #require(URL(string: text))
        let own = child.object(with: try #require(coordinator.managedObjectID(forURIRepresentation: uri)))
        let books = try child.fetch(request { $0.returnsObjectsAsFaults = false })
        #expect(books.first === own && own.entity.name == "Book")
        #expect(own.text("title") == "0")
    }

    @Test func `an order that a refresh has kept is saved`() throws {
        let book = try #require(try root.fetch(request()).first)
        let own = try child.existingObject(with: book.objectID)
        let reviews = own.list("reviews")
        own.setValue(NSOrderedSet(array: reviews.reversed()), forKey: "reviews")
        child.refresh(own, mergeChanges: true)
        try child.save()
        #expect(book.list("reviews").compactMap { $0.value(forKey: "mark") as? Int } == [2, 1])
        try root.save()
        let context = GraphLibrary.context(coordinator)
        let stored = try #require(try context.fetch(request()).first)
        #expect(stored.list("reviews").compactMap { $0.value(forKey: "mark") as? Int } == [2, 1])
        #expect(own.list("reviews") == reviews.reversed())
    }

    @Test func `dictionaries have the values in the store`() throws {
        let book = try #require(try root.fetch(request()).first)
        book.setValue("unsaved", forKey: "title")
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Book")
        dictionaries.resultType = .dictionaryResultType
        dictionaries.propertiesToFetch = ["title"]
        dictionaries.sortDescriptors = [NSSortDescriptor(key: "year", ascending: true)]
        #expect(try child.fetch(dictionaries).compactMap { $0["title"] as? String } == titles)
        try root.save()
        #expect(try child.fetch(dictionaries).first?["title"] as? String == "unsaved")
    }
}
