import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Faults as Apple's headers describe them: `NSFetchRequest.h`, `NSManagedObject.h` and `NSManagedObjectContext.h`.
@Suite(.overEachStore)
struct FaultTests {
    private let counter = StatementCounter()

    /// A coordinator with the books "a", "b" and "c", whose class is ``ObservedBook``.
    private func coordinator() throws -> NSPersistentStoreCoordinator {
        let model = GraphLibrary.model()
        model.entitiesByName["Book"]?.managedObjectClassName = String(reflecting: ObservedBook.self)
        let coordinator = try GraphLibrary.coordinator(model: model, options: counter.options)
        try GraphLibrary.context(coordinator).with { context in
            for title in ["a", "b", "c"] { try context.make("Book", ["title": title]) }
        }
        return coordinator
    }

    private func request(_ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }) -> NSFetchRequest<
        NSManagedObject
    > {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        change(request)
        return request
    }

    @Test func `fetched objects are faults, which fire without reading a row twice`() throws {
        let context = GraphLibrary.context(try coordinator())
        var books: [NSManagedObject] = []
        #expect(try counter.count { books = try context.fetch(request()) } == 1)
        #expect(books.count == 3)
        #expect(books.allSatisfy { $0.isFault && $0.faultingState != 0 })
        var found1: [String?] = []
        let reads1 = counter.count { found1 = books.map { $0.text("title") } }
        #expect(found1 == ["a", "b", "c"])
        #expect(reads1 == 0)
        #expect(books.allSatisfy { !$0.isFault })
    }

    @Test func `objects of a fetch are no faults if the request wants none`() throws {
        let context = GraphLibrary.context(try coordinator())
        let books = try context.fetch(request { $0.returnsObjectsAsFaults = false })
        #expect(books.allSatisfy { !$0.isFault })
        #expect(books.compactMap { ($0 as? ObservedBook)?.awakenings } == [1, 1, 1])
    }

    @Test func `plain objects are faults, too, unless the request wants none`() throws {
        let coordinator = try GraphLibrary.coordinator()
        try GraphLibrary.context(coordinator).with { try $0.make("Book", ["title": "a"]) }
        let context = GraphLibrary.context(coordinator)
        let book = try #require(try context.fetch(request()).first)
        #expect(book.isFault)
        #expect(book.text("title") == "a")
        #expect(!book.isFault)
        let other = GraphLibrary.context(coordinator)
        #expect(try other.fetch(request { $0.returnsObjectsAsFaults = false }).first?.isFault == false)
    }

    @Test func `a fetch without property values reads the rows when they are needed`() throws {
        let context = GraphLibrary.context(try coordinator())
        let books = try context.fetch(request { $0.includesPropertyValues = false })
        #expect(books.allSatisfy { $0.isFault })
        var found2: [String?] = []
        let reads2 = counter.count { found2 = books.map { $0.text("title") } }
        #expect(found2 == ["a", "b", "c"])
        #expect(reads2 >= 1)
    }

    @Test func `awakeFromFetch runs when the fault fires, not at the fetch`() throws {
        let context = GraphLibrary.context(try coordinator())
        let books = try context.fetch(request()).compactMap { $0 as? ObservedBook }
        #expect(books.map(\.awakenings) == [0, 0, 0])
        _ = books[1].value(forKey: "year")
        #expect(books.map(\.awakenings) == [0, 1, 0])
        context.refresh(books[1], mergeChanges: false)
        #expect(books[1].isFault)
        _ = books[1].value(forKey: "title")
        #expect(books.map(\.awakenings) == [0, 2, 0])
    }

    @Test func `setters in awakeFromFetch leave the object clean, and are not saved`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        let book = try #require(try context.fetch(request()).first as? ObservedBook)
        book.onAwake = { book in
            book.setValue(1950, forKey: "year")
            book.setValue("made", forKey: "scratch")
            book.setValue(nil, forKey: "author")
            book.setValue(Set<NSManagedObject>(), forKey: "tags")
        }
        #expect(book.value(forKey: "year") as? Int == 1950)
        #expect(book.text("scratch") == "made")
        #expect(!book.hasChanges && !context.hasChanges && !book.hasPersistentChangedValues)
        #expect(book.changedValues().isEmpty)
        try context.save()
        book.setValue("A", forKey: "title")
        #expect(Set(book.changedValues().keys) == ["title"])
        try context.save()
        let stored = try #require(try GraphLibrary.context(coordinator).all("Book", "title == 'A'").first)
        #expect(stored.value(forKey: "year") == nil)
    }

    @Test(arguments: [false, true])
    func `a merge does not take a value of awakeFromFetch for a change in the store`(isSaved: Bool) throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        let book = try #require(try context.fetch(request()).first as? ObservedBook)
        book.onAwake = { $0.setValue(1950, forKey: "year") }
        #expect(book.value(forKey: "year") as? Int == 1950)
        if isSaved {
            book.setValue("A", forKey: "title")
            try context.save()
            #expect(book.value(forKey: "year") as? Int == 1950 && !book.hasChanges)
        }
        try GraphLibrary.context(coordinator).with { other in
            try other.existingObject(with: book.objectID).setValue(1, forKey: "stock")
        }
        book.setValue(2000, forKey: "year")
        try context.save()
        let stored = try GraphLibrary.context(coordinator).existingObject(with: book.objectID)
        #expect(stored.value(forKey: "year") as? Int == 2000 && stored.value(forKey: "stock") as? Int == 1)
    }

    @Test func `an object that overwrites its row does not write a value of awakeFromFetch`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        context.mergePolicy = NSMergePolicy.overwrite
        let book = try #require(try context.fetch(request()).first as? ObservedBook)
        book.onAwake = { $0.setValue(1950, forKey: "year") }
        #expect(book.value(forKey: "year") as? Int == 1950)
        try GraphLibrary.context(coordinator).with { other in
            try other.existingObject(with: book.objectID).setValue(1, forKey: "stock")
        }
        book.setValue("A", forKey: "title")
        try context.save()
        let stored = try GraphLibrary.context(coordinator).existingObject(with: book.objectID)
        #expect(stored.text("title") == "A" && stored.value(forKey: "stock") as? Int == 7)
        #expect(stored.value(forKey: "year") == nil)
    }

    @Test func `a relationship that awakeFromFetch sets is not saved`() throws {
        let coordinator = try coordinator()
        try GraphLibrary.context(coordinator).with { context in
            let author = try context.make("Author", ["name": "Ann"])
            for book in try context.all("Book", "title == 'a'") { book.setValue(author, forKey: "author") }
            _ = try context.make("Author", ["name": "Ben"])
        }
        #expect(try GraphLibrary.context(coordinator).all("Book", "author.name == 'Ann'").count == 1)
        let context = GraphLibrary.context(coordinator)
        let other = try #require(try context.all("Author", "name == 'Ben'").first)
        let book = try #require(try context.fetch(request()).first as? ObservedBook)
        book.onAwake = { $0.setValue(other, forKey: "author") }
        #expect(book.object("author") === other)
        #expect(!context.hasChanges)
        book.setValue(1, forKey: "stock")
        try context.save()
        #expect(try GraphLibrary.context(coordinator).all("Book", "title == 'a' AND author.name == 'Ann'").count == 1)
    }

    @Test func `a fault that was fetched again takes the newer row`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        let book = try #require(try context.fetch(request()).first)
        try GraphLibrary.context(coordinator).with { other in
            for book in try other.all("Book", "title == 'a'") { book.setValue(2000, forKey: "year") }
        }
        #expect(try context.fetch(request()).first === book)
        #expect(book.isFault)
        #expect(book.value(forKey: "year") as? Int == 2000)
    }

    @Test func `a fault is deleted, linked and prefetched like other objects`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        let books = try context.fetch(request { $0.relationshipKeyPathsForPrefetching = ["author", "tags"] })
        #expect(books.allSatisfy { $0.isFault })
        let tag = try context.make("Tag", ["name": "t", "books": Set(books)])
        #expect(books.allSatisfy { $0.set("tags") == [tag] })
        context.delete(books[2])
        try context.save()
        let titles = try GraphLibrary.context(coordinator).all("Book", "ANY tags.name == 't'", sort: "title")
        #expect(titles.map { $0.text("title") } == ["a", "b"])
    }

    @Test func `a conflict of a fault that is deleted is found`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        let book = try #require(try context.fetch(request()).first)
        try GraphLibrary.context(coordinator).with { other in
            for book in try other.all("Book", "title == 'a'") { book.setValue(2000, forKey: "year") }
        }
        context.delete(book)
        #expect(throws: (any Error).self) { try context.save() }
    }

    // MARK: Staleness

    @Test func `a row that is older than the staleness interval is read again`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        let clock = SteppedClock()
        context.now = { clock.now }
        context.stalenessInterval = 10
        let books = try context.fetch(request())
        clock.advance(by: .seconds(9))
        var found3: [String?] = []
        let reads3 = counter.count { found3 = [books[0].text("title")] }
        #expect(found3 == ["a"])
        #expect(reads3 == 0)
        clock.advance(by: .seconds(1))
        var found4: [String?] = []
        let reads4 = counter.count { found4 = [books[1].text("title")] }
        #expect(found4 == ["b"])
        #expect(reads4 == 1)
    }

    @Test func `with an interval of zero, each fault reads its row`() throws {
        let context = GraphLibrary.context(try coordinator())
        context.stalenessInterval = 0
        let books = try context.fetch(request())
        var found5: [String?] = []
        let reads5 = counter.count { found5 = books.map { $0.text("title") } }
        #expect(found5 == ["a", "b", "c"])
        #expect(reads5 == 3)
    }

    @Test func `with an infinite interval, a row is never read again`() throws {
        let context = GraphLibrary.context(try coordinator())
        let clock = SteppedClock()
        context.now = { clock.now }
        context.stalenessInterval = .infinity
        let books = try context.fetch(request())
        clock.advance(by: .seconds(1_000_000))
        var found: [String?] = []
        let reads = counter.count { found = books.map { $0.text("title") } }
        #expect(found == ["a", "b", "c"])
        #expect(reads == 0)
    }

    // MARK: Rows that no longer exist

    @Test func `a fault without a row counts as deleted, and its values are nil`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        let book = try #require(try context.fetch(request { $0.includesPropertyValues = false }).first)
        try GraphLibrary.context(coordinator).with { other in
            for book in try other.all("Book") { other.delete(book) }
        }
        #expect(book.text("title") == nil)
        #expect(book.isDeleted)
        try context.save()
        #expect(try context.all("Book").isEmpty)
    }

    @Test func `a fault without a row is an error of the next save if faults may not be deleted`() throws {
        let coordinator = try coordinator()
        let context = GraphLibrary.context(coordinator)
        context.shouldDeleteInaccessibleFaults = false
        let book = try #require(try context.fetch(request { $0.includesPropertyValues = false }).first)
        try GraphLibrary.context(coordinator).with { other in
            for book in try other.all("Book") { other.delete(book) }
        }
        #expect(book.text("title") == nil)
        #expect(!book.isDeleted)
        let error = #expect(throws: (any Error).self) { try context.save() }
        #expect(error.map { "\($0)" }?.contains("Book") == true)
    }
}

/// A clock that a test moves.
///
/// @unchecked: the time is only used while the lock is held.
private final class SteppedClock: @unchecked Sendable {
    private let lock = NSLock()
    private var time = ContinuousClock.Instant.now

    var now: ContinuousClock.Instant { lock.withLock { time } }
    func advance(by duration: Duration) { lock.withLock { time = time.advanced(by: duration) } }
}

/// A book that counts how often it takes its values from its row.
final class ObservedBook: NSManagedObject {
    var awakenings = 0
    var onAwake: (ObservedBook) -> Void = { _ in }
    override func awakeFromFetch() {
        super.awakeFromFetch()
        awakenings += 1
        onAwake(self)
    }
}
