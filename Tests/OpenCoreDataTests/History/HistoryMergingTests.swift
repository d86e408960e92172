import Foundation
import OpenCoreData
import SwormSQLite
import Testing

@Suite("Merging a history")
struct HistoryMergingTests {
    @Test func `what another coordinator has saved is merged from the history, token by token`() throws {
        let library = try HistoryLibrary()
        let context = library.context
        let leo = try context.make("Author", ["name": "Leo", "age": 5])
        let ann = try context.make("Author", ["name": "Ann"])
        let book = try context.make("Book", ["title": "War"])
        try context.save()
        var token = library.token
        book.setValue("mine", forKey: "title")

        // As another process would.
        let other = try GraphLibrary.context(at: library.folder.url())
        other.transactionAuthor = "sync"
        let otherLeo = try #require(try other.all("Author", "name == %@", "Leo").first)
        otherLeo.setValue("Lev", forKey: "name")
        try #require(try other.all("Book").first).setValue(otherLeo, forKey: "author")
        try other.save()
        other.delete(try #require(try other.all("Author", "name == %@", "Ann").first))
        try other.make("Author", ["name": "New"])
        try other.save()

        #expect(leo.text("name") == "Leo")
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let notOurs = try #require(NSPersistentHistoryTransaction.fetchRequest)
        notOurs.predicate = NSPredicate(format: "author == %@", "sync")
        request.fetchRequest = notOurs
        let transactions = try context.transactions(request)
        #expect(transactions.count == 2)
        for transaction in transactions {
            let notification = transaction.objectIDNotification()
            #expect(notification.name == NSManagedObjectContext.didSaveObjectIDsNotification)
            context.mergeChanges(fromContextDidSave: notification)
            token = transaction.token
        }
        #expect(leo.text("name") == "Lev")
        #expect(leo.value(forKey: "age") as? Int == 5)
        #expect(leo.set("books") == [book])
        // What was not saved yet stays.
        #expect(book.text("title") == "mine")
        #expect(book.object("author") == leo)
        #expect(!context.registeredObjects.contains(ann))
        #expect(try context.all("Author").count == 2)
        #expect(try context.transactions(.fetchHistory(after: token)).isEmpty)
        #expect(token == library.token)
    }

    @Test func `the notification of a transaction has the ids by kind, and merges into several contexts`() throws {
        let library = try HistoryLibrary()
        let tags = try ["a", "b"].map { try library.saveTag($0) }
        let reader = GraphLibrary.context(library.coordinator)
        let seen = try #require(try reader.all("Tag", "name == %@", "a").first)
        let token = library.token
        tags[0].setValue("x", forKey: "name")
        library.context.delete(tags[1])
        let added = try library.saveTag("c")
        let transaction = try #require(try library.context.transactions(.fetchHistory(after: token)).first)
        let information = try #require(transaction.objectIDNotification().userInfo)
        #expect(information[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> == [added.objectID])
        #expect(information[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == [tags[0].objectID])
        #expect((information[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID>)?.count == 1)
        #expect(seen.text("name") == "a")
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: information, into: [reader])
        #expect(seen.text("name") == "x")
        let bare = try library.context.history(
            .fetchHistory(after: token), .transactionsOnly, as: [NSPersistentHistoryTransaction].self)
        #expect(
            bare.first?.objectIDNotification().userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> == [])
    }
}
