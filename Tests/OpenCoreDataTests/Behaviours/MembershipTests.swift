import Foundation
import SwormPredicates
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Behaviours: strings in lists of numbers, and numbers in lists of strings", .overEachStore)
struct MembershipTests {
    private static let texts = [
        "5", "5.0", "05", " 5", "2.5", "-3", "1", "0", "true", "1.0e+300", "Inf", "inf", "9007199254740993", "a", "",
    ]
    private static let numbers: [Double] = [5, 2.5, -3, 1, 0, 100, 0.125, 1e300]

    private func context() throws -> NSManagedObjectContext {
        let entity = Build.entity(
            "Thing",
            [
                Build.attribute("text"), Build.attribute("real", .doubleAttributeType),
                Build.attribute("whole", .integer64AttributeType), Build.attribute("price", .decimalAttributeType),
                Build.attribute("flag", .booleanAttributeType),
            ])
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: Build.model(entity)))
        for text in Self.texts { try context.make("Thing", ["text": text]) }
        for number in Self.numbers {
            let thing = try context.make("Thing", ["real": number])
            // A decimal number has an exponent of up to 127.
            if number < 1e100 { thing.setValue(Decimal(number), forKey: "price") }
            if abs(number) < 1000, number == number.rounded() { thing.setValue(Int(number), forKey: "whole") }
            if number == 0 || number == 1 { thing.setValue(number == 1, forKey: "flag") }
        }
        try context.make("Thing")
        return context
    }

    /// The values that a condition finds, before and after the objects are saved.
    private func expect(
        _ key: String, _ format: String, _ list: [Any], finds expected: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let context = try context()
        for isSaved in [false, true] {
            if isSaved { try context.save() }
            let found = try context.all("Thing", format, list).map { "\($0.value(forKey: key) ?? "nil")" }
            #expect(found.sorted() == expected.sorted(), "saved: \(isSaved)", sourceLocation: sourceLocation)
        }
    }

    @Test func `a string is in a list of numbers if it is one of them as SQLite writes it`() throws {
        try expect("text", "text IN %@", [5], finds: ["5"])
        try expect("text", "text IN %@", [5, "a"], finds: ["5", "a"])
        try expect("text", "text IN %@", [5.0, 2.5, -3], finds: ["5.0", "2.5", "-3"])
        try expect("text", "text IN %@", [true, false], finds: ["1", "0"])
        try expect("text", "text IN %@", [1e300, Double.infinity], finds: ["1.0e+300", "Inf"])
        try expect(
            "text", "text IN %@", [NSDecimalNumber(string: "2.50"), 9_007_199_254_740_993],
            finds: [
                "2.5", "9007199254740993",
            ])
        try expect("text", "text IN[c] %@", [Double.infinity], finds: ["Inf", "inf"])
        try expect("text", "%@ CONTAINS text", [5, 1], finds: ["5", "1"])
        let all = Self.texts.filter { $0 != "5" }
        try expect("text", "text != nil AND NOT (text IN %@)", [5], finds: all)
    }

    @Test func `a number is in a list of strings if one of them is this number`() throws {
        try expect("whole", "whole IN %@", ["5", " -3 "], finds: ["5", "-3"])
        try expect("whole", "whole IN %@", ["5.0", "1e2", 1], finds: ["5", "100", "1"])
        try expect("real", "real IN %@", ["2.50", ".125"], finds: ["2.5", "0.125"])
        try expect("price", "price IN %@", ["2.50"], finds: ["2.5"])
        try expect("whole", "flag IN %@", ["1"], finds: ["1"])
        try expect("whole", "NOT (whole IN %@)", ["5", "-3"], finds: ["1", "0", "100"])
    }

    @Test func `more values than are bound one by one are compared alike`() throws {
        try expect("text", "text IN %@", Array(-300...300), finds: ["5", "-3", "1", "0"])
        try expect("whole", "whole IN %@", (-300...300).map(String.init), finds: ["5", "-3", "1", "0", "100"])
    }

    @Test func `a string that is no number is an error in a list for a number`() throws {
        let context = try context()
        for text in ["x", "0x10", "nan", "", "1 2", "5a"] {
            #expect(throws: (any Error).self, "\(text)") { try context.all("Thing", "whole IN %@", [text]) }
        }
        #expect(throws: (any Error).self) { try context.all("Thing", "uppercase(text) IN %@", [5]) }
        #expect(throws: (any Error).self) { try context.all("Thing", "'5' IN {whole, 1}") }
    }

    @Test(.over(.file)) func `numbers become the strings that SQLite makes of them`() throws {
        let folder = try StoreFolder()
        let connection = try folder.raw()
        let values: [Double] = [
            0, 1, -1, 0.1, 1.0 / 3, 123_456.789, 1e14, 1e15, 1e16, 123_456_789_012_345, 1e-4, 1e-5, 2.5e-10, 1e22,
            1e300,
            -1e300, .leastNonzeroMagnitude, 0.1 + 0.2, 1e21, 99_999_999_999_999.9,
        ]
        for value in values {
            var statement = try connection.statement("SELECT CAST(?1 AS TEXT)")
            try statement.bind(value, at: 1)
            _ = try statement.step()
            #expect(statement.text(0) == AttributeValue.double(value).numberAsText)
        }
    }
}
