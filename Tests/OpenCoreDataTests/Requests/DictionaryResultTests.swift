import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Dictionary results", .overEachStore)
struct DictionaryResultTests {
    private func context() throws -> NSManagedObjectContext {
        let context = try GraphLibrary.context()
        let leo = try context.make("Author", ["name": "Leo", "age": 40])
        let tags = try ["a", "b"].map { try context.make("Tag", ["name": $0]) }
        for (index, title) in ["War", "Peace", "Anna"].enumerated() {
            let book = try context.make(index == 2 ? "Novel" : "Book", ["title": title, "year": 1860 + index])
            if index > 0 { book.setValue(leo, forKey: "author") }
            book.setValue(Set(tags.prefix(index)), forKey: "tags")
        }
        try context.save()
        return context
    }

    private func request(_ properties: Any...) -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = properties.isEmpty ? nil : properties
        return request
    }

    private func computed(
        _ name: String, _ function: String?, _ keyPath: String, _ type: NSAttributeType = .undefinedAttributeType
    ) -> NSExpressionDescription {
        let result = NSExpressionDescription()
        result.name = name
        let value =
            keyPath.isEmpty ? NSExpression.expressionForEvaluatedObject() : NSExpression(forKeyPath: keyPath)
        result.expression = function.map { NSExpression(forFunction: $0, arguments: [value]) } ?? value
        result.expressionResultType = type
        return result
    }

    @Test func `properties are named by names, paths and descriptions, and nil values are omitted`() throws {
        let context = try context()
        let model = try #require(context.persistentStoreCoordinator?.managedObjectModel)
        let year = try #require(model.entitiesByName["Book"]?.attributesByName["year"])
        let rows = try context.fetch(
            request("title", year, "author.name", "author", computed("tags", nil, "tags.@count")))
        #expect(rows.map { $0["title"] as? String } == ["War", "Peace", "Anna"])
        #expect(rows.map { ($0["year"] as? NSNumber)?.intValue } == [1860, 1861, 1862])
        #expect(rows.map { $0["author.name"] as? String } == [nil, "Leo", "Leo"])
        #expect(rows.map { ($0["tags"] as? NSNumber)?.intValue } == [0, 1, 2])
        #expect(rows[0].count == 3)
        let leo = try #require(try context.all("Author").first)
        #expect(rows[1]["author"] as? NSManagedObjectID == leo.objectID)
        #expect(try context.fetch(request()).first?["stock"] as? NSNumber == 7)
        let ids = try context.fetch(request(computed("id", nil, "")))
        #expect(ids.map { ($0["id"] as? NSManagedObjectID)?.entity.name } == ["Book", "Book", "Novel"])
    }

    @Test func `aggregates give one dictionary`() throws {
        let context = try context()
        let rows = try context.fetch(
            request(
                computed("count", "count:", "title"), computed("sum", "sum:", "year", .integer32AttributeType),
                computed("first", "min:", "year"), computed("last", "max:", "title"),
                computed("mean", "average:", "year", .doubleAttributeType), computed("tags", "count:", "tags")))
        let only = try #require(rows.first)
        #expect(rows.count == 1)
        #expect((only["count"] as? NSNumber)?.intValue == 3 && (only["sum"] as? NSNumber)?.intValue == 5583)
        #expect((only["first"] as? NSNumber)?.intValue == 1860 && only["last"] as? String == "War")
        #expect((only["mean"] as? NSNumber)?.doubleValue == 1861 && (only["tags"] as? NSNumber)?.intValue == 3)
    }

    @Test func `of no rows the sum is zero and the extremes are missing`() throws {
        let request = request(computed("sum", "sum:", "year"), computed("max", "max:", "year"))
        request.predicate = NSPredicate(format: "year > 9999")
        let rows = try context().fetch(request)
        #expect(rows == [["sum": 0]])
    }

    @Test func `rows are grouped, groups are chosen by computed properties, and sorted`() throws {
        let context = try context()
        let request = request("author.name", computed("number", "count:", "title"))
        request.propertiesToGroupBy = ["author.name"]
        #expect(try context.fetch(request).map { ($0["number"] as? NSNumber)?.intValue } == [1, 2])
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
        #expect(try context.fetch(request).map { $0["author.name"] as? String } == ["Leo", nil])
        request.havingPredicate = NSPredicate(format: "$number > %@", 1)
        #expect(try context.fetch(request) == [["author.name": "Leo", "number": 2]])
    }

    @Test func `distinct results come once`() throws {
        let request = request("author.name")
        request.returnsDistinctResults = true
        #expect(try context().fetch(request) == [[:], ["author.name": "Leo"]])
    }

    @Test func `entities that inherit are among the rows unless they are not wanted`() throws {
        let request = request(computed("number", "count:", "title"))
        request.includesSubentities = false
        #expect(try context().fetch(request) == [["number": 2]])
    }

    @Test func `dictionaries show the file`() throws {
        let context = try context()
        try context.make("Book", ["title": "New"])
        try #require(try context.all("Book").first).setValue("Changed", forKey: "title")
        #expect(try context.fetch(request("title")).map { $0["title"] as? String } == ["War", "Peace", "Anna"])
    }

    @Test func `what cannot be answered is an error that says why`() throws {
        let context = try context()
        func message(_ request: NSFetchRequest<NSDictionary>) -> String {
            do {
                _ = try context.fetch(request)
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(message(request("titel")).contains("titel"))
        #expect(message(request("tags.name")).contains("to-many"))
        #expect(message(request(computed("x", "median:", "year"))).contains("median:"))
        #expect(message(request(computed("", "sum:", "year"))).contains("without a name"))
        #expect(message(request("title", "title")).contains("twice"))
        #expect(message(request(7)).contains("Int"))
        #expect(message(request("title", computed("x", "max:", "year"))).contains("title"))
        let having = request("title")
        having.havingPredicate = NSPredicate(format: "$x > 1")
        #expect(message(having).contains("propertiesToGroupBy"))
        let grouped = request("title")
        grouped.propertiesToGroupBy = ["year"]
        #expect(message(grouped).contains("title"))
        let small = request(computed("sum", "sum:", "stock", .integer16AttributeType))
        try context.make("Book", ["title": "Much", "stock": 70_000])
        try context.save()
        #expect(message(small).contains("70021"))
    }

    @Test func `an expression description can be copied`() throws {
        let copy = try #require(computed("a", "sum:", "year", .doubleAttributeType).copy() as? NSExpressionDescription)
        #expect(copy.name == "a" && copy.expression?.description == "sum:(year)")
        #expect(copy.expressionResultType == .doubleAttributeType)
    }
}
