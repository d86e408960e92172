import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Expressions in requests for dictionaries", .overEachStore)
struct ExpressionRequestTests {
    private let context: NSManagedObjectContext

    init() throws {
        context = try GraphLibrary.context()
        let leo = try context.make("Author", ["name": "Leo", "age": 40])
        for (index, title) in ["War", "Peace", "Anna"].enumerated() {
            let book = try context.make("Book", ["title": title, "year": 1860 + index, "stock": index])
            if index > 0 { book.setValue(leo, forKey: "author") }
            for mark in 0..<index { try context.make("Review", ["mark": mark + 1, "book": book]) }
        }
        try context.save()
    }

    private func property(
        _ name: String, _ expression: NSExpression, _ type: NSAttributeDescription.AttributeType = .undefined
    ) -> NSExpressionDescription {
        let property = NSExpressionDescription()
        (property.name, property.expression, property.resultType) = (name, expression, type)
        return property
    }

    private func fetch(
        _ properties: [Any], groupedBy groups: [Any]? = nil,
        _ configure: (NSFetchRequest<NSDictionary>) -> Void = { _ in }
    ) throws -> [NSDictionary] {
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = properties
        request.propertiesToGroupBy = groups
        configure(request)
        return try context.fetch(request)
    }

    @Test func `an expression without an aggregate has a value for each row`() throws {
        let rows = try fetch([
            "title", property("later", NSExpression(format: "year + author.age * 2")),
            property("loud", NSExpression(forFunction: "uppercase:", arguments: [NSExpression(forKeyPath: "title")])),
            property("reviews", NSExpression(format: "reviews.@count")),
            property("best", NSExpression(format: "reviews.@max.mark")),
            property("kind", NSExpression(format: "TERNARY(year > 1860, 'late', 'early')")),
            property("id", .expressionForEvaluatedObject()),
        ])
        #expect(rows.map { $0["later"] as? Int } == [nil, 1941, 1942])
        #expect(rows.map { $0["loud"] as? String } == ["WAR", "PEACE", "ANNA"])
        #expect(rows.map { $0["reviews"] as? Int } == [0, 1, 2] && rows.map { $0["best"] as? Int } == [nil, 1, 2])
        #expect(rows.map { $0["kind"] as? String } == ["early", "late", "late"])
        #expect(rows.allSatisfy { $0["id"] is NSManagedObjectID })
    }

    @Test func `a function, and a path that begins with an operator, aggregate all rows`() throws {
        let year = NSExpression(forKeyPath: "year")
        let rows = try fetch([
            property("max", NSExpression(forFunction: "max:", arguments: [year]), .integer32),
            property("min", NSExpression(format: "min(year)")), property("mean", NSExpression(forKeyPath: "@avg.year")),
            property("sum", NSExpression(forKeyPath: "@sum.author.age")),
            property("count", NSExpression(forKeyPath: "@count")),
            property("authors", NSExpression(format: "count:(author)")),
            property("reviews", NSExpression(format: "count:(reviews)")),
            property("span", NSExpression(format: "max:(year) - min:(year) + 1")),
            property(
                "self", NSExpression(forFunction: "count:", arguments: [NSExpression.expressionForEvaluatedObject()])),
        ])
        let only = try #require(rows.first)
        #expect(rows.count == 1 && only["max"] as? Int == 1862 && only["min"] as? Int == 1860)
        #expect(only["mean"] as? Double == 1861 && only["sum"] as? Int == 80 && only["count"] as? Int == 3)
        #expect(only["authors"] as? Int == 2 && only["reviews"] as? Int == 3 && only["span"] as? Int == 3)
        #expect(only["self"] as? Int == 3)
    }

    @Test func `groups have aggregates, and expressions of their keys`() throws {
        let total = property("total", NSExpression(format: "sum:(stock) * 2"))
        let name = property("name", NSExpression(forKeyPath: "author.name"))
        let rows = try fetch([name, total], groupedBy: [name]) {
            $0.sortDescriptors = [NSSortDescriptor(key: "total", ascending: false)]
            $0.havingPredicate = NSPredicate(format: "$total >= 0")
        }
        #expect(rows == [["name": "Leo", "total": 6], ["total": 0]])
        let late = property("late", NSExpression(format: "TERNARY(year > 1860, 1, 0)"))
        let groups = try fetch([late, property("n", NSExpression(format: "count:(title)"))], groupedBy: [late])
        #expect(groups == [["late": 0, "n": 1], ["late": 1, "n": 2]])
    }

    @Test func `what has no value for a row or a group is an error`() throws {
        func message(_ properties: [Any]) -> String {
            coreDataError { _ = try fetch(properties) }?.message ?? ""
        }
        #expect(message([property("x", NSExpression(format: "title +"))]).contains("expected a value"))
        #expect(message(["title", property("x", NSExpression(format: "max:(year)"))]).contains("title"))
        #expect(message([property("x", NSExpression(format: "max:(year) + year"))]).contains("year"))
        #expect(message([property("x", NSExpression(format: "stddev:(year)"))]).contains("stddev:"))
        #expect(message([property("x", NSExpression(format: "reviews.mark"))]).contains("to-many"))
        #expect(message([property("x", NSExpression(format: "year + $x"))]).contains("$x"))
        let empty = NSExpressionDescription()
        empty.name = "empty"
        #expect(message([empty]).contains("'empty' without an expression"))
    }

    @Test func `the result type is set under either name`() {
        let description = property("a", NSExpression(forKeyPath: "year"), .integer16)
        #expect(description.expressionResultType == .integer16AttributeType && description.resultType == .integer16)
        let copy = description.copy() as? NSExpressionDescription
        #expect(copy?.resultType == .integer16 && copy?.expression === description.expression)
    }

    @Test func `the SQL of an expression`() throws {
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.propertiesToFetch = [
            property("a", NSExpression(format: "canonical:(title)")),
            property("b", NSExpression(format: "modulus:by:(year, 2)")),
            property("c", NSExpression(format: "length:(title)")),
        ]
        let model = try GraphLibrary.model().compiled()
        let compiler = SQLCompiler(model: model, layout: StoreLayout(model: model), storeIdentifier: "")
        #expect(
            try compiler.projection(request.projection(in: model).0).statement.sql
                == "SELECT SwormFold(t0.ZTITLE, 3), (t0.ZYEAR % ?1), length(t0.ZTITLE) FROM ZBOOK t0 ORDER BY t0.Z_PK")
        request.propertiesToFetch = [property("a", NSExpression(format: "@max.year"))]
        #expect(
            try compiler.projection(request.projection(in: model).0).statement.sql
                == "SELECT MAX(t0.ZYEAR) FROM ZBOOK t0")
    }
}
