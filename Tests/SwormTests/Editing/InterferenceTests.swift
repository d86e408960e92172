import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

private actor Desk: ManagedObjectActor {
    let executor: ObjectExecutor
    private var held: ManagedObject<Studio.Project>?

    init(_ store: PersistentContainer) throws { executor = try ObjectExecutor(store) }

    func change(_ id: ManagedObjectID<Studio.Project>, name: String) throws {
        held = try context.object(with: id)
        try held?.encode(\.name, name)
    }

    func discard() { rollback() }

    var project: Studio.Project? { get throws { try held?.decode() } }

    /// Saves, and returns the code of the error.
    func saveCode() -> StoreError.Code? { storeErrorCode { try save() } }

    func transactionCode() -> StoreError.Code? {
        storeErrorCode { try transaction { _ in try held?.encode(\.budget, 7) } }
    }

    struct Failure: Swift.Error {}

    /// A transaction inside another one, which assigns an object of another store.
    func transactionAround(_ id: ManagedObjectID<Studio.Job>, foreign: ManagedObject<Studio.Project>) throws {
        try transaction { context in
            let job = try context.object(with: id)
            try job.encode(\.title, "outer")
            #expect(throws: (any Error).self) {
                try self.transaction { _ in job.project = foreign }
            }
        }
    }
}

/// Unsaved changes of contexts that outlive calls, beside commits of others.
@Suite("Unsaved changes and other commits", .overEachStore)
@MainActor
struct InterferenceTests {
    typealias Project = Studio.Project

    let test: TestStore
    let id: ManagedObjectID<Project>
    var store: PersistentContainer { test.container }

    init() throws {
        test = try Studio.store()
        id = try test.container.perform { try $0.insert(Project(number: 1, name: "old", budget: 5)) }
    }

    private func stored() throws -> Project { try store.perform { try $0.object(with: id).decode() } }

    @Test func `an actor does not overwrite a change that was committed in the meantime`() async throws {
        let desk = try Desk(store)
        try await desk.change(id, name: "mine")
        try store.perform { try $0.object(with: id).encode(\.name, "theirs") }
        #expect(await desk.saveCode() == .conflict)
        // It stays a conflict until the changes are discarded.
        #expect(await desk.saveCode() == .conflict)
        #expect(await desk.transactionCode() == .conflict)
        #expect(try stored() == Project(number: 1, name: "theirs", budget: 5))
        await desk.discard()
        #expect(try await desk.project?.name == "theirs")
        try await desk.change(id, name: "mine")
        #expect(await desk.saveCode() == nil)
        #expect(try stored().name == "mine")
    }

    @Test func `an actor's unsaved changes of a deleted object are not dropped without an error`() async throws {
        let desk = try Desk(store)
        try await desk.change(id, name: "mine")
        try store.perform { try $0.delete($0.object(with: id)) }
        let code = await desk.saveCode()
        #expect(code == .conflict || code == .objectDeleted)
        #expect(try store.perform { try $0.count(of: Project.all) } == 0)
        await desk.discard()
        #expect(await desk.saveCode() == nil)
    }

    #if !canImport(CoreData)
    @Test(.over(.file, .server)) func `a merge policy settles the conflicts of an actor`() async throws {
        for (policy, name) in [
            (NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, "mine"),
            (.mergeByPropertyStoreTrumpMergePolicyType, "theirs"),
        ] {
            let store = try PersistentContainer(for: Project.self, at: test.location, mergePolicy: policy)
            let desk = try Desk(store)
            try await desk.change(id, name: "mine")
            try test.container.perform { context in
                let project = try context.object(with: id)
                try project.encode(\.name, "theirs")
                try project.encode(\.budget, project.decode(\.budget) + 1)
            }
            #expect(await desk.saveCode() == nil)
            #expect(try stored().name == name)
            // The values of the other commit are shown after it.
            #expect(try await desk.project == stored())
        }
        #expect(try stored().budget == 7)
    }
    #endif

    @Test func `a failure inside an inner transaction is not one of the outer transaction`() async throws {
        let other = try Studio.store()
        let foreign = try EditingContext(other.container, autosave: .never)
        let job = try store.perform { try $0.insert(Studio.Job(number: 1, title: "old")) }
        let handle = try foreign.edit("Insert") { try $0.insert(Project(number: 9)) }
        let editor = try EditingContext(store, autosave: .never)
        try editor.edit("Outer") { context in
            let job = try context.object(with: job)
            try job.encode(\.title, "outer")
            #expect(throws: (any Error).self) { try editor.edit("Inner") { _ in job.project = handle } }
        }
        try editor.save()
        #expect(try store.perform { try $0.object(with: job).decode(\.title) } == "outer")
    }

    struct Failure: Swift.Error {}

    @Test func `an editing context cannot be saved inside an edit`() throws {
        let editor = try EditingContext(store, autosave: .never)
        try editor.edit("A") { _ = try $0.insert(Project(number: 2, name: "a")) }
        #expect(throws: Failure.self) {
            try editor.edit("B") { _ in
                #expect(storeErrorCode { try editor.save() } == .unsupported)
                throw Failure()
            }
        }
        try editor.save()
        #expect(try store.perform { try $0.count(of: Project.all.where { $0.name == "a" }) } == 1)
    }

    // Core Data's objects do not outlive the removal of their store from the coordinator.
    #if !canImport(CoreData)
    @Test(.over(.file, .server))
    func `a main context and an editing context are updated after a suspension`() async throws {
        let handle = try store.main.object(with: id)
        let editor = try EditingContext(store, autosave: .never)
        let edited = try editor.read { try $0.object(with: id) }
        #expect(try handle.decode(\.name) == "old")
        let other = try PersistentContainer(for: Project.self, at: test.location)
        for turn in 0..<3 {
            try store.suspend()
            try other.perform { try $0.object(with: id).encode(\.name, "turn \(turn)") }
            // The tasks that would merge the commit run while the store is suspended.
            for _ in 0..<20 { await Task.yield() }
            try store.resume()
            try await poll { (try? handle.decode(\.name)) == "turn \(turn)" }
            #expect(try editor.read { _ in try edited.decode(\.name) } == "turn \(turn)")
        }
    }

    @Test(.over(.file, .server)) func `a draft follows its object again after an error`() async throws {
        let draft = try Draft(of: id, in: store)
        let other = try PersistentContainer(for: Project.self, at: test.location)
        for turn in 0..<3 {
            try store.suspend()
            try other.perform { try $0.object(with: id).encode(\.name, "turn \(turn)") }
            try store.resume()
            try await poll { draft.theirs?.name == "turn \(turn)" }
        }
    }
    #endif

    @Test func `edits that cancel each other are no step`() throws {
        let editor = try EditingContext(store, autosave: .never)
        try editor.edit("Name", coalescing: true) { try $0.object(with: id).encode(\.name, "new") }
        #expect(editor.undoNames == ["Name"])
        try editor.edit("Name", coalescing: true) { try $0.object(with: id).encode(\.name, "old") }
        #expect(editor.undoNames.isEmpty && !editor.canUndo)
    }

    @Test func `an editing context that is released on another thread is saved by saveAll`() async throws {
        var editor: EditingContext? = try EditingContext(store, autosave: .after(.seconds(600)))
        try editor?.edit("Name") { try $0.object(with: id).encode(\.name, "new") }
        let holder = Locked(editor)
        editor = nil
        // The main actor is blocked meanwhile, so that it cannot finish the context.
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            holder.withLock { $0 = nil }
            done.signal()
        }
        done.wait()
        #expect(EditingContext.saveAll())
        #expect(try stored().name == "new")
    }
}
