import Foundation
import SwormPredicates
import Testing

@Suite("Printing predicates")
struct PredicatePrinterTests {
    private func term(_ key: String, _ comparator: Comparator = .equal, _ value: AttributeValue = .int(1))
        -> PredicateTree
    {
        .comparison(Comparison(.path([key]), by: comparator, with: .value(value)))
    }

    @Test func `the template has both sides of every operator in brackets`() {
        let a = term("a")
        let left = PredicateTree.or([a, term("a", .equal, .int(2))])
        let right = PredicateTree.or([term("b"), a])
        let tree = PredicateTree.and([
            .and([left, right]),
            .not(.comparison(Comparison(.path(["foo", "bar"]), by: .equal, with: .value(.bool(true))))),
        ])
        let template = tree.template
        #expect(
            template.format
                == "(((a == %@) OR (a == %@)) AND ((b == %@) OR (a == %@))) AND (NOT (foo.bar == %@))")
        let numbers: [Int64] = [1, 2, 1, 1]
        #expect(template.arguments == numbers.map { PredicateArgument.value(.int($0)) } + [.value(.bool(true))])
    }

    @Test func `a chain built term by term prints as nested pairs`() {
        let nested = PredicateTree.and([.and([term("a"), term("b")]), term("c")])
        let chain = PredicateTree.conjunction(.conjunction(term("a"), term("b")), term("c"))
        #expect(nested.template.format == "((a == %@) AND (b == %@)) AND (c == %@)")
        #expect(chain.template.format == nested.template.format)
        #expect(chain == .and([term("a"), term("b"), term("c")]))
        #expect(
            PredicateTree.disjunction(chain, term("d")).template.format == "(\(nested.template.format)) OR (d == %@)")
    }

    @Test(arguments: [
        ("name CONTAINS[cd] 'x'", "name CONTAINS[cd] %@"), ("name BEGINSWITH 'x'", "name BEGINSWITH %@"),
        ("name IN {'a', nil}", "name IN %@"), ("x BETWEEN {1, 3}", "x BETWEEN %@"), ("x IN {1, y}", "x IN {%@, y}"),
        ("x == nil", "x == %@"), ("size == 3", "#size == %@"), ("a.b.@count > 2", "a.b.@count > %@"),
        ("a - b.a > 40", "(a - b.a) > %@"), ("NONE a.b == 1", "NOT (ANY a.b == %@)"), ("a[0] == 1", "a[0] == %@"),
        ("SUBQUERY(r, $x, $x.a > 3 AND b == 1).@count > 0", "SUBQUERY(r, $x, ($x.a > %@) AND (b == %@)).@count > %@"),
        ("CAST(a, 'NSDate') == 1", "CAST(a, \"NSDate\") == %@"), ("#'odd name' == 1", "%K == %@"),
    ])
    func `templates hold arguments instead of values`(text: String, template: String) throws {
        let tree = try parsePredicate(text)
        let printed = tree.template
        #expect(printed.format == template)
        #expect(try parsePredicate(printed.format, arguments: printed.arguments) == tree)
    }

    @Test(arguments: [
        AttributeValue.null, .bool(true), .bool(false), .int(.min), .int(.max), .double(0.1), .double(-0.0),
        .double(1e300),
        .double(.infinity), .double(-.infinity), .decimal(Decimal(string: "12345678901234567890.123456789") ?? 0),
        .decimal(-1),
        .string(""), .string("\"\\\n\r\t\u{0}\u{7F}é😀%@'"), .date(Date(timeIntervalSinceReferenceDate: -1.1)),
        .data(Data([0, 255, 7])), .data(Data()), .uuid(UUID()), .url(URL(fileURLWithPath: "/tmp/a b")),
        .object(ObjectReference(storeIdentifier: "A-1", entityName: "Book", key: 12)),
        .object(ObjectReference(storeIdentifier: nil, entityName: "Book", key: 3)),
    ])
    func `every value has a literal that gives it back`(value: AttributeValue) throws {
        #expect(try parseExpression(value.literal) == .value(value))
    }

    @Test func `equality in the sense of Swift is printed with plain operators of the same meaning`() throws {
        let values: [AttributeValue] = [.null, .int(1), .int(2)]
        for comparator in [Comparator.identical, .notIdentical] {
            for right in [ExpressionTree.value(.null), .value(.int(1)), .path(["y"])] {
                let tree = PredicateTree.comparison(Comparison(.path(["x"]), by: comparator, with: right))
                let printed = try parsePredicate(tree.format)
                for x in values {
                    for y in values {
                        let subject = TestSubject(["x": x, "y": y])
                        let expected: Bool = if case .value(let value) = right { x == value } else { x == y }
                        let result = try PreparedPredicate(tree).evaluate(subject)
                        #expect(result == (comparator == .identical ? expected : !expected))
                        #expect(try PreparedPredicate(printed).evaluate(subject) == result, "\(tree.format) \(x) \(y)")
                    }
                }
            }
        }
    }

    @Test func `random trees are parsed back from their printed form`() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = RandomTree(seed: seed)
        for _ in 0..<3000 {
            let tree = random.predicate(depth: 4)
            do {
                let back = try parsePredicate(tree.format)
                #expect(back == tree, "seed \(seed): \(tree.format)")
                let template = tree.template
                _ = try parsePredicate(template.format, arguments: template.arguments)
            } catch {
                Issue.record("seed \(seed): \(error) in \(tree.format)")
            }
        }
    }
}
