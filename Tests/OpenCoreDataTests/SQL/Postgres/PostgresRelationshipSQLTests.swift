#if PostgreSQL
import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: SQL of relationships and lists")
struct PostgresRelationshipSQLTests {
    private func sql(
        _ format: String, _ arguments: [PredicateArgument] = [], of entity: String = "Book"
    ) throws -> String { try ServerQueries.sql(format, arguments, of: entity) }

    private func list(_ values: [AttributeValue]) -> [PredicateArgument] { [.list(values.map { .value($0) })] }

    private let author = #"LEFT JOIN "shop"."Author" t1 ON t1."_key" = t0."author""#
    private let tags = #""shop"."Book_tags" t1 JOIN "shop"."Tag" t2 ON t2."_key" = t1."Tag""#

    @Test func `a path joins each object once, and a key needs no join`() throws {
        #expect(
            try sql("author.name == 'x' AND author.age > 3") == #" \#(author) WHERE t1."name" = $1 AND t1."age" > $2"#)
        #expect(try sql("author == %@", [LibraryQueries.object("Author", 4)]) == #"t0."author" = $1"#)
        #expect(
            try sql("author != nil AND author == editor") == #"t0."author" IS NOT NULL AND t0."author" = t0."editor""#)
        #expect(try sql("author == %@", [LibraryQueries.object("Tag", 4)]) == "FALSE")
        #expect(
            try sql("NOT (author == %@)", [LibraryQueries.object("Tag", 4)]) == #"NOT (t0."author" <> t0."author")"#)
    }

    @Test func `alternatives need no test for a row that a server infers`() throws {
        #expect(
            try sql("author.name == 'x' OR author.age == 3") == #" \#(author) WHERE t1."name" = $1 OR t1."age" = $2"#)
        #expect(try sql("author.name IN {'x', 'y'}") == #" \#(author) WHERE t1."name" IN ($1, $2)"#)
    }

