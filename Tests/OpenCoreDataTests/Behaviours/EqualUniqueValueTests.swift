import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Source: NSMergePolicy.h, on constraint conflicts between the objects of one context.
@Suite("Behaviours: equal unique values in one context")
struct EqualUniqueValueTests {
    private static let trumping: [NSMergePolicy] = [.mergeByPropertyObjectTrump, .overwrite]
    private static let keeping: [NSMergePolicy] = [.mergeByPropertyStoreTrump, .rollback]

    private let folder: StoreFolder
    private let context: NSManagedObjectContext

    init() throws {
        folder = try StoreFolder()
        context = try GraphLibrary.context(at: folder.url())
    }

    private func rows() throws -> [String] {
        try folder.raw().lines("SELECT ZTITLE, ZISBN, ZYEAR FROM ZBOOK ORDER BY Z_PK")
    }

    private func verify() throws {
        let coordinator = try #require(context.persistentStoreCoordinator)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        #expect(
            try StoreVerification.issues(of: folder.url(), model: coordinator.managedObjectModel.compiled()) == [])
    }

    @Test func `by default, the error 133021 has a conflict of both objects, without a row`() throws {
        let books = [
            try context.make("Book", ["title": "a", "isbn": "1"]),
            try context.make("Novel", ["title": "b", "isbn": "1"]),
            try context.make("Book", ["title": "c", "isbn": "1"]),
        ]
        let error = try #require(throws: CocoaError.self) { try context.save() }
        #expect(error.code == .managedObjectConstraintMerge)
        #expect(error.localizedDescription.contains("isbn = "))
        let conflicts = try #require(error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict])
        let conflict = try #require(conflicts.first)
        #expect(conflicts.count == 1 && conflict.constraint == ["isbn"])
        #expect(conflict.constraintValues["isbn"] as? String == "1")
        #expect(conflict.databaseObject == nil && conflict.databaseSnapshot == nil)
        #expect(conflict.conflictingObjects == books && conflict.conflictingSnapshots.count == 3)
        let affected = error.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject]
        #expect(affected == books)
        #expect(context.insertedObjects == Set(books))
        #expect(try rows() == [])
        books[1].setValue("2", forKey: "isbn")
        books[2].setValue(nil, forKey: "isbn")
        try context.save()
        #expect(try rows() == ["a|1|NULL", "b|2|NULL", "c|NULL|NULL"])
        try verify()
    }

    @Test(arguments: trumping)
    func `where the context wins, the later object gives its values to the first one`(policy: NSMergePolicy) throws {
        context.mergePolicy = policy
        let tags = try ["x", "y"].map { try context.make("Tag", ["name": $0]) }
        let leo = try context.make("Author", ["name": "Leo"])
        let first = try context.make("Book", ["title": "a", "isbn": "1", "year": 1, "tags": Set(tags[...0])])
        let second = try context.make("Book", ["title": "b", "isbn": "1", "tags": Set(tags[1...]), "author": leo])
        let review = try context.make("Review", ["mark": 1, "book": second])
        try context.save()
        #expect(try rows() == ["b|1|NULL"])
        #expect(first.text("title") == "b" && first.object("author") === leo && first.set("tags") == Set(tags))
        #expect(review.object("book") === first && first.list("reviews") == [review])
        #expect(second.managedObjectContext == nil && !context.hasChanges)
        #expect(context.registeredObjects.contains(first) && !context.registeredObjects.contains(second))
        try verify()
    }

    @Test(arguments: keeping)
    func `where the store wins, the first object stays as it is`(policy: NSMergePolicy) throws {
        context.mergePolicy = policy
        let first = try context.make("Book", ["title": "a", "isbn": "1", "year": 1])
        let second = try context.make("Book", ["title": "b", "isbn": "1", "year": 2])
        let review = try context.make("Review", ["mark": 1, "book": second])
        let third = try context.make("Book", ["title": "c", "isbn": "1"])
        try context.save()
        #expect(try rows() == ["a|1|1"])
        #expect(first.text("title") == "a" && review.object("book") === first)
        #expect(second.managedObjectContext == nil && third.managedObjectContext == nil && !context.hasChanges)
        try verify()
    }

    @Test(arguments: trumping + keeping)
    func `objects that a row has the values of become one with the row`(policy: NSMergePolicy) throws {
        let stored = try context.make("Book", ["title": "old", "isbn": "1", "year": 1])
        try context.save()
        context.mergePolicy = policy
        let books = try ["a", "b"].map { try context.make("Book", ["title": $0, "isbn": "1"]) }
        try context.save()
        #expect(try rows() == [policy.mergeType.contextPrevails ? "b|1|NULL" : "old|1|1"])
        #expect(stored.text("title") == (policy.mergeType.contextPrevails ? "b" : "old"))
        #expect(books.allSatisfy { $0.managedObjectContext == nil } && !context.hasChanges)
        try verify()
    }

    @Test func `relationships without an inverse lead to the objects that are kept`() throws {
        let book = Build.entity("Book", [Build.attribute("isbn")])
        book.uniquenessConstraints = [["isbn"]]
        book.properties += [Build.toOne("sequel", book)]
        let note = Build.entity("Note", [Build.attribute("name"), Build.toOne("book", book)])
        let coordinator = try GraphLibrary.coordinator(model: Build.model(book, note))
        let context = GraphLibrary.context(coordinator)
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.make("Book", ["isbn": "0"])
        try context.save()
        let values = ["0", "1", "1", "2", "2", "2"]
        let books = try values.map { try context.make("Book", ["isbn": $0]) }
        books[5].setValue(books[2], forKey: "sequel")
        let notes = try books.enumerated().map { try context.make("Note", ["name": "\($0)", "book": $1]) }
        try context.save()
        #expect(notes.map { $0.object("book")?.text("isbn") } == values)
        #expect(notes[2].object("book") === books[1] && notes[4].object("book") === books[3])
        #expect(notes[5].object("book") === books[3] && books[3].object("sequel") === books[1])
        let other = GraphLibrary.context(coordinator)
        #expect(try other.all("Book").count == 3)
        #expect(try other.all("Note", sort: "name").map { $0.object("book")?.text("isbn") } == values)
        #expect(try other.all("Book", "sequel.isbn == '1'").map { $0.text("isbn") } == ["2"])
    }

    @Test(arguments: trumping + keeping)
    func `an inserted object becomes one with an object that is updated to its values`(policy: NSMergePolicy) throws {
        let stored = try context.make("Book", ["title": "old", "isbn": "1", "year": 1])
        try context.save()
        context.mergePolicy = policy
        let new = try context.make("Book", ["title": "new", "isbn": "2"])
        stored.setValue("2", forKey: "isbn")
        stored.setValue("mine", forKey: "title")
        try context.save()
        #expect(try rows() == [policy.mergeType.contextPrevails ? "new|2|NULL" : "mine|2|1"])
        #expect(new.managedObjectContext == nil && stored.text("isbn") == "2" && !context.hasChanges)
        try verify()
    }

    @Test(arguments: [NSMergePolicy.error] + trumping + keeping)
    func `two rows that are updated to the same values are an error, and nothing changes`(
        policy: NSMergePolicy
    ) throws {
        let books = try ["1", "2"].map { try context.make("Book", ["title": $0, "isbn": $0]) }
        try context.save()
        context.mergePolicy = policy
        for book in books { book.setValue("3", forKey: "isbn") }
        let other = try context.make("Book", ["title": "other"])
        let error = try #require(throws: CocoaError.self) { try context.save() }
        #expect(error.code == .managedObjectConstraintMerge)
        let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
        #expect(conflicts?.map(\.conflictingObjects.count) == [2] && conflicts?.first?.databaseObject == nil)
        #expect(conflicts?.first?.conflictingSnapshots.compactMap { $0["isbn"] as? String }.sorted() == ["1", "2"])
        #expect(context.updatedObjects == Set(books) && other.isInserted)
        #expect(try rows() == ["1|1|NULL", "2|2|NULL"])
    }

    @Test func `values are equal across several constraints, and constraints of several properties`() throws {
        let thing = Build.entity(
            "Thing", [Build.attribute("a"), Build.attribute("b"), Build.attribute("c"), Build.attribute("n")])
        thing.uniquenessConstraints = [["a"], ["b", "c"]]
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: Build.model(thing)))
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        try context.make("Thing", ["a": "1", "b": "x", "c": "y", "n": "first"])
        try context.make("Thing", ["a": "1", "b": "x", "c": "z", "n": "same a"])
        try context.make("Thing", ["a": "2", "b": "x", "c": "y", "n": "same b and c"])
        try context.make("Thing", ["a": "3", "b": "x", "c": "z", "n": "free now"])
        try context.save()
        #expect(try context.all("Thing", sort: "a").map { $0.text("n") } == ["first", "free now"])
    }

    @Test func `a save that fails after objects became one leaves both as they were`() throws {
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        let old = try ["1", "2"].map { try context.make("Book", ["title": $0, "isbn": $0]) }
        try context.save()
        let twins = try ["a", "b"].map { try context.make("Book", ["title": $0, "isbn": "5", "year": 1]) }
        let review = try context.make("Review", ["mark": 1, "book": twins[1]])
        // No policy settles this conflict, which is found once the new objects are one.
        old[0].setValue("2", forKey: "isbn")
        expectError(.managedObjectConstraintMerge) { try context.save() }
        #expect(context.insertedObjects == Set(twins + [review]) && twins.map { $0.text("title") } == ["a", "b"])
        #expect(review.object("book") === twins[1] && twins[0].list("reviews") == [])
        old[0].setValue("1", forKey: "isbn")
        try context.save()
        #expect(try rows() == ["1|1|NULL", "2|2|NULL", "b|5|1"])
        try verify()
    }
}
