#if PostgreSQL
import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: SQL of whole requests")
struct PostgresRequestSQLTests {
    private let compiler = ServerQueries.compiler

    private func slot(_ name: String, of entity: String) throws -> (entity: Int, slot: Int) {
        let entity = try #require(CompiledModel.library.entity(named: entity))
        switch entity.slot(named: name) {
        case .attribute(let slot), .relationship(let slot): return (entity.number, slot)
        case nil: throw QueryError(.unknownKey, name)
        }
    }

    // MARK: Rows

    @Test func `rows have the cells of their shape`() throws {
        let chapter = try LibraryQueries.request("Chapter")
        #expect(
            try checked(compiler.rows(chapter, shape: RowShape(model: .library, entity: chapter.entity))).sql
                == #"SELECT t0."_key", 4::smallint, t0."_version", t0."pages", t0."size", t0."title", t0."book","#
                + #" (SELECT d."_entity" FROM "shop"."Book" d WHERE d."_key" = t0."book")"#
                + #" FROM "shop"."Chapter" t0 ORDER BY t0."_key""#)
    }

    @Test func `external data are a column of their own, of which a row has the length`() throws {
        let book = try LibraryQueries.request("Book")
        let rows = try checked(compiler.rows(book, shape: RowShape(model: .library, entity: book.entity))).sql
        #expect(rows.contains(#", octet_length(t0."scan"), "#) && rows.contains(#", t0."digest", "#))
        let scan = try slot("scan", of: "Book").slot
        #expect(
            try checked(compiler.values(book, attributes: [scan])).sql
                == #"SELECT t0."_key", t0."scan" FROM "shop"."Book" t0 ORDER BY t0."_key""#)
        #expect(try ServerQueries.sql("scan == nil") == #"t0."scan" IS NULL"#)
    }

