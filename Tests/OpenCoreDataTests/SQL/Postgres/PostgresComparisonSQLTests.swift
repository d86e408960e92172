#if PostgreSQL
import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: SQL of comparisons")
struct PostgresComparisonSQLTests {
    private func sql(_ format: String, _ arguments: PredicateArgument...) throws -> String {
        try ServerQueries.sql(format, arguments)
    }

    private func bindings(_ format: String, _ arguments: PredicateArgument...) throws -> [SQLBinding] {
        try ServerQueries.condition(format, arguments).bindings
    }

    @Test(arguments: [
        ("year == 3", #"t0."year" = $1"#), ("year != 3", #"t0."year" <> $1"#), ("year < 3", #"t0."year" < $1"#),
        ("year <= 3", #"t0."year" <= $1"#), ("year > 3", #"t0."year" > $1"#), ("year >= 3", #"t0."year" >= $1"#),
        ("3 < year", #"t0."year" > $1"#), ("year == rating", #"t0."year" = t0."rating""#),
        ("year BETWEEN {1, 2}", #"t0."year" BETWEEN $1 AND $2"#), ("cost > 3", #"t0."cost" > $1"#),
        (
            "rating BETWEEN {price, 10}",
            #"((t0."rating")::float8 >= t0."price" AND t0."rating" <= $1)"#
        ),
        ("size.width == 3", #"t0."size_width" = $1"#), ("title == 'a'", #"t0."title" = $1"#),
        ("title < subtitle", #"t0."title" < t0."subtitle""#),
        ("published > editor.born", #"t0."published" > t1."born""#),
    ])
    func `a comparison is one with a parameter of the column's type`(_ format: String, _ expected: String) throws {
        let text = try sql(format)
        #expect(text == expected || text.hasSuffix("WHERE " + expected), "\(text)")
    }

    @Test(arguments: [
        ("year == nil", #"t0."year" IS NULL"#), ("year != nil", #"t0."year" IS NOT NULL"#),
        ("cover == nil", #"t0."cover" IS NULL"#), ("scan != nil", #"t0."scan" IS NOT NULL"#),
        ("author == nil", #"t0."author" IS NULL"#), ("year > nil", "FALSE"), ("NOT (year > nil)", ""),
        ("SELF == nil", "FALSE"), ("title CONTAINS nil", "FALSE"), ("NOT (title CONTAINS nil)", "NOT (NULL)"),
    ])
    func `nil is tested, never bound`(_ format: String, _ expected: String) throws {
        let statement = try ServerQueries.condition(format)
        #expect(statement.sql == expected && statement.bindings == [])
    }

    @Test func `true and false are keywords`() throws {
        #expect(try sql("year IN {}") == "FALSE")
        #expect(try sql("TRUEPREDICATE AND year == 1") == #"t0."year" = $1"#)
        #expect(
            try sql("TERNARY(rating == 1 OR FALSEPREDICATE, 1, 2) == 2")
                == #"(CASE WHEN t0."rating" = $1 THEN $2 ELSE $3 END) = $4"#)
    }

    @Test func `constants have the types of the server`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 12.5)
        let uuid = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
        let tenth = Decimal(sign: .plus, exponent: -1, significand: 1)
        let url = try #require(URL(string: "https://a.example/b"))
        #expect(try bindings("inStock == YES") == [.bool(true)])
        #expect(try bindings("isbn == %@", .value(.uuid(uuid))) == [.uuid(uuid)])
        #expect(try bindings("published == %@", .value(.date(date))) == [.date(12.5)])
        #expect(try bindings("cost == %@", .value(.decimal(tenth))) == [.decimal(tenth)])
        #expect(try bindings("site == %@", .value(.url(url))) == [.text("https://a.example/b")])
        #expect(try bindings("digest == %@", .value(.data(Data([1, 2])))) == [.blob(Data([1, 2]))])
        #expect(try bindings("price == 3") == [.double(3)])
        #expect(try bindings("title == 'a'") == [.text("a")])
    }

    @Test func `a date is rounded to the microsecond, and out of range its seconds are compared`() throws {
        func bound(_ seconds: Double) throws -> [SQLBinding] {
            try bindings("published < %@", .value(.date(Date(timeIntervalSinceReferenceDate: seconds))))
        }
        #expect(try bound(0.123_456_7) == [.date(0.123_457)])
        #expect(try bound(-0.000_000_4) == [.date(0)])
        #expect(try bound(Date.distantPast.timeIntervalSinceReferenceDate) == [.date(-63_114_076_800)])
        #expect(try bound(1e13) == [.double(1e13)])
        #expect(try bound(-1e12) == [.double(-1e12)])
        #expect(
            try sql("published < %@", .value(.date(Date(timeIntervalSinceReferenceDate: 1e13))))
                == #"(extract(epoch FROM t0."published") - 978307200)::float8 < $1"#)
        #expect(try bound(.nan) == [])
        #expect(
            try sql("published < %@", .value(.date(Date(timeIntervalSinceReferenceDate: .nan))))
                == #"t0."published" < NULL"#)
    }

    @Test func `an integer is compared with a whole number as an integer`() throws {
        #expect(try bindings("year == 2000.0") == [.int64(2000)])
        #expect(try bindings("year > 2.5") == [.double(2.5)])
        #expect(try bindings("year < 1e300") == [.double(.infinity)])
        #expect(try bindings("year < 9223372036854775808.0") == [.double(.infinity)])
        #expect(try bindings("year > -9223372036854775808.0") == [.int64(.min)])
        #expect(try bindings("year == %@", .value(.decimal(7))) == [.int64(7)])
        #expect(try bindings("year == YES") == [.int64(1)])
        #expect(try sql("year == price") == #"(t0."year")::float8 = t0."price""#)
        #expect(try sql("year == cost") == #"t0."year" = t0."cost""#)
    }

    @Test func `a real is compared with a number that it can represent`() throws {
        #expect(try bindings("price < 9007199254740992") == [.double(0x1p53)])
        #expect(try ServerQueries.reason("price < 9007199254740993") == .largeInteger)
        let decimal = try #require(Decimal(string: "9007199254740993"))
        #expect(try ServerQueries.reason("price == %@", [.value(.decimal(decimal))]) == .largeInteger)
        #expect(try bindings("price == %@", .value(.decimal(decimal / 4))) == [.double(2_251_799_813_685_248.25)])
        #expect(try ServerQueries.reason("year + 1 == price") == .largeInteger)
    }

    @Test func `a decimal is compared with whole numbers, and not with columns of reals`() throws {
        #expect(try bindings("cost > 3") == [.int64(3)])
        #expect(try bindings("cost > 3.0") == [.int64(3)])
        #expect(try bindings("cost > 2.5") == [.double(2.5)])
        #expect(try ServerQueries.reason("cost == 9223372036854775808.0") == .decimalAndReal)
        #expect(try ServerQueries.reason("cost == price") == .decimalAndReal)
        #expect(try ServerQueries.reason("price == cost") == .decimalAndReal)
    }

    @Test func `a Boolean is a column of its own type, and a number where it has to be`() throws {
        #expect(try sql("inStock == YES") == #"t0."inStock" = $1"#)
        #expect(try bindings("inStock == 0") == [.bool(false)])
        #expect(try bindings("inStock > 0.0") == [.bool(false)])
        let other = try ServerQueries.condition("inStock == 2")
        #expect(other.sql == #"(t0."inStock")::int = $1"# && other.bindings == [.int64(2)])
        #expect(try sql("inStock == year") == #"(t0."inStock")::int = t0."year""#)
        #expect(try sql("inStock < price") == #"((t0."inStock")::int)::float8 < t0."price""#)
    }

    @Test func `identity compares columns by DISTINCT and constants by an index`() throws {
        #expect(
            try ServerQueries.sql("rating", .identical, .path(["year"]))
                == #"t0."rating" IS NOT DISTINCT FROM t0."year""#)
        #expect(try ServerQueries.sql("rating", .identical, .value(.int(1))) == #"t0."rating" = $1"#)
        #expect(
            try ServerQueries.sql("rating", .identical, .value(.int(1)), negated: true)
                == #"NOT (t0."rating" IS NOT NULL AND t0."rating" = $1)"#)
        #expect(try ServerQueries.sql("rating", .notIdentical, .value(.int(1))) == #"t0."rating" IS DISTINCT FROM $1"#)
        #expect(try ServerQueries.sql("rating", .identical, .value(.null)) == #"t0."rating" IS NULL"#)
        let author = ExpressionTree.value(
            .object(ObjectReference(storeIdentifier: LibraryQueries.store, entityName: "Author", key: 4)))
        #expect(try ServerQueries.sql("author", .identical, author) == #"t0."author" = $1"#)
        #expect(
            try ServerQueries.sql("author", .identical, author, negated: true)
                == #"NOT (t0."author" IS NOT NULL AND t0."author" = $1)"#)
        #expect(try ServerQueries.sql("author", .notIdentical, author) == #"t0."author" IS DISTINCT FROM $1"#)
    }

    @Test func `strings that no column determines are ordered by their bytes`() throws {
        #expect(try sql("title <[c] 'A'") == #""shop"._sworm_fold1_c(t0."title") < $1"#)
        #expect(
            try sql("TERNARY(year == 1, 'a', 'b') < 'c'")
                == #"(CASE WHEN t0."year" = $1 THEN $2 ELSE $3 END) COLLATE "C" < $4"#)
        #expect(
            try sql("canonical(title) BETWEEN {'a', 'b'}")
                == #""shop"._sworm_fold1_cd(t0."title") COLLATE "C" BETWEEN $1 AND $2"#)
        #expect(
            try sql("TERNARY(year == 1, 'a', 'b') == 'c'") == #"(CASE WHEN t0."year" = $1 THEN $2 ELSE $3 END) = $4"#)
    }

    @Test func `a string with U+0000 is found nowhere, and compared by order in memory`() throws {
        let text = PredicateArgument.value(.string("a\0b"))
        for word in ["==", "==[cd]", "CONTAINS", "BEGINSWITH[c]", "ENDSWITH", "LIKE"] {
            #expect(try sql("title \(word) %@", text) == "FALSE")
            #expect(try sql("NOT (title \(word) %@)", text) == #"NOT ((t0."title" IS NULL AND NULL))"#)
        }
        #expect(try sql("title != %@", text) == #"t0."title" IS NOT NULL"#)
        #expect(try sql("NOT (title != %@)", text) == #"NOT ((t0."title" IS NOT NULL OR NULL))"#)
        #expect(try sql("%@ == title", text) == "FALSE")
        #expect(try ServerQueries.sql("title", .identical, .value(.string("\0")), negated: true) == "")
        #expect(try ServerQueries.sql("title", .notIdentical, .value(.string("\0"))) == "")
        #expect(try ServerQueries.reason("title < %@", [text]) == .zeroCharacter)
        #expect(throws: QueryError.self) { _ = try sql("year == %@", text) }
    }

    @Test func `a string with U+0000 is left out of a list`() throws {
        func list(_ values: AttributeValue...) -> PredicateArgument { .list(values.map { .value($0) }) }
        let zero = AttributeValue.string("\0")
        #expect(try bindings("title IN %@", list(.string("a"), zero)) == [.text("a")])
        #expect(try sql("title IN %@", list(zero)) == "FALSE")
        #expect(try sql("NOT (title IN %@)", list(zero)) == #"NOT ((t0."title" IS NULL AND NULL))"#)
        #expect(try sql("title IN %@", list(zero, .null)) == #"t0."title" IS NULL"#)
        #expect(try sql("NOT (title IN %@)", list(zero, .null)) == #"NOT (t0."title" IS NULL)"#)
    }

    @Test func `NULL in the place of a number has the type of the number`() throws {
        func value(_ value: AttributeValue) -> PredicateArgument { .value(value) }
        let decimal = AttributeValue.decimal(.nan)
        #expect(
            try sql("TERNARY(year == 1, %@, nil) > 2", value(.double(.nan)))
                == #"(CASE WHEN t0."year" = $1 THEN NULL::float8 ELSE NULL END) > $2"#)
        #expect(
            try sql("TERNARY(year == 1, %@, nil) > 2", value(decimal))
                == #"(CASE WHEN t0."year" = $1 THEN NULL::numeric ELSE NULL END) > $2"#)
        #expect(try sql("nil * nil == year") == #"(NULL::bigint * NULL::bigint) = t0."year""#)
        #expect(
            try sql("TERNARY(year == 1, nil, floor(nil)) > 2")
                == #"(CASE WHEN t0."year" = $1 THEN NULL ELSE NULL::bigint END) > $2"#)
        #expect(try sql("trunc(%@) > 2", value(.double(.nan))) == "trunc(NULL::float8) > $1")
        #expect(
            try sql("abs(nil) + price > 2")
                == #"nullif(((abs(NULL::bigint))::float8 + (t0."price")::float8), 'NaN') > $1"#)
    }

    @Test func `an integer that no real is equal to is compared in memory, however it is written`() throws {
        for format in [
            "price == TERNARY(year == 1, 9007199254740993, 5)", "noindex(9007199254740993) == price",
            "TERNARY(year == 1, 9007199254740993, price) > 2", "price IN {1, TERNARY(year == 1, 9007199254740993, 2)}",
        ] {
            let reason = try ServerQueries.reason(format)
            #expect(reason == .largeInteger || reason == .mixedNumbers, "\(format)")
        }
        #expect(
            try sql("price == TERNARY(year == 1, 9007199254740992, 5)")
                == #"t0."price" = ((CASE WHEN t0."year" = $1 THEN $2 ELSE $3 END))::float8"#)
    }

    @Test func `no value is part of the SQL string`() throws {
        let hostile = "'; DROP TABLE \"Book\"; --$1"
        let statement = try ServerQueries.condition(
            "title == %@ OR title CONTAINS %@", [.value(.string(hostile)), .value(.string(hostile))])
        #expect(statement.sql == #"t0."title" = $1 OR strpos(t0."title", $2) > 0"#)
        #expect(statement.bindings == [.text(hostile), .text(hostile)])
    }

    @Test func `invalid predicates have the errors of every dialect`() throws {
        for format in ["titel == 'x'", "year == 'abc'", "title == 5", "scan == digest", "mood == 'x'", "isbn < isbn"] {
            let expected = try LibraryQueries.issue(format)
            let issue = try #require(throws: QueryError.self, "\(format)") {
                _ = try ServerQueries.compiler.identities(LibraryQueries.request("Book", format))
            }
            #expect(issue.code == expected.code && issue.message == expected.message)
        }
    }
}
#endif
