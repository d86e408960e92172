#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A struct with a property of each kind.
struct BatchThing: Sendable {
    var id = 0
    var flag = true
    var small: Int16 = -3
    var middle: Int32 = 70_000
    var ratio: Float = 0.1
    var size = 0.5
    var date = Date(timeIntervalSinceReferenceDate: 12.25)
    var name = "é,\t\n\\N"
    var bytes = Data([0, 1, 255])
    var uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    var price = Decimal(string: "12.50") ?? 0
    var place = URL(string: "https://a.example/x?y=1#z")
    var scan = Data()
    var optionalFlag: Bool?
    var optionalInt: Int?
    var optionalName: String?
    var optionalDate: Date?

    static let fields: [BatchField<BatchThing>] = [
        .init("id", \.id) { .int(Int64($0)) }, .init("flag", \.flag) { .bool($0) },
        .init("small", \.small) { .int(Int64($0)) }, .init("middle", \.middle) { .int(Int64($0)) },
        .init("ratio", \.ratio) { .double(Double($0)) }, .init("size", \.size) { .double($0) },
        .init("date", \.date) { .date($0) }, .init("name", \.name) { .string($0) },
        .init("bytes", \.bytes) { .data($0) }, .init("uuid", \.uuid) { $0.map { .uuid($0) } ?? .null },
        .init("price", \.price) { .decimal($0) }, .init("place", \.place) { $0.map { .url($0) } ?? .null },
        .init("scan", \.scan) { .data($0) }, .init("optionalFlag", \.optionalFlag) { $0.map { .bool($0) } ?? .null },
        .init("optionalInt", \.optionalInt) { $0.map { .int(Int64($0)) } ?? .null },
        .init("optionalName", \.optionalName) { $0.map { .string($0) } ?? .null },
        .init("optionalDate", \.optionalDate) { $0.map { .date($0) } ?? .null },
    ]

    static func model(unique: Bool = true) -> NSManagedObjectModel {
        let types: [(String, NSAttributeType)] = [
            ("id", .integer64AttributeType), ("flag", .booleanAttributeType), ("small", .integer16AttributeType),
            ("middle", .integer32AttributeType), ("ratio", .floatAttributeType), ("size", .doubleAttributeType),
            ("date", .dateAttributeType), ("name", .stringAttributeType), ("bytes", .binaryDataAttributeType),
            ("uuid", .UUIDAttributeType), ("price", .decimalAttributeType), ("place", .URIAttributeType),
            ("optionalFlag", .booleanAttributeType), ("optionalInt", .integer64AttributeType),
            ("optionalName", .stringAttributeType), ("optionalDate", .dateAttributeType),
        ]
        let thing = Build.entity(
            "Thing",
            types.map { name, type in
                Build.attribute(name, type, optional: name.hasPrefix("optional") || name == "uuid")
            }
                + [
                    Build.attribute("scan", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
                    Build.attribute("stock", .integer64AttributeType) { $0.defaultValue = 7 },
                    Build.attribute("scratch") { $0.isTransient = true },
                ])
        if unique { thing.uniquenessConstraints = [["id"]] }
        return Build.model(thing)
    }

    static func sample(_ index: Int) -> BatchThing {
        var thing = BatchThing()
        thing.id = index
        thing.flag = index % 2 == 0
        thing.small = Int16(truncatingIfNeeded: index)
        thing.ratio = Float(index) / 3
        thing.size = Double(index) / 7
        thing.date = Date(timeIntervalSinceReferenceDate: Double(index) * 0.25)
        thing.name = String(repeating: "ü", count: index % 50)
        thing.bytes = Data(repeating: UInt8(index & 255), count: index % 20)
        thing.uuid = index % 3 == 0 ? nil : thing.uuid
        thing.price = Decimal(index) / 8
        thing.place = index % 5 == 0 ? URL(string: "file:///tmp/\(index)%20a") : thing.place
        thing.scan = index == 17 ? Data(repeating: 9, count: 300_000) : Data(repeating: 1, count: index % 3)
        thing.optionalFlag = [nil, true, false][index % 3]
        thing.optionalInt = index % 4 == 0 ? nil : -index
        thing.optionalName = index % 6 == 0 ? nil : "\(index)"
        thing.optionalDate = index % 7 == 0 ? nil : thing.date
        return thing
    }
}

@Suite("Batches on a server: rows of structs", .enabled(if: PostgresServer.isEnabled))
struct BatchRowTests {
    @Test(arguments: [0, 1, 60, 700]) func `rows have all values, in few and in many rows`(count: Int) throws {
        let stores = try BatchStores(BatchThing.model())
        let things = (0..<count).map { BatchThing.sample($0) }
        #expect(stores.both { try $0.insert(things, as: "Thing", BatchThing.fields) }.value == count)
        // A sequence that is asked value by value, with a part of the attributes in another order.
        let lazy = things.lazy.map { thing in
            var other = thing
            other.id += 1_000_000
            return other
        }
        let fields =
            [BatchThing.fields[7], BatchThing.fields[0]] + BatchThing.fields[1...6] + BatchThing.fields[8...11]
        #expect(stores.both { try $0.insert(AnySequence(lazy), as: "Thing", fields) }.value == count)
        try stores.expectSame()
        #expect(try stores.server.all("Thing").count == 2 * count)
    }

