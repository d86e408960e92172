import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import Testing

@Suite("SQL of projections")
struct ProjectionSQLTests {
    private func path(_ text: String) -> ExpressionTree { .path(text.split(separator: ".").map(String.init)) }

    private func compiled(
        _ tree: ProjectionTree, _ format: String? = nil, _ change: (inout FetchSpecification) -> Void = { _ in }
    ) throws -> CompiledProjection {
        var request = try LibraryQueries.request("Book", format)
        change(&request)
        return try LibraryQueries.compiler.projection(ProjectionSpecification(fetch: request, tree: tree))
    }

    private func sql(
        _ tree: ProjectionTree, _ format: String? = nil, _ change: (inout FetchSpecification) -> Void = { _ in }
    ) throws -> String {
        try compiled(tree, format, change).statement.sql
    }

    private func issue(_ tree: ProjectionTree) throws -> QueryError {
        try #require(throws: QueryError.self) { _ = try compiled(tree) }
    }

    @Test func `columns of rows, also through relationships`() throws {
        let tree = ProjectionTree([path("title"), path("author.name"), path("author.age"), path("cost")])
        #expect(
            try sql(tree, "year > 3")
                == "SELECT t0.ZTITLE, t1.ZNAME, t1.ZAGE, t0.ZCOST FROM ZBOOK t0 LEFT JOIN ZAUTHOR t1 ON t1.Z_PK = t0.ZAUTHOR"
                + " WHERE t0.ZYEAR > ?1 ORDER BY t0.Z_PK")
    }

    @Test func `a count of a many-to-many needs the join table alone`() throws {
        #expect(
            try sql(ProjectionTree([path("tags.@count")])) { $0.limit = 2 }
                == "SELECT (SELECT COUNT(*) FROM Z_2TAGS t1 WHERE t1.Z_2BOOKS = t0.Z_PK) FROM ZBOOK t0 ORDER BY t0.Z_PK LIMIT ?1"
        )
    }

    @Test func `distinct rows are sorted by their columns`() throws {
        var tree = ProjectionTree([path("title"), path("cost")])
        tree.isDistinct = true
        tree.sorts = [.init(path("cost"), ascending: false)]
        #expect(
            try sql(tree) == "SELECT DISTINCT t0.ZTITLE, t0.ZCOST FROM ZBOOK t0 ORDER BY (t0.ZCOST + 0) DESC, t0.ZTITLE"
        )
    }

    @Test func `aggregates of all rows`() throws {
        func sql(_ aggregate: RowAggregate, _ key: String?) throws -> String {
            let statement = try self.sql(ProjectionTree([.aggregate(aggregate, of: key.map { path($0) })]))
            return String(statement.dropFirst("SELECT ".count).dropLast(" FROM ZBOOK t0".count))
        }
        #expect(try sql(.count, nil) == "COUNT(*)")
        #expect(try sql(.count, "title") == "COUNT(t0.ZTITLE)")
        #expect(try sql(.count, "author") == "COUNT(t0.ZAUTHOR)")
        #expect(try sql(.maximum, "published") == "MAX(t0.ZPUBLISHED)")
        #expect(try sql(.minimum, "cost") == "SwormDecimalMin(t0.ZCOST)")
        #expect(try sql(.sum, "cost") == "CASE COUNT(t0.ZCOST) WHEN 0 THEN 0 ELSE SwormDecimalSum(t0.ZCOST) END")
        #expect(try sql(.sum, "year") == "COALESCE(SUM(t0.ZYEAR), 0)")
        #expect(try sql(.sum, "price") == "CASE COUNT(t0.ZPRICE) WHEN 0 THEN 0 ELSE SUM(t0.ZPRICE) END")
        #expect(try sql(.average, "year") == "AVG(t0.ZYEAR)")
        #expect(try sql(.average, "cost") == "AVG(CAST(t0.ZCOST AS REAL))")
        #expect(
            try sql(.count, "chapters")
                == "COALESCE(SUM((SELECT COUNT(*) FROM ZCHAPTER t1 WHERE t1.ZBOOK = t0.Z_PK)), 0)")
    }

    @Test func `an aggregate of a limited request is one of the rows with its keys`() throws {
        let statement = try compiled(ProjectionTree([.aggregate(.sum, of: path("year"))]), "title == 'x'") { request in
            request.limit = 3
            request.sorts = [.init(path: ["year"])]
        }.statement
        #expect(
            statement.sql
                == "SELECT COALESCE(SUM(t0.ZYEAR), 0) FROM ZBOOK t0 WHERE t0.Z_PK IN"
                + " (SELECT t0.Z_PK FROM ZBOOK t0 WHERE t0.ZTITLE = ?1 ORDER BY t0.ZYEAR, t0.Z_PK LIMIT ?2)")
        #expect(statement.bindings == [.text("x"), .int64(3)])
    }

    @Test func `groups, conditions on them, and their order`() throws {
        var tree = ProjectionTree([path("author.name"), .aggregate(.count)])
        tree.groups = [path("author.name")]
        let join = "FROM ZBOOK t0 LEFT JOIN ZAUTHOR t1 ON t1.Z_PK = t0.ZAUTHOR"
        #expect(try sql(tree) == "SELECT t1.ZNAME, COUNT(*) \(join) GROUP BY t1.ZNAME ORDER BY t1.ZNAME")
        tree.having = .comparison(Comparison(.aggregate(.count), by: .greater, with: .value(.int(2))))
        tree.sorts = [.init(.aggregate(.maximum, of: path("year")), ascending: false)]
        tree.groupLimit = 5
        let statement = try compiled(tree, "year != nil") { _ in }.statement
        #expect(
            statement.sql
                == "SELECT t1.ZNAME, COUNT(*) \(join) WHERE t0.ZYEAR IS NOT NULL GROUP BY t1.ZNAME HAVING COUNT(*) > ?1"
                + " ORDER BY MAX(t0.ZYEAR) DESC, t1.ZNAME LIMIT ?2")
        #expect(statement.bindings == [.int64(2), .int64(5)])
    }

    @Test func `groups by a total of members, and by a value that all rows have, are sorted by it`() throws {
        var tree = ProjectionTree([.value(.int(7)), path("chapters.@sum.pages"), .aggregate(.count)])
        tree.groups = [.value(.int(7)), path("chapters.@sum.pages")]
        let statement = try compiled(tree, nil) { _ in }.statement
        func sum(_ alias: String) -> String {
            "(SELECT COALESCE(SUM(\(alias).ZPAGES), 0) FROM ZCHAPTER \(alias) WHERE \(alias).ZBOOK = t0.Z_PK)"
        }
        #expect(
            statement.sql
                == "SELECT ?1, \(sum("t2")), COUNT(*) FROM ZBOOK t0 GROUP BY ?2, \(sum("t1")) ORDER BY ?3, \(sum("t3"))"
        )
        #expect(statement.bindings == [.int64(7), .int64(7), .int64(7)])
    }

    @Test func `a limit before grouping chooses rows, and one after it groups`() throws {
        var tree = ProjectionTree([path("title"), .aggregate(.count)])
        tree.groups = [path("title")]
        (tree.groupLimit, tree.groupOffset) = (2, 1)
        let statement = try compiled(tree, "year > 3") { request in
            request.limit = 9
            request.sorts = [.init(path: ["year"])]
        }.statement
        #expect(
            statement.sql
                == "SELECT t0.ZTITLE, COUNT(*) FROM ZBOOK t0 WHERE t0.Z_PK IN"
                + " (SELECT t0.Z_PK FROM ZBOOK t0 WHERE t0.ZYEAR > ?1 ORDER BY t0.ZYEAR, t0.Z_PK LIMIT ?2)"
                + " GROUP BY t0.ZTITLE ORDER BY t0.ZTITLE LIMIT ?3 OFFSET ?4")
        #expect(statement.bindings == [.int64(3), .int64(9), .int64(2), .int64(1)])
    }

    @Test func `expressions with many values, without order or without a sum are rejected`() throws {
        #expect(try issue(ProjectionTree([])).message.contains("nothing"))
        #expect(try issue(ProjectionTree([path("titel")])).code == .unknownKey)
        #expect(try issue(ProjectionTree([path("chapters.title")])).message.contains("to-many"))
        #expect(try issue(ProjectionTree([path("mood")])).message.contains("transient"))
        #expect(try issue(ProjectionTree([.aggregate(.sum, of: path("title"))])).code == .typeMismatch)
        #expect(try issue(ProjectionTree([.aggregate(.minimum, of: path("isbn"))])).code == .typeMismatch)
        #expect(try issue(ProjectionTree([.aggregate(.maximum, of: path("scan"))])).code == .unsupported)
        #expect(try issue(ProjectionTree([.aggregate(.count), path("title")])).message.contains("title"))
        #expect(try issue(ProjectionTree([.aggregate(.sum, of: .aggregate(.count))])).message.contains("aggregate"))
        var grouped = ProjectionTree([path("title"), path("year")])
        grouped.groups = [path("title")]
        #expect(try issue(grouped).message.contains("year"))
        var distinct = ProjectionTree([path("scan")])
        distinct.isDistinct = true
        #expect(try issue(distinct).message.contains("externally"))
        #expect(throws: QueryError.self) {
            var request = try LibraryQueries.request()
            request.predicate = .comparison(Comparison(.aggregate(.count), by: .greater, with: .value(.int(2))))
            _ = try LibraryQueries.compiler.identities(request)
        }
    }
}
