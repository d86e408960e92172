import Foundation
import Sworm
import SwormTools
import TestSupport

/// The kind of store and container that a random run works with.
struct RandomSetting: CustomStringConvertible {
    enum Contexts: CaseIterable {
        /// The container opens its store itself.
        case containers
        /// A user's own context for each call.
        case fresh
        /// One context of the user's, which keeps its objects and may have unsaved changes.
        case shared
    }

    let policy: NSMergePolicyType
    let isInMemory: Bool
    let contexts: Contexts

    static let policies: [NSMergePolicyType] = [
        .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
        .overwriteMergePolicyType, .rollbackMergePolicyType,
    ]

    /// - Parameters:
    ///   - seed: Five seeds in a row have all policies.
    ///   - random: Gives the rest.
    init(seed: UInt64, _ random: inout SeededRandom) {
        policy = Self.policies[Int(seed % UInt64(Self.policies.count))]
        isInMemory = random.chance(40)
        contexts = random.pick(Contexts.allCases) ?? .containers
    }

    var description: String { "\(isInMemory ? "memory" : "file"), \(contexts), policy \(policy.rawValue)" }
}

/// An open store for a random run, with another container over the same file.
struct RandomStores {
    let container: PersistentContainer
    /// Nil in memory.
    let file: TestStore?
    /// The user's own context, where there is one.
    let context: NSManagedObjectContext?

    init(_ setting: RandomSetting) throws {
        file = setting.isInMemory ? nil : try TestStore(for: RandomLeaf.self, in: .file)
        guard setting.contexts != .containers else {
            container = try PersistentContainer(
                for: RandomLeaf.self, at: file?.url.map { .file($0) } ?? .memory, mergePolicy: setting.policy)
            context = nil
            return
        }
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try NSManagedObjectModel(tables: RandomLeaf.self))
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: file?.url ?? URL(fileURLWithPath: "/dev/null"),
            options: nil)
        let policy = setting.policy
        @Sendable func makeContext() -> NSManagedObjectContext {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            context.mergePolicy = NSMergePolicy(merge: policy)
            return context
        }
        guard setting.contexts == .shared else {
            container = PersistentContainer(managedObjectContext: { makeContext() })
            context = nil
            return
        }
        let shared = makeContext()
        shared.retainsRegisteredObjects = true
        container = PersistentContainer(managedObjectContext: { shared }, cleanUpAfterExecution: false)
        context = shared
    }

    /// Checks the rules of the file.
    func verify() throws { try file?.verify() }
}
