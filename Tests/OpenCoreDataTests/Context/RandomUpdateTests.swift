import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Random changes of one context, while another one changes the same rows: what objects say after each save is compared with
/// plain tables.
@Suite("Random updates of fetched rows", .overEachStore)
struct RandomUpdateTests {
    static let seeds: [UInt64] =
        ProcessInfo.processInfo.environment["SWORM_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? [1, 2, 3, 4]

    @Test(arguments: seeds) func `objects whose rows were updated have the values of the store`(seed: UInt64) throws {
        let folder = try StoreFolder()
        for (place, policy) in [
            NSMergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite,
        ].enumerated() {
            var run = try UpdateRun(seed: seed, url: folder.url("\(place).sqlite"), policy: policy)
            for _ in 0..<250 { try run.step() }
        }
    }
}

private struct UpdateRun {
    typealias Row = [String: String]

    let context: NSManagedObjectContext
    let other: NSManagedObjectContext
    let policy: NSMergePolicy
    private var objects: [NSManagedObject]
    private var others: [NSManagedObject]
    private var store: [Row] = []
    private var base: [Row] = []
    private var dirty: [Row] = []
    private var changedElsewhere: Set<Int> = []
    private var state: UInt64
    private var log: [String] = []

    static let keys = ["text", "number", "real", "flag", "bytes", "outside", "end"]

    static func model() -> NSManagedObjectModel {
        let item = Build.entity(
            "Item",
            [
                Build.attribute("place", .integer32AttributeType), Build.attribute("text"),
                Build.attribute("number", .integer64AttributeType), Build.attribute("real", .doubleAttributeType),
                Build.attribute("flag", .booleanAttributeType), Build.attribute("bytes", .binaryDataAttributeType),
                Build.attribute("outside", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
            ])
        let end = Build.entity("End", [Build.attribute("name")])
        let toEnd = Build.toOne("end", end)
        let items = Build.toMany("items", item)
        Build.connect(toEnd, items)
        item.properties += [toEnd]
        end.properties += [items]
        return Build.model(item, end)
    }

    init(seed: UInt64, url: URL, policy: NSMergePolicy) throws {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        self.policy = policy
        let coordinator = try GraphLibrary.coordinator(at: url, model: Self.model())
        let writing = GraphLibrary.context(coordinator)
        for place in 0..<8 { try writing.make("Item", ["place": place]) }
        for name in ["a", "b", "c"] { try writing.make("End", ["name": name]) }
        try writing.save()
        context = GraphLibrary.context(coordinator)
        other = GraphLibrary.context(coordinator)
        context.mergePolicy = policy
        objects = try context.all("Item", sort: "place")
        others = try other.all("Item", sort: "place")
        store = Array(repeating: [:], count: 8)
        base = store
        dirty = store
    }

    private mutating func random(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case nil: "nil"
        case let data as Data: "\(data.count):\(data.first ?? 0)"
        case let number as NSNumber: "\(number.doubleValue)"
        case let object as NSManagedObject: object.text("name") ?? "gone"
        case let value?: "\(value)"
        }
    }

    private mutating func value(_ key: String, in context: NSManagedObjectContext) throws -> Any? {
        if random(4) == 0 { return nil }
        let choice = random(3)
        switch key {
        case "text": return ["x", "y", "zz"][choice]
        case "number": return choice
        case "real": return Double(choice) + 0.5
        case "flag": return choice == 0
        case "bytes": return Data(repeating: UInt8(choice), count: choice)
        case "outside": return Data(repeating: UInt8(choice + 1), count: choice == 0 ? 10 : 150_000)
        default: return try context.all("End", sort: "name")[choice]
        }
    }

    mutating func step() throws {
        let place = random(objects.count)
        switch random(100) {
        case 0..<40:
            let key = Self.keys[random(Self.keys.count)]
            let value = try value(key, in: context)
            objects[place].setValue(value, forKey: key)
            let text = Self.text(value)
            dirty[place][key] = base[place][key] ?? "nil" == text ? nil : text
            log.append("set \(place).\(key) \(text)")
        case 40..<55:
            // What lies in a file would be gone for those who still have the old row.
            let key = Self.keys[random(Self.keys.count)]
            guard key != "outside" else { return }
            other.refreshAllObjects()
            let value = try value(key, in: other)
            others[place].setValue(value, forKey: key)
            guard others[place].hasChanges, !others[place].changedValues().isEmpty else { return other.rollback() }
            try other.save()
            store[place][key] = Self.text(value)
            changedElsewhere.insert(place)
            log.append("other sets \(place).\(key) \(Self.text(value))")
        case 55..<75:
            try save()
        case 75..<82:
            context.rollback()
            dirty = Array(repeating: [:], count: objects.count)
            log.append("rollback")
        case 82..<90:
            let keeps = random(2) == 0
            context.refresh(objects[place], mergeChanges: keeps)
            if !keeps { dirty[place] = [:] }
            base[place] = store[place]
            changedElsewhere.remove(place)
            log.append("refresh \(place) \(keeps)")
        case 90..<94:
            // Rows of another fetch for those that are issues.
            objects = try context.all("Item", sort: "place")
        default: break
        }
        try compare(place)
    }

    private mutating func save() throws {
        log.append("save")
        try context.save()
        for place in objects.indices where !dirty[place].isEmpty {
            if changedElsewhere.remove(place) != nil {
                if policy === NSMergePolicy.overwrite {
                    store[place] = base[place]
                } else if policy === NSMergePolicy.mergeByPropertyStoreTrump {
                    for key in Self.keys where store[place][key] ?? "nil" != base[place][key] ?? "nil" {
                        dirty[place][key] = nil
                    }
                }
            }
            store[place].merge(dirty[place]) { $1 }
            base[place] = store[place]
            dirty[place] = [:]
        }
        let fresh = GraphLibrary.context(try #require(context.persistentStoreCoordinator))
        for (place, object) in try fresh.all("Item", sort: "place").enumerated() {
            for key in Self.keys {
                try #require(
                    Self.text(object.value(forKey: key)) == store[place][key] ?? "nil",
                    "in the store \(place).\(key): \(log.suffix(30))")
            }
        }
        for place in objects.indices { try compare(place) }
    }

    private func compare(_ place: Int) throws {
        for key in Self.keys {
            let found = Self.text(objects[place].value(forKey: key))
            let stored = objects[place].committedValues(forKeys: [key])[key]
            let committed = Self.text(stored is NSNull ? nil : stored)
            try #require(
                found == dirty[place][key] ?? base[place][key] ?? "nil", "\(place).\(key): \(log.suffix(30))")
            try #require(committed == base[place][key] ?? "nil", "committed \(place).\(key): \(log.suffix(30))")
        }
        try #require(objects[place].changedValues().keys.sorted() == dirty[place].keys.sorted(), "\(log.suffix(30))")
    }
}
