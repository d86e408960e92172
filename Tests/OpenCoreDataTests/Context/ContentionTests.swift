import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// What one context saves while another one has changes that meet it.
@Suite("Contention", .overEachStore)
struct ContentionTests {
    private let folder: StoreFolder
    private let first: NSManagedObjectContext
    private let second: NSManagedObjectContext
    private let reader: NSManagedObjectContext

    init() throws {
        folder = try StoreFolder()
        first = GraphLibrary.context(
            try GraphLibrary.coordinator(at: folder.url(), model: ContentionModel.model()))
        reader = GraphLibrary.context(try #require(first.persistentStoreCoordinator))
        second = GraphLibrary.context(
            try GraphLibrary.coordinator(at: folder.url(), model: ContentionModel.model()))
    }

    /// The second context's object for one of the first's.
    private func mine(_ object: NSManagedObject) throws -> NSManagedObject {
        let id = try #require(
            second.persistentStoreCoordinator?.managedObjectID(
                forURIRepresentation: object.objectID.uriRepresentation()))
        return try second.existingObject(with: id)
    }

    /// Saves the second context, and checks the store.
    private func save(_ policy: NSMergePolicyType) throws -> CoreDataError? {
        second.mergePolicy = NSMergePolicy(merge: policy)
        let error = coreDataError { try second.save() }
        #expect(second.hasChanges == (error != nil))
        #expect(try ContentionModel.issues(at: folder.url()) == [])
        return error
    }

    private func stored(_ entity: String) throws -> [NSManagedObject] {
        reader.reset()
        return try reader.all(entity, sort: "name")
    }

    private func wins(_ policy: NSMergePolicyType) -> Bool {
        policy == .overwriteMergePolicyType || policy == .mergeByPropertyObjectTrumpMergePolicyType
    }

    @Test(arguments: ContentionModel.policies)
    func `an object to which others linked one is deleted as the policy says`(policy: NSMergePolicyType) throws {
        let leo = try first.make("Author", ["name": "Leo"])
        try first.save()
        let author = try mine(leo)
        _ = author.set("books")
        try first.make("Book", ["name": "War", "author": leo])
        try first.save()
        second.delete(author)
        let error = try save(policy)
        if policy == .errorMergePolicyType {
            #expect(error?.errorCode == NSManagedObjectMergeError)
            #expect(error?.message.contains("'author'") == true && error?.message.contains("Author") == true)
        } else {
            #expect(error == nil)
        }
        #expect(try stored("Author").isEmpty == wins(policy))
        #expect(try stored("Book").map { $0.object("author") == nil } == [wins(policy)])
    }

    @Test(arguments: ContentionModel.policies)
    func `a cascade reaches what others added, where the context prevails`(policy: NSMergePolicyType) throws {
        let war = try first.make("Book", ["name": "War"])
        try first.make("Review", ["name": "old", "book": war])
        try first.save()
        let book = try mine(war)
        _ = book.list("reviews")
        try first.make("Review", ["name": "new", "book": war])
        try first.save()
        second.delete(book)
        let error = try save(policy)
        #expect((error != nil) == (policy == .errorMergePolicyType))
        #expect(try stored("Book").isEmpty == wins(policy))
        #expect(try stored("Review").contains { $0.text("name") == "new" } == !wins(policy))
    }

