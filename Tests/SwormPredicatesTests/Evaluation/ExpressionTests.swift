import Foundation
import SwormPredicates
import Testing

@Suite("Evaluating expressions")
struct ExpressionTests {
    @Test(arguments: [
        ("1 + 2 * 3", AttributeValue.int(7)), ("10 - 3 - 2", .int(5)), ("7 / 2", .int(3)), ("-7 / 2", .int(-3)),
        ("7.0 / 2", .double(3.5)), ("1 / 0", .null), ("1.0 / 0", .null), ("2 ** 3", .double(8)), ("nil + 1", .null),
        ("9223372036854775807 + 1", .double(9223372036854775808)),
        ("-(-9223372036854775808)", .double(9223372036854775808)),
        ("9223372036854775807 * 2", .double(0x1p64)), ("6 & 3", .int(2)), ("6 | 3", .int(7)),
        ("6 ^ 3", .int(5)),
        ("5.9 & 7", .int(5)), ("1e300 & 1", .int(1)), ("YES + 1", .int(2)), ("modulus:by:(7, 3)", .int(1)),
        ("modulus:by:(7, 0)", .null), ("modulus:by:(-9223372036854775808, -1)", .int(0)),
        ("leftshift:by:(1, 65)", .int(0)),
        ("rightshift:by:(-8, 1)", .int(-4)), ("onesComplement(0)", .int(-1)), ("abs(-3)", .int(3)),
        ("float(0.1)", .double(Double(Float(0.1)))),
        ("abs(-2.5)", .double(2.5)),
        ("abs(-9223372036854775808)", .double(9223372036854775808)), ("sqrt(16)", .double(4)), ("sqrt(-1)", .null),
        ("log(1000)", .double(3)), ("ln(0)", .null), ("exp(0)", .double(1)), ("floor(-1.5)", .double(-2)),
        ("ceiling(1.2)", .double(2)), ("trunc(-1.7)", .double(-1)), ("floor(3)", .int(3)), ("sum({1, 2, 3})", .int(6)),
        ("sum(1, 2.5)", .double(3.5)), ("max({1, nil, 3})", .int(3)), ("min('b', 'a')", .string("a")),
        ("count({1, nil})", .int(1)),
        ("average({1, 2})", .double(1.5)), ("average({})", .null), ("median({3, 1, 2})", .double(2)),
        ("median(4, 1)", .double(2.5)), ("stddev({2, 4, 4, 4, 5, 5, 7, 9})", .double(2)),
        ("uppercase('straße')", .string("STRASSE")),
        ("lowercase(nil)", .null), ("length('e\\u0301')", .int(2)), ("'abc'.length", .int(3)), ("noindex(5)", .int(5)),
        ("{1, 2, 3}[1]", .int(2)), ("{1, 2}[FIRST]", .int(1)), ("{1, 2}[LAST]", .int(2)), ("{1, 2}[SIZE]", .int(2)),
        ("{}[FIRST]", .null), ("{1}[9223372036854775807]", .null), ("{1}[-1]", .null),
        ("({1, 2} UNION {2, 3})[SIZE]", .int(3)),
        ("({1, 2} INTERSECT {2, 3})[0]", .int(2)), ("({1, 2} MINUS {2, 3})[0]", .int(1)),
        ("CAST(1 + 1, 'NSString')", .string("2")),
        ("CAST(1 + 1, 'NSDate')", .date(Date(timeIntervalSinceReferenceDate: 2))),
        ("CAST(uppercase('x'), 'NSNumber')", .null),
        ("TERNARY(1 == 1, 'yes', 'no')", .string("yes")),
        ("sum({9223372036854775807, 1})", .double(9223372036854775808)),
        ("CAST(5, 'NSDate') + 1", .double(6)), ("{1, 2, 3}.@max.self", .int(3)), ("{1, 2}.@avg.self", .double(1.5)),
    ])
    func `an expression has the value that SQL gives it`(text: String, expected: AttributeValue) throws {
        #expect(try value(text) == expected)
    }

    @Test func `paths follow relationships and collections`() throws {
        func child(_ pages: AttributeValue, _ notes: [Int64]) -> TestSubject {
            TestSubject(["pages": .value(pages), "notes": .objects(notes.map { TestSubject(["n": .int($0)]) })])
        }
        let book = TestSubject([
            "chapters": .objects([child(.int(10), [1, 2]), child(.null, []), child(.int(30), [3])]),
            "limit": .value(.int(20)),
        ])
        let shelf = TestSubject(["book": .object(book), "absent": .null])
        for text in [
            "book.chapters.@count == 3", "book.chapters.@sum.pages == 40", "book.chapters.@avg.pages * 3 == 40",
            "book.chapters.@max.pages == 30", "book.chapters.@min.pages == 10", "book.chapters.notes.@count == 3",
            "book.chapters.@sum.notes.@count == 3", "book.chapters.@max.notes.n == 3", "ANY book.chapters.notes.n == 2",
            "book.chapters[SIZE] == 3", "book.chapters[0].pages == 10", "book['limit'] == 20",
            "sum(book.chapters.pages) == 40",
            "SUBQUERY(book.chapters, $c, $c.pages > book.limit).@count == 1",
            "SUBQUERY(book.chapters, $c, $c.pages > 5).@sum.pages == 40",
            "SUBQUERY(book.chapters, $c, SUBQUERY($c.notes, $n, $n.n < $c.pages).@count > 1).@count == 1",
            "SUBQUERY(book.chapters, $c, SUBQUERY($c.notes, $c, $c.n == 3).@count > 0).@count == 1",
            "ANY SUBQUERY(book.chapters, $c, $c.pages > 5).pages == 30", "ANY book.chapters.pages > book.limit",
            "absent.anything.@count == 0", "absent.self == nil",
        ] {
            #expect(try evaluate(text, on: shelf) == true, "\(text)")
        }
    }

    @Test func `now is the moment that the predicate was prepared with`() throws {
        let moment = Date(timeIntervalSinceReferenceDate: 100)
        let predicate = try PreparedPredicate(parsePredicate("now() == d"), now: moment)
        #expect(try predicate.matches(TestSubject(["d": .date(moment)])))
    }

    @Test func `equality in the sense of Swift knows no undecided`() throws {
        for (left, right, same) in [
            (AttributeValue.null, AttributeValue.null, true), (.null, .int(1), false), (.int(1), .double(1), true),
        ] {
            let subject = TestSubject(["x": left, "y": right])
            for (comparator, expected) in [(Comparator.identical, same), (.notIdentical, !same)] {
                let tree = PredicateTree.comparison(Comparison(.path(["x"]), by: comparator, with: .path(["y"])))
                #expect(try PreparedPredicate(tree).evaluate(subject) == expected)
            }
        }
    }
}
