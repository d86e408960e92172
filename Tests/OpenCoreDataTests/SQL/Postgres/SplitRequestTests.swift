#if PostgreSQL
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Requests between a statement and memory")
struct SplitRequestTests {
    private func split(
        _ format: String?, _ change: (inout FetchSpecification) -> Void = { _ in }
    ) throws -> SplitRequest {
        var request = try LibraryQueries.request("Book", format)
        change(&request)
        return try ServerQueries.compiler.split(request)
    }

    private func sql(_ split: SplitRequest) throws -> String {
        try ServerQueries.condition(of: split.fetch).sql
    }

    @Test func `a request with an exact form is left as it is`() throws {
        let request = try LibraryQueries.request("Book", "year == 1 AND title CONTAINS[cd] 'x'")
        let result = try ServerQueries.compiler.split(request)
        #expect(result.isExact && result.rest == nil && result.reasons == [])
        #expect(try sql(result) == ServerQueries.condition(of: request).sql)
    }

    @Test func `exact conjuncts go into the statement, and the others stay behind`() throws {
        let result = try split("year == 1 AND title MATCHES 'a.*' AND (rating == 2 AND title ==[l] 'x')") { request in
            (request.limit, request.offset) = (5, 2)
            request.sorts = [.init(path: ["year"])]
        }
        #expect(!result.isExact && !result.sortsInMemory)
        #expect(try result.rest == parsePredicate("title MATCHES 'a.*' AND title ==[l] 'x'"))
        #expect(result.reasons.map(\.reason) == [.regularExpression, .locale])
        #expect(result.fetch.limit == 0 && result.fetch.offset == 0 && result.fetch.sorts.count == 1)
        #expect(
            try ServerQueries.compiler.identities(result.fetch).sql.contains(
                #"WHERE t0."year" = $1 AND t0."rating" = $2 ORDER BY t0."year" NULLS FIRST"#))
    }

    @Test func `a disjunction stays in one piece`() throws {
        let result = try split("year == 1 OR title MATCHES 'a.*'")
        #expect(result.fetch.predicate == nil)
        #expect(try result.rest == parsePredicate("year == 1 OR title MATCHES 'a.*'"))
    }

    @Test func `a negated disjunction is a conjunction`() throws {
        let result = try split("NOT (year == 1 OR title MATCHES 'a.*')")
        #expect(try sql(result) == #"NOT (t0."year" = $1)"#)
        #expect(try result.rest == parsePredicate("NOT (title MATCHES 'a.*')"))
    }

    @Test func `an order without an exact form is that of memory`() throws {
        let result = try split("year == 1") { request in
            request.limit = 5
            request.sorts = [.init(path: ["title"], options: [.localeSensitive])]
        }
        #expect(result.sortsInMemory && result.rest == nil && result.reasons.map(\.reason) == [.locale])
        #expect(result.fetch.sorts == [] && result.fetch.limit == 0)
        #expect(try sql(result) == #"t0."year" = $1"#)
    }

    @Test func `an invalid part is an error, whatever the other parts are`() throws {
        #expect(throws: QueryError.self) { _ = try split("title MATCHES 'a.*' AND titel == 'x'") }
        #expect(throws: QueryError.self) { _ = try split("titel == 'x' AND title MATCHES 'a.*'") }
    }

    @Test(arguments: [
        ("title MATCHES 'a.*' OR titel == 'x'", QueryError.Code.unknownKey),
        ("lowercase(title) == 'a' OR year == 'abc'", .typeMismatch), ("lowercase(title) == 5", .typeMismatch),
        ("title MATCHES 'a.*' OR title MATCHES '(a'", .regularExpression), ("sqrt(year) == titel", .unknownKey),
        ("SUBQUERY(chapters, $c, $c.title ==[l] 'a' OR $c.titel == 1).@count == 1", .unknownKey),
        ("year ** 2 > scan", .unsupported),
    ])
    func `an invalid part behind one without an exact form is the error of a file`(
        _ format: String, _ code: QueryError.Code
    ) throws {
        let error = try #require(throws: QueryError.self) { _ = try split(format) }
        let expected = try LibraryQueries.issue(format)
        #expect(error.code == code && error.code == expected.code && error.message == expected.message)
    }

    @Test func `each sort key is checked`() throws {
        let exact = FetchSpecification.Sort(path: ["title"], options: [.localeSensitive, .caseInsensitive])
        for (keys, code) in [(["titel"], QueryError.Code.unknownKey), (["chapters", "title"], .toMany)] {
            let error = try #require(throws: QueryError.self) {
                _ = try split(nil) { $0.sorts = [exact, .init(path: keys)] }
            }
            #expect(error.code == code)
        }
    }

    @Test func `the rest can have any number of constants`() throws {
        let list = PredicateArgument.list((0..<40_000).map { .value(.decimal(Decimal($0) + Decimal(0.5))) })
        var request = try LibraryQueries.request()
        request.predicate = try parsePredicate("cost IN %@ OR title MATCHES 'a.*'", arguments: [list])
        #expect(try ServerQueries.compiler.split(request).rest == request.predicate)
    }

    @Test func `every part of a file's request has an exact form`() throws {
        let request = try LibraryQueries.request("Book", "title MATCHES 'a.*' AND title ==[l] 'x'")
        #expect(try LibraryQueries.compiler.split(request).isExact)
    }
}
#endif
