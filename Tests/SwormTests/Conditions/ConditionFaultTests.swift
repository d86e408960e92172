import Foundation
import Sworm
import Testing

@Suite("Faults of conditions")
struct ConditionFaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
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
        Fault("an unknown key", "titel == 'x'", "titel", "Novel", "Did you mean \"title\"?"),
        Fault("a key in other letters", "TITLE == 'x'", "TITLE", "Novel", "Did you mean \"title\"?"),
        Fault("an unknown key by %K", Condition(format: "%K == 'x'", "titel"), "titel", "Novel"),
        Fault(
            "an unknown key behind a relation", "writer.nme == 'x'", "writer.nme", "Writer", "Did you mean \"name\"?",
            needsStore: true),
        Fault(
            "an unknown relation", "wrtier.name == 'x'", "wrtier", "Novel", "Did you mean \"writer\"?",
            needsStore: true),
        Fault(
            "an unknown key in a subquery", "SUBQUERY(reviews, $r, $r.nope == 1).@count > 0", "reviews.nope",
            "NovelReview", needsStore: true),
        Fault("text for a number", "year == 'x'", "year", "string"),
        Fault("a number for text", "title == 5", "title", "string"),
        Fault("text for an object", "writer == 'Leo'", "writer", "object", needsStore: true),
        Fault("a to-many without quantifier", "reviews.mark > 3", "to-many", "reviews.mark", "ANY", needsStore: true),
        Fault("a quantifier without to-many", "ANY year == 1", "to-many", "year", needsStore: true),
        Fault("too few arguments", Condition(format: "year == %@ AND title == %@", 1), "no argument", "column 25"),
        Fault("an argument that is no number", Condition(format: "year == %d", "x"), "number", "column 9"),
        Fault("a bad regular expression", "title MATCHES '(a'", "(a", "regular expression"),
        Fault(
            "a bad regular expression by %@", Condition(format: "title MATCHES %@", "[a"), "[a", "regular expression"),
        Fault("a text without end", "title == 'abc", "never closed", "column 10"),
        Fault("a variable without value", "year == $limit", "$limit"),
        Fault("one bound for BETWEEN", "year BETWEEN {1}", "two values"),
        Fault("NOT IN", "year NOT IN {1}", "NOT (… IN …)"),
        Fault("many brackets", Condition(format: nested(10_000)), "deep"),
        Fault(
            "a megabyte", Condition(format: "title == '\(String(repeating: "x", count: 1 << 20))'"), "bytes", "at most"),
    ]

    @Test(arguments: issues)
    func `a fault is an error that says what is wrong, over rows, unsaved objects and values alike`(_ issue: Fault)
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
