import Foundation
import TestSupport
import Testing

@testable import OpenCoreData

@Suite("Compatibility: names and keys of notifications", .overEachStore)
struct NotificationKeyTests {
    @Test func `the names of a context's notifications are those of the notifications themselves`() {
        typealias Context = NSManagedObjectContext
        #expect(Context.willSaveObjectsNotification == .NSManagedObjectContextWillSave)
        #expect(Context.didSaveObjectsNotification == .NSManagedObjectContextDidSave)
        #expect(Context.didSaveObjectIDsNotification == .NSManagedObjectContextDidSaveObjectIDs)
        #expect(Context.didChangeObjectsNotification == .NSManagedObjectContextObjectsDidChange)
        #expect(Context.didMergeChangesObjectIDsNotification == .NSManagedObjectContextDidMergeChangesObjectIDs)
    }

    @Test func `the keys as values are those of the user info`() {
        typealias Key = NSManagedObjectContext.NotificationKey
        let objects: [(Key, String)] = [
            (.insertedObjects, NSInsertedObjectsKey), (.updatedObjects, NSUpdatedObjectsKey),
            (.deletedObjects, NSDeletedObjectsKey), (.refreshedObjects, NSRefreshedObjectsKey),
            (.invalidatedObjects, NSInvalidatedObjectsKey), (.invalidatedAllObjects, NSInvalidatedAllObjectsKey),
        ]
        let ids: [(Key, String)] = [
            (.insertedObjectIDs, NSInsertedObjectIDsKey), (.updatedObjectIDs, NSUpdatedObjectIDsKey),
            (.deletedObjectIDs, NSDeletedObjectIDsKey), (.refreshedObjectIDs, NSRefreshedObjectIDsKey),
            (.invalidatedObjectIDs, NSInvalidatedObjectIDsKey),
            (.queryGeneration, NSManagedObjectContextQueryGenerationKey),
        ]
        for (key, name) in objects + ids { #expect(key.rawValue == name) }
    }

    @Test func `a save posts its objects under the keys`() throws {
        let context = try GraphLibrary.context()
        let recorder = NotificationRecorder(NSManagedObjectContext.didSaveObjectsNotification, of: context)
        let author = try context.make("Author", ["name": "Leo"])
        try context.save()
        #expect(recorder.objects(NSManagedObjectContext.NotificationKey.insertedObjects.rawValue) == [author])
    }
}
