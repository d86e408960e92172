#if PostgreSQL
import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: SQL of arithmetic")
struct PostgresNumberSQLTests {
    private let seconds = #"(extract(epoch FROM t0."published") - 978307200)::float8"#

    @Test(arguments: [
        ("year + 1 == 2", #"((t0."year")::bigint + $1) = $2"#),
        ("year - rating == 2", #"((t0."year")::bigint - (t0."rating")::bigint) = $1"#),
        ("year / 2 == 2", #"((t0."year")::bigint / nullif($1, 0)) = $2"#),
        ("price * 2 > 2", #"nullif(((t0."price")::float8 * ($1)::float8), 'NaN') > $2"#),
        ("price / 2.5 > 2", #"nullif(((t0."price")::float8 / nullif($1, 0)), 'NaN') > $2"#),
        ("cost / 2 == 2", #"nullif(((t0."cost")::float8 / nullif(($1)::float8, 0)), 'NaN') = $2"#),
        ("inStock + 1 == 2", #"(((t0."inStock")::int)::bigint + $1) = $2"#),
        ("(year & 1) == 1", #"((t0."year")::bigint & $1) = $2"#),
        ("(year | 1) == 1", #"((t0."year")::bigint | $1) = $2"#),
        ("(year ^ 1) == 1", #"((t0."year")::bigint # $1) = $2"#),
        ("(price & 1) == 1", #"((trunc((t0."price")::float8))::bigint & $1) = $2"#),
        ("modulus:by:(year, 2) == 1", #"((t0."year")::bigint % nullif($1, 0)) = $2"#),
        ("modulus:by:(price, 2) == 1", #"((trunc((t0."price")::float8))::bigint % nullif($1, 0)) = $2"#),
        ("leftshift:by:(year, 2) == 1", #"((t0."year")::bigint << ($1)::int) = $2"#),
        ("rightshift:by:(price, 63) == 1", #"((trunc((t0."price")::float8))::bigint >> ($1)::int) = $2"#),
        ("onesComplement(year) == 1", #"(~(t0."year")::bigint) = $1"#),
        ("-price == 5", #"(0 - (t0."price")::float8) = $1"#), ("-year == 5", #"(-(t0."year")::bigint) = $1"#),
        ("-5 == year", #"t0."year" = $1"#), ("abs(year) == 5", #"abs((t0."year")::bigint) = $1"#),
        ("abs(price) == 5", #"abs((t0."price")::float8) = $1"#), ("floor(year) == 1", #"t0."year" = $1"#),
        ("floor(price) == 1", #"floor((t0."price")::float8) = $1"#),
        ("ceiling(cost) == 1", #"ceil((t0."cost")::float8) = $1"#),
        ("trunc(price) == 1", #"trunc((t0."price")::float8) = $1"#),
        ("float(price) == 1", #"((t0."price")::float8::real)::float8 = $1"#),
        ("noindex(year) == 5", #"(t0."year") = $1"#),
        (
            "TERNARY(rating != nil, rating, 9) > 4",
            #"(CASE WHEN t0."rating" IS NOT NULL THEN t0."rating" ELSE $1 END) > $2"#
        ),
        (
            "TERNARY(rating == 1, inStock, NO) == YES",
            #"(CASE WHEN t0."rating" = $1 THEN t0."inStock" ELSE $2 END) = $3"#
        ),
        (
            "TERNARY(rating == 1, inStock, rating) == 1",
            #"(CASE WHEN t0."rating" = $1 THEN (t0."inStock")::int ELSE t0."rating" END) = $2"#
        ),
        (
            "TERNARY(rating == 1, published, nil) == nil",
            #"(CASE WHEN t0."rating" = $1 THEN t0."published" ELSE NULL END) IS NULL"#
        ),
        (
            "TERNARY(rating == 1, cost, year) > 2",
            #"(CASE WHEN t0."rating" = $1 THEN t0."cost" > $2 ELSE t0."year" > $3 END)"#
        ),
    ])
    func `numbers are computed with`(_ format: String, _ expected: String) throws {
        #expect(try ServerQueries.sql(format) == expected)
    }

    @Test func `dates are computed with as their seconds`() throws {
        #expect(
            try ServerQueries.sql("published + 60 > published")
                == "nullif((\(seconds) + ($1)::float8), 'NaN') > \(seconds)")
        let shifted = try ServerQueries.condition(
            "published - 60 > %@", [.value(.date(Date(timeIntervalSinceReferenceDate: 12.5)))])
        #expect(shifted.sql == "nullif((\(seconds) - ($1)::float8), 'NaN') > $2")
        #expect(shifted.bindings == [.int64(60), .double(12.5)])
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_716_5)
        let difference = try ServerQueries.condition("published - %@ == 0", [.value(.date(date))])
        #expect(difference.sql == "nullif((\(seconds) - ($1)::float8), 'NaN') = $2")
        #expect(difference.bindings == [.double(700_000_000.123_457), .double(0)])
        let later = try ServerQueries.condition("published + 60 == %@", [.value(.date(date))])
        #expect(later.bindings == [.int64(60), .double(700_000_000.123_457)])
        #expect(
            try ServerQueries.sql("CAST(price, 'NSDate') > published") == #"(t0."price")::float8 > \#(seconds)"#)
        #expect(try ServerQueries.sql("CAST(published, 'NSNumber') > 5") == "\(seconds) > $1")
    }

    @Test func `a cast to a decimal is exact, or leaves a real as it is`() throws {
        #expect(try ServerQueries.sql("CAST(year, 'NSDecimalNumber') == cost") == #"(t0."year")::numeric = t0."cost""#)
        #expect(try ServerQueries.sql("CAST(price, 'NSDecimalNumber') > 2.5") == #"t0."price" > $1"#)
    }

    @Test func `an integer of 64 bits is not compared with a sum of another type`() throws {
        let sum = #"(SELECT COALESCE(SUM(t1."pages"), 0) FROM "shop"."Chapter" t1 WHERE t1."book" = t0."_key")"#
        #expect(try ServerQueries.sql("chapters.@sum.pages > year") == #"\#(sum) > t0."year""#)
        #expect(try ServerQueries.reason("chapters.@sum.pages > price") == .largeInteger)
        #expect(try ServerQueries.sql("chapters.@sum.pages + 1 > 5") == "((\(sum))::bigint + $1) > $2")
    }

    @Test func `computations without an exact form are left to memory`() throws {
        let formats: [NotExact.Reason: [String]] = [
            .realFunction: ["price ** 2 > 2", "sqrt(price) == 1", "ln(year) > 1", "exp(price) > 1"],
            .shift: [
                "leftshift:by:(year, rating) == 1", "rightshift:by:(year, 64) == 1", "leftshift:by:(year, -1) == 1",
                "rightshift:by:(year, 2.0) == 1",
            ],
            .mixedNumbers: [
                "TERNARY(rating == 1, year, price) + 1 > 2", "TERNARY(rating == 1, year + 1, price) > 2",
                "TERNARY(rating == 1, cost, year) + 1 > 2",
            ],
        ]
        for (reason, formats) in formats {
            for format in formats { #expect(try ServerQueries.reason(format) == reason, "\(format)") }
        }
    }

    @Test(arguments: [
        ("chapters.@sum.pages == 40", #"SELECT COALESCE(SUM(t1."pages"), 0)"#),
        ("chapters.@min.pages < 10", #"SELECT MIN(t1."pages")"#),
        ("chapters.@max.title > 'a'", #"SELECT MAX(t1."title")"#),
        ("chapters.@avg.pages == 2", #"SELECT COALESCE(SUM(t1."pages")::float8 / COUNT(*), 0)"#),
        (
            "sequels.@sum.price > 2",
            #"SELECT (CASE COUNT(t2."price") WHEN 0 THEN 0 ELSE nullif(SUM((t2."price")::float8), 'NaN') END)"#
        ),
        (
            "sequels.@avg.cost > 2",
            #"SELECT (CASE COUNT(t2."cost") WHEN 0 THEN 0 ELSE nullif(SUM((t2."cost")::float8), 'NaN') / COUNT(*) END)"#
        ),
        ("sequels.@min.inStock == YES", #"SELECT bool_and(t2."inStock")"#),
        ("sequels.@max.inStock == YES", #"SELECT bool_or(t2."inStock")"#),
        ("sequels.@sum.inStock > 1", #"SELECT COALESCE(SUM((t2."inStock")::int), 0)"#),
        ("sequels.@max.published > now()", #"SELECT MAX(t2."published")"#),
    ])
    func `totals and extremes of members do not lose digits`(_ format: String, _ expected: String) throws {
        #expect(try ServerQueries.sql(format).hasPrefix("(\(expected) FROM "))
    }
}
#endif
