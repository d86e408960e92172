import Foundation
@testable import OpenCoreData
import SwormSQLite
import TestSupport
import Testing

@Suite("Merging a history", .overEachStore)
struct HistoryMergingTests {
    @Test func `saves of another coordinator are merged from the history, token by token`() throws {
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

    @Test(arguments: 1...4)
    func `a context that merges from token to token has the state of a context that reads again`(
        _ seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        let library = try HistoryLibrary()
        let writer = try GraphLibrary.context(at: library.folder.url())
        library.context.retainsRegisteredObjects = true
        var token = library.token
        for round in 1...40 {
            for step in 0..<Int.random(in: 1...4, using: &random) {
                try change(writer, "\(round).\(step)", &random)
            }
            try writer.save()
            guard Bool.random(using: &random) else { continue }
            for transaction in try library.context.transactions(.fetchHistory(after: token)) {
                library.context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
                token = transaction.token
            }
            #expect(token == library.token)
            let fresh = try GraphLibrary.context(at: library.folder.url())
            for entity in ["Author", "Book", "Tag"] {
                #expect(try texts(library.context, entity) == texts(fresh, entity))
            }
        }
        try library.verify()
    }

    private func change(_ context: NSManagedObjectContext, _ name: String, _ random: inout SeededRandom) throws {
        let books = try context.all("Book")
        let authors = try context.all("Author")
        let tags = try context.all("Tag")
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try context.make("Author", ["name": "Author \(name)"])
        case 1: try context.make("Book", ["title": name])
        case 2: try context.make("Tag", ["name": name])
        case 3: books.randomElement(using: &random)?.setValue(name, forKey: "title")
        case 4, 5:
            books.randomElement(using: &random)?.setValue(authors.randomElement(using: &random), forKey: "author")
        case 6:
            guard let book = books.randomElement(using: &random), let tag = tags.randomElement(using: &random) else {
                return
            }
            let members = book.mutableSetValue(forKey: "tags")
            if members.contains(tag) { members.remove(tag) } else { members.add(tag) }
        default: (books + authors + tags).randomElement(using: &random).map(context.delete)
        }
    }

    /// Every object of an entity with its values and the keys of those that it is related to.
    private func texts(_ context: NSManagedObjectContext, _ entity: String) throws -> [String] {
        func keys(_ objects: Set<NSManagedObject>) -> String {
            objects.map { $0.objectID.uriRepresentation().lastPathComponent }.sorted().joined(separator: " ")
        }
        return try context.all(entity).map { object in
            let own = object.text(entity == "Book" ? "title" : "name") ?? ""
            let related =
                entity == "Book"
                ? "\(keys(object.set("tags"))) | \(keys(Set([object.object("author")].compactMap { $0 })))"
                : keys(object.set("books"))
            return "\(object.objectID.uriRepresentation().lastPathComponent) \(own): \(related)"
        }
    }
}
