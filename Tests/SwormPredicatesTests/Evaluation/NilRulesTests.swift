import SwormPredicates
import Testing

@Suite("Nil in predicates")
struct NilRulesTests {
    struct Rule: Sendable, CustomTestStringConvertible {
        let text: String
        let sql: Bool?
        let cocoa: Bool

        init(_ text: String, sql: Bool?, cocoa: Bool) {
            self.text = text
            self.sql = sql
            self.cocoa = cocoa
        }

        var testDescription: String { text }
    }

    /// `x` and `y` are nil, `n` is 5, `t` is a text, `absent` is an absent object, `many` is empty.
    @Test(arguments: [
        Rule("x == 5", sql: nil, cocoa: false), Rule("x > 5", sql: nil, cocoa: false),
        Rule("x < 5", sql: nil, cocoa: false),
        Rule("x BETWEEN {1, 5}", sql: nil, cocoa: false), Rule("x IN {1, 5}", sql: nil, cocoa: false),
        Rule("x CONTAINS 'a'", sql: nil, cocoa: false), Rule("x LIKE '*'", sql: nil, cocoa: false),
        Rule("x MATCHES '.*'", sql: nil, cocoa: false), Rule("x BEGINSWITH 'a'", sql: nil, cocoa: false),
        Rule("t ENDSWITH x", sql: nil, cocoa: false), Rule("t CONTAINS nil", sql: nil, cocoa: false),
        Rule("x != 5", sql: nil, cocoa: true), Rule("NOT (x == 5)", sql: nil, cocoa: true),
        Rule("NOT (x > 5)", sql: nil, cocoa: true), Rule("NOT (x IN {1})", sql: nil, cocoa: true),
        Rule("NOT (x LIKE 'a')", sql: nil, cocoa: true), Rule("x == nil", sql: true, cocoa: true),
        Rule("nil == x", sql: true, cocoa: true), Rule("x != nil", sql: false, cocoa: false),
        Rule("n == nil", sql: false, cocoa: false), Rule("n != nil", sql: true, cocoa: true),
        Rule("nil == nil", sql: true, cocoa: true), Rule("x > nil", sql: false, cocoa: false),
        Rule("NOT (n > nil)", sql: true, cocoa: true), Rule("x == y", sql: nil, cocoa: true),
        Rule("x != y", sql: nil, cocoa: false), Rule("n == x", sql: nil, cocoa: false),
        Rule("n != x", sql: nil, cocoa: true),
        Rule("x IN {1, nil}", sql: true, cocoa: true), Rule("n IN {1, nil}", sql: false, cocoa: false),
        Rule("NOT (x IN {})", sql: true, cocoa: true), Rule("x IN {n, y}", sql: nil, cocoa: true),
        Rule("n IN {1, x}", sql: nil, cocoa: false), Rule("n IN {x, 5}", sql: true, cocoa: true),
        Rule("x + 1 == 6", sql: nil, cocoa: false), Rule("nil + 1 == nil", sql: true, cocoa: true),
        Rule("x == 0", sql: nil, cocoa: false), Rule("x == ''", sql: nil, cocoa: false),
        Rule("x == NO", sql: nil, cocoa: false),
        Rule("1 / 0 == n", sql: nil, cocoa: false), Rule("n BETWEEN {x, 9}", sql: nil, cocoa: false),
        Rule("n BETWEEN {x, 3}", sql: false, cocoa: false), Rule("absent.a.b == nil", sql: true, cocoa: true),
        Rule("absent.a == 1", sql: nil, cocoa: false), Rule("absent.a != 1", sql: nil, cocoa: true),
        Rule("x == 5 AND n == 4", sql: false, cocoa: false), Rule("x == 5 AND n == 5", sql: nil, cocoa: false),
        Rule("x == 5 OR n == 5", sql: true, cocoa: true), Rule("x == 5 OR n == 4", sql: nil, cocoa: false),
        Rule("ANY many.a == 1", sql: false, cocoa: false), Rule("ALL many.a == 1", sql: true, cocoa: true),
        Rule("NONE many.a == 1", sql: true, cocoa: true), Rule("ANY absent.many.a == 1", sql: false, cocoa: false),
        Rule("TERNARY(x == 5, 1, 2) == 2", sql: true, cocoa: true), Rule("t CONTAINS ''", sql: false, cocoa: false),
        Rule("t BEGINSWITH ''", sql: false, cocoa: false), Rule("t LIKE ''", sql: false, cocoa: false),
        Rule("many.@min.a == nil", sql: true, cocoa: true), Rule("many.@sum.a == 0", sql: true, cocoa: true),
        Rule("many.@avg.a == 0", sql: true, cocoa: true), Rule("absent.many.@count == 0", sql: true, cocoa: true),
    ])
    func `nil counts as the rules say`(rule: Rule) throws {
        let subject = TestSubject([
            "x": .null, "y": .null, "n": .value(.int(5)), "t": .value(.string("text")), "absent": .null,
            "many": .objects([]),
        ])
        #expect(try evaluate(rule.text, on: subject, logic: .sql) == rule.sql)
        #expect(try evaluate(rule.text, on: subject, logic: .cocoa) == rule.cocoa)
    }

    @Test func `a child with nil fails ALL and does not satisfy ANY`() throws {
        let children = [AttributeValue.int(5), .null].map { TestSubject(["a": $0]) }
        let subject = TestSubject(["many": .objects(children)])
        #expect(try evaluate("ALL many.a > 1", on: subject) == false)
        #expect(try evaluate("ANY many.a != 5", on: subject) == false)
        #expect(try evaluate("NOT (ANY many.a != 5)", on: subject) == true)
        #expect(try evaluate("ANY many.a == nil", on: subject) == true)
        #expect(try evaluate("many.@avg.a == 2.5", on: subject) == true)
        #expect(try evaluate("average(many.a) == 5", on: subject) == true)
        #expect(try evaluate("7 IN many.a", on: subject) == false)
        #expect(try evaluate("many.a CONTAINS 5", on: subject) == true)
    }
}
