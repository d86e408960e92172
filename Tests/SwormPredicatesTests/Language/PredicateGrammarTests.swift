import Foundation
import SwormPredicates
import Testing

@Suite("Predicate grammar")
struct PredicateGrammarTests {
    private static let a = ExpressionTree.path(["a"])

    private func compare(_ key: String, _ comparator: Comparator, _ value: AttributeValue) -> PredicateTree {
        .comparison(Comparison(.path([key]), by: comparator, with: .value(value)))
    }

    /// A text and the form that it is printed in, which shows how it was understood.
    @Test(arguments: [
        ("a=1", "a == 1"), ("a<>1", "a != 1"), ("a=<1", "a <= 1"), ("a=>1", "a >= 1"),
        ("a == 1 AND b == 2 OR c == 3", "(a == 1 AND b == 2) OR c == 3"),
        ("a == 1 || b == 2 && c == 3", "a == 1 OR (b == 2 AND c == 3)"),
        ("a == 1 AND b == 2 AND c == 3", "a == 1 AND b == 2 AND c == 3"),
        ("(a == 1 AND b == 2) AND c == 3", "(a == 1 AND b == 2) AND c == 3"),
        ("NOT a == 1 AND b == 2", "NOT a == 1 AND b == 2"),
        ("not (a == 1 and b == 2)", "NOT (a == 1 AND b == 2)"), ("!a == 1", "NOT a == 1"),
        ("! ! a == 1", "NOT NOT a == 1"),
        ("((((a == 1))))", "a == 1"), ("(a) == (1)", "a == 1"), ("((a + 1) * 2) == 4", "(a + 1) * 2 == 4"),
        ("a + 1 * 2 == 3", "a + (1 * 2) == 3"), ("a - 1 - 2 == 3", "(a - 1) - 2 == 3"),
        ("2 ** 3 ** 2 == 64", "(2 ** 3) ** 2 == 64"), ("a & 1 | b ^ 2 == 3", "(a & 1) | (b ^ 2) == 3"),
        ("-a == -5", "-a == -5"), ("a -1 == 0", "a - 1 == 0"), ("- -5 == 5", "-(-5) == 5"),
        ("(SELF.g)[0] == 2", "g[0] == 2"), ("g[FIRST] == g[ LAST ]", "g[FIRST] == g[LAST]"),
        ("g[size] > g[first + 1]", "g[SIZE] > g[#first + 1]"), ("d['key'] == 1", "d[\"key\"] == 1"),
        ("a.b.c == 1", "a.b.c == 1"), ("SELF == 1", "SELF == 1"), ("self.title == 1", "title == 1"),
        ("author.self == 1", "author == 1"), ("g.@max.#self == 1", "g.@max.#self == 1"),
        ("#size == 3", "#size == 3"), ("size == 3", "#size == 3"), ("SELF.size == 3", "#size == 3"),
        ("a.and.or == 3", "a.#and.#or == 3"), ("first == last", "#first == #last"),
        ("items.@sum.price > 5", "items.@sum.price > 5"), ("items.@count == 0", "items.@count == 0"),
        ("ANY a.b == 1", "ANY a.b == 1"), ("SOME a.b == 1", "ANY a.b == 1"), ("ALL a.b == 1", "ALL a.b == 1"),
        ("NONE a.b == 1", "NOT ANY a.b == 1"), ("a IN {1, 2}", "a IN {1, 2}"), ("a in {}", "a IN {}"),
        ("a BETWEEN { 1 , b }", "a BETWEEN {1, b}"), ("a LIKE[dc] 'x*'", "a LIKE[cd] \"x*\""),
        ("a ==[c] 'x'", "a ==[c] \"x\""), ("a <[nl] 'x'", "a <[nl] \"x\""),
        ("SUBQUERY(c, $x, $x.a == 1 AND b == 2).@count > 0", "SUBQUERY(c, $x, $x.a == 1 AND b == 2).@count > 0"),
        ("TERNARY(a == 1, 2, 3) == 2", "TERNARY(a == 1, 2, 3) == 2"),
        ("CAST(a, 'NSDate') > b", "CAST(a, \"NSDate\") > b"),
        ("CAST(1.5, 'NSDate') > b", "CAST(1.5, \"NSDate\") > b"), ("modulus:by:(a, 2) == 0", "modulus:by:(a, 2) == 0"),
        ("abs:(a) == abs(b)", "abs(a) == abs(b)"), ("now() > a", "now() > a"),
        ("FUNCTION(a, 'abs:') == 1", "abs(a) == 1"),
        ("FUNCTION(a, 'add:to:', 2) == 1", "a + 2 == 1"), ("(a UNION b) CONTAINS 3", "a UNION b CONTAINS 3"),
        ("TRUEPREDICATE && falsepredicate", "TRUEPREDICATE AND FALSEPREDICATE"), ("a == $x", "a == $x"),
        ("a == 0x1F", "a == 31"), ("a == 0b11", "a == 3"), ("a == 0o17", "a == 15"), ("a == 010", "a == 10"),
        ("a == 1.5e3", "a == 1500.0"), ("a == 9223372036854775808", "a == 9.223372036854776e+18"),
        ("a == -9223372036854775808", "a == -9223372036854775808"), ("a == yes OR a == no", "a == YES OR a == NO"),
        ("a == nil OR a == NULL", "a == nil OR a == nil"), ("größe == 1", "größe == 1"),
        ("notes == android", "notes == android"), ("a == '\\u00e9\\x41\\101\\n\\q'", "a == \"éAA\\nq\""),
        ("a == '\\ud83d\\ude00'", "a == \"😀\""), ("a == \"it's\"", "a == \"it's\""), ("a == '%@ $x'", "a == \"%@ $x\""),
    ])
    func `a format string has the meaning of its printed form`(text: String, printed: String) throws {
        let tree = try parsePredicate(text)
        #expect(tree.format == printed)
        #expect(try parsePredicate(tree.format) == tree)
    }