    @Test func `20,000 rows go by COPY, and other rows follow in the same transaction`() throws {
        let stores = try BatchStores(BatchThing.model())
        let things = (0..<20_000).map { BatchThing.sample($0) }
        let copied = Locked(0)
        let number = try stores.store.add(
            StatementWatch(report: { if $0.sql.hasPrefix("COPY") { copied.withLock { $0 += 1 } } }))
        #expect(stores.both { try $0.insert(things, as: "Thing", BatchThing.fields) }.value == 20_000)
        #expect(stores.both { try $0.insert([BatchThing(id: -1)], as: "Thing", BatchThing.fields) }.value == 1)
        try stores.store.removeWatch(number)
        // Parts of 4 MB.
        #expect((1...4).contains(copied.withLock { $0 }), "\(copied.withLock { $0 })")
        for format in ["id == 17", "id == 19999", "id == -1", "optionalName == '12345'"] {
            stores.both(format) { context -> [String] in
                let object = try #require(try context.all("Thing", format).first)
                return try context.compiled("Thing").attributes.enumerated().map { slot, attribute in
                    "\(attribute.name) = \(object.attribute(slot).asStored)"
                }
            }
        }
        stores.both { try $0.all("Thing").count }
        stores.both { context in
            try context.all("Thing", "size > 1000 AND flag == TRUE").count
        }
    }

    @Test func `values that a save would reject are rejected by name, and nothing is inserted`() throws {
        let model = BatchThing.model()
        let thing = try #require(model.entitiesByName["Thing"])
        thing.attributesByName["middle"]?.validationRules = [.minimum(.int(0)), .maximum(.int(100_000))]
        thing.attributesByName["name"]?.validationRules = [.maximumLength(60), .pattern("[^x]*")]
        func copy() -> NSManagedObjectModel { model }
        let stores = try BatchStores(model)
        var bad = Array(repeating: BatchThing(), count: 9)
        bad[0].middle = -1
        bad[1].middle = 100_001
        bad[2].name = String(repeating: "a", count: 61)
        bad[3].name = "x"
        bad[4].size = .nan
        bad[5].date = Date(timeIntervalSinceReferenceDate: .nan)
        bad[6].price = .nan
        bad[7].place = nil
        bad[8].ratio = .nan
        for (index, value) in bad.enumerated() {
            for count in [1, 300, 3000] {
                var values = (0..<count).map { BatchThing.sample($0) }
                values[count / 2] = value
                values[count / 2].id = -5
                let outcome = stores.both(comparesMessages: true, "\(index)") {
                    try $0.insert(values, as: "Thing", BatchThing.fields)
                }
                #expect(outcome.value == nil && outcome.code != 0, "\(index): \(outcome)")
            }
        }
        #expect(stores.both { try $0.all("Thing").count }.value == 0)
        // A property without a value for the attribute.
        #expect(
            stores.both { try $0.insert([BatchThing()], as: "Thing", Array(BatchThing.fields.dropFirst())) }.code
                == NSValidationMissingMandatoryPropertyError)
    }

    @Test func `a string with the character 0, and a date out of range, are rejected by the server alone`() throws {
        let stores = try BatchStores(BatchThing.model())
        for (name, change) in [
            ("name", { (thing: inout BatchThing) in thing.name = "a\0b" }),
            ("optionalName", { $0.optionalName = "\0" }),
            ("date", { $0.date = Date(timeIntervalSinceReferenceDate: -1e14) }),
        ] as [(String, (inout BatchThing) -> Void)] {
            var values = (0..<500).map { BatchThing.sample($0) }
            change(&values[250])
            let error = coreDataError { try stores.server.insert(values, as: "Thing", BatchThing.fields) }
            #expect(error?.entity == "Thing" && error?.key == name, "\(String(describing: error))")
            #expect(error?.message.contains("Nothing was saved") == true)
        }
        #expect(try stores.server.all("Thing").isEmpty)
    }

