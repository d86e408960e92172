import Foundation
import OpenCoreData
import TestSupport
import Testing

/// The undo manager of a context.
@Suite(.overEachStore)
struct UndoManagerTests {
    private let context: NSManagedObjectContext
    private let manager = UndoManager()

    init() throws {
        context = try GraphLibrary.context()
        let author = try context.make("Author", ["name": "Ann"])
        try context.make("Book", ["title": "a", "author": author])
        try context.save()
        context.undoManager = manager
    }

    private func book() throws -> NSManagedObject { try #require(try context.all("Book", sort: "title").first) }

    @Test func `each event is one step, which is undone and done again`() throws {
        let book = try book()
        book.setValue("b", forKey: "title")
        book.setValue(1900, forKey: "year")
        context.processPendingChanges()
        book.setValue("c", forKey: "title")
        context.undo()
        #expect(book.text("title") == "b" && book.value(forKey: "year") as? Int == 1900)
        context.undo()
        #expect(book.text("title") == "a" && book.value(forKey: "year") == nil)
        #expect(!manager.canUndo && manager.canRedo)
        context.redo()
        context.redo()
        #expect(book.text("title") == "c" && book.value(forKey: "year") as? Int == 1900)
        #expect(manager.canUndo && !manager.canRedo)
    }

    @Test func `insertions and deletions are undone, with their relationships`() throws {
        let book = try book()
        let author = try #require(book.object("author"))
        context.delete(author)
        let review = try context.make("Review", ["mark": 5, "book": book])
        context.processPendingChanges()
        #expect(book.object("author") == nil)
        context.undo()
        #expect(!author.isDeleted && book.object("author") === author && book.list("reviews").isEmpty)
        #expect(review.managedObjectContext == nil)
        context.redo()
        #expect(author.isDeleted && book.list("reviews") == [review])
        try context.save()
        #expect(try context.all("Author").isEmpty)
    }

    @Test func `a step can be undone after it was saved`() throws {
        let book = try book()
        let author = try #require(book.object("author"))
        context.delete(author)
        try context.save()
        context.undo()
        try context.save()
        #expect(try context.all("Book", "author.name == 'Ann'") == [book])
    }

    @Test func `a new change forgets what was undone, and a rollback forgets everything`() throws {
        let book = try book()
        book.setValue("b", forKey: "title")
        context.undo()
        book.setValue("c", forKey: "title")
        context.processPendingChanges()
        #expect(!manager.canRedo && manager.canUndo)
        context.rollback()
        #expect(!manager.canUndo)
        context.undo()
        #expect(book.text("title") == "a")
    }

    @Test func `groups are one step, and steps have names and a limit`() throws {
        let book = try book()
        manager.beginUndoGrouping()
        book.setValue("b", forKey: "title")
        context.processPendingChanges()
        book.setValue("c", forKey: "title")
        context.processPendingChanges()
        manager.setActionName("Rename")
        manager.endUndoGrouping()
        #expect(manager.undoActionName == "Rename")
        context.undo()
        #expect(book.text("title") == "a" && manager.redoActionName == "Rename")
        manager.levelsOfUndo = 2
        for title in ["1", "2", "3"] {
            book.setValue(title, forKey: "title")
            context.processPendingChanges()
        }
        for _ in 0..<3 { context.undo() }
        #expect(book.text("title") == "1")
    }

    @Test func `the members of the undo manager are reached through the context`() throws {
        let book = try book()
        context.undoManager?.levelsOfUndo = 5
        context.undoManager?.disableUndoRegistration()
        #expect(context.undoManager?.isUndoRegistrationEnabled == false)
        context.undoManager?.enableUndoRegistration()
        context.undoManager?.beginUndoGrouping()
        #expect(context.undoManager?.groupingLevel == 1)
        book.setValue("b", forKey: "title")
        context.processPendingChanges()
        context.undoManager?.setActionName("Rename")
        context.undoManager?.endUndoGrouping()
        #expect(context.undoManager?.canUndo == true && context.undoManager?.undoActionName == "Rename")
        context.undo()
        #expect(book.text("title") == "a" && context.undoManager?.levelsOfUndo == 5)
        #expect(context.undoManager?.canRedo == true && context.undoManager?.redoActionName == "Rename")
    }

    @Test func `a closure that is registered with a target receives it while the manager undoes`() throws {
        let book = try book()
        let manager = try #require(context.undoManager)
        var calls: [String] = []
        manager.registerUndo(withTarget: book) { target in
            calls.append("\(target.text("title") ?? "") \(manager.isUndoing) \(manager.isRedoing)")
        }
        manager.undo()
        #expect(calls == ["a true false"])
    }

    @Test func `changes are not registered while registration is disabled or without a manager`() throws {
        let book = try book()
        manager.disableUndoRegistration()
        book.setValue("b", forKey: "title")
        context.processPendingChanges()
        manager.enableUndoRegistration()
        #expect(!manager.canUndo)
        context.undoManager = nil
        book.setValue("c", forKey: "title")
        context.undo()
        #expect(book.text("title") == "c")
    }
}
