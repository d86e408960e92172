import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Compatibility: merge policies of the application", .overEachStore)
struct MergePolicySubclassTests {
    /// A context that wants another age and name of an author whose age and code were changed in the store.
    private func conflict(
        _ policy: NSMergePolicy
    ) throws -> (NSPersistentStoreCoordinator, NSManagedObjectContext, NSManagedObject) {
        let coordinator = try GraphLibrary.coordinator()
        let first = GraphLibrary.context(coordinator)
        let author = try first.make("Author", ["name": "Leo", "age": 1, "code": "AAA"])
        try first.save()
        let second = GraphLibrary.context(coordinator)
        second.mergePolicy = policy
        let same = second.object(with: author.objectID)
        _ = same.text("name")
        author.setValue(10, forKey: "age")
        author.setValue("BBB", forKey: "code")
        try first.save()
        same.setValue(20, forKey: "age")
        same.setValue("Ann", forKey: "name")
        return (coordinator, second, same)
    }

    private func stored(_ coordinator: NSPersistentStoreCoordinator) throws -> [String] {
        let author = try #require(try GraphLibrary.context(coordinator).all("Author").first)
        return [author.text("name") ?? "-", "\(author.value(forKey: "age") as? Int ?? -1)", author.text("code") ?? "-"]
    }

    @Test func `a policy gets the conflicts with both versions, and its superclass resolves them`() throws {
        let policy = RecordingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        let (coordinator, context, author) = try conflict(policy)
        try context.save()
        #expect(try stored(coordinator) == ["Ann", "20", "BBB"])
        let conflict = try #require(policy.changes.first)
        #expect(policy.changes.count == 1 && conflict.sourceObject === author)
        #expect(conflict.oldVersionNumber == 1 && conflict.newVersionNumber == 2)
        #expect(conflict.cachedSnapshot?["age"] as? Int == 1 && conflict.cachedSnapshot?["code"] as? String == "AAA")
        #expect(conflict.persistedSnapshot?["age"] as? Int == 10)
        #expect(conflict.objectSnapshot?["age"] as? Int == 20 && conflict.objectSnapshot?["name"] as? String == "Ann")
    }

    @Test func `changes that a policy makes before and after are saved`() throws {
        let policy = RecordingPolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
        policy.before = { $0.sourceObject.setValue("Eve", forKey: "name") }
        policy.after = { conflict in
            let stored = conflict.persistedSnapshot?["age"] as? Int ?? 0
            let own = conflict.objectSnapshot?["age"] as? Int ?? 0
            conflict.sourceObject.setValue(stored + own, forKey: "age")
        }
        let (coordinator, context, author) = try conflict(policy)
        try context.save()
        #expect(try stored(coordinator) == ["Eve", "30", "BBB"])
        #expect(!context.hasChanges && author.value(forKey: "age") as? Int == 30)
    }

    @Test func `a policy may resolve a conflict itself, by refreshing the object`() throws {
        let policy = RecordingPolicy(merge: .errorMergePolicyType)
        policy.resolvesItself = { $0.sourceObject.managedObjectContext?.refresh($0.sourceObject, mergeChanges: true) }
        let (coordinator, context, _) = try conflict(policy)
        try context.save()
        #expect(try stored(coordinator) == ["Ann", "20", "BBB"])
    }

    @Test func `another policy that a policy calls resolves conflicts in its own way`() throws {
        let policy = RecordingPolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
        policy.delegate = .mergeByPropertyObjectTrump
        let (coordinator, context, _) = try conflict(policy)
        try context.save()
        #expect(try stored(coordinator) == ["Ann", "20", "BBB"])
        let strict = RecordingPolicy(merge: .overwriteMergePolicyType)
        strict.delegate = .error
        let (unchanged, failing, _) = try conflict(strict)
        #expect(thrownCode { try failing.save() } == NSManagedObjectMergeError)
        #expect(try stored(unchanged) == ["Leo", "10", "BBB"])
    }

