import Comparison
import Foundation
import Sworm

struct Counter: ManagedObjectConvertible {
    var id = 0
    var value = 0
    static let attributes: Set<Attribute<Counter>> = [.init(\.id, "id", .unique), .init(\.value, "value")]
}

struct Entry: ManagedObjectConvertible {
    var text = ""
    static let attributes: Set<Attribute<Entry>> = [.init(\.text, "text")]
}

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

func open(_ url: URL, _ policy: NSMergePolicyType = .errorMergePolicyType) throws -> PersistentContainer {
    try PersistentContainer(for: Counter.self, Entry.self, at: .file(url), timeout: 60, mergePolicy: policy)
}

/// Two containers over one store with a counter that is 0.
final class Pair {
    let folder: Folder
    let mine: PersistentContainer
    let other: PersistentContainer

    init(_ policy: NSMergePolicyType = .errorMergePolicyType) throws {
        folder = try Folder()
        mine = try open(folder.store, policy)
        other = try open(folder.store)
        try other.perform { _ = try $0.insert(Counter(id: 1)) }
    }

    /// The other container adds one to the counter.
    func addByOther() throws {
        try other.perform { context in
            guard let counter = try context.fetchOne(Counter.all) else { return }
            try counter.encode(\.value, counter.decode(\.value) + 1)
            try context.insert(Entry(text: "other"))
        }
    }

    var value: Int {
        get throws { try other.perform { try $0.decodeOne(Counter.all)?.value ?? -1 } }
    }
}

/// A way to read the counter, and to write what follows from it.
enum Way: String, CaseIterable {
    case handleAndEncode, handleAndEncodeAfterNoRows, handleAndEncodeAfterRows
    case decodeAndUpsert, decodeAndUpdate, fetchAndUpdate, decodeAndUpdateAmongUnsaved, decodeAndDelete

    /// Whether the write is one of an object, which the merge policy settles. The rest are in bulk.
    var isSettled: Bool { self == .handleAndEncode || self == .handleAndEncodeAfterNoRows }

    /// Adds one to the counter.
    ///
    /// - Parameter between: Runs between the read and the write.
    func add(in context: ManagedObjectContext, between: () throws -> Void) throws {
        switch self {
        case .handleAndEncode, .handleAndEncodeAfterNoRows, .handleAndEncodeAfterRows:
            guard let handle = try context.fetchOne(Counter.all) else { return }
            let value = try handle.decode(\.value)
            try between()
            if self == .handleAndEncodeAfterNoRows { try context.insert(contentsOf: [Entry]()) }
            if self == .handleAndEncodeAfterRows { try context.insert(contentsOf: [Entry(text: "mine")]) }
            try handle.encode(\.value, value + 1)
        case .fetchAndUpdate:
            let value = try context.fetchOne(Counter.all)?.decode(\.value) ?? 0
            try between()
            try context.update(Counter.all, set: (\.value, value + 1))
        case .decodeAndUpsert, .decodeAndUpdate, .decodeAndUpdateAmongUnsaved, .decodeAndDelete:
            guard var counter = try context.decodeOne(Counter.all) else { return }
            try between()
            counter.value += 1
            switch self {
            case .decodeAndUpsert: try context.upsert([counter])
            case .decodeAndDelete:
                try context.batchDelete(Counter.all)
                try context.insert(contentsOf: [counter])
            case .decodeAndUpdateAmongUnsaved:
                // The write is done with objects, because of the unsaved one.
                let unsaved = try context.insert(Counter(id: 2))
                try context.update(Counter.all, set: (\.value, counter.value))
                try context.delete(unsaved)
            default: try context.update(Counter.all, set: (\.value, counter.value))
            }
        }
    }
}

/// Adds one to the counter again and again, and repeats what meets a conflict.
func add(_ count: Int, _ way: Way, in store: PersistentContainer) throws {
    for _ in 0..<count {
        var isAdded = false
        while !isAdded {
            do {
                try store.perform { try way.add(in: $0) {} }
                isAdded = true
            } catch StoreError.Code.conflict {
                usleep(.random(in: 100...2000))
            }
        }
    }
}
