import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Behaviours: merged deletions", .overEachStore)
struct MergedDeletionTests {
    private let writer: NSManagedObjectContext
    private let reader: NSManagedObjectContext
    /// A tag of each context; both are the same row.
    private let written: NSManagedObject
    private let read: NSManagedObject

    init() throws {
        let coordinator = try GraphLibrary.coordinator()
        (writer, reader) = (GraphLibrary.context(coordinator), GraphLibrary.context(coordinator))
        written = try writer.make("Tag", ["name": "a"])
        try writer.make("Tag", ["name": "b"])
        try writer.save()
        read = try #require(try reader.all("Tag", "name == 'a'").first)
    }

    /// The notification of the save that deletes the tag.
    private func deletion() throws -> Notification {
        let recorder = NotificationRecorder(.NSManagedObjectContextDidSave, of: writer)
        writer.delete(written)
        try writer.save()
        return Notification(
            name: .NSManagedObjectContextDidSave, object: writer,
            userInfo: try #require(recorder.received.last as [AnyHashable: Any]?))
    }

    @Test func `merged deletions appear in deletedObjects, and in the notification about changed objects`() throws {
        let recorder = NotificationRecorder(.NSManagedObjectContextObjectsDidChange, of: reader)
        var seen: [Set<NSManagedObject>] = []
        recorder.onReceive = { [reader] in seen.append(reader.deletedObjects) }
        reader.mergeChanges(fromContextDidSave: try deletion())
        #expect(recorder.objects(NSDeletedObjectsKey) == [read] && seen == [[read]])
        #expect(reader.deletedObjects == [read] && read.isDeleted && read.managedObjectContext === reader)
        // They are no unsaved changes, and no fetch finds them.
        #expect(!reader.hasChanges && !read.hasChanges)
        #expect(try reader.all("Tag").map { $0.text("name") } == ["b"])
        #expect(reader.deletedObjects == [read])
    }

    @Test func `deletions of a remote save appear too`() throws {
        let id = written.objectID
        _ = try deletion()
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [NSDeletedObjectIDsKey: [id.uriRepresentation()]], into: [reader])
        #expect(reader.deletedObjects == [read] && read.isDeleted)
        #expect(reader.registeredObject(for: id) == nil)
    }

    @Test(arguments: ["save", "event", "merge", "rollback", "reset"])
    func `they leave deletedObjects afterwards`(end: String) throws {
        reader.mergeChanges(fromContextDidSave: try deletion())
        #expect(reader.deletedObjects == [read])
        switch end {
        case "save": try reader.save()
        case "event":
            try reader.make("Tag")
            reader.processPendingChanges()
        case "merge": reader.mergeChanges(fromContextDidSave: Notification(name: .NSManagedObjectContextDidSave))
        case "rollback": reader.rollback()
        default: reader.reset()
        }
        #expect(reader.deletedObjects.isEmpty)
        #expect(!read.isDeleted && read.managedObjectContext == nil)
        try reader.save()
        #expect(try writer.all("Tag", "name != nil").count == 1)
    }

    @Test func `an object that both contexts delete is deleted once`() throws {
        reader.delete(read)
        reader.mergeChanges(fromContextDidSave: try deletion())
        #expect(reader.deletedObjects == [read] && !reader.hasChanges)
        try reader.save()
        #expect(reader.deletedObjects.isEmpty)
    }

    @Test func `a context that merges automatically keeps only the last of them`() async throws {
        reader.automaticallyMergesChangesFromParent = true
        reader.retainsRegisteredObjects = true
        let other = try #require(try reader.all("Tag", "name == 'b'").first)
        writer.delete(written)
        try writer.save()
        await reader.perform {}
        #expect(reader.deletedObjects == [read])
        writer.delete(try #require(try writer.all("Tag").first))
        try writer.save()
        await reader.perform {}
        #expect(reader.deletedObjects == [other])
    }
}
