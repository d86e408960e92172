import SwormPredicates
import TestSupport
import Testing

@Suite("Limits of predicates")
struct PredicateLimitTests {
    private func requireLimit(_ text: String, _ note: String) throws {
        var error: QueryError?
        do { _ = try parsePredicate(text) } catch let caught { error = caught as? QueryError }
        #expect(error?.code == .limit, "\(note): \(error?.description ?? "no error")")
    }

    @Test(.timeLimit(.minutes(5)))
    func `deep nesting of every kind is an error and not a crash`() throws {
        func deep(_ open: String, _ middle: String, _ close: String) -> String {
            String(repeating: open, count: 10_000) + middle + String(repeating: close, count: 10_000)
        }
        try requireLimit(deep("(", "a == 1", ")"), "brackets around a predicate")
        try requireLimit(deep("(", "a", ")") + " == 1", "brackets around a value")
        try requireLimit(String(repeating: "(", count: 10_000), "open brackets")
        try requireLimit(String(repeating: "NOT ", count: 10_000) + "a == 1", "NOT")
        try requireLimit(String(repeating: "- ", count: 10_000) + "a == 1", "signs")
        try requireLimit("a == " + deep("{", "1", "}"), "lists")
        try requireLimit("a == " + deep("abs(", "1", ")"), "calls")
        try requireLimit("a" + deep("[a", "", "]") + " == 1", "indexes")
        try requireLimit(String(repeating: "a.", count: 10_000) + "a == 1", "a long path")
        try requireLimit(String(repeating: "1 + ", count: 10_000) + "1 == 1", "a long sum")
        try requireLimit(String(repeating: "a == 1 OR b == c | d ^ e & f + g * h ** (", count: 10_000), "open operands")
        try requireLimit(String(repeating: "SUBQUERY(a, $x, a == ", count: 10_000), "subqueries")
        try requireLimit(String(repeating: "TERNARY(a == ", count: 10_000), "conditions")
        try requireLimit("a == " + String(repeating: "1", count: 2 << 20), "size")
    }

    @Test func `the keys of a path that a call reads count as levels`() throws {
        let path = Array(repeating: "a", count: 120).joined(separator: ".")
        func calls(_ count: Int) -> String {
            (0..<count).reduce("a") { operand, _ in "FUNCTION(\(operand), 'valueForKeyPath:', '\(path)')" } + " == 1"
        }
        #expect(try parsePredicate(calls(1)).format == "a.\(path) == 1")
        try requireLimit(calls(2), "paths of calls")
        let steps = (0..<190).reduce("a") { operand, _ in "FUNCTION(\(operand), 'valueForKey:', 'a')" }
        #expect(try parsePredicate(steps + " == 1").format.hasSuffix("a.a == 1"))
    }

    @Test func `nesting within the limit is understood, in linear time`() throws {
        let text = String(repeating: "(", count: 190) + "a == 1" + String(repeating: ")", count: 190)
        #expect(try parsePredicate(text).format == "a == 1")
        let value = String(repeating: "((a + 1) * ", count: 60) + "1" + String(repeating: ")", count: 60)
        let tree = try parsePredicate(value + " == 1")
        #expect(try PreparedPredicate(tree).evaluate(TestSubject(["a": .int(0)])) == true)
    }

    @Test func `a megabyte is parsed, in linear time`() throws {
        let forms: [(Int, (Int) -> String)] = [
            (150_000, { "a IN {" + (0..<$0).map { "\($0)" }.joined(separator: ",") + "}" }),
            (60_000, { (0..<$0).map { "abc == \($0)" }.joined(separator: " OR ") }),
            (500_000, { "a == '" + String(repeating: "é", count: $0) + "'" }),
        ]
        for (size, text) in forms {
            let whole = text(size)
            #expect(whole.utf8.count > 900_000 && whole.utf8.count < 1 << 20)
            let tree = try parsePredicate(whole)
            #expect(try PreparedPredicate(tree).evaluate(TestSubject(["a": .int(7), "abc": .int(59_999)])) != nil)
            let texts = [size: whole, size / 8: text(size / 8)]
            let factor = try growth(to: size, tries: 2) { _ = try parsePredicate(texts[$0] ?? "") }
            #expect(factor < 40)
        }
    }

    @Test func `trees that are too deep are rejected, and long chains are not`() throws {
        let term = PredicateTree.comparison(Comparison(.path(["a"]), by: .equal, with: .value(.int(1))))
        let deep = (0..<2_000).reduce(term) { tree, _ in .not(tree) }
        for attempt in [{ _ = try PreparedPredicate(deep) }, { _ = try deep.substituting([:]) }] {
            let error = try #require(throws: QueryError.self) { try attempt() }
            #expect(error.code == .limit)
        }
        #expect(deep.format.hasPrefix("NOT NOT NOT"))
        let nested = (0..<2_000).reduce(term) { tree, _ in .and([tree, term]) }
        #expect(try PreparedPredicate(nested).evaluate(TestSubject(["a": .int(1)])) == true)
        #expect(nested.template.arguments.count == 2_001)
        #expect(try nested.substituting([:]).template.format == nested.template.format)
    }

    @Test func `random bytes give a tree or an error`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededRandom(seed: seed)
        let words = [
            "a", "b.c", "==", "(", ")", "{", "}", "[", "]", ",", "AND", "OR", "NOT", "ANY", "IN", "BETWEEN", "'x'",
            "\"", "'", "\\",
            "1", "2.5", "0x", "%@", "%K", "%", "$x", "#", "@count", "@", ".", "-", "+", "**", "SUBQUERY(", "TERNARY(",
            "CAST(", "abs(",
            "modulus:by:(", "NIL", "[cd]", "LIKE", "é", "\u{0}", ":=", "FUNCTION(", "UTI-EQUALS", "\\u", "FIRST",
            "SELF",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<12, using: &generator)
            let text = (0..<count).compactMap { _ in words.randomElement(using: &generator) }.joined(separator: " ")
            do {
                let tree = try parsePredicate(
                    text, arguments: [.value(.string("k")), .list([.value(.int(1)), .value(.int(2))])])
                #expect(try parsePredicate(tree.format) == tree, "seed \(seed): \(text)")
            } catch let error as QueryError {
                #expect(!error.message.isEmpty)
            } catch {
                Issue.record("seed \(seed): \(error) in \(text)")
            }
        }
    }
}
