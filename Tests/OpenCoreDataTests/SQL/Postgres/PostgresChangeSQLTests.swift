#if PostgreSQL
import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: SQL that changes all rows of a request")
struct PostgresChangeSQLTests {
    private let compiler = ServerQueries.compiler
    private let version =
        #""_version" = CASE WHEN "_version" BETWEEN 0 AND 9223372036854775806 THEN "_version" + 1 ELSE 1 END"#
    private let values = [
        ColumnAssignment(column: #""year""#, value: .int64(3)),
        ColumnAssignment(column: #""title""#, value: .text("x")),
    ]

    @Test func `conditions on the row itself are in the statement`() throws {
        #expect(
            try checked(compiler.update(LibraryQueries.request("Book", "year < 1900"), set: values))
                == CompiledStatement(
                    sql: #"UPDATE "shop"."Book" AS t0 SET "year" = $1, "title" = $2, \#(version) WHERE t0."year" < $3"#,
                    bindings: [.int64(3), .text("x"), .int64(1900)]))
        #expect(
            try checked(compiler.delete(LibraryQueries.request("Tag", "name == 'a'")))
                == CompiledStatement(
                    sql: #"DELETE FROM "shop"."Tag" AS t0 WHERE t0."name" = $1"#, bindings: [.text("a")]))
        let empty = ColumnAssignment(column: #""year""#, value: .null)
        #expect(
            try checked(compiler.update(LibraryQueries.request("Book"), set: [empty], leavingEqual: true))
                == CompiledStatement(
                    sql:
                        #"UPDATE "shop"."Book" AS t0 SET "year" = NULL, \#(version) WHERE t0."year" IS DISTINCT FROM NULL"#
                ))
    }

    @Test func `rows that have the values already are left out, and counted`() throws {
        let request = try LibraryQueries.request("Book", "year < 1900")
        let test = #"(t0."year" IS DISTINCT FROM $1 OR t0."title" IS DISTINCT FROM $2)"#
        #expect(
            try checked(compiler.update(request, set: values, leavingEqual: true)).sql
                == #"UPDATE "shop"."Book" AS t0 SET "year" = $1, "title" = $2, \#(version) WHERE t0."year" < $3 AND "#
                + test)
        #expect(
            try checked(compiler.countDifferences(request, from: values))
                == CompiledStatement(
                    sql: #"SELECT COUNT(*), COUNT(*) FILTER (WHERE differs) FROM (SELECT \#(test) AS differs"#
                        + #" FROM "shop"."Book" t0 WHERE t0."year" < $3) AS s"#,
                    bindings: [.int64(3), .text("x"), .int64(1900)]))
    }

    @Test func `rows of other tables, limits and offsets are looked up first`() throws {
        var request = try LibraryQueries.request("Book", "author.name == 'Leo'")
        #expect(
            try checked(compiler.delete(request)).sql
                == #"DELETE FROM "shop"."Book" AS t0 WHERE t0."_key" IN (SELECT t0."_key" FROM "shop"."Book" t0"#
                + #" LEFT JOIN "shop"."Author" t1 ON t1."_key" = t0."author" WHERE t1."name" = $1)"#)
        request = try LibraryQueries.request("Tag", "name > 'a'")
        request.sorts = [FetchSpecification.Sort(path: ["name"], ascending: false)]
        request.offset = 2
        #expect(
            try checked(compiler.delete(request))
                == CompiledStatement(
                    sql: #"DELETE FROM "shop"."Tag" AS t0 WHERE t0."_key" IN (SELECT t0."_key" FROM "shop"."Tag" t0"#
                        + #" WHERE t0."name" > $1 ORDER BY t0."name" DESC NULLS LAST, t0."_key" LIMIT ALL OFFSET $2)"#,
                    bindings: [.text("a"), .int64(2)]))
    }

    /// Returns the value that rows compute for an attribute, and its stored form.
    private func computed(
        _ name: String, _ format: String, _ arguments: [PredicateArgument] = []
    ) throws -> [String] {
        let book = try #require(CompiledModel.library.entity(named: "Book"))
        let attribute = try #require(book.attributes.first { $0.name == name })
        guard case .comparison(let comparison) = try parsePredicate("\(format) == 1", arguments: arguments) else {
            throw QueryError(.syntax, format)
        }
        let sql = try checked(
            ServerQueries.compiler.computed(
                ComputedValue(attribute: attribute, expression: comparison.left), of: book.number, withKeys: "SELECT 1"
            )
        ).sql
        let start = #" AS v FROM (SELECT t0."_key" AS k, "#
        let end = #" AS v FROM "shop"."Book" t0 WHERE t0."_key" IN (SELECT 1)) AS s"#
        #expect(sql.hasPrefix("SELECT k, ") && sql.hasSuffix(end), "\(sql)")
        let parts = sql.dropFirst("SELECT k, ".count).dropLast(end.count).description.components(separatedBy: start)
        return parts.reversed()
    }

    @Test func `computed values have the types of their columns`() throws {
        #expect(try computed("year", "rating") == [#"t0."rating""#, "v"])
        #expect(try computed("year", "price") == [#"t0."price""#, "trunc(v)::bigint"])
        #expect(try computed("year", "inStock") == [#"t0."inStock""#, "(v)::int"])
        #expect(try computed("inStock", "rating") == [#"t0."rating""#, "(v <> 0)"])
        #expect(try computed("inStock", "inStock") == [#"t0."inStock""#, "v"])
        #expect(try computed("price", "year") == [#"t0."year""#, "(v)::float8"])
        #expect(try computed("cost", "year") == [#"t0."year""#, "(v)::numeric"])
        #expect(try computed("cost", "cost") == [#"t0."cost""#, "v"])
        #expect(try computed("published", "published") == [#"t0."published""#, "v"])
        #expect(
            try computed("published", "published + 60") == [
                #"nullif(((extract(epoch FROM t0."published") - 978307200)::float8 + ($1)::float8), 'NaN')"#,
                "(('2001-01-01'::timestamp + make_interval(days => floor(v / 86400)::int, secs => floor(v) - floor(v / 86400) * 86400) + make_interval(secs => v - floor(v))) AT TIME ZONE 'UTC')",
            ])
        #expect(
            try computed("rating", "chapters.@sum.pages") == [
                #"((SELECT COALESCE(SUM(t1."pages"), 0) FROM "shop"."Chapter" t1 WHERE t1."book" = t0."_key"))::bigint"#,
                "v",
            ])
        #expect(throws: NotExact.self) { _ = try computed("cost", "price") }
    }

    @Test func `computed values that are missing have the types of their columns`() throws {
        let types = [
            "year": "integer", "inStock": "boolean", "price": "float8", "cost": "numeric", "published": "timestamptz",
            "title": "text", "isbn": "uuid", "size.width": "smallint", "site": "text",
        ]
        for (name, type) in types { #expect(try computed(name, "nil") == ["NULL::text", "NULL::\(type)"]) }
        #expect(try computed("year", "%@", [.value(.double(.nan))]) == ["NULL::float8", "trunc(v)::bigint"])
        #expect(try computed("cost", "%@", [.value(.decimal(.nan))]) == ["NULL::numeric", "v"])
    }
}
#endif