    @Test func `the type of a called policy settles the relationships that are in conflict afterwards`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let first = GraphLibrary.context(coordinator)
        let authors = try ["Ann", "Leo"].map { try first.make("Author", ["name": $0, "age": 1]) }
        try first.save()
        let second = GraphLibrary.context(coordinator)
        let policy = RecordingPolicy(merge: .errorMergePolicyType)
        policy.delegate = .mergeByPropertyObjectTrump
        second.mergePolicy = policy
        let same = try second.all("Author", sort: "name")
        second.delete(same[1])
        same[0].setValue(20, forKey: "age")
        // A new member does not change the row of its owner, so that the link is found after the conflict of the rows.
        try first.make("Book", ["title": "War", "author": authors[1]])
        authors[0].setValue(10, forKey: "age")
        try first.save()
        try second.save()
        #expect(policy.changes.map(\.sourceObject) == [same[0]])
        let reader = GraphLibrary.context(coordinator)
        let stored = try reader.all("Author")
        #expect(stored.map { $0.value(forKey: "age") as? Int } == [20])
        let book = try #require(try reader.all("Book").first)
        #expect(book.object("author") == nil)
    }

    @Test func `a conflict that a policy leaves, and one of the error type, is the error of the save`() throws {
        for type in [NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .errorMergePolicyType] {
            let policy = RecordingPolicy(merge: type)
            if type != .errorMergePolicyType { policy.resolvesItself = { _ in } }
            let (coordinator, context, author) = try conflict(policy)
            #expect(thrownCode { try context.save() } == NSManagedObjectMergeError)
            #expect(policy.changes.count >= 1 && author.text("name") == "Ann" && context.hasChanges)
            #expect(try stored(coordinator) == ["Leo", "10", "BBB"])
        }
    }

    @Test func `the error of a policy is the error of the save, and nothing has changed`() throws {
        let policy = RecordingPolicy(merge: .overwriteMergePolicyType)
        policy.after = { _ in throw CocoaError(.featureUnsupported) }
        let (coordinator, context, author) = try conflict(policy)
        #expect(thrownCode { try context.save() } == CocoaError.Code.featureUnsupported.rawValue)
        #expect(try stored(coordinator) == ["Leo", "10", "BBB"])
        #expect(author.value(forKey: "age") as? Int == 20 && author.text("code") == "AAA")
    }

    @Test func `a policy may settle some of the conflicts, and the others are the error`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let first = GraphLibrary.context(coordinator)
        let authors = try ["Ann", "Leo"].map { try first.make("Author", ["name": $0]) }
        try first.save()
        let second = GraphLibrary.context(coordinator)
        let policy = RecordingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        policy.chooses = { $0.sourceObject.text("name") == "Ann X" }
        second.mergePolicy = policy
        let same = try second.all("Author", sort: "name")
        for author in authors { author.setValue(1, forKey: "age") }
        try first.save()
        for author in same { author.setValue("\(author.text("name") ?? "") X", forKey: "name") }
        #expect(thrownCode { try second.save() } == NSManagedObjectMergeError)
        #expect(same.compactMap { $0.text("name") } == ["Ann X", "Leo X"])
        policy.chooses = { _ in true }
        try second.save()
        #expect(
            try GraphLibrary.context(coordinator).all("Author", sort: "name").compactMap { $0.text("name") }
                == ["Ann X", "Leo X"])
    }

    @Test func `a policy may settle conflicts one at a time and repeatedly, also that of a deleted row`() throws {
        let expected: [(NSMergePolicyType, [String])] = [
            (.mergeByPropertyObjectTrumpMergePolicyType, ["Ann X", "Leo X"]),
            (.mergeByPropertyStoreTrumpMergePolicyType, ["Leo X"]),
        ]
        for (type, names) in expected {
            let coordinator = try GraphLibrary.coordinator()
            let first = GraphLibrary.context(coordinator)
            let authors = try ["Ann", "Leo"].map { try first.make("Author", ["name": $0]) }
            try first.save()
            let second = GraphLibrary.context(coordinator)
            let policy = RecordingPolicy(merge: type)
            policy.settlesSingly = true
            second.mergePolicy = policy
            let same = try second.all("Author", sort: "name")
            #expect(same.compactMap { $0.text("name") } == ["Ann", "Leo"])
            first.delete(authors[0])
            authors[1].setValue(1, forKey: "age")
            try first.save()
            for author in same { author.setValue("\(author.text("name") ?? "") X", forKey: "name") }
            try second.save()
            #expect(policy.changes.count == 2)
            let stored = try GraphLibrary.context(coordinator).all("Author", sort: "name")
            #expect(stored.compactMap { $0.text("name") } == names)
            #expect(stored.last?.value(forKey: "age") as? Int == 1)
        }
    }

    @Test(arguments: [
        (NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, 3),
        (.mergeByPropertyStoreTrumpMergePolicyType, 1),
    ])
    func `a policy may settle the constraints of new objects one at a time and repeatedly`(
        type: NSMergePolicyType, year: Int
    ) throws {
        for isStored in [true, false] {
            let model = GraphLibrary.model()
            model.entitiesByName["Book"]?.uniquenessConstraints = [["isbn"], ["title"]]
            let coordinator = try GraphLibrary.coordinator(model: model)
            let first = GraphLibrary.context(coordinator)
            let second = GraphLibrary.context(coordinator)
            let policy = RecordingPolicy(merge: type)
            policy.settlesSingly = true
            second.mergePolicy = policy
            let old = try (isStored ? first : second).make("Book", ["title": "a", "isbn": "1", "year": 1])
            try first.save()
            let new = try second.make("Book", ["title": "a", "isbn": "1", "year": 3])
            try second.save()
            #expect(Set(policy.constraints.map(\.constraint)) == [["isbn"], ["title"]])
            #expect(!second.hasChanges && (!isStored || new.objectID == old.objectID))
            let reader = GraphLibrary.context(coordinator)
            let books = try reader.all("Book")
            #expect(books.map(\.objectID) == [old.objectID])
            #expect(books.map { $0.value(forKey: "year") as? Int } == [year])
        }
    }

    @Test func `a policy may delete the object whose values a new one takes over`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        let old = try context.make("Book", ["title": "old", "isbn": "1"])
        try context.save()
        let policy = RecordingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        policy.unites = { _ in context.delete(old) }
        context.mergePolicy = policy
        old.setValue("changed", forKey: "title")
        let new = try context.make("Book", ["title": "new", "isbn": "1"])
        try context.save()
        #expect(policy.constraints.count == 1 && !new.isDeleted && !context.hasChanges)
        let reader = GraphLibrary.context(coordinator)
        let books = try reader.all("Book")
        #expect(books.map { $0.text("title") } == ["new"] && books.map(\.objectID) == [new.objectID])
    }

    @Test func `unique values of an existing row reach the policy, which may keep values of both`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let first = GraphLibrary.context(coordinator)
        let stored = try first.make("Book", ["title": "War and Peace", "isbn": "1", "year": 1869])
        try first.save()
        let second = GraphLibrary.context(coordinator)
        let policy = RecordingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        policy.unites = { conflict in
            for object in conflict.conflictingObjects where object.value(forKey: "year") == nil {
                object.setValue(conflict.databaseObject?.value(forKey: "year"), forKey: "year")
            }
        }
        second.mergePolicy = policy
        try second.make("Book", ["title": "Peace and War", "isbn": "1"])
        try second.save()
        let conflict = try #require(policy.constraints.first)
        #expect(policy.constraints.count == 1 && conflict.constraint == ["isbn"])
        #expect(conflict.databaseObject?.objectID == stored.objectID && conflict.conflictingObjects.count == 1)
        #expect(conflict.databaseSnapshot?["title"] as? String == "War and Peace")
        let books = try GraphLibrary.context(coordinator).all("Book")
        #expect(books.map { $0.text("title") } == ["Peace and War"])
        #expect(books.first?.value(forKey: "year") as? Int == 1869)
    }

    @Test func `a new object with the values of a row becomes the object of the row`() throws {
        let titles: [(NSMergePolicyType, String)] = [
            (.mergeByPropertyObjectTrumpMergePolicyType, "new"), (.mergeByPropertyStoreTrumpMergePolicyType, "old"),
        ]
        for (type, title) in titles {
            let coordinator = try GraphLibrary.coordinator()
            let first = GraphLibrary.context(coordinator)
            let stored = try first.make("Book", ["title": "old", "isbn": "1"])
            try first.save()
            let second = GraphLibrary.context(coordinator)
            let policy = RecordingPolicy(merge: type)
            policy.unites = { conflict in
                #expect(conflict.databaseSnapshot?["title"] as? String == "old")
                #expect(conflict.description.contains("\(stored.objectID)"))
            }
            second.mergePolicy = policy
            let new = try second.make("Book", ["title": "new", "isbn": "1"])
            try second.save()
            #expect(new.managedObjectContext === second && new.objectID == stored.objectID)
            #expect(new.text("title") == title && policy.constraints.first?.databaseObject === new)
            #expect(policy.constraints.count == 1)
        }
    }

    @Test func `conflicts without a running save are an error`() throws {
        let policy = RecordingPolicy(merge: .overwriteMergePolicyType)
        let (_, context, author) = try conflict(policy)
        try context.save()
        let kept = try #require(policy.changes.first)
        #expect(thrownCode { try policy.resolve(mergeConflicts: [kept]) } == NSManagedObjectMergeError)
        let made = NSMergeConflict(
            source: author, newVersion: 1, oldVersion: 1, cachedSnapshot: nil, persistedSnapshot: nil)
        #expect(thrownCode { try policy.resolve(mergeConflicts: [made]) } == NSManagedObjectMergeError)
        try policy.resolve(mergeConflicts: [])
    }
}

