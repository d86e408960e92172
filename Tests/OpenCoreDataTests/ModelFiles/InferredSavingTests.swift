import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Saving with an inferred model")
struct InferredSavingTests {
    /// A store with an author, two books, one of them with two reviews, a tag, a person, and no history.
    private func library() throws -> StoreFolder {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        let context = GraphLibrary.context(coordinator)
        let author = try context.make("Author", ["name": "Leo"])
        let books = try ["War", "Peace"].map { try context.make("Book", ["title": $0, "author": author]) }
        let reviews = try [1, 2].map { try context.make("Review", ["mark": $0]) }
        books[0].setValue(NSOrderedSet(array: reviews), forKey: "reviews")
        try context.make("Tag", ["name": "long"])
        try context.make("Person", ["name": "Ann"])
        try context.save()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        return folder
    }

    private func context(_ folder: StoreFolder, _ options: [AnyHashable: Any]) throws -> NSManagedObjectContext {
        let model = try StoredModel(ofStoreAt: folder.url(), ignoresCache: true).model
        return GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), model: model, options: options))
    }

    @Test func `without being asked for a store is not opened for writing, and stays as it was`() throws {
        let folder = try library()
        let before = try folder.contents()
        for options in [[:], [SwormWritesWithInferredModelOption: false]] {
            let error = coreDataError { _ = try context(folder, options) }
            #expect(error?.errorCode == NSPersistentStoreOpenError)
            #expect(error?.message.contains("cannot be written with a model that was inferred") == true)
        }
        #expect(try folder.contents() == before)
    }

    @Test func `plain values, rows and joins are written, and the real model finds them`() throws {
        let folder = try library()
        let inferred = try context(folder, [SwormWritesWithInferredModelOption: true])
        try #require(try inferred.all("Book", "title == 'War'").first).setValue("War and Peace", forKey: "title")
        let tag = try inferred.make("Tag", ["name": "new"])
        tag.setValue(try Set(inferred.all("Book")), forKey: "books")
        try inferred.save()
        for store in inferred.persistentStoreCoordinator?.persistentStores ?? [] {
            try inferred.persistentStoreCoordinator?.remove(store)
        }
        let real = try GraphLibrary.context(at: folder.url())
        #expect(
            try real.all("Book", "ANY tags.name == 'new'", sort: "title").map { $0.text("title") } == [
                "Peace", "War and Peace",
            ])
        #expect(
            try real.all("Review", sort: "mark").map { $0.object("book")?.text("title") } == [
                "War and Peace", "War and Peace",
            ])
        #expect(try StoreVerification.issues(of: folder.url(), model: GraphLibrary.model().compiled()) == [])
    }

    @Test func `links that the tables leave open are rejected with the reason, and nothing of the save is written`()
        throws
    {
        let folder = try library()
        let inferred = try context(folder, [SwormWritesWithInferredModelOption: true])
        func refused(_ reason: String, _ change: () throws -> Void) throws {
            try change()
            let error = coreDataError { try inferred.save() }
            #expect(error?.errorCode == NSPersistentStoreSaveError)
            #expect(error?.message.contains(reason) == true, "\(error?.message ?? "saved")")
            inferred.rollback()
        }
        let before = try folder.raw().lines("SELECT * FROM ZBOOK ORDER BY Z_PK")
        try refused("have an order") {
            try #require(try inferred.all("Review").first).setValue(nil, forKey: "book")
        }
        try refused("may point to the deleted object") {
            try inferred.make("Book", ["title": "Another"])
            inferred.delete(try #require(try inferred.all("Author").first))
        }
        // PARTNER and PARENT lead from Person to Person; the model does not determine which of them are pairs.
        try refused("may be keys of other rows") {
            try #require(try inferred.all("Person").first).setValue(1, forKey: "parent")
        }
        #expect(try folder.raw().lines("SELECT * FROM ZBOOK ORDER BY Z_PK") == before)
    }

    @Test func `a store with a history is rejected`() throws {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(
            at: folder.url(), options: [NSPersistentHistoryTrackingKey: true])
        let real = GraphLibrary.context(coordinator)
        try real.make("Tag", ["name": "old"])
        try real.save()
        let error = coreDataError { _ = try context(folder, [SwormWritesWithInferredModelOption: true]) }
        #expect(error?.message.contains("history") == true)
    }
}
