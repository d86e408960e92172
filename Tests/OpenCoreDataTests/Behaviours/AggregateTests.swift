import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Behaviours: aggregates of types that have none", .overEachStore)
struct AggregateTests {
    private static let types: [(String, NSAttributeType)] = [
        ("text", .stringAttributeType), ("day", .dateAttributeType), ("id", .UUIDAttributeType),
        ("bytes", .binaryDataAttributeType), ("place", .URIAttributeType), ("flag", .booleanAttributeType),
        ("number", .integer32AttributeType), ("form", .transformableAttributeType),
    ]

    private func context(_ adding: [NSAttributeDescription] = []) throws -> NSManagedObjectContext {
        let thing = Build.entity("Thing", Self.types.map { Build.attribute($0, $1) })
        let box = Build.entity("Box", adding)
        let (things, owner) = (Build.toMany("things", thing), Build.toOne("box", box))
        Build.connect(things, owner)
        thing.properties.append(owner)
        box.properties.append(things)
        return GraphLibrary.context(try GraphLibrary.coordinator(model: Build.model(thing, box)))
    }

    private func fill(_ context: NSManagedObjectContext) throws -> NSManagedObject {
        let box = try context.make("Box")
        for index in 1...2 {
            try context.make(
                "Thing",
                [
                    "text": "\(index)", "day": Date(timeIntervalSinceReferenceDate: Double(index)), "id": UUID(),
                    "bytes": Data([UInt8(index)]), "place": try #require(URL(string: "https://a.b/\(index)")),
                    "flag": index == 1, "number": index, "form": Data([UInt8(index)]), "box": box,
                ])
        }
        try context.save()
        return box
    }

    private func aggregates(_ function: String, in context: NSManagedObjectContext) throws -> NSDictionary {
        let request = NSFetchRequest<NSDictionary>(entityName: "Thing")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = Self.types.map { name, _ in
            let description = NSExpressionDescription()
            description.name = name
            description.expression = NSExpression(forFunction: function, arguments: [NSExpression(forKeyPath: name)])
            return description
        }
        let results = try context.fetch(request)
        #expect(results.count == 1)
        return try #require(results.first)
    }

    private func names(_ dictionary: NSDictionary) -> Set<String> {
        Set(dictionary.allKeys.compactMap { $0 as? String })
    }

    @Test func `a sum and an average of values that are no numbers are nil`() throws {
        let context = try context()
        _ = try fill(context)
        for function in ["sum:", "average:"] {
            let found = try aggregates(function, in: context)
            #expect(names(found) == ["flag", "number"], "\(function)")
        }
        #expect(try aggregates("sum:", in: context)["number"] as? Int == 3)
    }

    @Test func `a minimum and a maximum of values without an order are nil`() throws {
        let context = try context()
        _ = try fill(context)
        for (function, text) in [("min:", "1"), ("max:", "2")] {
            let found = try aggregates(function, in: context)
            #expect(names(found) == ["text", "day", "place", "flag", "number"], "\(function)")
            #expect(found["text"] as? String == text)
        }
        #expect(try names(aggregates("count:", in: context)).count == Self.types.count)
    }

    @Test func `such an aggregate has its group like any other`() throws {
        let context = try context()
        _ = try fill(context)
        let sum = NSExpressionDescription()
        (sum.name, sum.expression) = ("sum", NSExpression(format: "sum:(text)"))
        let request = NSFetchRequest<NSDictionary>(entityName: "Thing")
        request.resultType = .dictionaryResultType
        request.propertiesToGroupBy = ["number"]
        request.propertiesToFetch = ["number", sum]
        let groups = try context.fetch(request)
        #expect(groups.map { $0["number"] as? Int } == [1, 2] && groups.allSatisfy { $0["sum"] == nil })
    }

    @Test func `a derived aggregate of values that have none is nil`() throws {
        let derived: [(String, NSAttributeType, String)] = [
            ("sumOfTexts", .stringAttributeType, "sum:(things.text)"),
            ("averageOfDays", .dateAttributeType, "average:(things.day)"),
            ("maxOfIDs", .UUIDAttributeType, "things.@max.id"),
            ("minOfBytes", .binaryDataAttributeType, "min:(things.bytes)"),
            ("maxOfTexts", .stringAttributeType, "max:(things.text)"),
            ("sumOfNumbers", .integer64AttributeType, "sum:(things.number)"),
        ]
        let context = try context(derived.map { Build.derived($0, $1, $2) })
        let box = try fill(context)
        let values = derived.map { box.value(forKey: $0.0) }
        #expect(values[..<4].allSatisfy { $0 == nil })
        #expect(values[4] as? String == "2" && values[5] as? Int == 3)
    }
}
