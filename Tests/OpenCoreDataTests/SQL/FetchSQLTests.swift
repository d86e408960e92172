import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import Testing

/// What the library's compiler makes of requests for one entity.
struct LibraryQueries {
    static let store = "5A1E"
    static let compiler = SQLCompiler(
        model: .library, layout: StoreLayout(model: .library), storeIdentifier: store)

    static func request(
        _ entity: String = "Book", _ format: String? = nil, _ arguments: [PredicateArgument] = []
    ) throws -> FetchSpecification {
        var request = FetchSpecification(entity: try #require(CompiledModel.library.entity(named: entity)).number)
        request.predicate = try format.map { try parsePredicate($0, arguments: arguments) }
        return request
    }

    /// The condition that a predicate becomes, with its joins in front where it has some.
    static func condition(
        _ format: String, _ arguments: [PredicateArgument] = [], of entity: String = "Book"
    ) throws -> CompiledStatement {
        var statement = try compiler.identities(request(entity, format, arguments))
        let start = "SELECT t0.Z_ENT, t0.Z_PK FROM Z\(entity.uppercased()) t0"
        #expect(statement.sql.hasPrefix(start) && statement.sql.hasSuffix(" ORDER BY t0.Z_PK"))
        statement.sql = String(statement.sql.dropFirst(start.count).dropLast(" ORDER BY t0.Z_PK".count))
        if statement.sql.hasPrefix(" WHERE ") { statement.sql.removeFirst(" WHERE ".count) }
        return statement
    }

    static func sql(
        _ format: String, _ arguments: [PredicateArgument] = [], of entity: String = "Book"
    ) throws -> String {
        try condition(format, arguments, of: entity).sql
    }

    static func object(_ entity: String, _ key: Int64, store: String? = store) -> PredicateArgument {
        .value(.object(ObjectReference(storeIdentifier: store, entityName: entity, key: key)))
    }

    /// The code and the message of the error that a predicate gives.
    static func issue(
        _ format: String, _ arguments: [PredicateArgument] = [], of entity: String = "Book"
    ) throws -> QueryError {
        try #require(throws: QueryError.self) {
            _ = try compiler.identities(request(entity, format, arguments))
        }
    }
}

@Suite("SQL of whole requests")
struct FetchSQLTests {
    private let compiler = LibraryQueries.compiler