    @Test func `chains without brackets become one node and brackets keep theirs`() throws {
        let one = compare("a", .equal, .int(1))
        let two = compare("b", .greater, .string("x"))
        #expect(try parsePredicate("a = 1 AND b > 'x' AND a = 1") == .and([one, two, one]))
        #expect(try parsePredicate("a = 1 OR (b > 'x' OR a = 1)") == .or([one, .or([two, one])]))
    }

    @Test func `arguments replace percent signs, in order`() throws {
        let tree = try parsePredicate(
            "%K == %@ AND %K.c > %d AND d IN %@ AND e < %@",
            arguments: [
                .value(.string("a.size")), .value(.string("it's %@")), .value(.string("b")), .value(.int(3)),
                .list([.value(.int(1)), .value(.null)]), .expression(.path(["f"])),
            ])
        #expect(tree.format == "a.#size == \"it's %@\" AND b.c > 3 AND d IN {1, nil} AND e < f")
    }

    @Test func `collections and their loosely typed elements become lists`() throws {
        struct Box {}
        let reference = ObjectReference(storeIdentifier: "s", entityName: "E", key: 4)
        let made = try PredicateArgument.make(
            from: [[1, nil, "a"] as [Any?], Set([2.5]), ["k": true], NSNull(), nil, Box(), NSArray(array: [7])]
        ) { $0 is Box ? reference : nil }
        #expect(
            made == [
                .list([.value(.int(1)), .value(.null), .value(.string("a"))]), .list([.value(.double(2.5))]),
                .list([.value(.bool(true))]), .value(.null), .value(.null), .value(.object(reference)),
                .list([.value(.int(7))]),
            ])
        let error = #expect(throws: QueryError.self) { try PredicateArgument.make(from: [1, Box()]) }
        #expect(error?.code == .argument)
        #expect(error?.message.contains("argument 2 is a Box") == true)
    }
}
