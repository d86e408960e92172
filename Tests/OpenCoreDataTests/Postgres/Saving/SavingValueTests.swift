#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Saving: values of every type", .enabled(if: PostgresServer.isEnabled))
struct SavingValueTests {
    private let model = TypesModel.model

    /// The values that a server cannot hold, or holds otherwise.
    private static func isOther(_ value: AttributeValue) -> Bool {
        switch value {
        case .string(let text): text.utf8.contains(0)
        case .date(let date): date.roundedForServer != date
        default: false
        }
    }

    @Test(arguments: AttributeRoundTripTests.cases.map(\.0), [1, 50, 1500])
    func `every value comes back as it was, however many rows are saved`(name: String, count: Int) throws {
        let all = try #require(AttributeRoundTripTests.cases.first { $0.0 == name }).1
        let values = all.filter { !Self.isOther($0) }
        // Long values are sent a few times only.
        guard count < 1000 || !["string", "binary", "external"].contains(name) else { return }
        let stores = try SavingStore(.server, model)
        defer { stores.close() }
        var request = SaveRequest()
        for index in 0..<max(count, values.count) {
            request.insert(model[1], key: -1 - Int64(index), [name: values[index % values.count]])
        }
        if count == 1 {
            for insertion in request.insertions {
                var single = SaveRequest()
                single.insertions = [insertion]
                try stores.store.save(single)
            }
        } else {
            try stores.store.save(request)
        }
        func check(_ expected: (Int) -> AttributeValue) throws {
            let found = try stores.store.values(1, name)
            #expect(found.count == request.insertions.count)
            for (row, value) in found.enumerated() {
                let isSame = value == expected(row)
                #expect(isSame, "row \(row)")
                if case .double(let old) = expected(row), case .double(let new) = value {
                    #expect(old.bitPattern == new.bitPattern)
                }
                if case .string(let old) = expected(row), case .string(let new) = value {
                    #expect(Array(old.utf8) == Array(new.utf8))
                }
            }
        }
        try check { values[$0 % values.count] }
        var update = SaveRequest()
        for index in request.insertions.indices {
            let row = RowID(entity: 1, key: Int64(index) + 1)
            update.update(row, version: 1, in: model, [name: values[(index + 1) % values.count]])
        }
        try stores.store.save(update)
        try check { values[($0 + 1) % values.count] }
    }

    @Test(arguments: AttributeRoundTripTests.refusals.indices, SavingStore.Kind.allCases)
    func `a value that a column cannot return unchanged is rejected by name`(index: Int, kind: SavingStore.Kind) throws
    {
        let (name, value, code) = AttributeRoundTripTests.refusals[index]
        let stores = try SavingStore(kind, model)
        defer { stores.close() }
        let store = stores.store
        let error = try #require(coreDataError { try store.insert(1, [name: value]) })
        #expect(error.errorCode == code)
        #expect(error.message.contains("Everything.\(name)"))
        #expect(error.entity == "Everything" && error.key == name)
        #expect(try store.values(1, name).isEmpty)
    }

    @Test func `strings with U+0000 and dates beyond a server's are rejected by name`() throws {
        let stores = try SavingStore(.server, model)
        defer { stores.close() }
        let store = stores.store
        let cases: [(String, AttributeValue, Int)] = [
            ("string", .string("a\0b"), NSManagedObjectValidationError),
            ("date", .date(Date(timeIntervalSinceReferenceDate: 1e300)), NSValidationDateTooLateError),
            ("date", .date(Date(timeIntervalSinceReferenceDate: -1e12)), NSValidationDateTooSoonError),
            ("date", .date(Date(timeIntervalSinceReferenceDate: .infinity)), NSValidationDateTooLateError),
        ]
        for (name, value, code) in cases {
            for count in [1, 3, 1100] {
                var request = SaveRequest()
                for key in 1...Int64(count) { request.insert(model[1], key: -key, key == count ? [name: value] : [:]) }
                let error = try #require(coreDataError { try store.save(request) })
                #expect(error.errorCode == code && error.key == name && error.entity == "Everything")
            }
        }
        #expect(try store.values(1, "string").isEmpty)
    }

    @Test func `a date is rounded to the microsecond, and the save returns it`() throws {
        let stores = try SavingStore(.server, model)
        defer { stores.close() }
        let store = stores.store
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_78)
        let rounded = try #require(date.roundedForServer)
        #expect(rounded != date && abs(rounded.timeIntervalSince(date)) < 1e-6)
        var request = SaveRequest()
        request.insert(model[1], key: -1, ["date": .date(date)])
        guard case .attribute(let slot)? = model[1].slot(named: "date") else { return }
        #expect(try store.save(request).derived == [RowID(entity: 1, key: 1): [slot: .date(rounded)]])
        #expect(try store.values(1, "date") == [.date(rounded)])
        request = SaveRequest()
        request.update(.init(entity: 1, key: 1), version: 1, in: model, ["date": .date(rounded)])
        #expect(try store.save(request).derived.isEmpty)
    }

    @Test func `doubles keep all digits of a date`() throws {
        var options = try PostgresStores.options()
        options.dates = .doubles
        let stores = try SavingStore(.server, model, server: options)
        defer { stores.close() }
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000.1.nextUp)
        try stores.store.insert(1, ["date": .date(date)])
        #expect(try stores.store.values(1, "date") == [.date(date)])
    }

    @Test func `exact contents are kept if the column can have them`() throws {
        let stores = try SavingStore(.server, model)
        defer { stores.close() }
        let store = stores.store
        func slot(_ name: String) -> Int {
            if case .attribute(let slot)? = model[1].slot(named: name) { slot } else { -1 }
        }
        func insert(_ name: String, _ exact: ExactValue, key: Int64) throws {
            var request = SaveRequest()
            request.insert(model[1], key: key)
            request.insertions[0].exact = [slot(name): exact]
            try store.save(request)
        }
        try insert("date", .integer(5), key: -1)
        try insert("double", .integer(7), key: -1)
        try insert("decimal", .text(Data("1.5m".utf8)), key: -1)
        try insert("uuid", .blob(Data(count: 16)), key: -1)
        #expect(try store.values(1, "date")[0] == .date(Date(timeIntervalSinceReferenceDate: 5)))
        #expect(try store.values(1, "double")[1] == .double(7))
        #expect(try store.values(1, "decimal")[2] == .decimal(1.5))
        for (name, exact) in [
            ("string", ExactValue.text(Data([0xFF]))), ("string", .integer(3)), ("int16", .integer(70_000)),
            ("boolean", .integer(2)), ("uuid", .blob(Data([1]))), ("date", .text(Data("x".utf8))),
        ] {
            let error = try #require(coreDataError { try insert(name, exact, key: -1) })
            #expect(error.key == name && error.errorCode == NSManagedObjectValidationError)
        }
    }

    @Test func `a value of many megabytes is saved and changed`() throws {
        let stores = try SavingStore(.server, model)
        defer { stores.close() }
        let store = stores.store
        let large = Data((0..<20_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        var request = SaveRequest()
        for key in 1...3 as ClosedRange<Int64> { request.insert(model[1], key: -key, ["external": .data(large)]) }
        try store.save(request)
        #expect(try store.values(1, "external") == Array(repeating: .data(large), count: 3))
        request = SaveRequest()
        request.update(.init(entity: 1, key: 2), version: 1, in: model, ["external": .data(large.dropFirst())])
        try store.save(request)
        #expect(try store.values(1, "external")[1] == .data(large.dropFirst()))
    }
}
#endif
