import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Errors in conditions", .overEachStore)
struct ConditionErrorTests {
    struct Failure: Sendable, CustomTestStringConvertible {
        let name: String
        let condition: Condition<Novel>
        let words: [String]
        /// Whether it takes a model, or other objects, to see the issue.
        let needsStore: Bool

        init(_ name: String, _ condition: Condition<Novel>, _ words: String..., needsStore: Bool = false) {
            self.name = name
            self.condition = condition
            self.words = words
            self.needsStore = needsStore
        }

        var testDescription: String { name }
    }

    private static func nested(_ count: Int) -> String {
        String(repeating: "(", count: count) + "year == 1" + String(repeating: ")", count: count)
    }

    static let issues = [
        Failure("an unknown key", "titel == 'x'", "titel", "Novel", "Did you mean 'title'?"),
        Failure("a key in other letters", "TITLE == 'x'", "TITLE", "Novel", "Did you mean 'title'?"),
        Failure("an unknown key by %K", Condition(format: "%K == 'x'", "titel"), "titel", "Novel"),
        Failure(
            "an unknown key through a relation", "writer.nme == 'x'", "writer.nme", "Writer", "Did you mean 'name'?",
            needsStore: true),
        Failure(
            "an unknown relation", "wrtier.name == 'x'", "wrtier", "Novel", "Did you mean 'writer'?",
            needsStore: true),
        Failure(
            "an unknown key in a subquery", "SUBQUERY(reviews, $r, $r.nope == 1).@count > 0", "reviews.nope",
            "NovelReview", needsStore: true),
        Failure("a string for a number", "year == 'x'", "year", "string"),
        Failure("a number for a string", "title == 5", "title", "string"),
        Failure("a string for an object", "writer == 'Leo'", "writer", "object", needsStore: true),
        Failure("a to-many without quantifier", "reviews.mark > 3", "to-many", "reviews.mark", "ANY", needsStore: true),
        Failure("a quantifier without to-many", "ANY year == 1", "to-many", "year", needsStore: true),
        Failure("too few arguments", Condition(format: "year == %@ AND title == %@", 1), "no argument", "column 25"),
        Failure("an argument that is not a number", Condition(format: "year == %d", "x"), "number", "column 9"),
        Failure("a bad regular expression", "title MATCHES '(a'", "(a", "regular expression"),
        Failure(
            "a bad regular expression by %@", Condition(format: "title MATCHES %@", "[a"), "[a", "regular expression"),
        Failure("a string without end", "title == 'abc", "never closed", "column 10"),
        Failure("a variable without value", "year == $limit", "$limit"),
        Failure("one bound for BETWEEN", "year BETWEEN {1}", "two values"),
        Failure("NOT IN", "year NOT IN {1}", "NOT (… IN …)"),
        Failure("many brackets", Condition(format: nested(10_000)), "deep"),
        Failure(
            "a megabyte", Condition(format: "title == '\(String(repeating: "x", count: 1 << 20))'"), "bytes", "at most"),
    ]

    @Test(arguments: issues)
    func `each condition is an error with a clear message, over rows, unsaved objects and values alike`(
        _ issue: Failure
    )
        throws
    {
        func check(_ find: () throws -> Void, _ place: String) {
            let error = storeError(find)
            #expect(error?.code == .invalidCondition, "\(place): \(String(describing: error))")
            for word in issue.words {
                #expect(error?.message.contains(word) == true, "\(place): \(error?.message ?? "no error")")
            }
            #expect((error?.message.utf8.count ?? 0) < 1_000, "\(place)")
        }
        let request = Novel.all.where(issue.condition)
        check({ _ = try NovelStore.perform { try $0.decode(request) } }, "rows")
        check({ _ = try NovelStore.perform { try $0.fetchOne(request)?.decode() } }, "handles")
        check({ _ = try NovelStore.perform { try $0.count(of: request) } }, "count")
        check({ _ = try NovelStore.perform { try $0.fetch(request.select(\.title)) } }, "columns")
        check({ _ = try NovelStore.perform { try $0.sum(of: request, \.year) } }, "sum")
        check({ _ = try NovelStore.pending { try $0.decode(request) } }, "unsaved objects")
        check({ _ = try NovelStore.pending { try $0.fetch(request.select(\.title)) } }, "columns of unsaved objects")
        if !issue.needsStore { check({ _ = try Novel.samples.filtered(by: issue.condition) }, "values") }
    }
}