    @Test(arguments: [10, 700, 9000]) func `a unique value that is taken is named, also in the middle of many rows`(
        count: Int
    ) throws {
        let stores = try BatchStores(BatchThing.model()) { context in
            try context.insert([BatchThing(id: 100_000), BatchThing(id: 100_001)], as: "Thing", BatchThing.fields)
        }
        let values = (0..<count).map { BatchThing.sample($0) }
        for (place, id) in [(count / 2, 100_001), (count - 1, 0), (count - 1, count - 2), (0, 100_000), (1, 0)] {
            for isLazy in [false, true] {
                var wrong = values
                wrong[place].id = id
                // A later value that is wrong, too, is not the one that is named.
                wrong[count - 1].id = wrong[count - 1].id == id ? id : 100_000
                let outcome = stores.both(comparesMessages: true, "\(place) \(id)") { context in
                    isLazy
                        ? try context.insert(AnySequence(wrong), as: "Thing", BatchThing.fields)
                        : try context.insert(wrong, as: "Thing", BatchThing.fields)
                }
                #expect(outcome.code == NSManagedObjectConstraintMergeError && outcome.message.contains("id = \(id)"))
            }
        }
        // An invalid value behind a taken one, and before it.
        for place in [0, count - 1] {
            var wrong = values
            wrong[count / 2].id = 100_000
            wrong[place].size = .nan
            stores.both(comparesMessages: true) { try $0.insert(wrong, as: "Thing", BatchThing.fields) }
        }
        #expect(stores.both { try $0.all("Thing").count }.value == 2)
        #expect(stores.both { try $0.insert(values, as: "Thing", BatchThing.fields) }.value == count)
        #expect(stores.both { try $0.all("Thing").count }.value == count + 2)
    }

    @Test func `a failure in the middle leaves a transaction as it was at its mark`() throws {
        let stores = try BatchStores(BatchThing.model())
        let (store, plan) = (try stores.store, try WritePlan(stores.server.compiled("Thing"), BatchThing.fields))
        let transaction = try store.beginTransaction(nil)
        defer { transaction.end() }
        #expect(try transaction.insert(RowBatch([BatchThing(id: 1)], plan: plan)).inserted == 1)
        let mark = transaction.mark()
        #expect(
            try transaction.insert(RowBatch((10..<3000).map { BatchThing.sample($0) }, plan: plan)).inserted == 2990)
        for isLazy in [false, true] {
            var bad = (5000..<12_000).map { BatchThing.sample($0) }
            bad[6500].id = 1
            var batch = RowBatch(bad, plan: plan)
            if isLazy { batch = RowBatch(AnySequence(bad), plan: plan) }
            #expect(
                coreDataError { _ = try transaction.insert(batch) }?.errorCode == NSManagedObjectConstraintMergeError)
            bad[6500].id = -1
            bad[6600].size = .nan
            #expect(coreDataError { _ = try transaction.insert(RowBatch(bad, plan: plan)) }?.key == "size")
        }
        let request = FetchSpecification(entity: try stores.server.compiled("Thing").number)
        #expect(try transaction.count(request) == 2991)
        try transaction.undo(to: mark)
        #expect(try transaction.count(request) == 1)
        let second = transaction.mark()
        #expect(try transaction.insert(RowBatch([BatchThing(id: 2), BatchThing(id: 3)], plan: plan)).inserted == 2)
        try transaction.release(second)
        try transaction.commit()
        #expect(try stores.server.all("Thing").count == 3)
    }

    @Test func `values that read from the store while they are made see the rows before them`() throws {
        let stores = try BatchStores(BatchThing.model())
        stores.both { context in
            var counts: [Int] = []
            let values = (0..<1000).lazy.map { id in
                if id % 300 == 0 { counts.append((try? context.all("Thing").count) ?? -1) }
                return BatchThing(id: id)
            }
            try context.insert(AnySequence(values), as: "Thing", BatchThing.fields)
            return counts.count
        }
        stores.both { try $0.all("Thing").count }
    }

    @Test func `an interrupted batch stops, and writes nothing`() throws {
        let stores = try BatchStores(BatchThing.model())
        stores.both { context in
            let values = (0..<10_000).lazy.map { id in
                if id == 3000 { context.interruptReading() }
                return BatchThing(id: id)
            }
            return try context.insert(AnySequence(values), as: "Thing", BatchThing.fields)
        }
        for context in [stores.file, stores.server] { context.resumeReading() }
        #expect(stores.both { try $0.all("Thing").count }.value == 0)
        #expect(stores.both { try $0.insert([BatchThing()], as: "Thing", BatchThing.fields) }.value == 1)
    }

    @Test func `a trigger that skips rows is an error`() throws {
        let stores = try BatchStores(BatchThing.model())
        let prefix = try stores.store.schema.prefix
        try PostgresStores.run(
            "CREATE FUNCTION \(prefix)skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF NEW.id = 5 THEN RETURN NULL; END IF; RETURN NEW; END'"
        )
        try PostgresStores.run(
            "CREATE TRIGGER skip BEFORE INSERT OR UPDATE ON \(prefix)\"Thing\" FOR EACH ROW EXECUTE FUNCTION \(prefix)skip()"
        )
        for count in [10, 500] {
            let error = coreDataError {
                try stores.server.insert((0..<count).map { BatchThing.sample($0) }, as: "Thing", BatchThing.fields)
            }
            #expect(error?.errorCode == NSPersistentStoreSaveError && error?.message.contains("skips") == true)
        }
        #expect(try stores.server.all("Thing").isEmpty)
    }
}
#endif
