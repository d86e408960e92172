#if PostgreSQL
import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: SQL of projections")
struct PostgresProjectionSQLTests {
    private func path(_ text: String) -> ExpressionTree { .path(text.split(separator: ".").map(String.init)) }

    private func compiled(
        _ tree: ProjectionTree, _ format: String? = nil, _ change: (inout FetchSpecification) -> Void = { _ in }
    ) throws -> CompiledProjection {
        var request = try LibraryQueries.request("Book", format)
        change(&request)
        let result = try ServerQueries.compiler.projection(ProjectionSpecification(fetch: request, tree: tree))
        _ = try checked(result.statement)
        return result
    }

    private func sql(_ tree: ProjectionTree, _ format: String? = nil) throws -> String {
        try compiled(tree, format).statement.sql
    }

    private let author = #"FROM "shop"."Book" t0 LEFT JOIN "shop"."Author" t1 ON t1."_key" = t0."author""#

    @Test func `columns have the types of their attributes`() throws {
        let tree = ProjectionTree([
            path("title"), path("author.name"), path("inStock"), path("published"), path("cost"),
        ])
        #expect(
            try sql(tree, "year > 3")
                == #"SELECT t0."title", t1."name", t0."inStock", t0."published", t0."cost" \#(author)"#
                + #" WHERE t0."year" > $1 ORDER BY t0."_key""#)
    }

    @Test func `an object is its key and the number of its entity`() throws {
        #expect(
            try sql(ProjectionTree([path("author")]))
                == #"SELECT t0."author", 1::smallint FROM "shop"."Book" t0 ORDER BY t0."_key""#)
        var request = try LibraryQueries.request("Chapter")
        request.limit = 2
        #expect(
            try ServerQueries.compiler.projection(
                ProjectionSpecification(fetch: request, tree: ProjectionTree([path("book")]))
            ).statement.sql
                == #"SELECT t0."book", t1."_entity" FROM "shop"."Chapter" t0"#
                + #" LEFT JOIN "shop"."Book" t1 ON t1."_key" = t0."book" ORDER BY t0."_key" LIMIT $1"#)
    }

