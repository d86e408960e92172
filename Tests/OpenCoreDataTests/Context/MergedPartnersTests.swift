import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Partners of one-to-one relationships after a merge", .overEachStore)
struct MergedPartnersTests {
    /// Both sides of every partnership agree, in the store.
    private func partners(_ coordinator: NSPersistentStoreCoordinator) throws -> [String: String] {
        let context = GraphLibrary.context(coordinator)
        var result: [String: String] = [:]
        for person in try context.all("Person") {
            guard let partner = person.object("partner") else { continue }
            #expect(partner.object("partner") === person, "\(person.text("name") ?? "") is alone with it")
            result[person.text("name") ?? ""] = partner.text("name")
        }
        return result
    }

    /// Two contexts that have read the same persons, a with b, and c, d and e alone.
    private func contexts(_ policy: NSMergePolicyType) throws -> (
        NSPersistentStoreCoordinator, [String: NSManagedObject], NSManagedObjectContext, [String: NSManagedObject],
        NSManagedObjectContext
    ) {
        let coordinator = try GraphLibrary.coordinator()
        let first = GraphLibrary.context(coordinator)
        for name in ["a", "b", "c", "d", "e"] { try first.make("Person", ["name": name]) }
        var persons = try [first, GraphLibrary.context(coordinator)].map { context in
            context.mergePolicy = NSMergePolicy(merge: policy)
            if context === first {
                let all = try context.all("Person")
                all.first { $0.text("name") == "a" }?.setValue(all.first { $0.text("name") == "b" }, forKey: "partner")
                try context.save()
            }
            return (
                context, Dictionary(uniqueKeysWithValues: try context.all("Person").map { ($0.text("name") ?? "", $0) })
            )
        }
        for person in persons.flatMap(\.1.values) { _ = person.object("partner") }
        let second = persons.removeLast()
        return (coordinator, persons[0].1, first, second.1, second.0)
    }

    @Test(arguments: [NSMergePolicyType.overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType])
    func `the partner that another context set is released when the last writer wins`(policy: NSMergePolicyType) throws
    {
        let (coordinator, one, first, two, second) = try contexts(policy)
        one["a"]?.setValue(one["c"], forKey: "partner")
        try first.save()
        two["a"]?.setValue(two["d"], forKey: "partner")
        try second.save()
        #expect(try partners(coordinator) == ["a": "d", "d": "a"])
    }

    @Test(arguments: [NSMergePolicyType.overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType])
    func `a new partner replaces a new partner`(policy: NSMergePolicyType) throws {
        let (coordinator, one, first, two, second) = try contexts(policy)
        try first.make("Person", ["name": "x"]).setValue(one["a"], forKey: "partner")
        try first.save()
        try second.make("Person", ["name": "y"]).setValue(two["a"], forKey: "partner")
        try second.save()
        #expect(try partners(coordinator) == ["a": "y", "y": "a"])
    }

    @Test func `an object that is written over as a whole takes its partner back`() throws {
        let (coordinator, one, first, two, second) = try contexts(.overwriteMergePolicyType)
        one["a"]?.setValue(one["c"], forKey: "partner")
        try first.save()
        two["a"]?.setValue("renamed", forKey: "name")
        try second.save()
        #expect(try partners(coordinator) == ["renamed": "b", "b": "renamed"])
    }

    @Test(arguments: [NSMergePolicyType.rollbackMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType])
    func `where the store wins, the partner that was not taken is alone`(policy: NSMergePolicyType) throws {
        let (coordinator, one, first, two, second) = try contexts(policy)
        one["a"]?.setValue(one["c"], forKey: "partner")
        try first.save()
        two["a"]?.setValue(two["d"], forKey: "partner")
        try second.save()
        #expect(try partners(coordinator) == ["a": "c", "c": "a"])
    }
}
