import Foundation
import TestSupport
import Testing

@testable import OpenCoreData

@Suite("Conditions on numbers that TERNARY chooses", .overEachStore)
struct ChosenNumberTests {
    private let context: NSManagedObjectContext

    init() throws {
        let number = Build.entity(
            "Number",
            [
                Build.attribute("flag", .booleanAttributeType), Build.attribute("real", .doubleAttributeType),
                Build.attribute("price", .decimalAttributeType), Build.attribute("whole", .integer64AttributeType),
            ])
        let part = Build.entity("Part", [Build.attribute("cost", .doubleAttributeType)])
        let (parts, owner) = (Build.toMany("parts", part), Build.toOne("number", number))
        Build.connect(parts, owner)
        number.properties.append(parts)
        part.properties.append(owner)
        context = try GraphLibrary.context(GraphLibrary.coordinator(model: Build.model(number, part)))
        let prices = ["9007199254740993", "9007199254740992", "7", "0.1", "-9007199254740993"]
        for (index, text) in prices.enumerated() {
            for flag in [true, false, nil] {
                for real in [9_007_199_254_740_992.0, -9_007_199_254_740_992, 7, 3.5, 0.1] {
                    var values: [String: Any] = ["real": real, "whole": 9_007_199_254_740_991 + index]
                    values["price"] = NSDecimalNumber(string: text)
                    values["flag"] = flag
                    let object = try context.make("Number", values)
                    try context.make("Part", ["cost": real, "number": object])
                }
            }
        }
        try context.save()
    }

    @Test(arguments: [
        "real == TERNARY(flag == 1, flag, CAST('9007199254740993', 'NSDecimalNumber'))",
        "real == TERNARY(flag == 1, whole, price)",
        "NOT real == TERNARY(flag == 1, whole, price)",
        "TERNARY(flag == 1, whole, price) <= real",
        "TERNARY(flag == 1, real, price) == TERNARY(flag == 1, price, real)",
        "TERNARY(flag == 1, TERNARY(real > 5, price, whole), real) != 9007199254740992",
        "TERNARY(flag == nil, price, whole) BETWEEN {7, 9007199254740992}",
        "TERNARY(flag == nil, price, whole) IN {7, 9007199254740993}",
        "TERNARY(flag == 1, whole, price) / 2 == 3.5",
        "TERNARY(flag == 1, abs(whole - 1), price) == 9007199254740993",
        "real IN {3.5, TERNARY(flag == 1, whole, price)}",
        "real IN {7, TERNARY(flag == 1, whole, price), TERNARY(flag == nil, price, whole)}",
        "NOT real BETWEEN {0.1, TERNARY(flag == 1, whole, price)}",
        "whole BETWEEN {TERNARY(flag == 1, price, whole), TERNARY(flag == 1, real, price)}",
        "ANY parts.cost == TERNARY(flag == 1, whole, price)",
        "ALL parts.cost < TERNARY(flag == 1, price, whole)",
        "TERNARY(flag == 1, real, price) == nil",
    ])
    func `are those of memory, with all digits`(format: String) throws {
        let predicate = NSPredicate(format: format)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Number")
        let all = try context.fetch(request)
        request.predicate = predicate
        let found = Set(try context.fetch(request).map(\.objectID))
        #expect(found == Set(all.filter { predicate.evaluate(with: $0) }.map(\.objectID)))
        #expect(format.contains("nil)") || found.count < all.count)
    }

    @Test(arguments: [
        "TERNARY(flag == 1, price, whole) IN {'7'}", "{'7'} CONTAINS TERNARY(flag == 1, price, whole)",
        "NOT TERNARY(flag == 1, whole, price) IN {'7'}",
    ])
    func `have no strings of a list converted for them, as attributes have`(format: String) throws {
        let predicate = NSPredicate(format: format)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Number")
        let all = try context.fetch(request)
        let expected = Set(all.filter { predicate.evaluate(with: $0) }.map(\.objectID))
        // In memory, a number is no string.
        #expect(expected.count == (format.hasPrefix("NOT") ? all.count : 0))
        request.predicate = predicate
        var found: Set<NSManagedObjectID>?
        let error = coreDataError { found = Set(try context.fetch(request).map(\.objectID)) }
        // A request with operands of different kinds can be an error.
        #expect(error != nil || found == expected, "\(found?.count ?? -1) rows")
    }
}
