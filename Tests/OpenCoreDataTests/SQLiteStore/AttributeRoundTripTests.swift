import Foundation
@testable import OpenCoreData
import SwormPredicates
import SwormSQLite
import Testing
import SwormRows

@Suite("Values of every type survive close and reopen")
struct AttributeRoundTripTests {
    static let cases: [(String, [AttributeValue])] = [
        ("int16", [.int(Int64(Int16.min)), .int(Int64(Int16.max)), .int(0), .null]),
        ("int32", [.int(Int64(Int32.min)), .int(Int64(Int32.max)), .null]),
        ("int64", [.int(.min), .int(.max), .int(-1), .null]),
        ("boolean", [.bool(true), .bool(false), .null]),
        (
            "double",
            [
                .double(.greatestFiniteMagnitude), .double(-.greatestFiniteMagnitude), .double(.leastNonzeroMagnitude),
                .double(.infinity), .double(-.infinity), .double(0.1), .double(1.0.nextUp), .double(0), .null,
            ]
        ),
        (
            "float",
            [
                .double(Double(Float.greatestFiniteMagnitude)), .double(Double(Float.leastNonzeroMagnitude)),
                .double(Double(Float(0.1))), .double(.infinity), .null,
            ]
        ),
        (
            "date",
            [
                .date(Date(timeIntervalSinceReferenceDate: 0)),
                .date(Date(timeIntervalSinceReferenceDate: 123_456_789)),
                .date(Date(timeIntervalSinceReferenceDate: 700_000_000.1.nextUp)),
                .date(Date(timeIntervalSinceReferenceDate: -63_114_076_800.000_01)), .date(.distantFuture),
                .date(.distantPast), .date(Date(timeIntervalSinceReferenceDate: 1e300)), .null,
            ]
        ),
        (
            "string",
            [
                .string(""), .string("a\0b\0"), .string("\u{FEFF}e\u{301}"), .string("👩‍👩‍👧‍👦\u{10FFFF}"), .string("123"),
                .string("1e5"),
                .string(String(repeating: "ä", count: 500_000)), .null,
            ]
        ),
        ("binary", [.data(Data()), .data(Data([0])), .data(Data([1, 2, 3])), .data(Data(count: 1_000_000)), .null]),
        ("transformable", [.data(Data()), .data(Data([255, 0])), .null]),
        (
            "external",
            [
                .data(Data()), .data(Data([2])), .data(Data(repeating: 7, count: 100_000)),
                .data(Data(repeating: 8, count: 100_001)), .null,
            ]
        ),
        ("uuid", [.uuid(UUID()), .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))), .null]),
        (
            "uri",
            ["https://example.org/a%20b?c=d#e", "x-coredata://A/B/p1", "relative/path", "file:///tmp/%C3%A4"].compactMap
            {
                URL(string: $0).map(AttributeValue.url)
            } + [.null]
        ),
        (
            "decimal",
            [
                "0", "1", "-1", "0.1", "99999999999999999999999999999999999999",
                "-12345678901234567890123456789012345678",
                "0.33333333333333333333333333333333333333", "9223372036854775807", "9223372036854775808", "1e20",
                "1e-30",
                "9007199254740993", "9007199254740993.5", "123456789012345.6", "1e127", "1e-127",
                "3.402823669209384e165",
            ].compactMap { Decimal(string: $0, locale: Locale(identifier: "en_US_POSIX")).map(AttributeValue.decimal) }
                + [.decimal(.greatestFiniteMagnitude), .decimal(.leastNonzeroMagnitude), .null]
        ),
    ]

    @Test(arguments: cases.map(\.0)) func `every value comes back as it was`(name: String) throws {
        let values = try #require(Self.cases.first { $0.0 == name }).1
        let folder = try StoreFolder()
        var store = try folder.open(TypesModel.model)
        for value in values { try store.insert(1, [name: value]) }
        store.close()
        store = try folder.open(TypesModel.model)
        let (buffer, shape) = try store.rows(1)
        #expect(buffer.count == values.count)
        let entity = TypesModel.model[1]
        guard case .attribute(let slot)? = entity.slot(named: name) else {
            Issue.record("no attribute \(name)")
            return
        }
        try store.reading { session in
            for (row, value) in values.enumerated() {
                let cell = shape.cell(ofAttribute: slot, in: 1)
                let found = try buffer.value(
                    row: row, cell: cell, of: entity.attributes[slot], in: entity, session: session)
                // Foundation traps when it describes a date that is far off, so the values stay out of the expectation.
                let isSame = found == value
                #expect(isSame, "row \(row)")
                if case .double(let old) = value, case .double(let new) = found {
                    #expect(old.bitPattern == new.bitPattern)
                }
                if case .string(let old) = value, case .string(let new) = found {
                    #expect(Array(old.utf8) == Array(new.utf8))
                }
            }
        }
        store.close()
        #expect(try StoreVerification.issues(of: folder.url(), model: TypesModel.model) == [])
    }

    @Test func `the columns have the storage classes of Core Data`() throws {
        let folder = try StoreFolder()
        let store = try folder.open(TypesModel.model)
        try store.insert(
            1,
            [
                "boolean": .bool(true), "date": .date(Date(timeIntervalSinceReferenceDate: 5)),
                "decimal": .decimal(Decimal(3)), "double": .double(2), "external": .data(Data([9])), "int16": .int(4),
                "string": .string("7"), "uri": .url(URL(fileURLWithPath: "/x")), "uuid": .uuid(UUID()),
            ])
        try store.insert(1, ["decimal": .decimal(Decimal(sign: .plus, exponent: -1, significand: 1))])
        store.close()
        let raw = try folder.raw()
        #expect(
            try raw.lines(
                """
                SELECT typeof(ZBOOLEAN), typeof(ZDATE), typeof(ZDECIMAL), typeof(ZDOUBLE), hex(ZEXTERNAL), typeof(ZINT16),
                typeof(ZSTRING), typeof(ZURI), typeof(ZUUID), length(ZUUID) FROM ZEVERYTHING LIMIT 1
                """) == ["integer|integer|integer|real|0109|integer|text|text|blob|16"])
        #expect(try raw.lines("SELECT typeof(ZDECIMAL), ZDECIMAL FROM ZEVERYTHING WHERE Z_PK = 2") == ["real|0.1"])
    }

    static let refusals: [(String, AttributeValue, Int)] = [
        ("int16", .int(32768), NSValidationNumberTooLargeError),
        ("int16", .int(-32769), NSValidationNumberTooSmallError),
        ("int32", .int(2_147_483_648), NSValidationNumberTooLargeError),
        ("boolean", .int(2), NSValidationNumberTooLargeError),
        ("double", .double(.nan), NSManagedObjectValidationError),
        ("float", .double(.nan), NSManagedObjectValidationError),
        ("float", .double(1e39), NSManagedObjectValidationError),
        ("decimal", .decimal(.nan), NSManagedObjectValidationError),
        ("date", .date(Date(timeIntervalSinceReferenceDate: .nan)), NSManagedObjectValidationError),
        ("string", .int(3), NSManagedObjectValidationError), ("uuid", .string("x"), NSManagedObjectValidationError),
        ("int64", .double(1.5), NSManagedObjectValidationError),
    ]

    @Test(arguments: refusals.indices) func `a value that a column cannot return unchanged is rejected by name`(
        index: Int
    ) throws {
        let (name, value, code) = Self.refusals[index]
        let folder = try StoreFolder()
        let store = try folder.open(TypesModel.model)
        let error = try #require(throws: CoreDataError.self) { try store.insert(1, [name: value]) }
        #expect(error.errorCode == code)
        #expect(error.message.contains("Everything.\(name)"))
        #expect(error.entity == "Everything" && error.key == name)
        #expect(try store.rows(1).0.count == 0)
    }

    @Test func `a number that no decimal can hold is rejected`() throws {
        let entity = try #require(TypesModel.model.entity(named: "Everything"))
        let decimal = try #require(entity.attributes.first { $0.name == "decimal" })
        #expect(try decimal.accept(.double(1e100), entity: "Everything") == .decimal(Decimal(string: "1e100") ?? 0))
        for number in [1e200, -1e200, 1e-200] {
            let error = try #require(throws: CoreDataError.self) {
                try decimal.accept(.double(number), entity: "Everything")
            }
            #expect(error.errorCode == NSValidationNumberTooLargeError && error.key == "decimal")
        }
    }

    @Test func `a long decimal is found again by its value`() throws {
        let folder = try StoreFolder()
        let store = try folder.open(TypesModel.model)
        let third = Decimal(1) / Decimal(3)
        try store.insert(1, ["decimal": .decimal(third)])
        try store.insert(1, ["decimal": .decimal(Decimal(-1))])
        try store.insert(1, ["decimal": .decimal(Decimal(sign: .plus, exponent: -1, significand: 5))])
        try store.insert(1)
        func keys(_ comparator: SwormPredicates.Comparator, _ value: Decimal) throws -> [Int64] {
            var specification = FetchSpecification(entity: 1)
            specification.predicate = .comparison(
                Comparison(.path(["decimal"]), by: comparator, with: .value(.decimal(value))))
            specification.sorts = [.init(path: ["decimal"])]
            return try store.reading { try $0.identities(specification).map(\.key) }
        }
        #expect(try keys(.less, Decimal(1)) == [2, 1, 3])
        #expect(try keys(.equal, third) == [1])
        #expect(try keys(.greater, Decimal(0)) == [1, 3])
        store.close()
        let raw = try folder.raw()
        #expect(try raw.lines("SELECT typeof(ZDECIMAL) FROM ZEVERYTHING WHERE Z_PK = 1") == ["text"])
        #expect(
            try raw.lines("SELECT ZDECIMAL + 0 > 0.3333 AND ZDECIMAL + 0 < 0.3334 FROM ZEVERYTHING WHERE Z_PK = 1") == [
                "1"
            ])
    }

    @Test func `a value of another storage class is an error that names its attribute and row`() throws {
        let folder = try StoreFolder()
        let store = try folder.open(TypesModel.model)
        let row = try store.insert(1, ["string": .string("x")])
        store.close()
        try folder.raw().execute("UPDATE ZEVERYTHING SET ZINT32 = 'seven'")
        let second = try folder.open(TypesModel.model)
        var error = try #require(throws: CoreDataError.self) { try second.rows(1) }
        #expect(error.message.contains("Everything.int32"))
        #expect(error.message.contains("row \(row.key)") && error.message.contains("seven"))
        second.close()
        try folder.raw().execute("UPDATE ZEVERYTHING SET ZINT32 = NULL, ZSTRING = CAST(X'C328' AS TEXT)")
        let third = try folder.open(TypesModel.model)
        error = try #require(throws: CoreDataError.self) { try third.rows(1) }
        #expect(error.message.contains("Everything.string") && error.message.contains("UTF-8"))
        #expect(error.key == "string")
    }
}
