import Foundation
import SwormPredicates
import Testing

@Suite("Comparing values")
struct ComparisonTests {
    @Test(arguments: [
        "1 == 1.0", "YES == 1", "2 != YES", "CAST('0.1', 'NSDecimalNumber') == 0.1",
        "9007199254740993 != 9007199254740992.0",
        "9007199254740993 > 9007199254740992.0", "9223372036854775807 < 9223372036854775808", "-1 < 0.5", "-0.0 == 0",
        "'a' < 'b'", "'Z' < 'a'", "'a' < 'É'", "'b' > 'abc'", "'ab' < 'abc'", "'a' != 1", "'1' != 1",
        "'\\u00e9' != 'e\\u0301'", "'\\u00e9' ==[d] 'e\\u0301'", "'É' ==[c] 'é'", "'É' ==[cd] 'e'", "'É' !=[d] 'e'",
        "'É' ==[d] 'E'", "'straße' ==[c] 'STRASSE'", "'A' !=[n] 'a'", "'A' !=[cn] 'a'", "'A' <[c] 'b'", "'b' >[c] 'A'",
        "'\\u00e9' ==[l] 'e\\u0301'", "'a' <[l] 'B'", "'e' <[l] 'é'", "'B' IN[c] {'a', 'b'}", "NOT 'B' IN {'a', 'b'}",
        "'bC' IN[c] 'abcd'", "{1, 2} CONTAINS 2.0", "NOT {1, 2} CONTAINS 3", "2 BETWEEN {1, 3}",
        "'b' BETWEEN {'a', 'c'}",
        "NOT 2 BETWEEN {3, 1}", "ANY {1, 2} == 2", "ALL {1, 2} > 0", "NONE {1, 2} > 2", "CAST(5, 'NSDate') == 5",
        "CAST('E621E1F8-C36C-495A-93FC-0C247A3E6E5F', 'NSUUID') == CAST('5iHh+MNsSVqT/AwkejJuXw==', 'NSData') OR TRUEPREDICATE",
    ])
    func `a comparison of constants is true`(text: String) throws {
        #expect(try evaluate(text) == true)
        #expect(try PreparedPredicate(parsePredicate(text)).constant == .some(true))
    }

    @Test(arguments: [
        ("1 < 'a'", "cannot be ordered"), ("5 CONTAINS 'a'", "compares strings"), ("'a' + 1 == 2", "expected a number"),
        ("ANY 3 == 3", "ANY needs a path"), ("items == 1", "needs ANY, ALL"), ("title.x == 1", "has no key 'x'"),
        ("nope == 1", "no property named 'nope'"), ("$x == 1", "variable '$x'"),
        ("'a' MATCHES '('", "not a regular expression"),
        ("title MATCHES title", "not a regular expression"), ("title.@count == 1", "expected a collection"),
        ("SUBQUERY(title, $x, $x == 1).@count == 1", "takes a collection"),
        ("SELF < SELF", "objects have no order"),
        ("title BETWEEN title", "list of two values"), ("items.@sum.name > 1", "expected a number"),
    ])
    func `an incomparable comparison is an error that shows the comparison`(text: String, part: String) throws {
        let child = TestSubject(["name": .string("x")])
        let subject = TestSubject(["title": .value(.string("(a")), "items": .objects([child])])
        let error = try #require(throws: QueryError.self) { _ = try evaluate(text, on: subject) }
        #expect(error.message.contains(part), "\(error)")
    }

    @Test func `objects are compared by their identity`() throws {
        let author = TestSubject(id: "a", entity: "Author", key: 3)
        let same = TestSubject(id: "b", entity: "Author", key: 3)
        let other = TestSubject(id: "c", entity: "Editor", key: 3)
        let book = TestSubject([
            "author": .object(author), "same": .object(same), "other": .object(other),
            "every": .objects([author, other]),
        ])
        let reference = PredicateArgument.value(.object(try #require(author.reference)))
        #expect(try evaluate("author == %@ AND author == same", [reference], on: book) == true)
        #expect(try evaluate("author == other", on: book) == false)
        #expect(try evaluate("other IN %@", [.list([reference])], on: book) == false)
        #expect(try evaluate("%@ IN every AND every CONTAINS same", [reference], on: book) == true)
        #expect(try evaluate("SUBQUERY(every, $x, $x == other).@count == 1", on: book) == true)
        #expect(try evaluate("SELF == %@", [reference], on: same) == true)
    }

    @Test func `plain values can be asked as well as objects`() throws {
        let predicate = try PreparedPredicate(parsePredicate("SELF BEGINSWITH[c] 'a' AND SELF.length > 1"))
        #expect(try predicate.evaluate(value: .value(.string("Ab"))) == true)
        #expect(try predicate.evaluate(value: .value(.string("A"))) == false)
        let sum = try PreparedPredicate(parsePredicate("SELF.@sum.self == 6 AND @count == 3"))
        #expect(try sum.evaluate(value: .list([1, 2, 3].map { .value(.int($0)) })) == true)
    }

    @Test func `values are sorted as SQL sorts them`() {
        let uuid = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        let sorted: [AttributeValue] = [
            .null, .double(-.infinity), .int(.min), .int(-1), .bool(false), .double(0.5), .bool(true),
            .date(Date(timeIntervalSinceReferenceDate: 2)), .decimal(3), .int(9_007_199_254_740_993),
            .double(.infinity),
            .string(""), .string("Z"), .string("a"), .string("ab"), .string("É"), .string("\u{FFFD}"), .string("😀"),
            .data(Data()), .uuid(uuid), .data(Data([2])),
        ]
        for (index, left) in sorted.enumerated() {
            for (other, right) in sorted.enumerated() {
                let expected: ComparisonResult =
                    index < other ? .orderedAscending : (index == other ? .orderedSame : .orderedDescending)
                #expect(compareForSort(left, right) == expected, "\(left) \(right)")
            }
        }
        #expect(compareForSort(.double(.nan), .null) == .orderedSame)
        #expect(
            compareForSort(.string("É"), .string("e"), options: [.caseInsensitive, .diacriticInsensitive])
                == .orderedSame)
    }

    @Test func `a large list is searched by its hash`() throws {
        func predicate(_ size: Int) throws -> PreparedPredicate {
            let list = PredicateArgument.list((0..<Int64(size)).map { .value(.int($0 * 2)) })
            return try PreparedPredicate(parsePredicate("n IN %@", arguments: [list]))
        }
        let predicates = [100_000: try predicate(100_000), 12_500: try predicate(12_500)]
        // With a list eight times as long, a look-up takes as long as before.
        let factor = try growth(to: 100_000) { size in
            var found: [Int64] = []
            for number in Int64(0)..<500 where try predicates[size]?.matches(TestSubject(["n": .int(number)])) ?? false
            {
                found.append(number)
            }
            #expect(found == Array(stride(from: 0, to: 500, by: 2)))
        }
        #expect(factor < 4)
    }
}