    @Test(arguments: [
        (
            "ANY chapters.pages > 100",
            #"EXISTS (SELECT 1 FROM "shop"."Chapter" t1 WHERE t1."book" = t0."_key" AND t1."pages" > $1)"#
        ),
        (
            "ALL chapters.pages > 100",
            #"NOT EXISTS (SELECT 1 FROM "shop"."Chapter" t1 WHERE t1."book" = t0."_key" AND (t1."pages" > $1) IS NOT TRUE)"#
        ),
        (
            "ANY notes.text == 'x'",
            #"EXISTS (SELECT 1 FROM "shop"."Note" t1 WHERE t1."_Book_notes" = t0."_key" AND t1."text" = $1)"#
        ),
        (
            "ANY sequels.year > year",
            #"EXISTS (SELECT 1 FROM "shop"."Book_prequels" t1 JOIN "shop"."Book" t2 ON t2."_key" = t1."Book" WHERE t1."prequels" = t0."_key" AND t2."year" > t0."year")"#
        ),
        (
            "ANY similar.year == 1",
            #"EXISTS (SELECT 1 FROM (SELECT "Book", "similar" FROM "shop"."Book_similar" UNION SELECT "similar", "Book" FROM "shop"."Book_similar") t1 JOIN "shop"."Book" t2 ON t2."_key" = t1."similar" WHERE t1."Book" = t0."_key" AND t2."year" = $1)"#
        ),
        (
            "notes[FIRST].text == 'x'",
            #" LEFT JOIN "shop"."Note" t2 ON t2."_key" = (SELECT t1."_key" FROM "shop"."Note" t1 WHERE t1."_Book_notes" = t0."_key" ORDER BY t1."_order_Book_notes" NULLS FIRST, t1."_key" LIMIT 1) WHERE t2."text" = $1"#
        ),
        (
            "notes[LAST] != nil",
            #"(SELECT t1."_key" FROM "shop"."Note" t1 WHERE t1."_Book_notes" = t0."_key" ORDER BY t1."_order_Book_notes" DESC NULLS LAST, t1."_key" DESC LIMIT 1) IS NOT NULL"#
        ),
        ("chapters.@count > 2", #"(SELECT COUNT(*) FROM "shop"."Chapter" t1 WHERE t1."book" = t0."_key") > $1"#),
        ("tags.@count == 0", #"NOT EXISTS (SELECT 1 FROM "shop"."Book_tags" t1 WHERE t1."Book" = t0."_key")"#),
        (
            "SUBQUERY(chapters, $c, $c.title == 'I' AND $c.pages > rating).@count == 2",
            #"(SELECT COUNT(*) FROM "shop"."Chapter" t1 WHERE t1."book" = t0."_key" AND t1."title" = $1 AND t1."pages" > t0."rating") = $2"#
        ),
        ("as_Novel.genre == 'x'", #"t0."genre" = $1"#),
        ("as_Novel.title == 'x'", #"CASE WHEN t0."_entity" = 3 THEN t0."title" END = $1"#),
    ])
    func `each path has its form`(_ format: String, _ expected: String) throws {
        #expect(try sql(format) == expected)
    }

    @Test func `a join table is looked at with and without its members`() throws {
        #expect(
            try sql("ANY tags.name == 'x'")
                == #"EXISTS (SELECT 1 FROM \#(tags) WHERE t1."Book" = t0."_key" AND t2."name" = $1)"#)
        let tag = LibraryQueries.object("Tag", 7)
        #expect(
            try sql("tags CONTAINS %@", [tag])
                == #"EXISTS (SELECT 1 FROM "shop"."Book_tags" t1 WHERE t1."Book" = t0."_key" AND t1."Tag" = $1)"#)
    }

    @Test func `a short list is bound value by value, by types`() throws {
        #expect(try sql("year IN {1, 2}") == #"t0."year" IN ($1, $2)"#)
        #expect(try sql("year IN {1}") == #"t0."year" = $1"#)
        #expect(try sql("year IN {1, nil}") == #"t0."year" = $1 OR t0."year" IS NULL"#)
        #expect(try sql("year IN {1, rating, 3}") == #"t0."year" IN ($1, $2) OR t0."year" = t0."rating""#)
        #expect(try sql("title IN[c] {'A', 'B'}") == #""shop"._sworm_fold1_c(t0."title") IN ($1, $2)"#)
        let mixed = try ServerQueries.condition("year IN {1, 2.5, 3.0}")
        #expect(mixed.sql == #"t0."year" IN ($1, $2) OR t0."year" = $3"#)
        #expect(mixed.bindings == [.int64(1), .int64(3), .double(2.5)])
        let flags = try ServerQueries.condition("inStock IN {1, NO, 7}")
        #expect(flags.sql == #"t0."inStock" IN ($1, $2) OR (t0."inStock")::int = $3"#)
        #expect(flags.bindings == [.bool(true), .bool(false), .int64(7)])
    }

    @Test func `a long list is an array`() throws {
        func statement(_ key: String, _ values: [AttributeValue]) throws -> CompiledStatement {
            try ServerQueries.condition("\(key) %@", list(values))
        }
        let years = try statement("year IN", (0..<21).map { .int($0) })
        #expect(years.sql == #"t0."year" = ANY($1)"# && years.bindings == [.integers(Array(0..<21))])
        let titles = try statement("title IN[c]", (0..<21).map { .string("A\($0)") })
        #expect(titles.sql == #""shop"._sworm_fold1_c(t0."title") = ANY($1)"#)
        #expect(titles.bindings == [.texts((0..<21).map { "a\($0)" })])
        let prices = try statement("price IN", (0..<30).map { .double(Double($0) + 0.5) })
        #expect(prices.sql == #"t0."price" = ANY($1)"#)
        let identifiers = (0..<21).map { _ in UUID() }
        let isbns = try statement("isbn IN", identifiers.map { .uuid($0) })
        #expect(isbns.sql == #"t0."isbn" = ANY($1)"# && isbns.bindings == [.uuids(identifiers)])
        let dates = try statement(
            "published IN", (0..<21).map { .date(Date(timeIntervalSinceReferenceDate: Double($0))) })
        #expect(dates.sql == #"t0."published" = ANY($1)"# && dates.bindings == [.dates((0..<21).map { Double($0) })])
        let costs = (0..<30).map { Decimal($0) / 4 + 7 }
        let decimals = try statement("cost IN", costs.map { .decimal($0) })
        #expect(decimals.sql == #"t0."cost" = ANY($1)"# && decimals.bindings == [.decimals(costs)])
        let digests = (0..<21).map { Data([UInt8($0)]) }
        let blobs = try statement("digest IN", digests.map { .data($0) })
        #expect(blobs.sql == #"t0."digest" = ANY($1)"# && blobs.bindings == [.blobs(digests)])
        #expect(try statement("year IN", (0..<20).map { .int($0) }).bindings.count == 20)
    }

    @Test func `a list of objects is one of keys`() throws {
        let few = PredicateArgument.list([
            LibraryQueries.object("Book", 4), LibraryQueries.object("Tag", 5), LibraryQueries.object("Novel", 6),
        ])
        let statement = try ServerQueries.condition("SELF IN %@", [few])
        #expect(statement.sql == #"t0."_key" IN ($1, $2)"# && statement.bindings == [.int64(4), .int64(6)])
        let many = PredicateArgument.list((1...300).map { LibraryQueries.object("Book", $0) })
        let array = try ServerQueries.condition("SELF IN %@", [many])
        #expect(array.sql == #"t0."_key" = ANY($1)"# && array.bindings == [.integers(Array(1...300))])
    }
}
#endif
