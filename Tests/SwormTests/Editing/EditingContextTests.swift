import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

// In series, because `saveAll` saves the contexts of all tests.
@Suite("Editing context", .serialized, .overEachStore)
@MainActor
struct EditingContextTests {
    typealias Project = Studio.Project
    typealias Job = Studio.Job

    let test: TestStore
    let id: ManagedObjectID<Project>
    var store: PersistentContainer { test.container }

    init() throws {
        test = try Studio.store()
        id = try test.container.perform { context in
            let project = try context.insert(Project(number: 1, name: "old", budget: 5))
            for number in 1...3 { try project.jobs.add(context.insert(Job(number: number, title: "job \(number)"))) }
            try project.tags.add(context.insert(Studio.Tag(number: 1, word: "red")))
            project.cover = try context.insert(Studio.Cover(number: 1, color: "blue"))
            return project
        }
    }

    func name() throws -> String { try store.perform { try $0.object(with: id).decode(\.name) } }

    @Test func `an edit is undone and done again, before and after it was saved`() throws {
        let editor = try EditingContext(store, autosave: .never)
        try editor.edit("Rename") { try $0.object(with: id).encode(\.name, "new") }
        #expect(editor.hasChanges && editor.undoNames == ["Rename"])
        editor.undo()
        #expect(!editor.hasChanges && editor.redoNames == ["Rename"])
        #expect(try editor.read { try $0.object(with: id).decode(\.name) } == "old")
        editor.redo()
        try editor.save()
        #expect(try name() == "new")
        editor.undo()
        try editor.save()
        #expect(try name() == "old")
        editor.redo()
        try editor.save()
        #expect(try name() == "new")
        #expect(editor.undoConflicts.isEmpty)
    }