    @Test func `aggregates of all rows`() throws {
        func sql(_ aggregate: RowAggregate, _ key: String?) throws -> String {
            let statement = try self.sql(ProjectionTree([.aggregate(aggregate, of: key.map { path($0) })]))
            return String(statement.dropFirst("SELECT ".count).dropLast(#" FROM "shop"."Book" t0"#.count))
        }
        #expect(try sql(.count, nil) == "COUNT(*)")
        #expect(try sql(.count, "author") == #"COUNT(t0."author")"#)
        #expect(try sql(.maximum, "published") == #"MAX(t0."published")"#)
        #expect(try sql(.minimum, "inStock") == #"bool_and(t0."inStock")"#)
        #expect(try sql(.minimum, "cost") == #"MIN(t0."cost")"#)
        #expect(try sql(.sum, "cost") == #"COALESCE(SUM(t0."cost"), 0)"#)
        #expect(try sql(.sum, "year") == #"(COALESCE(SUM(t0."year"), 0))::bigint"#)
        #expect(
            try sql(.sum, "price")
                == #"(CASE COUNT(t0."price") WHEN 0 THEN 0 ELSE nullif(SUM((t0."price")::float8), 'NaN') END)"#)
        #expect(try sql(.average, "year") == #"(SUM(t0."year")::float8 / COUNT(t0."year"))"#)
        #expect(
            try sql(.average, "cost") == #"(nullif(SUM((t0."cost")::float8), 'NaN') / COUNT(t0."cost"))"#)
        #expect(
            try sql(.count, "chapters")
                == #"(COALESCE(SUM((SELECT COUNT(*) FROM "shop"."Chapter" t1 WHERE t1."book" = t0."_key")), 0))::bigint"#
        )
    }

    @Test func `groups, conditions on them, and their order`() throws {
        var tree = ProjectionTree([path("author.name"), .aggregate(.count)])
        tree.groups = [path("author.name")]
        tree.having = .comparison(Comparison(.aggregate(.count), by: .greater, with: .value(.int(2))))
        tree.sorts = [.init(.aggregate(.maximum, of: path("year")), ascending: false)]
        tree.groupLimit = 5
        let statement = try compiled(tree, "year != nil").statement
        #expect(
            statement.sql
                == #"SELECT t1."name", COUNT(*) \#(author) WHERE t0."year" IS NOT NULL GROUP BY t1."name""#
                + #" HAVING COUNT(*) > $1 ORDER BY MAX(t0."year") DESC NULLS LAST, t1."name" NULLS FIRST LIMIT $2"#)
        #expect(statement.bindings == [.int64(2), .int64(5)])
    }

    @Test func `a computed group has the same text and the same parameters wherever it occurs`() throws {
        let decade = ExpressionTree.binary(.divide, path("year"), .value(.int(10)))
        var tree = ProjectionTree([decade, path("chapters.@count"), .aggregate(.count)])
        tree.groups = [decade, path("chapters.@count")]
        let statement = try compiled(tree).statement
        let year = #"((t0."year")::bigint / nullif($1, 0))"#
        let count = #"(SELECT COUNT(*) FROM "shop"."Chapter" t1 WHERE t1."book" = t0."_key")"#
        #expect(
            statement.sql
                == #"SELECT \#(year), \#(count), COUNT(*) FROM "shop"."Book" t0 GROUP BY \#(year), \#(count)"#
                + #" ORDER BY \#(year) NULLS FIRST, \#(count) NULLS FIRST"#)
        #expect(statement.bindings == [.int64(10)])
    }

    @Test func `a group has the same text wherever it occurs, also if its column has another type`() throws {
        func statement(_ group: ExpressionTree, _ comparator: SwormPredicates.Comparator, _ value: AttributeValue)
            throws -> String
        {
            var tree = ProjectionTree([group, .aggregate(.count)])
            tree.groups = [group]
            tree.having = .comparison(Comparison(group, by: comparator, with: .value(value)))
            return try sql(tree)
        }
        let sum =
            #"((SELECT COALESCE(SUM(t1."pages"), 0) FROM "shop"."Chapter" t1 WHERE t1."book" = t0."_key"))::bigint"#
        #expect(
            try statement(path("chapters.@sum.pages"), .greater, .int(5))
                == #"SELECT \#(sum), COUNT(*) FROM "shop"."Book" t0 GROUP BY \#(sum) HAVING \#(sum) > $1"#
                + #" ORDER BY \#(sum) NULLS FIRST"#)
        let flag = #"((abs(((t0."inStock")::int)::bigint)) <> 0)"#
        #expect(
            try statement(.function("abs", [path("inStock")]), .equal, .bool(true))
                == #"SELECT \#(flag), COUNT(*) FROM "shop"."Book" t0 GROUP BY \#(flag) HAVING \#(flag) = $1"#
                + #" ORDER BY \#(flag) NULLS FIRST"#)
    }

    @Test func `a computed date is the number of its seconds`() throws {
        let later = ExpressionTree.binary(.add, path("published"), .value(.int(60)))
        let seconds = #"nullif(((extract(epoch FROM t0."published") - 978307200)::float8 + ($1)::float8), 'NaN')"#
        let projection = try compiled(ProjectionTree([later]))
        #expect(projection.statement.sql == #"SELECT \#(seconds) FROM "shop"."Book" t0 ORDER BY t0."_key""#)
        #expect(projection.columns.map(\.content) == [.value(.date)])
        #expect(
            try sql(ProjectionTree([.aggregate(.maximum, of: later)]))
                == #"SELECT MAX(\#(seconds)) FROM "shop"."Book" t0"#)
    }

    @Test func `a choice between Booleans of two types is a Boolean`() throws {
        let choice = ExpressionTree.conditional(
            .comparison(Comparison(path("year"), by: .equal, with: .value(.int(1)))), path("inStock"),
            .function("abs", [path("inStock")]))
        let sql = try sql(ProjectionTree([choice]))
        #expect(sql.hasPrefix("SELECT (((CASE WHEN ") && sql.contains(" END)) <> 0) FROM"), "\(sql)")
    }

    @Test func `distinct rows that are sorted by more than their columns are groups`() throws {
        var tree = ProjectionTree([path("title"), path("cost")])
        tree.isDistinct = true
        tree.sorts = [.init(path("cost"), ascending: false)]
        #expect(
            try sql(tree)
                == #"SELECT DISTINCT t0."title", t0."cost" FROM "shop"."Book" t0"#
                + #" ORDER BY t0."cost" DESC NULLS LAST, t0."title" NULLS FIRST"#)
        tree.sorts = [.init(path("title"), options: [.caseInsensitive])]
        #expect(
            try sql(tree)
                == #"SELECT t0."title", t0."cost" FROM "shop"."Book" t0 GROUP BY t0."title", t0."cost" ORDER BY"#
                + #" "shop"._sworm_fold1_c(t0."title") NULLS FIRST, t0."title" NULLS FIRST, t0."cost" NULLS FIRST"#)
    }

    @Test func `a limit before grouping chooses rows`() throws {
        var tree = ProjectionTree([.aggregate(.sum, of: path("year"))])
        tree.groups = []
        let statement = try compiled(tree, "title == 'x'") { request in
            request.limit = 3
            request.sorts = [.init(path: ["year"])]
        }.statement
        #expect(
            statement.sql
                == #"SELECT (COALESCE(SUM(t0."year"), 0))::bigint FROM "shop"."Book" t0 WHERE t0."_key" IN"#
                + #" (SELECT t0."_key" FROM "shop"."Book" t0 WHERE t0."title" = $1"#
                + #" ORDER BY t0."year" NULLS FIRST, t0."_key" LIMIT $2)"#)
        #expect(statement.bindings == [.text("x"), .int64(3)])
    }

    @Test func `values without an exact form leave the projection to memory`() throws {
        let mixed = ExpressionTree.conditional(
            .comparison(Comparison(path("rating"), by: .equal, with: .value(.int(1)))),
            .binary(.add, path("year"), .value(.int(1))), path("price"))
        #expect(throws: NotExact.self) { _ = try sql(ProjectionTree([mixed])) }
        #expect(throws: NotExact.self) { _ = try sql(ProjectionTree([.cast(path("price"), "NSDecimalNumber")])) }
        #expect(throws: QueryError.self) { _ = try sql(ProjectionTree([path("titel")])) }
    }
}
#endif
