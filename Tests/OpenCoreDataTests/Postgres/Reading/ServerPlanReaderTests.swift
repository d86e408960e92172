#if PostgreSQL
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Plans of a server")
struct ServerPlanReaderTests {
    private func scans(_ lines: [String]) throws -> [String] {
        let model = LibraryModel.model
        var request = FetchSpecification(entity: LibraryModel.author)
        request.predicate = try parsePredicate("age > 3", arguments: [])
        return ServerPlanReader(model: model, request: request, lines: lines).findings.compactMap {
            if case .scan(let entity, _) = $0 { entity } else { nil }
        }
    }

    @Test func `a step that tests all rows of the table is a scan, in whichever order it reads them`() throws {
        #expect(try scans([#"Seq Scan on "Author" t0"#, "  Filter: (age > 3)"]) == ["Author"])
        #expect(
            try scans([
                "Gather Merge", #"  ->  Parallel Seq Scan on "Author" t0"#, "        Filter: (age > 3)",
            ]) == ["Author"])
        #expect(
            try scans([
                "Limit", #"  ->  Index Scan using "Author_pkey" on "Author" t0"#, "        Filter: (age > 3)",
            ]) == ["Author"])
    }

    @Test func `a step that looks for rows in an index is none, nor is one whose index has no other rows`() throws {
        #expect(
            try scans([
                #"Index Scan using "Author_age" on "Author" t0"#, "  Index Cond: (age > 3)", "  Filter: (age > rating)",
            ]) == [])
        #expect(try scans([#"Index Scan using "Author_some" on "Author" t0"#]) == [])
        #expect(
            try scans([
                #"Bitmap Heap Scan on "Author" t0"#, "  Recheck Cond: (age > 3)",
                #"  ->  Bitmap Index Scan on "Author_age""#, "        Index Cond: (age > 3)",
            ]) == [])
    }

    @Test func `a step of another table is no scan of the request's`() throws {
        #expect(try scans(["Nested Loop", #"  ->  Seq Scan on "Book" t1"#, "        Filter: (year > 3)"]) == [])
    }
}
#endif