    @Test func `an edit that throws leaves nothing`() throws {
        struct Failure: Swift.Error {}
        let editor = try EditingContext(store, autosave: .never)
        #expect(throws: Failure.self) {
            try editor.edit("Break") { context in
                try context.object(with: id).encode(\.name, "new")
                try context.insert(Project(number: 9))
                throw Failure()
            }
        }
        #expect(!editor.hasChanges && !editor.canUndo)
        #expect(try editor.read { try $0.count(of: Project.all) } == 1)
    }

    @Test func `an insertion is undone, and done again under the same key`() throws {
        let editor = try EditingContext(store, autosave: .never)
        try editor.edit("Add") { context in
            let project = try context.insert(Project(number: 2, name: "second"))
            try project.jobs.add(context.insert(Job(number: 20, title: "first")))
        }
        try editor.save()
        let added = try store.perform { try #require(try $0.fetchOne(Project.all.where { $0.number == 2 })).id }
        editor.undo()
        try editor.save()
        #expect(try store.perform { try $0.count(of: Project.all) } == 1)
        #expect(try store.perform { try $0.count(of: Job.all) } == 3)
        guard NSManagedObjectContext.revivesSavedDeletions else {
            #expect(!editor.canRedo)
            return
        }
        editor.redo()
        try editor.save()
        #expect(try store.perform { try $0.object(with: added).jobs.decode().map(\.number) } == [20])
        try test.verifyIfFile()
    }

    @Test func `a deletion with cascades is undone with all links and the order`() throws {
        let editor = try EditingContext(store, autosave: .never)
        try editor.edit("Sort") { context in
            let jobs = try context.object(with: id).jobs
            try jobs.move(from: 2, to: 0)
        }
        try editor.save()
        try editor.edit("Delete") { context in try context.delete(context.object(with: id)) }
        #expect(try editor.read { try $0.count(of: Job.all) } == 0)
        if NSManagedObjectContext.revivesSavedDeletions { try editor.save() }
        editor.undo()
        try editor.save()
        try store.perform { context in
            let project = try context.object(with: id)
            #expect(try project.decode() == Project(number: 1, name: "old", budget: 5))
            #expect(try project.jobs.decode().map(\.number) == [3, 1, 2])
            #expect(try project.tags.decode().map(\.word) == ["red"])
            #expect(try project.cover?.decode().color == "blue")
        }
        #expect(editor.undoConflicts.isEmpty)
        try test.verifyIfFile()
    }

    @Test func `a saved deletion is undone where keys can be chosen, and ends the steps elsewhere`() throws {
        let editor = try EditingContext(store, autosave: .never)
        try editor.edit("Rename") { try $0.object(with: id).encode(\.name, "new") }
        try editor.edit("Delete") { try $0.delete($0.object(with: id)) }
        try editor.edit("Add") { try $0.insert(Project(number: 2)) }
        try editor.save()
        guard NSManagedObjectContext.revivesSavedDeletions else {
            #expect(editor.undoNames == ["Add"])
            return
        }
        for _ in 0..<3 { editor.undo() }
        try editor.save()
        #expect(try store.perform { try $0.decode(Project.all) } == [Project(number: 1, name: "old", budget: 5)])
        #expect(try name() == "old")
        try test.verifyIfFile()
    }

    @Test func `a property that somebody else has changed keeps its value`() throws {
        let editor = try EditingContext(store, autosave: .never)
        try editor.edit("Change") { try $0.object(with: id).encode(Project(number: 1, name: "mine", budget: 7)) }
        try editor.save()
        try store.perform { _ = try $0.object(with: id).encode(\.name, "theirs") }
        editor.undo()
        try editor.save()
        #expect(try store.perform { try $0.object(with: id).decode() } == Project(number: 1, name: "theirs", budget: 5))
        #expect(editor.undoConflicts.map(\.property) == ["name"])
        #expect(editor.undoConflicts.first?.concerns(id) ?? false)
    }

    @Test func `a commit while a change is not saved is a conflict of its undo`() throws {
        let editor = try EditingContext(store, autosave: .never)
        try editor.edit("Change") { try $0.object(with: id).encode(\.name, "mine") }
        try store.perform { _ = try $0.object(with: id).encode(\.name, "theirs") }
        editor.undo()
        #expect(editor.undoConflicts.map(\.property) == ["name"])
        #expect(try editor.read { try $0.object(with: id).decode(\.name) } == "mine")
        try editor.save()
        #expect(try name() == "mine")
    }

    @Test func `a change that cannot be saved remains, and is saved after the next change`() async throws {
        let clock = ManualClock()
        let editor = try EditingContext(store, clock: clock)
        var sleeps = clock.sleeps.makeAsyncIterator()
        try editor.edit("Spend") { try $0.object(with: id).encode(\.budget, 101) }
        _ = await sleeps.next()
        clock.advance(by: .seconds(1))
        while editor.saveError == nil { await Task.yield() }
        #expect(editor.hasChanges)
        #expect(try store.perform { try $0.object(with: id).decode(\.budget) } == 5)
        try editor.edit("Spend less") { try $0.object(with: id).encode(\.budget, 99) }
        _ = await sleeps.next()
        clock.advance(by: .seconds(1))
        while editor.hasChanges { await Task.yield() }
        #expect(editor.saveError == nil)
        #expect(try store.perform { try $0.object(with: id).decode(\.budget) } == 99)
        editor.undo()
        editor.undo()
        try editor.save()
        #expect(try store.perform { try $0.object(with: id).decode(\.budget) } == 5)
    }

    @Test func `changes are saved ten seconds after the first at the latest`() async throws {
        let clock = ManualClock()
        let editor = try EditingContext(store, clock: clock)
        try editor.edit("0") { try $0.object(with: id).encode(\.name, "0") }
        for number in 1...11 {
            clock.advance(by: .milliseconds(900))
            try editor.edit("\(number)") { try $0.object(with: id).encode(\.name, "\(number)") }
            for _ in 0..<10 { await Task.yield() }
            #expect(try name() == "old")
        }
        clock.advance(by: .milliseconds(100))
        while editor.hasChanges { await Task.yield() }
        #expect(try name() == "11")
    }

    @Test func `edits with one name within a second are one step`() throws {
        let clock = ManualClock()
        let editor = try EditingContext(store, autosave: .never, clock: clock)
        for text in ["a", "ab", "abc"] {
            try editor.edit("Typing", coalescing: true) { try $0.object(with: id).encode(\.name, text) }
            clock.advance(by: .milliseconds(400))
        }
        #expect(editor.undoNames == ["Typing"])
        clock.advance(by: .seconds(1))
        try editor.edit("Typing", coalescing: true) { try $0.object(with: id).encode(\.name, "abcd") }
        #expect(editor.undoNames.count == 2)
        editor.undo()
        #expect(try editor.read { try $0.object(with: id).decode(\.name) } == "abc")
        editor.undo()
        #expect(try editor.read { try $0.object(with: id).decode(\.name) } == "old")
    }

    @Test func `the number of steps is limited`() throws {
        let editor = try EditingContext(store, autosave: .never)
        editor.undoLevels = 3
        for number in 0..<5 { try editor.edit("\(number)") { try $0.object(with: id).encode(\.budget, number) } }
        #expect(editor.undoNames == ["2", "3", "4"])
    }

    @Test func `changes are saved when the context is released, and by saveAll`() throws {
        var editor: EditingContext? = try EditingContext(store)
        try editor?.edit("Rename") { try $0.object(with: id).encode(\.name, "released") }
        #expect(try name() == "old")
        editor = nil
        #expect(try name() == "released")
        editor = try EditingContext(store)
        try editor?.edit("Rename") { try $0.object(with: id).encode(\.name, "all") }
        EditingContext.saveAll()
        #expect(try name() == "all")
    }

    @Test func `handles work in later edits, and not outside of them`() throws {
        let editor = try EditingContext(store, autosave: .never)
        let project = try editor.read { try $0.object(with: id) }
        #expect(storeErrorCode { try project.decode() } == .wrongThread)
        try editor.edit("Rename") { _ in try project.encode(\.name, "new") }
        #expect(storeErrorCode { try editor.read { _ in try project.encode(\.name, "newer") } } == .readOnly)
        #expect(storeErrorCode { try editor.edit("Bulk") { try $0.batchDelete(Project.all) } } == .unsupported)
        #expect(try editor.read { _ in try project.decode(\.name) } == "new")
    }

    @Test(.over(.file, .server)) func `commits of other containers of the file are merged`() async throws {
        let other = try test.reopened()
        let editor = try EditingContext(store, autosave: .never)
        let project = try editor.read { try $0.object(with: id) }
        #expect(try editor.read { _ in try project.decode(\.name) } == "old")
        try other.perform { _ = try $0.object(with: id).encode(\.name, "other") }
        while try editor.read({ _ in try project.decode(\.name) }) != "other" {
            try await Task.sleep(for: .milliseconds(5))
        }
        try other.perform { try $0.delete($0.object(with: id)) }
        while (try? editor.read { _ in try project.decode(\.name) }) != nil {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test func `an undo manager follows the steps`() throws {
        let manager = StepStack()
        let editor = try EditingContext(store, autosave: .never)
        editor.register(with: manager)
        try editor.edit("Rename") { try $0.object(with: id).encode(\.name, "new") }
        #expect(manager.undoNames == ["Rename"])
        manager.undo()
        #expect(try editor.read { try $0.object(with: id).decode(\.name) } == "old")
        #expect(manager.undoNames.isEmpty && manager.redoNames == ["Rename"])
        manager.redo()
        #expect(try editor.read { try $0.object(with: id).decode(\.name) } == "new")
        #expect(manager.undoNames == ["Rename"] && manager.redoNames.isEmpty)
        editor.undo()
        #expect(manager.undoNames.isEmpty)
    }

    @Test(.over(.file, .server)) func `unsaved changes of a released context are reported`() throws {
        let errors = Locked<[String]>([])
        let store = try PersistentContainer(
            for: Project.self, at: test.location, logError: { error in errors.withLock { $0.append("\(error)") } })
        var editor: EditingContext? = try EditingContext(store, autosave: .never)
        try editor?.edit("Rename") { try $0.object(with: id).encode(\.name, "lost") }
        editor = nil
        #expect(errors.withLock { $0 }.contains { $0.contains("unsaved changes of 1 object,") })
    }
}

/// The stacks of an undo manager.
@MainActor
private final class StepStack: UndoRegistering {
    private var undos: [(String, @MainActor () -> Void)] = []
    private var redos: [(String, @MainActor () -> Void)] = []
    private var isUndoing = false
    var undoNames: [String] { undos.map(\.0) }
    var redoNames: [String] { redos.map(\.0) }

    func registerUndo(_ name: String, handler: @escaping @MainActor () -> Void) {
        if isUndoing { redos.append((name, handler)) } else { undos.append((name, handler)) }
    }

    func removeAllSteps() { (undos, redos) = ([], []) }

    func undo() {
        isUndoing = true
        defer { isUndoing = false }
        undos.popLast()?.1()
    }

    func redo() { redos.popLast()?.1() }
}
