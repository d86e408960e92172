import Foundation
@testable import OpenCoreData
import Sworm

struct CrashItem: ManagedObjectConvertible {
    static let entityName = "Item"
    var key = 0
    var text = ""
    var number = 0
    var payload: Data?
    static let attributes: Set<Attribute<CrashItem>> = [
        .init(\.key, "key", .unique), .init(\.text, "text", .indexed), .init(\.number, "number"),
        .init(\.payload, "payload", .external),
    ]
    struct Relations: Sendable { let group = ToOneRelation<CrashGroup>("group", inverse: \.items) }
    static let relations = Relations()
}

struct CrashGroup: ManagedObjectConvertible {
    static let entityName = "Group"
    var key = 0
    static let attributes: Set<Attribute<CrashGroup>> = [.init(\.key, "key", .unique)]
    struct Relations: Sendable { let items = ToManyRelation<CrashItem>("items") }
    static let relations = Relations()
}

struct CrashItemTree: ManagedTreeConvertible {
    var key = 0
    var text = ""
    var number = 0
    typealias Entity = CrashItem
    static let attributes: Set<Attribute<CrashItemTree>> = [
        .init(\.key, \.key), .init(\.text, \.text), .init(\.number, \.number),
    ]
}

struct CrashGroupTree: ManagedTreeConvertible {
    var key = 0
    var items: [CrashItemTree] = []
    typealias Entity = CrashGroup
    static let attributes: Set<Attribute<CrashGroupTree>> = [.init(\.key, \.key)]
    static let branches: [Branch<CrashGroupTree>] = [.init(\.items, \.items, .owned)]
}

/// The second version: it has no files.
struct LaterItem: ManagedObjectConvertible {
    static let entityName = "Item"
    var key = 0
    var title = ""
    var number = 0
    static let attributes: Set<Attribute<LaterItem>> = [
        .init(\.key, "key", .unique), .init(\.title, "title", .indexed, .renamed(from: "text")),
        .init(\.number, "number"),
    ]
    struct Relations: Sendable { let group = ToOneRelation<LaterGroup>("group", inverse: \.items) }
    static let relations = Relations()
}

struct LaterGroup: ManagedObjectConvertible {
    static let entityName = "Group"
    var key = 0
    static let attributes: Set<Attribute<LaterGroup>> = [.init(\.key, "key", .unique)]
    struct Relations: Sendable { let items = ToManyRelation<LaterItem>("items") }
    static let relations = Relations()
}

/// The third version: it has other files.
struct LastItem: ManagedObjectConvertible {
    static let entityName = "Item"
    var key = 0
    var title = ""
    var number = 0
    var payload: Data?
    static let attributes: Set<Attribute<LastItem>> = [
        .init(\.key, "key", .unique), .init(\.title, "title", .indexed, .renamed(from: "text")),
        .init(\.number, "number"), .init(\.payload, "payload", .external),
    ]
    struct Relations: Sendable { let group = ToOneRelation<LastGroup>("group", inverse: \.items) }
    static let relations = Relations()
}

struct LastGroup: ManagedObjectConvertible {
    static let entityName = "Group"
    var key = 0
    static let attributes: Set<Attribute<LastGroup>> = [.init(\.key, "key", .unique)]
    struct Relations: Sendable { let items = ToManyRelation<LastItem>("items") }
    static let relations = Relations()
}

/// The versions of the model.
enum CrashModel: Int, CaseIterable, Sendable {
    case first, withoutFiles, withOtherFiles

    // Models that are never changed may be used by any thread.
    nonisolated(unsafe) private static let models: [NSManagedObjectModel] = {
        let models = [
            try? NSManagedObjectModel(tables: CrashItem.self), try? NSManagedObjectModel(tables: LaterItem.self),
            try? NSManagedObjectModel(tables: LastItem.self),
        ]
        return models.map { $0 ?? NSManagedObjectModel() }
    }()

    var model: NSManagedObjectModel { Self.models[rawValue] }

    var reference: NSManagedObjectModelReference {
        NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }

    /// The version that a store was written with.
    init?(of url: URL) throws {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        guard let found = Self.allCases.first(where: { $0.model.entityVersionHashesByName == hashes }) else {
            return nil
        }
        self = found
    }
}

/// The content of a store as plain values.
struct CrashContent: Equatable, Sendable {
    struct Item: Equatable, Sendable {
        var text = ""
        var number = 0
        var payload: Data?
        var group: Int?
    }

    var items: [Int: Item] = [:]
    var groups: Set<Int> = []

    init() {}

    /// Reads all of a store, whatever the version of its model.
    init(_ coordinator: NSPersistentStoreCoordinator) throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        self = try context.performAndWait {
            var content = CrashContent()
            for group in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Group")) {
                content.groups.insert(group.value(forKey: "key") as? Int ?? -1)
            }
            for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")) {
                let names = object.entity.attributesByName
                var item = Item()
                item.text = object.value(forKey: names["text"] == nil ? "title" : "text") as? String ?? "nil"
                item.number = object.value(forKey: "number") as? Int ?? -1
                if names["payload"] != nil { item.payload = object.value(forKey: "payload") as? Data }
                item.group = (object.value(forKey: "group") as? NSManagedObject)?.value(forKey: "key") as? Int
                let key = object.value(forKey: "key") as? Int ?? -1
                if content.items.updateValue(item, forKey: key) != nil { content.items[-2] = item }
            }
            return content
        }
    }

    /// Content of an external file.
    static func payload(_ number: Int) -> Data {
        var bytes = [UInt8](repeating: 0, count: 100_001 + number % 500)
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: (index &* 31) ^ (index >> 9) &+ number) }
        return Data(bytes)
    }
}
