import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Compatibility: conflicts of unchanged objects, and objects without rows", .overEachStore)
struct ConflictDetectionTests {
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext
    private let author: NSManagedObject

    init() throws {
        coordinator = try GraphLibrary.coordinator()
        let writer = GraphLibrary.context(coordinator)
        let made = try writer.make("Author", ["name": "Leo"])
        try writer.save()
        context = GraphLibrary.context(coordinator)
        author = context.object(with: made.objectID)
        _ = author.text("name")
    }

    private func changeElsewhere(_ name: String) throws {
        let other = GraphLibrary.context(coordinator)
        try other.existingObject(with: author.objectID).setValue(name, forKey: "name")
        try other.save()
    }

    @Test func `an unchanged object is compared with its row where that is requested, for one save`() throws {
        try changeElsewhere("Ann")
        try context.make("Tag", ["name": "one"])
        try context.save()
        try context.make("Tag", ["name": "two"])
        context.detectConflicts(for: author)
        #expect(thrownCode { try context.save() } == NSManagedObjectMergeError)
        #expect(context.insertedObjects.count == 1)
        try context.save()
        #expect(try GraphLibrary.context(coordinator).all("Tag").count == 2)
    }

    @Test func `a policy settles the conflict of an unchanged object`() throws {
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try changeElsewhere("Ann")
        try context.make("Tag", ["name": "one"])
        context.detectConflicts(for: author)
        try context.save()
        #expect(author.text("name") == "Ann" && !author.hasChanges)
        try context.make("Tag", ["name": "two"])
        context.detectConflicts(for: author)
        try context.save()
    }

    @Test func `an object is compared once, however often that is requested`() throws {
        let policy = CountingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        context.mergePolicy = policy
        try changeElsewhere("Ann")
        try context.make("Tag", ["name": "one"])
        for _ in 0..<3 { context.detectConflicts(for: author) }
        try context.save()
        #expect(policy.count == 1 && author.text("name") == "Ann")
    }

    @Test(arguments: [true, false])
    func `a context decides whether an object without a row counts as deleted`(handles: Bool) throws {
        let context = FaultContext(concurrencyType: .privateQueueConcurrencyType)
        context.handles = handles
        context.persistentStoreCoordinator = coordinator
        let fault = context.object(with: author.objectID)
        let other = GraphLibrary.context(coordinator)
        other.delete(try other.existingObject(with: author.objectID))
        try other.save()
        #expect(fault.value(forKey: "name") == nil)
        #expect(context.asked.first?.id == author.objectID && context.asked.first?.property == "name")
        #expect((thrownCode { _ = try context.all("Tag") } == nil) == handles)
    }
}

/// A policy that counts its conflicts. Unchecked: only the thread that saves uses it.
private final class CountingPolicy: NSMergePolicy, @unchecked Sendable {
    var count = 0

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        count += list.count
        try super.resolve(optimisticLockingConflicts: list)
    }
}

/// A context that decides itself what happens to objects without rows. Unchecked: only the thread of its test uses it.
private final class FaultContext: NSManagedObjectContext, @unchecked Sendable {
    var handles = true
    var asked: [(id: NSManagedObjectID, property: String?)] = []

    override func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        asked.append((oid, property?.name))
        return handles
    }
}
