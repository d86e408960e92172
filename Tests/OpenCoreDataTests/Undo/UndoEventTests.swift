import Foundation
import OpenCoreData
import TestSupport
import Testing

/// An undo manager that is used before the event of its context has ended, and its steps by target.
@Suite(.overEachStore)
struct UndoEventTests {
    private let context: NSManagedObjectContext
    private let manager = UndoManager()
    private let book: NSManagedObject

    init() throws {
        context = try GraphLibrary.context()
        book = try context.make("Book", ["title": "a"])
        try context.save()
        context.undoManager = manager
    }

    private func rename(_ title: String) { book.setValue(title, forKey: "title") }

    // MARK: Events

    @Test func `undo and redo of the manager first end the event`() {
        rename("b")
        context.processPendingChanges()
        rename("c")
        manager.undo()
        #expect(book.text("title") == "b")
        manager.redo()
        #expect(book.text("title") == "c")
        manager.undo()
        manager.undo()
        #expect(book.text("title") == "a" && !manager.canUndo)
        rename("d")
        #expect(manager.canUndo && !manager.canRedo)
        manager.redo()
        #expect(book.text("title") == "d")
    }

    @Test func `an action name belongs to the changes that were just made`() {
        rename("b")
        manager.setActionName("First")
        rename("c")
        #expect(manager.undoActionName == "")
        manager.setActionName("Second")
        #expect(manager.undoActionName == "Second")
        manager.undo()
        #expect(manager.undoActionName == "First" && manager.redoActionName == "Second")
    }

    @Test func `a group has the changes from its beginning to its end`() {
        book.setValue(1900, forKey: "year")
        manager.beginUndoGrouping()
        rename("b")
        manager.endUndoGrouping()
        book.setValue(2000, forKey: "year")
        manager.undo()
        manager.undo()
        #expect(book.text("title") == "a" && book.value(forKey: "year") as? Int == 1900)
        manager.undo()
        #expect(book.value(forKey: "year") == nil)
    }

    @Test func `the changes of an open group can be undone under the name of the group`() {
        rename("b")
        manager.setActionName("Before")
        manager.beginUndoGrouping()
        manager.beginUndoGrouping()
        #expect(manager.undoActionName == "Before")
        rename("c")
        manager.setActionName("Inside")
        #expect(manager.canUndo && manager.undoActionName == "Inside" && manager.groupingLevel == 2)
        manager.undo()
        #expect(book.text("title") == "b" && manager.groupingLevel == 0 && manager.redoActionName == "Inside")
    }

    @Test func `changes are registered or not as it was when they were made`() {
        rename("b")
        manager.disableUndoRegistration()
        book.setValue(1900, forKey: "year")
        manager.enableUndoRegistration()
        manager.undo()
        #expect(book.text("title") == "a" && book.value(forKey: "year") as? Int == 1900)
        #expect(!manager.canUndo)
    }

    @Test func `the changes that a reversal of the application makes are done again with it`() {
        manager.registerUndo(withTarget: book) { $0.setValue("x", forKey: "title") }
        manager.setActionName("Rename")
        manager.undo()
        #expect(book.text("title") == "x")
        #expect(manager.canRedo && !manager.canUndo && manager.redoActionName == "Rename")
        manager.redo()
        #expect(book.text("title") == "a")
    }

    @Test func `a manager that a context had before does not end its events`() {
        let later = UndoManager()
        context.undoManager = later
        rename("b")
        #expect(!manager.canUndo && later.canUndo)
        context.undoManager = manager
        rename("c")
        manager.undo()
        #expect(book.text("title") == "b" && !manager.canUndo)
    }

    // MARK: Targets

    @Test func `the steps of one target are removed`() {
        let target = NSObject()
        var calls = 0
        rename("b")
        context.processPendingChanges()
        manager.registerUndo(withTarget: target) { _ in calls += 1 }
        manager.removeAllActions(withTarget: target)
        #expect(manager.canUndo)
        manager.undo()
        #expect(calls == 0 && book.text("title") == "a" && !manager.canUndo && manager.canRedo)
        manager.registerUndo(withTarget: target) { _ in calls += 1 }
        manager.removeAllActions(withTarget: context)
        manager.undo()
        #expect(calls == 1 && book.text("title") == "a")
    }

    @Test func `a rollback forgets the steps of its context, and not those of another one`() throws {
        let second = try GraphLibrary.context()
        second.undoManager = manager
        let tag = try second.make("Tag", ["name": "x"])
        second.processPendingChanges()
        rename("b")
        context.processPendingChanges()
        context.rollback()
        #expect(manager.canUndo && second.insertedObjects == [tag])
        manager.undo()
        #expect(second.insertedObjects.isEmpty && !manager.canUndo)
    }

