import Foundation
import SwormPredicates
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore
import SwormRows

@Suite("Releasing, undoing and interrupting in a context", .overEachStore)
struct LettingGoTests {
    @Test func `an object that is deleted before it was saved leaves the context`() throws {
        let context = try GraphLibrary.context()
        let book = try context.make("Book", ["title": "a"])
        let review = try context.make("Review", ["mark": 3])
        review.setValue(book, forKey: "book")
        context.delete(book)
        for object in [book, review] {
            #expect(object.managedObjectContext == nil && !object.isInserted && !object.isDeleted)
        }
        #expect(!context.hasChanges && context.registeredObjects.isEmpty)
        #expect(book.text("title") == "a")
    }

    @Test func `a checkpoint brings it back, with its relationships`() throws {
        let context = try GraphLibrary.context()
        let book = try context.make("Book", ["title": "a"])
        let review = try context.make("Review", ["mark": 3])
        review.setValue(book, forKey: "book")
        let checkpoint = context.checkpoint()
        for _ in 0..<2 {
            context.delete(book)
            #expect(context.insertedObjects.isEmpty)
            context.restore(checkpoint)
            #expect(context.insertedObjects == [book, review])
            #expect(book.managedObjectContext === context && book.isInserted)
            #expect(book.list("reviews") == [review] && review.object("book") === book)
            #expect(context.registeredObject(for: book.objectID) === book)
        }
        try context.save()
        #expect(try context.all("Book").count == 1)
    }

    @Test func `members that were read while other members were deleted are read again after a rollback`() throws {
        let context = try GraphLibrary.context()
        let shelf = try context.make("Shelf", ["label": "x"])
        let book = try context.make("Book", ["title": "a"])
        book.setValue(shelf, forKey: "shelf")
        try context.save()
        for undo in [{ context.rollback() }, { [checkpoint = context.checkpoint()] in context.restore(checkpoint) }] {
            context.refreshAllObjects()
            context.delete(book)
            _ = shelf.set("content")
            undo()
            #expect(shelf.set("content") == [book])
        }
    }

    @Test func `an interrupted context reads nothing until it is resumed`() throws {
        let context = try GraphLibrary.context()
        try context.make("Tag", ["name": "a"])
        try context.save()
        for isPinned in [false, true] {
            try context.setQueryGenerationFrom(isPinned ? .current : nil)
            #expect(try context.all("Tag").count == 1)
            context.interruptReading()
            for _ in 0..<2 {
                #expect(
                    coreDataError { _ = try context.all("Tag") }?.errorCode == CocoaError.Code.userCancelled.rawValue)
            }
            context.resumeReading()
            #expect(try context.all("Tag").count == 1)
        }
    }

    @Test(.over(.file, .server))
    func `a view that is ended while its rows are stepped through lasts until the last row`() throws {
        let context = try GraphLibrary.context()
        for number in 0..<50 { try context.make("Tag", ["name": "\(number)"]) }
        try context.save()
        try context.setQueryGenerationFrom(.current)
        let tag = try #require(context.compiledModel?.entity(named: "Tag"))
        guard case .attribute(let slot) = tag.slot(named: "name") else {
            Issue.record("no attribute")
            return
        }
        let plan = RowPlan<[String]>(
            ops: [], customs: [RowPlan<[String]>.Custom(column: 1) { names, view in names = [try view.string()] }],
            template: [])
        var seen: Set<String> = []
        let isStepped = try context.forEach(
            FetchSpecification(entity: tag.number), attributes: [slot], plan: plan
        ) { names in
            seen.formUnion(names.move())
            if seen.count == 3 {
                try context.make("Tag", ["name": "new"])
                // This ends the view, and the next read begins another one.
                try context.save()
                #expect(try context.all("Tag").count == 51)
            }
        }
        #expect(isStepped && seen.count == 50)
        #expect(try context.all("Tag").count == 51)
    }

    @Test func `other bytes are a change, although the strings are equal in Swift`() throws {
        let context = try GraphLibrary.context()
        let tag = try context.make("Tag", ["name": "e\u{301}"])
        try context.save()
        tag.setValue("e\u{301}", forKey: "name")
        #expect(!tag.hasPersistentChangedValues)
        tag.setValue("\u{e9}", forKey: "name")
        #expect(tag.hasPersistentChangedValues)
        try context.save()
        context.reset()
        #expect(try context.all("Tag").first?.text("name").map { Array($0.utf8) } == [0xc3, 0xa9])
    }

    @Test func `objects are ordered by the number of members, saved or not`() throws {
        let context = try GraphLibrary.context()
        for (name, count) in [("ab", 2), ("cd", 0), ("ef", 3)] {
            let author = try context.make("Author", ["name": name])
            for _ in 0..<count {
                try context.make("Book", ["title": "x"]).setValue(author, forKey: "author")
            }
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "books.@count", ascending: false)]
        #expect(try context.fetch(request).compactMap { $0.text("name") } == ["ef", "ab", "cd"])
        try context.save()
        #expect(try context.fetch(request).compactMap { $0.text("name") } == ["ef", "ab", "cd"])
    }

    @Test func `a date beyond any calendar is rejected with a message`() throws {
        let context = try GraphLibrary.context()
        #expect(AttributeValue.date(Date(timeIntervalSinceReferenceDate: .nan)).description.contains("nan"))
        #expect(AttributeValue.date(Date(timeIntervalSinceReferenceDate: 1e300)).summary.contains("1e+300"))
        #expect(AttributeValue.date(.distantFuture).description.contains("4001"))
        #expect(!context.hasChanges)
    }
}
