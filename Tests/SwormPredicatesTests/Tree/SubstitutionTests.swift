import SwormPredicates
import Testing

@Suite("Variables and key paths")
struct SubstitutionTests {
    @Test func `variables are replaced and those of a subquery are not`() throws {
        let tree = try parsePredicate("a == $x AND SUBQUERY(c, $x, $x.a == $y).@count > $x AND b IN $l")
        #expect(tree.freeVariables == ["x", "y", "l"])
        let values = try PredicateArgument.make(from: ["x": 1, "y": nil, "l": [1, 2]])
        let filled = try tree.substituting(values)
        #expect(filled.format == "a == 1 AND SUBQUERY(c, $x, $x.a == nil).@count > 1 AND b IN {1, 2}")
        #expect(filled.freeVariables.isEmpty)
    }

    @Test func `a nil variable asks for nil`() throws {
        let tree = try parsePredicate("a == $x").substituting(["x": .value(.null)])
        #expect(try PreparedPredicate(tree).matches(TestSubject(["a": .null])))
    }

    @Test func `a missing or unfit variable is an error that names it`() throws {
        let tree = try parsePredicate("a BETWEEN $range")
        let missing = try #require(throws: QueryError.self) {
            _ = try tree.substituting(["other": .value(.int(1))])
        }
        #expect(missing.code == .variable)
        #expect(missing.message.contains("'$range'") && missing.message.contains("$other"))
        let unfit = try #require(throws: QueryError.self) { _ = try tree.substituting(["range": .list([])]) }
        #expect(unfit.message.contains("of two values"))
        #expect(throws: QueryError.self) { _ = try tree.substituting(["range": .predicate(.constant(true))]) }
        let unprepared = try #require(throws: QueryError.self) { _ = try PreparedPredicate(tree) }
        #expect(unprepared.code == .variable)
    }

    @Test func `the key paths of a predicate are listed with their roots`() throws {
        let tree = try parsePredicate(
            "a.b == 1 AND a.b > c AND ANY d.e.f == $v.g AND h.@sum.i > 0 AND h.@count > 1 AND SUBQUERY(j, $x, $x.k.l == m).@count > 0 AND n[0].o == 1"
        )
        #expect(
            Set(tree.keyPaths) == [
                ["a", "b"], ["c"], ["d", "e", "f"], ["h", "i"], ["h"], ["j"], ["j", "k", "l"], ["m"], ["n"],
                ["n", "o"],
            ])
        #expect(tree.keyPathUses.contains(KeyPathUse(start: .variable("v"), keys: ["g"])))
        #expect(tree.keyPathUses.count == 11)
    }

    @Test func `the key paths behind a cast and a choice are listed`() throws {
        let tree = try parsePredicate(
            #"CAST(a, "NSManagedObjectID").b == 1 AND SUBQUERY(TERNARY(c == 1, d, e), $x, $x.f == 1).@count > 1"#)
        let choice = ExpressionTree.conditional(.constant(true), .path(["g"]), .cast(.path(["h"]), "NSManagedObjectID"))
        #expect(Set(tree.keyPaths) == [["a"], ["a", "b"], ["c"], ["d"], ["e"], ["d", "f"], ["e", "f"]])
        #expect(
            Set(ExpressionTree.key(choice, "i").keyPathUses.map(\.keys)) == [["g"], ["h"], ["g", "i"], ["h", "i"]])
    }
}