    @Test func `known keys are an array`() throws {
        let tag = RowShape(model: .library, entity: try slot("name", of: "Tag").entity)
        let select = #"SELECT t0."_key", 6::smallint, t0."_version", t0."name" FROM "shop"."Tag" t0 WHERE t0."_key""#
        #expect(
            try checked(compiler.rows(withKeys: [4], shape: tag))
                == CompiledStatement(sql: select + #" = $1 ORDER BY t0."_key""#, bindings: [.int64(4)]))
        #expect(
            try checked(compiler.rows(withKeys: [4, 5], shape: tag))
                == CompiledStatement(sql: select + #" = ANY($1) ORDER BY t0."_key""#, bindings: [.integers([4, 5])]))
    }

    @Test func `one entity of a shared table is distinguished by the number that the store keeps`() throws {
        let novel = try LibraryQueries.request("Novel")
        #expect(
            try checked(compiler.identities(novel)).sql
                == #"SELECT t0."_entity", t0."_key" FROM "shop"."Book" t0 WHERE t0."_entity" = 3 ORDER BY t0."_key""#)
        let model = ModelSketch([
            .init(name: "A"), .init(name: "B", parent: "A"), .init(name: "C", parent: "B"),
            .init(name: "D", parent: "A"),
        ]).compiled()
        var names = PostgresNames()
        names.numbers = ["C": 1, "A": 7]
        let kept = SQLCompiler(
            model: model, layout: StoreLayout(postgres: model, schema: "x", names: &names), storeIdentifier: "",
            dialect: .postgres)
        #expect(names.numbers == ["C": 1, "A": 7, "B": 8, "D": 9])
        #expect(
            try kept.count(FetchSpecification(entity: 2)).sql
                == #"SELECT COUNT(*) FROM "x"."A" t0 WHERE t0."_entity" IN (8, 1)"#)
    }

    // MARK: Order and limits

    @Test func `NULL is first, in the order of the indexes`() throws {
        var request = try LibraryQueries.request()
        request.sorts = [
            .init(path: ["year"], ascending: false), .init(path: ["author", "name"], options: [.caseInsensitive]),
            .init(path: ["author"]), .init(path: ["inStock"]), .init(path: ["cost"]),
        ]
        #expect(
            try checked(compiler.identities(request)).sql
                == #"SELECT t0."_entity", t0."_key" FROM "shop"."Book" t0"#
                + #" LEFT JOIN "shop"."Author" t1 ON t1."_key" = t0."author" ORDER BY t0."year" DESC NULLS LAST,"#
                + #" "shop"._sworm_fold1_c(t1."name") NULLS FIRST, t0."author" NULLS FIRST,"#
                + #" t0."inStock" NULLS FIRST, t0."cost" NULLS FIRST, t0."_key""#)
        request.sorts = [.init(path: [], ascending: false)]
        #expect(
            try checked(compiler.identities(request)).sql
                == #"SELECT t0."_entity", t0."_key" FROM "shop"."Book" t0 ORDER BY t0."_key" DESC"#)
        request.sorts = [.init(path: ["title"], options: [.localeSensitive])]
        #expect(throws: NotExact.self) { _ = try checked(compiler.identities(request)) }
    }

    @Test func `limit and offset are bound`() throws {
        var request = try LibraryQueries.request("Tag")
        request.limit = 5
        #expect(try checked(compiler.identities(request)).sql.hasSuffix(#"ORDER BY t0."_key" LIMIT $1"#))
        request.offset = 10
        let both = try checked(compiler.identities(request))
        #expect(both.sql.hasSuffix("LIMIT $1 OFFSET $2") && both.bindings == [.int64(5), .int64(10)])
        request.limit = 0
        #expect(
            try checked(compiler.count(request))
                == CompiledStatement(
                    sql: #"SELECT COUNT(*) FROM (SELECT 1 FROM "shop"."Tag" t0 LIMIT ALL OFFSET $1) AS s"#,
                    bindings: [.int64(10)]))
    }

    // MARK: Members

    @Test func `members of owners are found by an array`() throws {
        let notes = try slot("notes", of: "Book")
        #expect(
            try checked(compiler.members(ofRelationship: notes.slot, in: notes.entity, owners: [2, 1]))
                == CompiledStatement(
                    sql: #"SELECT t0."_Book_notes", 5::smallint, t0."_key", t0."_order_Book_notes""#
                        + #" FROM "shop"."Note" t0 WHERE t0."_Book_notes" = ANY($1)"#
                        + #" ORDER BY t0."_Book_notes", t0."_order_Book_notes" NULLS FIRST, t0."_key""#,
                    bindings: [.integers([2, 1])]))
        let tags = try slot("tags", of: "Book")
        let shape = RowShape(model: .library, entity: 6)
        #expect(
            try checked(
                compiler.memberRows(
                    ofRelationship: tags.slot, in: tags.entity, owners: [1], shape: shape, limit: 9))
                == CompiledStatement(
                    sql: #"SELECT t0."_key", 6::smallint, t0."_version", t0."name", t1."Book", NULL::bigint"#
                        + #" FROM "shop"."Book_tags" t1 JOIN "shop"."Tag" t0 ON t0."_key" = t1."Tag""#
                        + #" WHERE t1."Book" = $1 ORDER BY t1."Book", t0."_key" LIMIT $2"#,
                    bindings: [.int64(1), .int64(9)]))
        #expect(
            try compiler.memberScan(ofRelationship: tags.slot, in: tags.entity, owners: 1...9, shape: shape) == nil)
    }

    @Test func `a level of a tree is one statement`() throws {
        let chapters = try slot("chapters", of: "Book")
        let pages = try slot("pages", of: "Chapter")
        var fetch = FetchSpecification(entity: pages.entity)
        var level = TreeLevel(
            fetch,
            source: .members(of: chapters.entity, relationship: chapters.slot, owners: [3, 8], anyOrder: true),
            columns: [pages.slot])
        #expect(
            try checked(compiler.level(level))
                == CompiledStatement(
                    sql: #"SELECT t0."_key", t0."pages", t0."book" FROM "shop"."Chapter" t0"#
                        + #" WHERE t0."book" = ANY($1) ORDER BY t0."book", t0."_key""#,
                    bindings: [.integers([3, 8])]))
        #expect(try compiler.memberScan(level, between: 3...8) == nil)
        fetch.limit = 2
        fetch.sorts = [.init(path: ["pages"], ascending: false)]
        level.fetch = fetch
        #expect(
            try checked(compiler.level(level))
                == CompiledStatement(
                    sql: #"SELECT t0."_key", t0."pages", o.value FROM unnest($1) WITH ORDINALITY AS o(value, key)"#
                        + #" CROSS JOIN LATERAL (SELECT t0."_key" FROM "shop"."Chapter" t0 WHERE t0."book" = o.value"#
                        + #" ORDER BY t0."pages" DESC NULLS LAST, t0."_key" LIMIT $2) f"#
                        + #" JOIN "shop"."Chapter" t0 ON t0."_key" = f."_key""#
                        + #" ORDER BY o.key, t0."pages" DESC NULLS LAST, t0."_key""#,
                    bindings: [.integers([3, 8]), .int64(2)]))
        #expect(try compiler.memberChoice(level, between: 3...8) == nil)
        level = TreeLevel(
            FetchSpecification(entity: pages.entity), source: .keys([5, 6]), columns: [PseudoSlot.entity])
        #expect(
            try checked(compiler.level(level)).sql
                == #"SELECT t0."_key", COALESCE(4::smallint, 0) FROM "shop"."Chapter" t0 WHERE t0."_key" = ANY($1)"#
                + #" ORDER BY t0."_key""#)
    }

    @Test func `the first members of a join table keep the order of the relationship`() throws {
        let model = ModelSketch([
            .init(name: "Post", relationships: ["tags =>> Tag.posts"]),
            .init(name: "Tag", attributes: ["name": .string], relationships: ["posts ->> Post.tags"]),
        ]).compiled()
        let compiler = SQLCompiler(
            model: model, layout: StoreLayout(postgres: model, schema: "x"), storeIdentifier: "", dialect: .postgres)
        var fetch = FetchSpecification(entity: 2)
        fetch.limit = 3
        let level = TreeLevel(
            fetch, source: .members(of: 1, relationship: 0, owners: [1], anyOrder: false), columns: [0])
        #expect(
            try compiler.level(level).sql
                == #"SELECT t0."_key", t0."name", o.value FROM unnest($1) WITH ORDINALITY AS o(value, key)"#
                + #" CROSS JOIN LATERAL (SELECT t0."_key" FROM "x"."Tag" t0"#
                + #" JOIN "x"."Post_tags" own ON own."Tag" = t0."_key" WHERE own."Post" = o.value"#
                + #" ORDER BY own."_order_tags" NULLS FIRST, t0."_key" LIMIT $2) f"#
                + #" JOIN "x"."Tag" t0 ON t0."_key" = f."_key""#
                + #" JOIN "x"."Post_tags" own ON own."Tag" = t0."_key" AND own."Post" = o.value"#
                + #" ORDER BY o.key, own."_order_tags" NULLS FIRST, t0."_key""#)
    }
}
#endif
