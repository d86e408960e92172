import Foundation
import SwormPredicates
import Testing

@Suite("Predicate errors")
struct QueryErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let code: QueryError.Code
        let column: Int
        let part: String

        init(_ text: String, _ code: QueryError.Code, _ column: Int, _ part: String) {
            self.text = text
            self.code = code
            self.column = column
            self.part = part
        }

        var testDescription: String { text }
    }

    @Test(arguments: [
        Case("", .syntax, 1, "the format string ends"), Case("age", .syntax, 4, "expected an operator after `age`"),
        Case("age * 25", .syntax, 9, "expected an operator after `age * 25`"),
        Case("a == 1 b == 2", .syntax, 8, "unexpected `b`"), Case("é == 1 ?", .syntax, 8, "unexpected `?`"),
        Case("a === 25", .syntax, 5, "found `=`"), Case("()", .syntax, 2, "found `)`"),
        Case("(a == 1", .syntax, 8, "expected `)` to close the bracket at column 1"),
        Case("a == 1 AND", .syntax, 11, "the format string ends"), Case("AND a == 1", .syntax, 1, "write `#AND`"),
        Case("a NOT IN {1}", .syntax, 3, "NOT (… IN …)"), Case("a == 1 == 2", .syntax, 1, "is a predicate"),
        Case("(a == 1) + 2 == 3", .syntax, 1, "is a predicate"), Case("a IN (1, 2)", .syntax, 8, "{a, b}"),
        Case("a == 'x", .syntax, 6, "never closed"), Case("a == '\\u12'", .syntax, 7, "four hexadecimal"),
        Case("a == '\\ud800'", .syntax, 7, "surrogate"), Case("a == 12x", .syntax, 6, "cannot follow the number"),
        Case("a == 0x", .syntax, 6, "expected digits"), Case("a == 1e999", .syntax, 6, "too large"),
        Case("a == 100%%", .syntax, 9, "percent sign"), Case("a ==[x] 'b'", .syntax, 6, "'x' is not an option"),
        Case("a BETWEEN[c] {1, 2}", .syntax, 10, "takes no options"),
        Case("a BETWEEN {1}", .syntax, 11, "of two values"),
        Case("a BETWEEN 3", .typeMismatch, 11, "of two values"),
        Case("none.a == 1", .syntax, 1, "write `#none`"), Case("all IN {1}", .syntax, 1, "write `#all`"),
        Case("a IN 3", .typeMismatch, 6, "IN takes a list"),
        Case("a BEGINSWITH 3", .typeMismatch, 14, "takes a string"),
        Case("ANY a.b", .syntax, 8, "expected an operator"),
        Case("items.@sum > 1", .syntax, 7, "needs a key after it"), Case("items.@count.a > 1", .syntax, 14, "@count"),
        Case("a.@distinctUnionOfObjects.b == 1", .unsupported, 3, "not supported"),
        Case("a.foo() == 1", .unsupported, 6, "methods"), Case("foo(a) == 1", .unsupported, 1, "'foo'"),
        Case("a == random()", .unsupported, 6, "'random'"), Case("abs(a, b) == 1", .syntax, 1, "'abs' takes"),
        Case("a UTI-CONFORMS-TO 'x'", .unsupported, 3, "`UTI-CONFORMS-TO`"),
        Case("$x := 3", .unsupported, 4, "assignments"),
        Case("FETCH(a, b, NO) == 1", .unsupported, 1, "FETCH"),
        Case("CAST(a, 'NSView') == 1", .unsupported, 1, "NSView"),
        Case("CAST('x', 'NSUUID') == a", .typeMismatch, 1, "not a value of the type"),
        Case("SUBQUERY(a, x, TRUEPREDICATE).@count == 1", .syntax, 13, "variable of SUBQUERY"),
        Case("SUBQUERY(a, $x, ).@count == 1", .syntax, 17, "found `)`"), Case("a == %@", .argument, 6, "no argument"),
        Case("a == #", .syntax, 6, "expected a name"), Case("a. == 1", .syntax, 4, "expected a key"),
    ])
    func `an error is reported with its column`(item: Case) throws {
        let error = try #require(throws: QueryError.self) { try parsePredicate(item.text) }
        #expect(error.code == item.code)
        #expect(error.column == item.column)
        #expect(error.message.contains(item.part), "\(error)")
        #expect(error.description.hasSuffix("(column \(item.column))"))
    }

    @Test(arguments: [
        ("a == %@", PredicateArgument.predicate(.constant(true)), "is a predicate"),
        ("%@", .value(.string("a == 1")), "expected an operator"), ("%K == 1", .value(.int(1)), "must be a string"),
        ("%K == 1", .value(.string("a..b")), "is not a key path"), ("%K > 1", .value(.string("a.@sum")), "needs a key"),
        ("a == %d", .value(.string("1")), "must be a number"), ("a == %s", .value(.int(1)), "must be a string"),
        ("a == %d", .list([]), "is a list"), ("a BEGINSWITH %@", .value(.int(2)), "takes a string"),
        ("a IN %@", .value(.int(2)), "IN takes a list"),
        ("a BETWEEN %@", .list([.value(.int(1))]), "of two values"),
    ])
    func `an argument that does not fit is rejected`(format: String, argument: PredicateArgument, part: String) throws {
        let error = try #require(throws: QueryError.self) { try parsePredicate(format, arguments: [argument]) }
        #expect(error.message.contains(part), "\(error)")
        #expect(error.column != nil)
    }

    @Test func `the message is also available from any Error`() throws {
        let error: any Error = try #require(throws: QueryError.self) {
            _ = try parsePredicate("year >")
        }
        #expect(error.localizedDescription.contains("the format string ends"))
        #expect((error as NSError).localizedDescription == "\(error)")
    }
}
