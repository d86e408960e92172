import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// The conflicts that a merge policy of the application receives: how long they live, and which it is asked about.
@Suite(.overEachStore)
struct KeptConflictTests {
    @Test func `a policy that keeps its conflicts does not keep their context`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let policy = KeepingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        weak var seen: NSManagedObjectContext?
        try {
            let first = GraphLibrary.context(coordinator)
            let author = try first.make("Author", ["name": "Leo", "age": 1])
            try first.save()
            let second = GraphLibrary.context(coordinator)
            seen = second
            second.mergePolicy = policy
            let same = second.object(with: author.objectID)
            #expect(same.text("name") == "Leo")
            author.setValue(10, forKey: "age")
            try first.save()
            same.setValue(20, forKey: "age")
            try second.save()
        }()
        #expect(policy.changes.count == 1 && seen == nil)
        let kept = policy.changes
        #expect(throws: (any Error).self) { try policy.resolve(mergeConflicts: kept) }
    }

    @Test func `a policy that keeps conflicts of unique values does not keep their context`() throws {
        let policy = KeepingPolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
        weak var seen: NSManagedObjectContext?
        try {
            let context = try GraphLibrary.context()
            seen = context
            context.mergePolicy = policy
            for title in ["a", "b"] { try context.make("Book", ["title": title, "isbn": "1"]) }
            try context.save()
        }()
        #expect(policy.constraints.count == 1 && seen == nil)
    }

    @Test func `a policy of the error type is asked about new objects with equal unique values`() throws {
        let context = try GraphLibrary.context()
        let policy = KeepingPolicy(merge: .errorMergePolicyType)
        policy.settle = { conflict in
            for object in conflict.conflictingObjects.dropFirst() { object.setValue(nil, forKey: "isbn") }
        }
        context.mergePolicy = policy
        for title in ["a", "b"] { try context.make("Book", ["title": title, "isbn": "1"]) }
        try context.save()
        let conflict = try #require(policy.constraints.first)
        #expect(policy.constraints.count == 1 && conflict.conflictingObjects.count == 2)
        #expect(conflict.databaseObject == nil && conflict.constraint == ["isbn"])
        #expect(try context.all("Book", "isbn == nil").map { $0.text("title") } == ["b"])
        #expect(try context.all("Book").count == 2)
    }

    @Test func `a policy of the error type that leaves equal unique values makes the save fail`() throws {
        let context = try GraphLibrary.context()
        let policy = KeepingPolicy(merge: .errorMergePolicyType)
        context.mergePolicy = policy
        let books = try ["a", "b"].map { try context.make("Book", ["title": $0, "isbn": "1"]) }
        expectError(.managedObjectConstraintMerge) { try context.save() }
        #expect(policy.constraints.count == 1 && context.insertedObjects == Set(books))
        #expect(books.map { $0.text("isbn") } == ["1", "1"])
    }
}

/// A policy that keeps its conflicts, and settles those of unique values as a test says, or else like its superclass.
///
/// @unchecked: a test makes a policy of its own, and saves on its own thread, which alone calls the policy.
private final class KeepingPolicy: NSMergePolicy, @unchecked Sendable {
    var changes: [NSMergeConflict] = []
    var constraints: [NSConstraintConflict] = []
    var settle: ((NSConstraintConflict) -> Void)?

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        changes += list
        try super.resolve(optimisticLockingConflicts: list)
    }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        constraints += list
        guard let settle else { return try super.resolve(constraintConflicts: list) }
        list.forEach(settle)
    }
}
