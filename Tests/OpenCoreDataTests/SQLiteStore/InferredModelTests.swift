import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A model that was inferred from a store passes for the real one, with the hashes of the store.
@Suite struct InferredModelTests {
    @Test func `no new store is made with a model that was inferred`() throws {
        let folder = try StoreFolder()
        let context = try GraphLibrary.context(at: folder.url())
        try context.make("Tag", ["name": "a"])
        try context.save()
        let inferred = try StoredModel(ofStoreAt: folder.url(), ignoresCache: true)
        #expect(inferred.source == .inferred)
        let before = try Set(folder.contents().keys)
        let error = coreDataError {
            _ = try GraphLibrary.coordinator(at: folder.url("New.sqlite"), model: inferred.model)
        }
        #expect(error?.errorCode == NSPersistentStoreOpenError)
        #expect(error?.message.contains("inferred from another store") == true)
        #expect(try Set(folder.contents().keys) == before)
        // What an empty file has there is no store either.
        try Data().write(to: folder.url("Empty.sqlite"))
        #expect(throws: CocoaError.self) {
            try GraphLibrary.coordinator(at: folder.url("Empty.sqlite"), model: inferred.model)
        }
        #expect(try folder.contents()["Empty.sqlite"] == Data())
    }
}
