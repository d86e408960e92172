import Foundation
import OpenCoreData
import TestSupport
import Testing

/// Source: the documentation of `NSMergePolicy` and `NSManagedObjectContext`, and NSMergePolicy.h.
@Suite("Sentences about merge policies and conflicts", .overEachStore)
struct MergeSentenceTests {
    private static let types: [NSMergePolicyType] = [
        .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
        .overwriteMergePolicyType, .rollbackMergePolicyType,
    ]

    private let coordinator: NSPersistentStoreCoordinator
    private let first: NSManagedObjectContext
    private let second: NSManagedObjectContext
    /// The same two authors in each context.
    private let theirs: [NSManagedObject]
    private let mine: [NSManagedObject]

    init() throws {
        coordinator = try GraphLibrary.coordinator()
        first = GraphLibrary.context(coordinator)
        second = GraphLibrary.context(coordinator)
        for name in ["Ann", "Leo"] { try first.make("Author", ["name": name, "age": 30]) }
        try first.save()
        theirs = try first.all("Author", sort: "name")
        mine = try second.all("Author", sort: "name")
        #expect(mine.map { $0.text("name") } == ["Ann", "Leo"])
    }

    private func stored() throws -> [String] {
        let reader = GraphLibrary.context(coordinator)
        return try reader.all("Author", sort: "name").map(text)
    }

    private func text(_ author: NSManagedObject) -> String {
        "\(author.text("name") ?? "-") \(author.value(forKey: "age") as? Int ?? -1)"
    }

    private func policyType(_ context: NSManagedObjectContext) -> NSMergePolicyType? {
        (context.mergePolicy as? NSMergePolicy)?.mergeType
    }

    // MARK: Types

    @Test func `the types of policies are numbered from 0 to 4`() {
        #expect(Self.types.map { $0.rawValue } == [0, 1, 2, 3, 4])
    }

    @Test func `each constant is a policy of its type`() {
        let constants = [
            NSErrorMergePolicy, NSMergeByPropertyStoreTrumpMergePolicy, NSMergeByPropertyObjectTrumpMergePolicy,
            NSOverwriteMergePolicy, NSRollbackMergePolicy,
        ]
        let members: [NSMergePolicy] = [
            .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
        ]
        #expect(constants.map { $0.mergeType } == Self.types)
        #expect(members.map { $0.mergeType } == Self.types)
    }

    @Test func `a policy that is made for a type has that type`() {
        for type in Self.types { #expect(NSMergePolicy(merge: type).mergeType == type) }
    }

    @Test func `a new context has the policy of errors, whatever it saves to`() {
        let child = NSManagedObjectContext(.privateQueue)
        first.mergePolicy = NSMergePolicy.overwrite
        child.parent = first
        let container = NSPersistentContainer(name: "Sentences", managedObjectModel: coordinator.managedObjectModel)
        let contexts = [second, child, container.viewContext, container.newBackgroundContext()]
        #expect(contexts.allSatisfy { policyType($0) == .errorMergePolicyType })
    }

    // MARK: Conflicts

    @Test func `changes of different properties of an object are a conflict`() throws {
        theirs[0].setValue(50, forKey: "age")
        try first.save()
        mine[0].setValue("Anna", forKey: "name")
        let error = try #require(throws: CocoaError.self) { try second.save() }
        #expect(error.code == .managedObjectMerge)
        #expect(try stored() == ["Ann 50", "Leo 30"])
    }

    @Test func `a conflict that nobody resolves fails every save`() throws {
        theirs[0].setValue(50, forKey: "age")
        try first.save()
        mine[0].setValue(60, forKey: "age")
        for _ in 0..<3 {
            let error = try #require(throws: CocoaError.self) { try second.save() }
            #expect(error.code == .managedObjectMerge)
            #expect(second.updatedObjects == [mine[0]])
        }
        #expect(try stored() == ["Ann 50", "Leo 30"])
    }

    @Test func `a policy that rolls back discards the changes of objects in conflict, and saves the others`() throws {
        theirs[0].setValue(50, forKey: "age")
        try first.save()
        second.mergePolicy = NSMergePolicy.rollback
        mine[0].setValue("Anna", forKey: "name")
        mine[1].setValue(60, forKey: "age")
        try second.save()
        #expect(!second.hasChanges)
        #expect(mine.map(text) == ["Ann 50", "Leo 60"])
        #expect(try stored() == ["Ann 50", "Leo 60"])
    }

    @Test func `a context that has merged the save of another one is in no conflict with it`() throws {
        let name = NSManagedObjectContext.didSaveObjectsNotification
        let recorder = NotificationRecorder(name, of: first)
        mine[0].setValue("Anna", forKey: "name")
        theirs[0].setValue(50, forKey: "age")
        try first.save()
        let information = try #require(recorder.received.last as [AnyHashable: Any]?)
        second.mergeChanges(fromContextDidSave: Notification(name: name, object: first, userInfo: information))
        #expect(text(mine[0]) == "Anna 50")
        try second.save()
        #expect(try stored() == ["Anna 50", "Leo 30"])
    }
}
