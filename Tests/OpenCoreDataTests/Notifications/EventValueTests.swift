import Foundation
import TestSupport
import Testing

@testable import OpenCoreData

@Suite("Values of the current event", .overEachStore)
struct EventValueTests {
    @Test func `are the earlier ones, from the first change on until they were posted`() throws {
        let context = GraphLibrary.context(try ShopModel.coordinator())
        let book = try context.make("Book", ["title": "a"])
        try context.save()
        #expect(book.changedValuesForCurrentEvent().isEmpty)
        book.setValue("b", forKey: "title")
        book.setValue("c", forKey: "title")
        book.setValue(3, forKey: "year")
        #expect(book.changedValuesForCurrentEvent()["title"] as? String == "a")
        #expect(book.changedValuesForCurrentEvent()["year"] is NSNull)
        #expect(book.changedValuesForCurrentEvent().count == 2)
        context.processPendingChanges()
        #expect(book.changedValuesForCurrentEvent().isEmpty)
        book.setValue("d", forKey: "title")
        #expect(book.changedValuesForCurrentEvent()["title"] as? String == "c")
        book.setValue("c", forKey: "title")
        #expect(book.changedValuesForCurrentEvent().isEmpty)
        book.setValue("a", forKey: "title")
        #expect(book.changedValuesForCurrentEvent()["title"] as? String == "c")
    }

    @Test func `can be read while the notification is posted`() throws {
        let context = GraphLibrary.context(try ShopModel.coordinator())
        let changes = NotificationRecorder(.NSManagedObjectContextObjectsDidChange, of: context)
        let book = try context.make("Book", ["title": "a"])
        try context.save()
        book.setValue("b", forKey: "title")
        context.processPendingChanges()
        book.setValue("c", forKey: "title")
        var values: [String: Any] = [:]
        changes.onReceive = { values = book.changedValuesForCurrentEvent() }
        context.processPendingChanges()
        #expect(values["title"] as? String == "b" && values.count == 1)
    }

    @Test func `contain relationships, and no transient values`() throws {
        let context = GraphLibrary.context(try ShopModel.coordinator())
        let (book, other) = (try context.make("Book"), try context.make("Book"))
        let (author, next) = (try context.make("Author"), try context.make("Author"))
        book.setValue(author, forKey: "author")
        try context.save()
        book.setValue("x", forKey: "initial")
        book.setValue(next, forKey: "author")
        #expect(book.changedValuesForCurrentEvent()["author"] as? NSManagedObject === author)
        #expect(book.changedValuesForCurrentEvent().count == 1)
        #expect(author.changedValuesForCurrentEvent()["books"] as? Set<NSManagedObject> == [book])
        #expect(next.changedValuesForCurrentEvent()["books"] as? Set<NSManagedObject> == [])
        context.processPendingChanges()
        other.setValue(next, forKey: "author")
        book.setValue(nil, forKey: "author")
        #expect(next.changedValuesForCurrentEvent()["books"] as? Set<NSManagedObject> == [book])
        #expect(book.changedValuesForCurrentEvent()["author"] as? NSManagedObject === next)
        #expect(other.changedValuesForCurrentEvent()["author"] is NSNull)
    }

    @Test func `contain the earlier order of an ordered relationship`() throws {
        let context = try GraphLibrary.context()
        let book = try context.make("Book", ["title": "a"])
        let reviews = try (1...3).map { try context.make("Review", ["mark": $0]) }
        book.setValue(NSOrderedSet(array: reviews), forKey: "reviews")
        try context.save()
        book.setValue(NSOrderedSet(array: reviews.reversed()), forKey: "reviews")
        func earlier() -> [NSManagedObject]? {
            (book.changedValuesForCurrentEvent()["reviews"] as? NSOrderedSet)?.array as? [NSManagedObject]
        }
        #expect(earlier() == reviews)
        context.processPendingChanges()
        context.delete(reviews[1])
        #expect(earlier() == reviews.reversed())
    }

    @Test func `survive a deletion that is taken back in the same event`() throws {
        let context = GraphLibrary.context(try ShopModel.coordinator())
        let changes = NotificationRecorder(.NSManagedObjectContextObjectsDidChange, of: context)
        let book = try context.make("Book", ["title": "a"])
        try context.save()
        book.setValue("b", forKey: "title")
        context.processPendingChanges()
        context.delete(book)
        context.insert(book)
        book.setValue("c", forKey: "title")
        #expect(book.changedValuesForCurrentEvent()["title"] as? String == "b")
        context.processPendingChanges()
        #expect(changes.keys == [NSUpdatedObjectsKey] && book.changedValuesForCurrentEvent().isEmpty)
        book.setValue("d", forKey: "title")
        context.delete(book)
        context.processPendingChanges()
        #expect(changes.keys == [NSDeletedObjectsKey])
        context.insert(book)
        context.processPendingChanges()
        #expect(changes.keys == [NSInsertedObjectsKey])
        book.setValue("e", forKey: "title")
        #expect(book.changedValuesForCurrentEvent()["title"] as? String == "d")
        context.processPendingChanges()
        #expect(changes.keys == [NSUpdatedObjectsKey])
    }

    @Test func `can be read of ten thousand objects while they are posted`() throws {
        let context = GraphLibrary.context(try ShopModel.coordinator())
        let changes = NotificationRecorder(.NSManagedObjectContextObjectsDidChange, of: context)
        let books = try (0..<10_000).map { try context.make("Book", ["year": $0]) }
        try context.save()
        for book in books { book.setValue(-1, forKey: "year") }
        var years = 0
        changes.onReceive = {
            for (year, book) in books.enumerated()
            where book.changedValuesForCurrentEvent()["year"] as? Int == year { years += 1 }
        }
        context.processPendingChanges()
        #expect(years == 10_000)
    }

    @Test func `of a new object are the defaults`() throws {
        let context = try GraphLibrary.context()
        let book = try context.make("Book", ["stock": 3])
        #expect(book.changedValuesForCurrentEvent()["stock"] as? Int == 7)
        #expect(book.changedValuesForCurrentEvent().count == 1)
    }

    @Test func `are not confused by a restored state`() throws {
        let context = GraphLibrary.context(try ShopModel.coordinator())
        let changes = NotificationRecorder(.NSManagedObjectContextObjectsDidChange, of: context)
        let book = try context.make("Book", ["title": "a"])
        try context.save()
        book.setValue("b", forKey: "title")
        let checkpoint = context.checkpoint()
        context.processPendingChanges()
        context.restore(checkpoint)
        context.processPendingChanges()
        let count = changes.received.count
        book.setValue("c", forKey: "title")
        #expect(book.changedValuesForCurrentEvent()["title"] as? String == "b")
        context.processPendingChanges()
        #expect(changes.received.count == count + 1 && changes.objects(NSUpdatedObjectsKey) == [book])
    }
}
