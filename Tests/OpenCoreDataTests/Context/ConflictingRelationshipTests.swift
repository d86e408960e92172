import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Conflicts over relationships", .overEachStore)
struct ConflictingRelationshipTests {
    /// A book of Leo's. One context has given it to Ann and saved; the other wants to give it to Bob, with another title.
    private func conflict(
        _ policy: NSMergePolicy, changesAuthor: Bool = true
    ) throws -> (NSPersistentStoreCoordinator, NSManagedObjectContext, [String: NSManagedObject]) {
        let coordinator = try GraphLibrary.coordinator()
        let first = GraphLibrary.context(coordinator)
        var ids: [String: NSManagedObjectID] = [:]
        for name in ["Leo", "Ann", "Bob"] { try first.make("Author", ["name": name]) }
        let author = Dictionary(uniqueKeysWithValues: try first.all("Author").map { ($0.text("name") ?? "", $0) })
        let book = try first.make("Book", ["title": "War", "author": try #require(author["Leo"])])
        try first.save()
        for (name, object) in author { ids[name] = object.objectID }
        let second = GraphLibrary.context(coordinator)
        second.mergePolicy = policy
        var mine: [String: NSManagedObject] = [:]
        for (name, id) in ids { mine[name] = second.object(with: id) }
        let same = second.object(with: book.objectID)
        mine["book"] = same
        for name in ["Leo", "Ann", "Bob"] { _ = mine[name]?.set("books") }
        #expect(same.object("author") === mine["Leo"])
        book.setValue(author["Ann"], forKey: "author")
        try first.save()
        if changesAuthor { same.setValue(mine["Bob"], forKey: "author") }
        same.setValue("Peace", forKey: "title")
        return (coordinator, second, mine)
    }

    @Test(arguments: [
        (NSMergePolicy.mergeByPropertyStoreTrump, true, "Ann", "Peace"),
        (.mergeByPropertyStoreTrump, false, "Ann", "Peace"),
        (.mergeByPropertyObjectTrump, true, "Bob", "Peace"), (.mergeByPropertyObjectTrump, false, "Ann", "Peace"),
        (.overwrite, true, "Bob", "Peace"), (.overwrite, false, "Leo", "Peace"), (.rollback, true, "Ann", "War"),
        (.rollback, false, "Ann", "War"),
    ])
    func `both sides of a relationship in memory equal the store after the save`(
        policy: NSMergePolicy, changesAuthor: Bool, author: String, title: String
    ) throws {
        let (coordinator, context, objects) = try conflict(policy, changesAuthor: changesAuthor)
        try context.save()
        let reader = GraphLibrary.context(coordinator)
        let stored = try #require(try reader.all("Book").first)
        #expect(stored.object("author")?.text("name") == author && stored.text("title") == title)
        let book = try #require(objects["book"])
        #expect(book.object("author") === objects[author] && book.text("title") == title)
        #expect(objects[author]?.set("books") == [book])
        if changesAuthor || policy.mergeType == .overwriteMergePolicyType {
            for name in ["Leo", "Bob"] where name != author {
                #expect(objects[name]?.set("books").isEmpty == true, "\(name)")
            }
        }
        #expect(!context.hasChanges)
        // The author that memory shows is the one that counts as unchanged.
        book.setValue(objects["Leo"], forKey: "author")
        try context.save()
        #expect(try GraphLibrary.context(coordinator).all("Book", "author.name == 'Leo'").count == 1)
    }

    @Test func `a save that fails after a policy has settled a conflict leaves the changes as they were`() throws {
        let (coordinator, context, objects) = try conflict(.rollback)
        let book = try #require(objects["book"])
        let blocker = GraphLibrary.context(coordinator)
        try blocker.make("Book", ["title": "old", "isbn": "1"])
        try blocker.save()
        // The unique value of an update cannot be settled.
        let other = try context.make("Book", ["title": "new", "isbn": "2"])
        context.mergePolicy = NSMergePolicy.error
        expectError(.managedObjectMerge) { try context.save() }
        context.mergePolicy = NSMergePolicy.rollback
        let taken = try #require(try context.all("Book", "isbn == '1'").first)
        context.delete(other)
        let second = try #require(try blocker.all("Book", "title == 'War'").first)
        second.setValue("9", forKey: "isbn")
        try blocker.save()
        taken.setValue("9", forKey: "isbn")
        expectError(.managedObjectConstraintMerge) { try context.save() }
        #expect(book.text("title") == "Peace" && book.object("author") === objects["Bob"])
        #expect(objects["Bob"]?.set("books") == [book])
        taken.setValue("1", forKey: "isbn")
        try context.save()
        #expect(book.text("title") == "War" && book.object("author") === objects["Ann"])
    }

    @Test func `a deletion that a policy takes back is linked again`() throws {
        let (coordinator, context, objects) = try conflict(.rollback, changesAuthor: false)
        let book = try #require(objects["book"])
        context.delete(book)
        try context.save()
        #expect(!book.isDeleted && book.object("author") === objects["Ann"])
        #expect(objects["Ann"]?.set("books") == [book])
        #expect(try GraphLibrary.context(coordinator).all("Book", "author.name == 'Ann'").count == 1)
    }

    @Test(arguments: [NSMergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .rollback, .overwrite])
    func `links to an inserted object point to the row that it is united with`(policy: NSMergePolicy) throws {
        for isKnown in [true, false] {
            let coordinator = try GraphLibrary.coordinator()
            let writer = GraphLibrary.context(coordinator)
            let leo = try writer.make("Author", ["name": "Leo"])
            let old = try writer.make("Novel", ["title": "old", "isbn": "1", "genre": "epic", "author": leo])
            try writer.save()
            let context = GraphLibrary.context(coordinator)
            context.mergePolicy = policy
            let known = isKnown ? try context.existingObject(with: old.objectID) : nil
            // A plain book takes the number of a novel: the row stays a novel.
            let ann = try context.make("Author", ["name": "Ann"])
            let book = try context.make("Book", ["title": "new", "isbn": "1", "author": ann])
            let review = try context.make("Review", ["mark": 1, "book": book])
            let tag = try context.make("Tag", ["name": "t", "books": Set([book])])
            let author = try context.make("Author", ["name": "Cyd"])
            try context.save()
            _ = (author, known)
            let wins =
                policy.mergeType == .mergeByPropertyObjectTrumpMergePolicyType
                || policy.mergeType == .overwriteMergePolicyType
            #expect(book.objectID == old.objectID && book.managedObjectContext == nil)
            let row = try #require(context.registeredObject(for: old.objectID))
            #expect(row.text("title") == (wins ? "new" : "old") && row.text("genre") == "epic")
            #expect(review.object("book") === row && row.list("reviews") == [review] && tag.set("books") == [row])
            #expect(row.object("author")?.text("name") == (wins ? "Ann" : "Leo"))
            #expect(ann.set("books") == (wins ? [row] : []))
            #expect(!context.hasChanges)
            let reader = GraphLibrary.context(coordinator)
            let stored = try #require(try reader.all("Book").first)
            #expect(stored.list("reviews").count == 1 && stored.set("tags").count == 1)
            #expect(stored.object("author")?.text("name") == (wins ? "Ann" : "Leo"))
        }
    }

    @Test func `a novel that takes the number of a plain book leaves it a book`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let writer = GraphLibrary.context(coordinator)
        let old = try writer.make("Book", ["title": "old", "isbn": "1"])
        try writer.save()
        let context = GraphLibrary.context(coordinator)
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.make("Novel", ["title": "new", "isbn": "1", "genre": "epic"])
        try context.save()
        let reader = GraphLibrary.context(coordinator)
        let stored = try #require(try reader.all("Book").first)
        #expect(stored.objectID == old.objectID && stored.entity.name == "Book" && stored.text("title") == "new")
    }
}
