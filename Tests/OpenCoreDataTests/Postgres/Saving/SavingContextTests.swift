#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Saving: contexts with merge policies", .enabled(if: PostgresServer.isEnabled))
struct SavingContextTests {
    private func context(_ stores: ContextStores) throws -> NSManagedObjectContext {
        GraphLibrary.context(try stores.coordinator())
    }

    private func twin(_ object: NSManagedObject, in context: NSManagedObjectContext) throws -> NSManagedObject {
        let id = try #require(
            context.persistentStoreCoordinator?.managedObjectID(
                forURIRepresentation: object.objectID.uriRepresentation()))
        return try context.existingObject(with: id)
    }

    @Test(arguments: SavingStore.Kind.allCases, ContentionModel.policies)
    func `every merge policy settles a changed row as it does in a file`(
        kind: SavingStore.Kind, policy: NSMergePolicyType
    ) throws {
        let stores = try ContextStores(kind, ContentionModel.model())
        let (first, second) = (try context(stores), try context(stores))
        let tag = try first.make("Tag", ["name": "old"])
        try first.save()
        let mine = try twin(tag, in: second)
        tag.setValue("theirs", forKey: "name")
        try first.save()
        mine.setValue("mine", forKey: "name")
        second.mergePolicy = NSMergePolicy(merge: policy)
        let error = coreDataError { try second.save() }
        #expect((error == nil) == (policy != .errorMergePolicyType))
        if let error { #expect(error.errorCode == NSManagedObjectMergeError) }
        let wins = policy == .overwriteMergePolicyType || policy == .mergeByPropertyObjectTrumpMergePolicyType
        let reader = try context(stores)
        #expect(try reader.all("Tag").map { $0.text("name") } == [wins ? "mine" : "theirs"])
    }

    @Test(arguments: SavingStore.Kind.allCases, ContentionModel.policies)
    func `every merge policy settles a taken unique value as it does in a file`(
        kind: SavingStore.Kind, policy: NSMergePolicyType
    ) throws {
        let stores = try ContextStores(kind, GraphLibrary.model())
        let (first, second) = (try context(stores), try context(stores))
        try first.make("Book", ["title": "theirs", "isbn": "1", "year": 1])
        try first.save()
        try second.make("Book", ["title": "mine", "isbn": "1"])
        second.mergePolicy = NSMergePolicy(merge: policy)
        let error = coreDataError { try second.save() }
        let reader = try context(stores)
        let titles = try reader.all("Book").map { "\($0.text("title") ?? "") \($0.number("year") ?? -1)" }
        let expected: [NSMergePolicyType: [String]] = [
            .errorMergePolicyType: ["theirs 1"], .mergeByPropertyStoreTrumpMergePolicyType: ["theirs 1"],
            .rollbackMergePolicyType: ["theirs 1"],
        ]
        if let wanted = expected[policy] { #expect(titles == wanted) }
        #expect((error == nil) == (policy != .errorMergePolicyType), "\(String(describing: error))")
        #expect(titles.count == 1)
    }

    @Test(arguments: SavingStore.Kind.allCases)
    func `two contexts that change one ordered list both keep their changes`(kind: SavingStore.Kind) throws {
        let stores = try ContextStores(kind, ContentionModel.model())
        let (first, second) = (try context(stores), try context(stores))
        let book = try first.make("Book", ["name": "b"])
        for name in ["r1", "r2", "r3"] { try first.make("Review", ["name": name, "book": book]) }
        try first.save()
        let mine = try twin(book, in: second)
        _ = mine.list("reviews").map { $0.text("name") }
        try first.make("Review", ["name": "theirs", "book": book])
        let own = try second.make("Review", ["name": "mine", "book": mine])
        try first.save()
        second.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try second.save()
        _ = own
        let reader = try context(stores)
        let names = try reader.all("Book")[0].list("reviews").map { $0.text("name") }
        #expect(names == ["r1", "r2", "r3", "theirs", "mine"])
    }

    @Test(arguments: SavingStore.Kind.allCases, [1, 2, 3] as [UInt64])
    func `derived values agree with the objects after every save`(kind: SavingStore.Kind, seed: UInt64) throws {
        let stores = try ContextStores(kind, DerivedLibrary.model())
        var run = DerivedRun(try context(stores), seed: seed)
        for _ in 0..<40 { try run.step() }
        let fresh = try context(stores)
        for entity in ["Author", "Book", "Page", "Person"] { try fresh.all(entity).forEach(DerivedRun.check) }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `what contexts save at random leaves a sound store`(seed: UInt64) throws {
        let options = try PostgresStores.options()
        let model = ContentionModel.model()
        let coordinators = try (0..<2).map { _ in try PostgresStores.coordinator(of: model, at: options) }
        let soundness = try ServerSoundness(options, model)
        var run = ContentionRun(seed: seed, coordinators: coordinators) { try soundness.issues() }
        for step in 0..<300 where !run.hasFailed { try run.step(step) }
        print("random contention on a server, seed \(seed): \(run.saves) saves, \(run.failures) failures")
        #expect(run.saves > 5)
    }
}
#endif
