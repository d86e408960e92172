#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Attributes that a newer version declares in the parent of the entities that had them.
@Suite("PostgreSQL: attributes that move to a parent entity", .enabled(if: PostgresServer.isEnabled))
struct MigrationFamilyTests {
    /// A model in which `Disc` and `Tape` are items.
    ///
    /// - Parameter isNew: Whether `Item` declares `length`, and not each of them.
    private static func model(isNew: Bool) -> NSManagedObjectModel {
        func length() -> NSAttributeDescription {
            Build.attribute("length", .integer32AttributeType, optional: false) { $0.defaultValue = 0 }
        }
        let item = Build.entity("Item", [Build.attribute("name")] + (isNew ? [length()] : []))
        let disc = Build.entity("Disc", isNew ? [] : [length()])
        let tape = Build.entity("Tape", isNew ? [] : [length()])
        item.subentities = [disc, tape]
        return Build.model(item, disc, tape)
    }

    private struct Pair {
        let server: PostgresOptions
        let old: PostgresStore
        let new: PostgresStore

        init(_ fill: (PostgresStore) throws -> Void = { _ in }) throws {
            server = try PostgresStores.migrationServer()
            old = try PostgresStores.store(MigrationFamilyTests.model(isNew: false), at: server)
            try fill(old)
            new = try PostgresStores.store(MigrationFamilyTests.model(isNew: true), at: server)
        }

        func lengths(of entity: String, in store: PostgresStore) throws -> [AttributeValue] {
            try store.values(MigrationFamilyTests.number(entity, store), "length")
        }

        func run(_ sql: String) throws -> [String?] {
            try PostgresStores.runMigrated(sql.replacing("@", with: "\(server.schema)."))
        }
    }

    private static func number(_ entity: String, _ store: PostgresStore) throws -> Int {
        try #require(store.model.entity(named: entity)).number
    }

    @Test func `a value of an older version is not replaced by the default value of the newer one`() throws {
        let pair = try Pair { old in
            try old.insert(Self.number("Disc", old), ["length": .int(1)])
            try old.insert(Self.number("Tape", old), ["length": .int(2)])
        }
        try pair.old.insert(Self.number("Tape", pair.old), ["length": .int(5)])
        try pair.old.insert(Self.number("Disc", pair.old), ["length": .int(6)])
        try pair.old.insert(Self.number("Item", pair.old), ["name": .string("plain")])
        try pair.new.insert(Self.number("Tape", pair.new), ["length": .int(7)])
        for store in [pair.old, pair.new] {
            #expect(try pair.lengths(of: "Tape", in: store) == [.int(2), .int(5), .int(7)])
            #expect(try pair.lengths(of: "Disc", in: store) == [.int(1), .int(6)])
        }
        // The older version has no value for an object of the parent itself.
        #expect(try pair.run("SELECT length::text FROM @\"Item\" WHERE name = 'plain'") == ["0"])
        let value =
            "SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum WHERE a.attrelid = '@\"Item\"'::regclass AND a.attname = 'length'"
        #expect(try pair.run(value) == [])
        pair.old.close()
        _ = try ServerContract(pair.server, options: StoreOptions()).run()
        #expect(try pair.run(value) == ["0"])
    }

    @Test func `two versions read the same random values`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        var expected: [String: [Int64: Int64]] = ["Disc": [:], "Tape": [:]]
        var versions: [Int64: Int64] = [:]
        let pair = try Pair()
        for _ in 0..<150 {
            let store = random.chance(50) ? pair.old : pair.new
            let name = random.chance(50) ? "Disc" : "Tape"
            let (number, length) = (try Self.number(name, store), Int64(random.pick(5)))
            let keys = expected[name, default: [:]].keys.sorted()
            if keys.isEmpty || random.chance(50) {
                let row = try store.insert(number, ["length": .int(length)])
                expected[name]?[row.key] = length
                versions[row.key] = 1
            } else {
                let key = keys[random.pick(keys.count)]
                var request = SaveRequest()
                request.update(
                    RowID(entity: number, key: key), version: versions[key], in: store.model, ["length": .int(length)])
                try store.save(request)
                expected[name]?[key] = length
                versions[key, default: 0] += 1
            }
        }
        for store in [pair.old, pair.new] {
            for (name, lengths) in expected {
                let values = lengths.sorted { $0.key < $1.key }.map { AttributeValue.int($0.value) }
                #expect(try pair.lengths(of: name, in: store) == values, "seed \(seed)")
            }
        }
    }
}

@Suite("PostgreSQL: plans of migrations of default values")
struct ServerMigrationPlanDefaultTests: MigrationPlanning {
    private func family(_ value: Int?) -> NSManagedObjectModel {
        func length() -> NSAttributeDescription {
            Build.attribute("length", .integer32AttributeType, optional: false) { $0.defaultValue = value ?? 0 }
        }
        let item = Build.entity("Item", value == nil ? [] : [length()])
        let disc = Build.entity("Disc", value == nil ? [length()] : [])
        let tape = Build.entity("Tape", value == nil ? [length()] : [])
        item.subentities = [disc, tape]
        return Build.model(item, disc, tape)
    }

    @Test func `a column that a trigger fills has no default value until older versions are gone`() throws {
        let plan = try plan(family(0), from: family(nil))
        #expect(plan.obstacles == [] && plan.keepsOlderVersions)
        #expect(!plan.statements.contains { $0.contains("SET DEFAULT") }, "\(plan.statements)")
        #expect(plan.leftovers.defaults == [.init(table: "Item", column: "length", value: "0")])
        #expect(plan.syncs.map(\.groups) == [[.init(columns: ["length", "Tape_length"], entities: [3])]])
    }

    @Test func `a column whose trigger is removed gets its default value at once`() throws {
        let plan = try ServerMigrationPlanner(input(from: family(nil), to: family(0)), form: .complete).plan()
        #expect(!plan.keepsOlderVersions && plan.syncs == [] && plan.leftovers.defaults == [])
        #expect(plan.statements.contains { $0.contains(#"ALTER COLUMN "length" SET DEFAULT 0"#) }, "\(plan.statements)")
    }

    @Test func `an attribute that is renamed takes over from a column with a default value`() throws {
        let plan = try plan(
            version { shop in
                shop.rename(shop.attribute("year"), to: "since")
                shop.attribute("since").defaultValue = 3
            })
        let alteration = try #require(plan.statements.first)
        #expect(alteration.contains(#"ALTER COLUMN "year" DROP DEFAULT"#) && !alteration.contains("SET DEFAULT"))
        #expect(plan.leftovers.defaults == [.init(table: "Book", column: "since", value: "3")])
    }
}
#endif