    @Test(arguments: ContentionModel.policies)
    func `a denial counts what others added`(policy: NSMergePolicyType) throws {
        let shelf = try first.make("Shelf", ["name": "s"])
        try first.save()
        let own = try mine(shelf)
        _ = own.set("content")
        try first.make("Book", ["name": "War", "shelf": shelf])
        try first.save()
        second.delete(own)
        let error = try save(policy)
        if wins(policy) { #expect(error?.errorCode == NSValidationRelationshipDeniedDeleteError) }
        #expect(try stored("Shelf").count == 1)
        #expect(try stored("Book").first?.object("shelf") != nil)
    }

    @Test(arguments: ContentionModel.policies, [("led", "Person"), ("cards", "Card")])
    func `a cascade reaches members that no row points back from`(
        policy: NSMergePolicyType, to: (name: String, entity: String)
    ) throws {
        let tag = try first.make("Tag", ["name": "t"])
        let kept = try first.make(to.entity, try values(of: to.entity, "kept"))
        tag.mutableSetValue(forKey: to.name).addObjects(
            from: [try first.make(to.entity, try values(of: to.entity, "old")), kept])
        try first.save()
        let own = try mine(tag)
        _ = own.set(to.name)
        tag.mutableSetValue(forKey: to.name).add(try first.make(to.entity, try values(of: to.entity, "new")))
        try first.save()
        // What the context has unlinked itself does not go with it.
        own.mutableSetValue(forKey: to.name).remove(try mine(kept))
        second.delete(own)
        let error = try save(policy)
        #expect((error != nil) == (policy == .errorMergePolicyType))
        if let error { #expect(error.message.contains("'\(to.name)'")) }
        #expect(try stored("Tag").isEmpty == wins(policy))
        let names = try stored(to.entity).compactMap { $0.text("name") }.filter { ["kept", "new", "old"].contains($0) }
        #expect(wins(policy) ? names == ["kept"] : names.contains("new") && names.contains("kept"))
    }

    @Test(arguments: ContentionModel.policies, [("Shelf", "guests", "Person"), ("Author", "cards", "Card")])
    func `a denial counts members that no row points back from`(
        policy: NSMergePolicyType, of: (entity: String, name: String, member: String)
    ) throws {
        let owner = try first.make(of.entity, ["name": "s"])
        let old = try first.make(of.member, try values(of: of.member, "old"))
        owner.mutableSetValue(forKey: of.name).add(old)
        try first.save()
        let own = try mine(owner)
        _ = own.set(of.name)
        owner.mutableSetValue(forKey: of.name).add(try first.make(of.member, try values(of: of.member, "new")))
        try first.save()
        own.mutableSetValue(forKey: of.name).remove(try mine(old))
        second.delete(own)
        let error = try save(policy)
        if wins(policy) { #expect(error?.errorCode == NSValidationRelationshipDeniedDeleteError) }
        if policy == .errorMergePolicyType { #expect(error?.errorCode == NSManagedObjectMergeError) }
        let there = try #require(try stored(of.entity).first)
        #expect(there.set(of.name).contains { $0.text("name") == "new" })
        guard error != nil else { return }
        // After the member is unlinked too, the save succeeds.
        owner.mutableSetValue(forKey: of.name).removeAllObjects()
        try first.save()
        #expect(try save(.mergeByPropertyObjectTrumpMergePolicyType) == nil)
        #expect(try stored(of.entity).isEmpty)
    }

    private func values(of entity: String, _ name: String) throws -> [String: Any] {
        entity == "Card"
            ? ["name": name, "holder": try first.make("Person", ["name": "holder of \(name)"])] : ["name": name]
    }

    @Test(arguments: ContentionModel.policies, [true, false])
    func `members that two contexts add to one ordered relationship follow one another`(
        policy: NSMergePolicyType, atEnd: Bool
    ) throws {
        let war = try first.make("Book", ["name": "War"])
        try first.make("Review", ["name": "a", "book": war])
        try first.save()
        let book = try mine(war)
        _ = book.list("reviews")
        func put(_ name: String, _ book: NSManagedObject, _ context: NSManagedObjectContext) throws {
            let review = try context.make("Review", ["name": name])
            book.mutableOrderedSetValue(forKey: "reviews").insert(review, at: atEnd ? book.list("reviews").count : 0)
        }
        try put("b", war, first)
        try first.save()
        try put("c", book, second)
        #expect(try save(policy) == nil)
        let names = try #require(try stored("Book").first).list("reviews").map { $0.text("name") }
        #expect(names == (atEnd ? ["a", "b", "c"] : ["b", "c", "a"]))
        // What the context has of the order is what the store has.
        #expect(book.list("reviews").map { $0.text("name") } == names)
        try put("d", book, second)
        #expect(try save(policy) == nil)
        let last = try #require(try stored("Book").first).list("reviews").map { $0.text("name") }
        #expect(last == (atEnd ? names + ["d"] : ["d"] + names))
    }

    @Test(arguments: ContentionModel.policies)
    func `the orders of a many-to-many are independent`(policy: NSMergePolicyType) throws {
        let tag = try first.make("Tag", ["name": "t"])
        let books = try ["a", "b", "c"].map { try first.make("Book", ["name": $0]) }
        tag.setValue(NSOrderedSet(array: [books[0]]), forKey: "row")
        try first.save()
        let (own, other) = (try mine(tag), try mine(books[2]))
        _ = own.list("row")
        tag.setValue(NSOrderedSet(array: [books[0], books[1]]), forKey: "row")
        try first.save()
        own.mutableOrderedSetValue(forKey: "row").add(other)
        #expect(try save(policy) == nil)
        #expect(try stored("Tag").first?.list("row").map { $0.text("name") } == ["a", "b", "c"])
    }

    /// a with b, and c with d.
    private func pairs() throws -> [NSManagedObject] {
        let people = try ["a", "b", "c", "d"].map { try first.make("Person", ["name": $0]) }
        people[0].setValue(people[1], forKey: "partner")
        people[2].setValue(people[3], forKey: "partner")
        try first.save()
        return people
    }

    @Test(arguments: ContentionModel.policies)
    func `no object keeps a partner that was deleted`(policy: NSMergePolicyType) throws {
        let people = try pairs()
        let own = try people.map { try mine($0) }
        for person in own { _ = person.object("partner")?.text("name") }
        people[0].setValue(people[2], forKey: "partner")
        try first.save()
        second.delete(own[0])
        let error = try save(policy)
        #expect((error != nil) == (policy == .errorMergePolicyType))
        let partners = try stored("Person").map { $0.object("partner")?.text("name") }
        // By the context's will a has gone; else a is with c, as others wanted.
        #expect(partners == (wins(policy) ? [nil, nil, nil] : ["c", nil, "a", nil]))
    }

    @Test(arguments: ContentionModel.policies)
    func `an object that is inserted again has its partner again`(policy: NSMergePolicyType) throws {
        let people = try pairs()
        let own = try people.map { try mine($0) }
        _ = own[1].object("partner")?.text("name")
        first.delete(people[1])
        try first.save()
        own[1].setValue("bb", forKey: "name")
        let error = try save(policy)
        #expect((error != nil) == (policy == .errorMergePolicyType))
        let partners = try stored("Person").map { $0.object("partner")?.text("name") }
        #expect(partners == (wins(policy) ? ["bb", "a", "d", "c"] : [nil, "d", "c"]))
    }

    @Test(arguments: ContentionModel.policies)
    func `an object that is inserted again continues after its former version`(policy: NSMergePolicyType) throws {
        let tag = try first.make("Tag", ["name": "1"])
        try first.save()
        for name in ["2", "3"] {
            tag.setValue(name, forKey: "name")
            try first.save()
        }
        let own = try mine(tag)
        _ = own.text("name")
        first.delete(tag)
        try first.save()
        own.setValue("new", forKey: "name")
        let error = try save(policy)
        #expect((error != nil) == (policy == .errorMergePolicyType))
        let versions = try folder.raw().lines("SELECT Z_OPT FROM ZTAG").compactMap { Int64($0) }
        #expect(versions.count == (wins(policy) ? 1 : 0))
        guard let version = versions.first else { return }
        #expect(version > 3)
        // The context knows the version that was written.
        own.setValue("newer", forKey: "name")
        #expect(try save(.errorMergePolicyType) == nil)
        #expect(try folder.raw().lines("SELECT Z_OPT FROM ZTAG") == ["\(version + 1)"])
    }

    @Test func `a version at the end of its range is followed by one at the beginning`() throws {
        let tag = try first.make("Tag", ["name": "1"])
        try first.save()
        try folder.raw().execute("UPDATE ZTAG SET Z_OPT = \(Int64.max)")
        let own = try mine(tag)
        own.setValue("2", forKey: "name")
        #expect(try save(.errorMergePolicyType) == nil)
        #expect(try folder.raw().lines("SELECT Z_OPT FROM ZTAG") == ["1"])
    }

    @Test(arguments: ContentionModel.policies)
    func `an object that is inserted again takes no partner from another one`(policy: NSMergePolicyType) throws {
        let people = try pairs()
        let own = try people.map { try mine($0) }
        _ = own[1].object("partner")?.text("name")
        first.delete(people[1])
        people[0].setValue(people[2], forKey: "partner")
        try first.save()
        own[1].setValue("bb", forKey: "name")
        let error = try save(policy)
        #expect((error != nil) == (policy == .errorMergePolicyType))
        let partners = try stored("Person").map { $0.object("partner")?.text("name") }
        #expect(partners == (wins(policy) ? ["c", nil, "a", nil] : ["c", "a", nil]))
    }

    @Test(arguments: ContentionModel.policies)
    func `an author lives on where a renamed book keeps it`(policy: NSMergePolicyType) throws {
        let leo = try first.make("Author", ["name": "Leo"])
        let war = try first.make("Book", ["name": "War", "author": leo])
        try first.save()
        let author = try mine(leo)
        _ = author.set("books").map { $0.text("name") }
        war.setValue("Peace", forKey: "name")
        try first.save()
        second.delete(author)
        let error = try save(policy)
        #expect((error != nil) == (policy == .errorMergePolicyType))
        let authors = try stored("Author")
        let book = try #require(try reader.all("Book").first)
        // Who overwrites, overwrites the name as well.
        #expect(book.text("name") == (policy == .overwriteMergePolicyType ? "War" : "Peace"))
        #expect((book.object("author") == nil) == authors.isEmpty)
        if policy == .rollbackMergePolicyType { #expect(book.object("author")?.text("name") == "Leo") }
    }

    @Test(arguments: ContentionModel.policies)
    func `what is required is not saved as nil, and a second save says so again`(policy: NSMergePolicyType) throws {
        let war = try first.make("Book", ["name": "War"])
        try first.save()
        let book = try mine(war)
        first.delete(war)
        try first.save()
        let review = try second.make("Review", ["name": "r", "book": book])
        let error = try save(policy)
        if wins(policy) {
            #expect(error == nil)
            #expect(try stored("Review").first?.object("book")?.text("name") == "War")
            return
        }
        #expect(error?.message.contains("Book") == true || error?.message.contains("'book' of Review") == true)
        #expect(try save(policy)?.errorCode == error?.errorCode)
        #expect(try stored("Review").isEmpty)
        #expect(review.isInserted && review.text("name") == "r")
        // It can be repaired.
        review.setValue(try second.make("Book", ["name": "Peace"]), forKey: "book")
        #expect(try save(policy) == nil)
        #expect(try stored("Review").first?.object("book")?.text("name") == "Peace")
    }
}