/// A policy that records its conflicts, and does around them what a test says.
///
/// @unchecked: a test makes a policy of its own, and saves on its own thread, which alone calls the policy.
private final class RecordingPolicy: NSMergePolicy, @unchecked Sendable {
    var changes: [NSMergeConflict] = []
    var constraints: [NSConstraintConflict] = []
    var before: (NSMergeConflict) throws -> Void = { _ in }
    var after: (NSMergeConflict) throws -> Void = { _ in }
    var unites: (NSConstraintConflict) throws -> Void = { _ in }
    var chooses: (NSMergeConflict) -> Bool = { _ in true }
    /// In place of the superclass, if there is one.
    var resolvesItself: ((NSMergeConflict) -> Void)?
    /// Another policy that resolves the conflicts of rows.
    var delegate: NSMergePolicy?
    /// Whether each conflict is resolved by itself, and then all of them once more.
    var settlesSingly = false

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        changes += list
        if let resolvesItself { return list.forEach(resolvesItself) }
        if let delegate { return try delegate.resolve(optimisticLockingConflicts: list) }
        if settlesSingly {
            for conflict in list + list { try super.resolve(optimisticLockingConflicts: [conflict]) }
            return
        }
        try list.forEach(before)
        try super.resolve(optimisticLockingConflicts: list.filter(chooses))
        try list.forEach(after)
    }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        constraints += list
        if settlesSingly {
            for conflict in list + list { try super.resolve(constraintConflicts: [conflict]) }
            return
        }
        try list.forEach(unites)
        try super.resolve(constraintConflicts: list)
    }
}
