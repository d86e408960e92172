import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Merge policies", .overEachStore)
struct MergePolicyTests {
    /// Two contexts that have read the same author; the first has saved a new age and code, the second wants another age
    /// and name.
    private func conflict(_ policy: NSMergePolicy) throws -> (
        NSPersistentStoreCoordinator, NSManagedObjectContext, NSManagedObject
    ) {
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
        let context = GraphLibrary.context(coordinator)
        let author = try #require(try context.all("Author").first)
        return [author.text("name") ?? "-", "\(author.value(forKey: "age") as? Int ?? -1)", author.text("code") ?? "-"]
    }

    @Test func `by default a conflict is an error that names the object, and nothing is lost`() throws {
        let (coordinator, context, author) = try conflict(.error)
        let error = try #require(coreDataError { try context.save() })
        #expect(error.errorCode == NSManagedObjectMergeError)
        #expect(error.message.contains("Author") && error.message.contains("/p1"))
        #expect(author.text("name") == "Ann" && context.hasChanges)
        #expect(try stored(coordinator) == ["Leo", "10", "BBB"])
    }

    @Test(arguments: [
        (NSMergePolicy.mergeByPropertyStoreTrump, ["Ann", "10", "BBB"]),
        (NSMergePolicy.mergeByPropertyObjectTrump, ["Ann", "20", "BBB"]),
        (NSMergePolicy.overwrite, ["Ann", "20", "AAA"]),
        (NSMergePolicy.rollback, ["Leo", "10", "BBB"]),
    ])
    func `a policy decides property by property or row by row`(policy: NSMergePolicy, expected: [String]) throws {
        let (coordinator, context, author) = try conflict(policy)
        try context.save()
        #expect(try stored(coordinator) == expected)
        #expect(!context.hasChanges)
        #expect(author.text("name") == expected[0] && author.text("code") == expected[2])
    }

    @Test(arguments: [NSMergePolicy.overwrite, .mergeByPropertyObjectTrump, .rollback, .mergeByPropertyStoreTrump])
    func `a row that was concurrently deleted is restored or stays deleted, according to the policy`(
        policy: NSMergePolicy
    ) throws {
        let coordinator = try GraphLibrary.coordinator()
        let first = GraphLibrary.context(coordinator)
        let author = try first.make("Author", ["name": "Leo", "age": 1])
        try first.save()
        let second = GraphLibrary.context(coordinator)
        second.mergePolicy = policy
        let same = second.object(with: author.objectID)
        same.setValue(2, forKey: "age")
        first.delete(author)
        try first.save()
        try second.save()
        let comesBack =
            policy.mergeType == .overwriteMergePolicyType
            || policy.mergeType == .mergeByPropertyObjectTrumpMergePolicyType
        let context = GraphLibrary.context(coordinator)
        #expect(try context.all("Author").compactMap { $0.text("name") } == (comesBack ? ["Leo"] : []))
    }

    @Test func `deleting objects that another context has changed follows the policy too`() throws {
        for (policy, isDeleted) in [(NSMergePolicy.overwrite, true), (.rollback, false)] {
            let (coordinator, context, author) = try conflict(policy)
            context.delete(author)
            try context.save()
            #expect(try GraphLibrary.context(coordinator).all("Author").isEmpty == isDeleted)
        }
    }

    @Test func `a taken unique value is an error by default, and unites the objects by a policy`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let first = GraphLibrary.context(coordinator)
        let old = try first.make("Book", ["title": "old", "isbn": "1", "year": 1])
        try first.save()
        for (policy, title) in [(NSMergePolicy.mergeByPropertyStoreTrump, "old"), (.overwrite, "new")] {
            let context = GraphLibrary.context(coordinator)
            let book = try context.make("Book", ["title": "new", "isbn": "1"])
            try context.make("Review", ["mark": 1, "book": book])
            let error = try #require(coreDataError { try context.save() })
            #expect(error.errorCode == NSManagedObjectConstraintMergeError && error.key == "isbn")
            context.mergePolicy = policy
            try context.save()
            #expect(book.objectID == old.objectID && book.text("title") == title)
            #expect(try GraphLibrary.context(coordinator).all("Book").count == 1)
        }
        let context = GraphLibrary.context(coordinator)
        #expect(context.object(with: old.objectID).text("title") == "new")
    }

    @Test func `two contexts that never stop to change one row both get through under a policy`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let first = GraphLibrary.context(coordinator)
        let author = try first.make("Author", ["name": "Leo", "age": 0])
        try first.save()
        let contexts = (0..<4).map { _ in GraphLibrary.context(coordinator) }
        for context in contexts { context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
        for round in 1...20 {
            for context in contexts {
                context.object(with: author.objectID).setValue(round, forKey: "age")
                try context.save()
            }
        }
        let last = GraphLibrary.context(coordinator).object(with: author.objectID)
        #expect(last.managedObjectContext == nil || last.value(forKey: "age") as? Int == 20)
    }
}
