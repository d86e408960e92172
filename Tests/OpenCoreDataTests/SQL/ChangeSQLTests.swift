@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import Testing

@Suite("SQL that changes all rows of a request")
struct ChangeSQLTests {
    private let compiler = LibraryQueries.compiler
    private let version = "Z_OPT = CASE WHEN Z_OPT BETWEEN 0 AND 9223372036854775806 THEN Z_OPT + 1 ELSE 1 END"
    private let values = [
        ColumnAssignment(column: "ZYEAR", value: .int64(3)), ColumnAssignment(column: "ZTITLE", value: .text("x")),
    ]

    private func update(_ request: FetchSpecification) throws -> CompiledStatement {
        try compiler.update(request, set: values)
    }

    @Test func `conditions on the row itself are in the statement`() throws {
        #expect(
            try update(LibraryQueries.request("Book", "year < 1900"))
                == CompiledStatement(
                    sql: "UPDATE ZBOOK AS t0 SET ZYEAR = ?1, ZTITLE = ?2, \(version) WHERE t0.ZYEAR < ?3",
                    bindings: [.int64(3), .text("x"), .int64(1900)]))
        #expect(
            try update(LibraryQueries.request())
                == CompiledStatement(
                    sql: "UPDATE ZBOOK AS t0 SET ZYEAR = ?1, ZTITLE = ?2, \(version)",
                    bindings: [.int64(3), .text("x")]))
        #expect(
            try compiler.delete(LibraryQueries.request("Tag", "name == 'a'"))
                == CompiledStatement(sql: "DELETE FROM ZTAG AS t0 WHERE t0.ZNAME = ?1", bindings: [.text("a")]))
        #expect(try compiler.delete(LibraryQueries.request("Tag")).sql == "DELETE FROM ZTAG AS t0")
    }

    @Test func `rows that have the values already are left out by the same statement`() throws {
        let request = try LibraryQueries.request("Book", "year < 1900 OR title == 'a'")
        #expect(
            try compiler.update(request, set: values, leavingEqual: true)
                == CompiledStatement(
                    sql:
                        "UPDATE ZBOOK AS t0 SET ZYEAR = ?1, ZTITLE = ?2, \(version) WHERE (t0.ZYEAR < ?3 OR t0.ZTITLE = ?4) AND (t0.ZYEAR IS NOT ?1 OR t0.ZTITLE IS NOT ?2)",
                    bindings: [.int64(3), .text("x"), .int64(1900), .text("a")]))
        #expect(
            try compiler.update(LibraryQueries.request(), set: [values[0]], leavingEqual: true).sql
                == "UPDATE ZBOOK AS t0 SET ZYEAR = ?1, \(version) WHERE t0.ZYEAR IS NOT ?1")
        #expect(
            try compiler.countDifferences(request, from: values)
                == CompiledStatement(
                    sql:
                        "SELECT COUNT(*), SUM(differs) FROM (SELECT (t0.ZYEAR IS NOT ?1 OR t0.ZTITLE IS NOT ?2) AS differs FROM ZBOOK t0 WHERE t0.ZYEAR < ?3 OR t0.ZTITLE = ?4)",
                    bindings: [.int64(3), .text("x"), .int64(1900), .text("a")]))
        var limited = try LibraryQueries.request("Book", "author.name == 'Leo'")
        limited.limit = 5
        #expect(
            try compiler.update(limited, set: values, leavingEqual: true).sql
                .hasSuffix("LIMIT ?4) AND (t0.ZYEAR IS NOT ?1 OR t0.ZTITLE IS NOT ?2)"))
    }

    @Test func `only the entity's own rows of a table are changed`() throws {
        #expect(
            try compiler.delete(LibraryQueries.request("Novel")).sql == "DELETE FROM ZBOOK AS t0 WHERE t0.Z_ENT = 3")
        var request = try LibraryQueries.request()
        request.includesSubentities = false
        #expect(try compiler.delete(request).sql == "DELETE FROM ZBOOK AS t0 WHERE t0.Z_ENT = 2")
    }

    @Test func `rows of other tables, limits and offsets are looked up first`() throws {
        var request = try LibraryQueries.request("Book", "author.name == 'Leo'")
        request.sorts = [FetchSpecification.Sort(path: ["year"], ascending: false)]
        let statement = try update(request)
        #expect(
            statement.sql
                == "UPDATE ZBOOK AS t0 SET ZYEAR = ?1, ZTITLE = ?2, \(version) WHERE t0.Z_PK IN (SELECT t0.Z_PK FROM ZBOOK t0 LEFT JOIN ZAUTHOR t1 ON t1.Z_PK = t0.ZAUTHOR WHERE t1.ZNAME = ?3)"
                || statement.sql
                    == "UPDATE ZBOOK AS t0 SET ZYEAR = ?1, ZTITLE = ?2, \(version) WHERE t0.Z_PK IN (SELECT t0.Z_PK FROM ZBOOK t0 JOIN ZAUTHOR t1 ON t1.Z_PK = t0.ZAUTHOR WHERE t1.ZNAME = ?3)",
            "\(statement.sql)")
        request = try LibraryQueries.request("Tag", "name > 'a'")
        request.sorts = [FetchSpecification.Sort(path: ["name"], ascending: false)]
        (request.limit, request.offset) = (5, 2)
        #expect(
            try compiler.delete(request)
                == CompiledStatement(
                    sql:
                        "DELETE FROM ZTAG AS t0 WHERE t0.Z_PK IN (SELECT t0.Z_PK FROM ZTAG t0 WHERE t0.ZNAME > ?1 ORDER BY t0.ZNAME DESC, t0.Z_PK LIMIT ?2 OFFSET ?3)",
                    bindings: [.text("a"), .int64(5), .int64(2)]))
    }
}