    @Test func `rows have the cells of their shape in its order`() throws {
        let chapter = try LibraryQueries.request("Chapter")
        let shape = RowShape(model: .library, entity: chapter.entity)
        #expect(
            try compiler.rows(chapter, shape: shape)
                == .init(
                    sql: "SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t0.ZPAGES, t0.ZSIZE, t0.ZTITLE, t0.ZBOOK, t0.Z2_BOOK"
                        + " FROM ZCHAPTER t0 ORDER BY t0.Z_PK"))
    }

    @Test func `one entity of a shared table is distinguished from the others by its number`() throws {
        let novel = try LibraryQueries.request("Novel")
        #expect(
            try compiler.identities(novel).sql
                == "SELECT t0.Z_ENT, t0.Z_PK FROM ZBOOK t0 WHERE t0.Z_ENT = 3 ORDER BY t0.Z_PK")
        var books = try LibraryQueries.request("Book")
        #expect(try compiler.count(books).sql == "SELECT COUNT(*) FROM ZBOOK t0")
        books.includesSubentities = false
        #expect(try compiler.count(books).sql == "SELECT COUNT(*) FROM ZBOOK t0 WHERE t0.Z_ENT = 2")
    }

    @Test func `a family in the middle of a hierarchy is a range of numbers`() throws {
        let model = ModelSketch([
            .init(name: "A"), .init(name: "B", parent: "A"), .init(name: "C", parent: "B"),
            .init(name: "D", parent: "A"),
        ]).compiled()
        let compiler = SQLCompiler(model: model, layout: StoreLayout(model: model), storeIdentifier: "")
        var request = FetchSpecification(entity: 2)
        request.predicate = .constant(true)
        #expect(try compiler.count(request).sql == "SELECT COUNT(*) FROM ZA t0 WHERE t0.Z_ENT BETWEEN 2 AND 3")
    }

    @Test func `the primary key is always the last sort key`() throws {
        var request = try LibraryQueries.request()
        request.sorts = [
            .init(path: ["year"], ascending: false), .init(path: ["author", "name"], options: [.caseInsensitive]),
            .init(path: ["author"]), .init(path: ["size", "width"]), .init(path: ["cost"]),
        ]
        #expect(
            try compiler.identities(request).sql
                == "SELECT t0.Z_ENT, t0.Z_PK FROM ZBOOK t0 LEFT JOIN ZAUTHOR t1 ON t1.Z_PK = t0.ZAUTHOR ORDER BY"
                + " t0.ZYEAR DESC, SwormFold(t1.ZNAME, 1), t0.ZAUTHOR, t0.ZWIDTH, (t0.ZCOST + 0), t0.Z_PK")
        request.sorts = [.init(path: [], ascending: false)]
        #expect(
            try compiler.identities(request).sql
                == "SELECT t0.Z_ENT, t0.Z_PK FROM ZBOOK t0 ORDER BY t0.Z_PK DESC")
    }

    @Test func `a sort key that has no order in the store is rejected`() throws {
        for path in [["mood"], ["cover"], ["scan"], ["chapters"], ["chapters", "title"], ["nothing"], ["size"]] {
            var request = try LibraryQueries.request()
            request.sorts = [.init(path: path)]
            #expect(throws: QueryError.self, "\(path)") { _ = try compiler.identities(request) }
        }
    }

    @Test func `limit and offset are bound`() throws {
        var request = try LibraryQueries.request("Tag")
        request.limit = 5
        #expect(try compiler.identities(request).sql.hasSuffix("ORDER BY t0.Z_PK LIMIT ?1"))
        request.offset = 10
        let both = try compiler.identities(request)
        #expect(both.sql.hasSuffix("LIMIT ?1 OFFSET ?2") && both.bindings == [.int64(5), .int64(10)])
        request.limit = 0
        #expect(try compiler.identities(request).bindings == [.int64(-1), .int64(10)])
        #expect(
            try compiler.count(request)
                == .init(
                    sql: "SELECT COUNT(*) FROM (SELECT 1 FROM ZTAG t0 LIMIT ?1 OFFSET ?2)",
                    bindings: [.int64(-1), .int64(10)]))
    }

    @Test func `given attributes follow the key`() throws {
        let entity = try #require(CompiledModel.library.entity(named: "Tag"))
        guard case .attribute(let slot) = entity.slot(named: "name") else { return }
        let statement = try compiler.values(try LibraryQueries.request("Tag", "name != nil"), attributes: [slot])
        #expect(
            statement.sql == "SELECT t0.Z_PK, t0.ZNAME FROM ZTAG t0 WHERE t0.ZNAME IS NOT NULL ORDER BY t0.Z_PK")
    }

    @Test func `a transient attribute cannot be selected`() throws {
        let entity = try #require(CompiledModel.library.entity(named: "Book"))
        guard case .attribute(let slot) = entity.slot(named: "mood") else { return }
        #expect(throws: QueryError.self) {
            _ = try compiler.values(try LibraryQueries.request(), attributes: [slot])
        }
    }

    @Test func `rows by keys have the same SQL string for any number of keys`() throws {
        let shape = RowShape(model: .library, entity: try LibraryQueries.request("Tag").entity)
        let one = compiler.rows(withKeys: [7], shape: shape)
        #expect(one.sql.hasSuffix("FROM ZTAG t0 WHERE t0.Z_PK = ?1 ORDER BY t0.Z_PK") && one.bindings == [.int64(7)])
        let two = compiler.rows(withKeys: [7, 8], shape: shape)
        let many = compiler.rows(withKeys: Array(1...1000), shape: shape)
        #expect(two.sql.contains("WHERE t0.Z_PK IN (SELECT value FROM json_each(?1)) ORDER BY t0.Z_PK"))
        #expect(two.sql == many.sql && two.bindings == [.text("[7,8]")])
    }

    @Test func `rows by keys are of the entity that is asked for`() throws {
        let shape = RowShape(model: .library, entity: try LibraryQueries.request("Novel").entity)
        #expect(compiler.rows(withKeys: [7], shape: shape).sql.contains("WHERE t0.Z_PK = ?1 AND t0.Z_ENT = 3"))
    }

    private func members(_ name: String) throws -> String {
        let book = try #require(CompiledModel.library.entity(named: "Book"))
        guard case .relationship(let slot) = book.slot(named: name) else { return "" }
        let statement = try compiler.members(ofRelationship: slot, in: book.number, owners: [1, 2])
        #expect(statement.bindings == [.text("[1,2]")])
        return statement.sql
    }

    @Test func `members come by owner, order and key`() throws {
        let owners = "IN (SELECT value FROM json_each(?1))"
        #expect(
            try members("chapters")
                == "SELECT t0.ZBOOK, t0.Z_ENT, t0.Z_PK, NULL FROM ZCHAPTER t0 WHERE t0.ZBOOK \(owners) ORDER BY t0.ZBOOK, t0.Z_PK"
        )
        #expect(
            try members("notes")
                == "SELECT t0.Z2NOTES, t0.Z_ENT, t0.Z_PK, t0.Z_FOK_2NOTES FROM ZNOTE t0 WHERE t0.Z2NOTES \(owners)"
                + " ORDER BY t0.Z2NOTES, t0.Z_FOK_2NOTES, t0.Z_PK")
        #expect(
            try members("tags")
                == "SELECT t1.Z_2BOOKS, t0.Z_ENT, t0.Z_PK, NULL FROM Z_2TAGS t1 JOIN ZTAG t0 ON t0.Z_PK = t1.Z_6TAGS"
                + " WHERE t1.Z_2BOOKS \(owners) ORDER BY t1.Z_2BOOKS, t0.Z_PK")
        #expect(
            try members("prequels")
                == "SELECT t1.Z_2SEQUELS, t0.Z_ENT, t0.Z_PK, NULL FROM Z_2SEQUELS t1 JOIN ZBOOK t0 ON t0.Z_PK = t1.Z_2PREQUELS"
                + " WHERE t1.Z_2SEQUELS \(owners) ORDER BY t1.Z_2SEQUELS, t0.Z_PK")
        #expect(
            try members("similar")
                == "SELECT t1.Z_2SIMILAR, t0.Z_ENT, t0.Z_PK, NULL FROM (SELECT Z_2SIMILAR, REFLEXIVE FROM Z_2SIMILAR UNION"
                + " SELECT REFLEXIVE, Z_2SIMILAR FROM Z_2SIMILAR) t1 JOIN ZBOOK t0 ON t0.Z_PK = t1.REFLEXIVE"
                + " WHERE t1.Z_2SIMILAR \(owners) ORDER BY t1.Z_2SIMILAR, t0.Z_PK")
        let book = try #require(CompiledModel.library.entity(named: "Book"))
        guard case .relationship(let author) = book.slot(named: "author") else { return }
        #expect(throws: QueryError.self) {
            _ = try compiler.members(ofRelationship: author, in: book.number, owners: [1])
        }
    }
}
