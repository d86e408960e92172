// Core Data reports the commits of other processes itself.
#if !canImport(CoreData)
import Foundation
@testable import Sworm
import SwormSQLite
import SwormTools
import Testing

/// Editing contexts beside a program that writes the store without this library, and that is known to have ended.
@Suite("Editing beside other programs")
@MainActor
struct ForeignEditsTests {
    typealias Folder = Archive.Folder

    let test: TestStore
    let connection: Connection
    var store: PersistentContainer { test.container }

    init() throws {
        test = try Archive.store(in: .file)
        let path = try #require(test.url).path
        connection = try Connection(.file(path: path), options: .init(access: .readWrite, busyTimeout: 20))
    }

    private func rename(_ number: Int, _ title: String) throws {
        try connection.transaction(.immediate) {
            try connection.execute(
                "UPDATE ZFOLDER SET ZTITLE = '\(title)', Z_OPT = Z_OPT + 1 WHERE ZNUMBER = \(number)")
        }
    }

    private func folder(_ number: Int, _ context: ManagedObjectContext) throws -> ManagedObject<Folder> {
        try #require(try context.fetchOne(Folder.all.where { $0.number == number }))
    }

    @Test func `a read shows the commits that have ended`() async throws {
        let editor = try EditingContext(store, autosave: .never)
        let handle = try editor.read { try folder(3, $0) }
        #expect(try editor.read { _ in try handle.decode(\.title) } == "folder 3")
        for turn in 0..<50 {
            try rename(3, "turn \(turn)")
            #expect(try editor.read { _ in try handle.decode(\.title) } == "turn \(turn)")
        }
    }

    @Test func `the jobs of an actor show the commits that have ended`() async throws {
        let keeper = try Keeper(store)
        try await keeper.open(3)
        for turn in 0..<50 {
            try rename(3, "turn \(turn)")
            #expect(try await keeper.title == "turn \(turn)")
        }
    }

    @Test func `undo at once keeps a property that was committed since`() throws {
        let editor = try EditingContext(store, autosave: .never)
        try editor.edit("Rename") { try folder(3, $0).encode(\.title, "mine") }
        try editor.save()
        try rename(3, "theirs")
        editor.undo()
        #expect(editor.undoConflicts.map(\.property) == ["title"])
        #expect(try editor.read { try folder(3, $0).decode(\.title) } == "theirs")
        #expect(!editor.hasChanges)
    }

    @Test func `undo at once keeps an inserted object that was changed since`() throws {
        let editor = try EditingContext(store, autosave: .never)
        try editor.edit("New") { _ = try $0.insert(Folder(number: 900, title: "mine")) }
        try editor.save()
        try rename(900, "theirs")
        editor.undo()
        #expect(editor.undoConflicts.map(\.property) == ["title"])
        try editor.save()
        #expect(try store.perform { try folder(900, $0).decode(\.title) } == "theirs")
    }

    @Test(arguments: [false, true])
    func `undoing a deletion keeps attributes that were committed before its save`(isSaved: Bool) throws {
        let editor = try EditingContext(store, autosave: .never)
        try editor.edit("Rank") { try folder(3, $0).encode(\.rank, 99) }
        try editor.edit("Delete") { try $0.delete(folder(3, $0)) }
        try rename(3, "theirs")
        if isSaved { try editor.save() }
        editor.undo()
        #expect(editor.undoConflicts.isEmpty)
        try editor.save()
        let value = try store.perform { try folder(3, $0).decode() }
        #expect(value.title == "theirs" && value.rank == 99)
    }

    @Test func `the loss of unsaved changes is an error of the save, until the next one`() throws {
        let editor = try EditingContext(store, autosave: .never)
        try editor.edit("Rename") { context in
            try folder(3, context).encode(\.title, "mine")
            try folder(4, context).encode(\.title, "kept")
        }
        try connection.transaction(.immediate) { try connection.execute("DELETE FROM ZFOLDER WHERE ZNUMBER = 3") }
        try editor.save()
        #expect((editor.saveError as? StoreError)?.code == .objectDeleted)
        #expect(try store.perform { try folder(4, $0).decode(\.title) } == "kept")
        try editor.edit("More") { try folder(4, $0).encode(\.title, "more") }
        try editor.save()
        #expect(editor.saveError == nil)
    }

    @Test func `a handle of an object that was deleted since throws, as a fetch does not find it`() throws {
        let editor = try EditingContext(store, autosave: .never)
        let handle = try editor.read { try folder(3, $0) }
        #expect(try editor.read { _ in try handle.decode(\.title) } == "folder 3")
        try connection.transaction(.immediate) { try connection.execute("DELETE FROM ZFOLDER WHERE ZNUMBER = 3") }
        #expect(throws: StoreError.self) { try editor.read { _ in try handle.decode(\.title) } }
        #expect(try editor.read { try $0.count(of: Folder.all.where { $0.number == 3 }) } == 0)
    }

    @Test func `the id of a new object is permanent after the save`() throws {
        let editor = try EditingContext(store, autosave: .never)
        let handle = try editor.edit("New") { try $0.insert(Folder(number: 900, title: "new")) }
        try editor.save()
        let id = handle.id
        #expect(try store.perform { try $0.object(with: id).decode(\.number) } == 900)
        #expect(try editor.read { try folder(900, $0).id } == id)
    }
}

/// An actor that keeps a handle.
private actor Keeper: ManagedObjectActor {
    let executor: ObjectExecutor
    private var folder: ManagedObject<Archive.Folder>?

    init(_ store: PersistentContainer) throws { executor = try ObjectExecutor(store) }

    func open(_ number: Int) throws {
        folder = try context.fetchOne(Archive.Folder.all.where { $0.number == number })
    }

    var title: String? { get throws { try folder?.decode(\.title) } }
}
#endif