    @Test func `the steps of a context that is not in use any more are forgotten`() throws {
        rename("b")
        context.processPendingChanges()
        func useAnother() throws {
            let second = try GraphLibrary.context()
            second.undoManager = manager
            try second.make("Tag", ["name": "x"])
            second.processPendingChanges()
            manager.setActionName("Insert")
            #expect(manager.undoActionName == "Insert")
        }
        try useAnother()
        #expect(manager.canUndo && manager.undoActionName == "")
        manager.undo()
        #expect(book.text("title") == "a" && !manager.canUndo)
    }

    @Test func `a step of a deallocated target is not one`() {
        func register() { manager.registerUndo(withTarget: NSObject()) { _ in } }
        register()
        #expect(!manager.canUndo)
        rename("b")
        context.processPendingChanges()
        register()
        manager.setActionName("Rename")
        #expect(manager.undoActionName == "Rename")
        manager.undo()
        #expect(book.text("title") == "a" && manager.redoActionName == "Rename")
    }

    @Test func `the steps of deallocated targets leave when other steps are registered`() {
        weak var last: NSObject?
        weak var earlier: NSObject?
        func register() {
            let (target, content) = (NSObject(), NSObject())
            earlier = content
            manager.registerUndo(withTarget: target) { _ in withExtendedLifetime(content) {} }
            rename("b")
            context.processPendingChanges()
            let lastContent = NSObject()
            last = lastContent
            manager.registerUndo(withTarget: target) { _ in withExtendedLifetime(lastContent) {} }
        }
        register()
        #expect(last != nil && earlier != nil)
        rename("c")
        context.processPendingChanges()
        #expect(last == nil && earlier != nil)
        for title in 0..<20 {
            rename("\(title)")
            context.processPendingChanges()
        }
        #expect(earlier == nil)
        for _ in 0..<22 { context.undo() }
        #expect(book.text("title") == "a" && !manager.canUndo)
    }

    // MARK: Menus

    @Test func `menu titles have the name of the step`() {
        #expect(manager.undoMenuItemTitle == "Undo" && manager.redoMenuItemTitle == "Redo")
        rename("b")
        manager.setActionName("Rename")
        #expect(context.undoManager?.undoMenuItemTitle == "Undo Rename")
        manager.undo()
        #expect(context.undoManager?.redoMenuItemTitle == "Redo Rename")
    }

    @Test func `a type of the application needs no targets and titles`() throws {
        let plain = PlainUndoManager()
        context.undoManager = plain
        rename("b")
        context.processPendingChanges()
        plain.setActionName("Rename")
        #expect(context.undoManager?.undoMenuItemTitle == "Undo Rename")
        context.undo()
        #expect(book.text("title") == "a" && context.undoManager?.redoMenuItemTitle == "Redo Rename")
        context.redo()
        #expect(book.text("title") == "b" && plain.canUndo)
        context.rollback()
        #expect(!plain.canUndo)
    }
}

/// An undo manager of an application, with the members that it must have.
private final class PlainUndoManager: UndoManaging {
    private let steps = UndoManager()
    var canUndo: Bool { steps.canUndo }
    var canRedo: Bool { steps.canRedo }
    var isUndoing: Bool { steps.isUndoing }
    var isRedoing: Bool { steps.isRedoing }
    var levelsOfUndo: Int {
        get { steps.levelsOfUndo }
        set { steps.levelsOfUndo = newValue }
    }
    var isUndoRegistrationEnabled: Bool { steps.isUndoRegistrationEnabled }
    var groupingLevel: Int { steps.groupingLevel }
    var undoActionName: String { steps.undoActionName }
    var redoActionName: String { steps.redoActionName }
    func registerUndo(_ reversal: @escaping () -> Void) { steps.registerUndo(reversal) }
    func undo() { steps.undo() }
    func redo() { steps.redo() }
    func removeAllActions() { steps.removeAllActions() }
    func disableUndoRegistration() { steps.disableUndoRegistration() }
    func enableUndoRegistration() { steps.enableUndoRegistration() }
    func beginUndoGrouping() { steps.beginUndoGrouping() }
    func endUndoGrouping() { steps.endUndoGrouping() }
    func setActionName(_ actionName: String) { steps.setActionName(actionName) }

    @Test func `an object may remove its steps when the release of a step deallocates it`() {
        final class Owner {
            let manager: UndoManager
            init(_ manager: UndoManager) { self.manager = manager }
            deinit { manager.removeAllActions(withTarget: self) }
        }
        final class Target {}
        let manager = UndoManager()
        func register() {
            let (owner, target) = (Owner(manager), Target())
            manager.registerUndo(withTarget: target) { _ in _ = owner }
        }
        register()
        manager.registerUndo(withTarget: manager) { _ in }
        manager.undo()
        register()
        manager.levelsOfUndo = 1
        for _ in 0..<3 { manager.registerUndo(withTarget: manager) { _ in } }
        register()
        manager.removeAllActions()
        #expect(!manager.canUndo && !manager.canRedo)
    }
}
