import Comparison
import Foundation
import Sworm

struct Row: ManagedObjectConvertible, CustomStringConvertible {
    var key = 0
    var a = ""
    var b = ""
    static let attributes: Set<Attribute<Row>> = [.init(\.key, "key", .unique), .init(\.a, "a"), .init(\.b, "b")]
    var description: String { "\(key):\(a)/\(b)" }
}

/// Thrown by closures on purpose.
struct Interruption: Error {}

/// A merge policy with its name.
struct Policy: CustomStringConvertible {
    let type: NSMergePolicyType
    let description: String

    static let all = [
        Policy(type: .errorMergePolicyType, description: "error"),
        Policy(type: .mergeByPropertyStoreTrumpMergePolicyType, description: "store trump"),
        Policy(type: .mergeByPropertyObjectTrumpMergePolicyType, description: "object trump"),
        Policy(type: .overwriteMergePolicyType, description: "overwrite"),
        Policy(type: .rollbackMergePolicyType, description: "rollback"),
    ]
}

enum Kind: CaseIterable { case memory, file, ownContext, ownContextInMemory }

/// A container over a store with two rows.
final class Store {
    let container: PersistentContainer
    private let folder: Folder

    init(_ kind: Kind, _ policy: Policy) throws {
        folder = try Folder()
        switch kind {
        case .memory: container = try PersistentContainer(for: Row.self, at: .memory, mergePolicy: policy.type)
        case .file:
            container = try PersistentContainer(for: Row.self, at: .file(folder.store), mergePolicy: policy.type)
        case .ownContext, .ownContextInMemory:
            let coordinator = NSPersistentStoreCoordinator(
                managedObjectModel: try NSManagedObjectModel(tables: Row.self))
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil,
                at: kind == .ownContext ? folder.store : URL(fileURLWithPath: "/dev/null"), options: nil)
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            context.retainsRegisteredObjects = true
            context.mergePolicy = NSMergePolicy(merge: policy.type)
            container = PersistentContainer(managedObjectContext: { context }, cleanUpAfterExecution: false)
        }
        try container.perform { context in
            try context.insert(contentsOf: [Row(key: 1, a: "a1", b: "b1"), Row(key: 2, a: "a2", b: "b2")])
        }
    }

    /// Runs an inner perform that throws in the end.
    func undo(_ body: (ManagedObjectContext) throws -> Void) throws {
        do {
            try container.perform { context in
                try body(context)
                throw Interruption()
            }
        } catch is Interruption {}
    }

    var rows: String {
        get throws { text(try container.perform { try $0.decode(Row.all.sort(\.key)) }) }
    }
}

func text(_ rows: [Row]) -> String { rows.map(\.description).joined(separator: " ") }
