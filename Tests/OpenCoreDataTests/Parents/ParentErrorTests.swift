import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Errors of the store that a child meets through its parent.
struct ParentErrorTests {
    private let folder: StoreFolder
    private let root: NSManagedObjectContext
    private let child: NSManagedObjectContext
    /// The ids of books by title.
    private var ids: [String: NSManagedObjectID] = [:]

    init() throws {
        folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        let context = GraphLibrary.context(coordinator)
        for title in ["a", "b"] {
            let book = try context.make("Book", ["title": title])
            try context.save()
            ids[title] = book.objectID
        }
        root = GraphLibrary.context(coordinator)
        child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = root
    }

    private func book(_ title: String, in context: NSManagedObjectContext) throws -> NSManagedObject {
        try context.existingObject(with: try #require(ids[title]))
    }

    /// Makes the row of a book unreadable while a closure runs.
    private func damaging(_ title: String, _ body: () throws -> Void) throws {
        let number = try #require(
            try folder.raw().lines("SELECT Z_ENT FROM ZBOOK WHERE ZTITLE = '\(title)'").first)
        try folder.raw().execute("UPDATE ZBOOK SET Z_ENT = 999 WHERE ZTITLE = '\(title)'")
        try body()
        try folder.raw().execute("UPDATE ZBOOK SET Z_ENT = \(number) WHERE ZTITLE = '\(title)'")
    }

    private func expectCorruption(
        sourceLocation: SourceLocation = #_sourceLocation, in work: () throws -> Void
    ) {
        let error = coreDataError(work)
        #expect(error?.errorCode == CocoaError.Code.fileReadCorruptFile.rawValue, sourceLocation: sourceLocation)
    }

    @Test func `a deletion is not skipped because the row cannot be read`() throws {
        let own = try book("a", in: child)
        child.delete(own)
        try damaging("a") {
            expectCorruption { try child.save() }
            #expect(own.isDeleted && child.deletedObjects == [own] && !root.hasChanges)
        }
        try child.save()
        try root.save()
        #expect(try folder.raw().lines("SELECT ZTITLE FROM ZBOOK") == ["b"])
    }

    @Test func `changes are not discarded because the row cannot be read`() throws {
        for policy in [NSMergePolicy.mergeByPropertyStoreTrump, .rollback] {
            child.mergePolicy = policy
            let own = try book("a", in: child)
            own.setValue(1900, forKey: "year")
            try damaging("a") {
                expectCorruption { try child.save() }
                #expect(own.hasChanges && own.value(forKey: "year") as? Int == 1900)
            }
            child.rollback()
        }
    }

    @Test func `a fault that cannot be read is not taken for a deleted object`() throws {
        let own = child.object(with: try #require(ids["a"]))
        try damaging("a") {
            #expect(own.text("title") == nil)
            expectCorruption { try child.save() }
            expectCorruption { _ = try book("a", in: child) }
        }
        #expect(!own.isDeleted && own.text("title") == "a")
    }

    @Test func `a relationship of an object that cannot be read is not taken for an empty one`() throws {
        let own = try book("a", in: child)
        try damaging("a") {
            #expect(own.list("reviews").isEmpty)
            expectCorruption { try child.save() }
            #expect(own.hasFault(forRelationshipNamed: "reviews"))
        }
    }

    @Test func `a value that cannot be read is not nil in a child`() throws {
        try folder.raw().execute("UPDATE ZBOOK SET ZYEAR = 'many' WHERE ZTITLE = 'a'")
        let own = child.object(with: try #require(ids["a"]))
        #expect(own.text("title") == nil && own.isFault)
        #expect(throws: CocoaError.self) { try child.save() }
        #expect(try book("b", in: child).text("title") == "b")
    }

    @Test(arguments: [true, false])
    func `an error leaves both contexts as they were`(isRollback: Bool) throws {
        child.mergePolicy = isRollback ? NSMergePolicy.rollback : NSMergePolicy.mergeByPropertyStoreTrump
        let changed = try book("a", in: child)
        changed.setValue("child", forKey: "title")
        let above = try book("a", in: root)
        root.delete(above)
        let deleted = try book("b", in: child)
        child.delete(deleted)
        let tag = try child.make("Tag", ["name": "t"])
        try damaging("b") {
            expectCorruption { try child.save() }
            #expect(changed.hasChanges && changed.managedObjectContext === child && changed.text("title") == "child")
            #expect(deleted.isDeleted && tag.isInserted)
            #expect(root.insertedObjects.isEmpty && root.deletedObjects == [above])
        }
        try child.save()
        #expect(changed.managedObjectContext == nil && root.insertedObjects.count == 1)
    }

    @Test func `an object that was asked for by its id is as it was after a save that failed`() throws {
        let tag = try child.make("Tag", ["name": "t"])
        let held = root.object(with: tag.objectID)
        child.delete(try book("b", in: child))
        try damaging("b") {
            expectCorruption { try child.save() }
            #expect(!held.isInserted && !root.hasChanges && held.text("name") == nil)
            #expect(root.registeredObject(for: tag.objectID) === held)
        }
        try child.save()
        #expect(held.isInserted && held.text("name") == "t")
    }

    @Test func `a save that fails leaves nothing to undo in the parent`() throws {
        let manager = UndoManager()
        root.undoManager = manager
        try child.make("Tag", ["name": "t"])
        child.delete(try book("b", in: child))
        try damaging("b") {
            expectCorruption { try child.save() }
            root.processPendingChanges()
            #expect(!manager.canUndo)
        }
        try child.save()
        root.processPendingChanges()
        #expect(manager.canUndo)
    }

    @Test func `an earlier error of the parent is thrown by the parent only`() throws {
        let own = try book("a", in: child)
        root.delete(own)
        own.setValue(1900, forKey: "year")
        for _ in 0..<2 {
            try child.save()
            own.setValue(1950, forKey: "year")
        }
        #expect(throws: CocoaError.self) { try root.save() }
        try root.save()
        #expect(try folder.raw().lines("SELECT ZYEAR FROM ZBOOK WHERE ZTITLE = 'a'") == ["1950"])
    }
}
