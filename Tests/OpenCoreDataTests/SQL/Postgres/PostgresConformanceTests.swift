#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite(
    "PostgreSQL: the conformance set",
    .enabled(if: PredicateCases.exist, Comment(rawValue: PredicateCases.missing)))
struct PostgresConformanceTests {
    @Test func `every predicate has a statement, or a reason to be evaluated in memory`() throws {
        let set = try PredicateCases.load()
        var left: [String: NotExact.Reason] = [:]
        for item in set.cases {
            let arguments = try (item.args ?? []).map { try ConformanceArguments.argument($0) }
            let request = try LibraryQueries.request(item.entity, item.format, arguments)
            do {
                let statement = try checked(ServerQueries.compiler.identities(request))
                #expect(statement.parameters == Array(1..<(statement.bindings.count + 1)), "\(item.id)")
            } catch let error as NotExact {
                left[item.id] = error.reason
            } catch {
                Issue.record("\(item.id): \(item.format): \(error)")
            }
            let split = try ServerQueries.compiler.split(request)
            #expect(split.isExact == (left[item.id] == nil), "\(item.id)")
            _ = try checked(ServerQueries.compiler.identities(split.fetch))
        }
        #expect(set.cases.count > 100)
        for item in set.cases where left[item.id] != nil {
            #expect(
                left[item.id] == .regularExpression && item.format.contains("MATCHES"), "\(item.id): \(item.format)")
        }
    }

    @Test func `every fetch has a statement`() throws {
        for item in try PredicateCases.load().fetches {
            var request = try LibraryQueries.request(item.entity)
            request.sorts = item.sort.map {
                .init(path: $0.key.split(separator: ".").map(String.init), ascending: $0.ascending)
            }
            request.limit = item.limit ?? 0
            request.offset = item.offset ?? 0
            request.includesSubentities = item.includesSubentities ?? true
            let statement = try checked(ServerQueries.compiler.identities(request))
            #expect(statement.parameters == Array(1..<(statement.bindings.count + 1)), "\(item.id)")
        }
    }

    @Test func `predicates that Core Data rejects are rejected`() throws {
        for item in try PredicateCases.load().compileErrors {
            #expect(throws: QueryError.self, "\(item.format)") {
                let request = try LibraryQueries.request(try #require(item.entity), item.format)
                _ = try ServerQueries.compiler.split(request)
            }
        }
    }
}
#endif
