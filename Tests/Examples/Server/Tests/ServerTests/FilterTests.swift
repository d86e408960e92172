import Foundation
import HTTPTypes
import Sworm
import Testing

@testable import Server

struct FilterTests {
    /// Asks for the books that a filter finds.
    private func answer(to filter: String, path: String = "/books") async throws -> Answer {
        try await TestServer.run { server in
            try server.store.insertSamples()
            let query = filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            return try await server.send(.get, "\(path)?filter=\(query)")
        }
    }

    private func filter(_ format: String, _ arguments: String = "") -> String {
        #"{"entity": "Book", "format": "\#(format)", "arguments": [\#(arguments)]}"#
    }

    @Test func `a filter finds books by their author`() async throws {
        let list = try await answer(
            to: filter("author.name BEGINSWITH %@ AND year < %@", #"{"string": "Leo"}, {"int": 1870}"#)
        ).list
        #expect(list.books.map(\.title) == ["War and Peace"])
        #expect(list.total == 1)
    }

    @Test func `a filter made in Swift is a filter`() async throws {
        let condition = Condition<Book> { $0.tags.any.name == "love" || $0.rating == 4 }
        let list = try await answer(to: String(decoding: JSONEncoder().encode(condition), as: UTF8.self)).list
        #expect(list.books.map(\.title) == ["Anna Karenina", "Frankenstein"])
    }

    @Test(arguments: [
        "revision > 0", "author.born > 1800", "reviews.@count > 0", "ANY reviews.mark > 3",
        "title MATCHES '(a+)+b'", "secret == 1", "author.books.@count > 1",
    ])
    func `a filter for anything else is not allowed`(_ format: String) async throws {
        let answer = try await answer(to: filter(format))
        #expect(answer.status == 400)
        #expect(try answer.error.code == "conditionNotAllowed")
    }

    @Test(arguments: [
        "", "7", "{}", "year > 1800", #"{"entity": "Author", "format": "name == 'Leo'"}"#,
        #"{"entity": "Book", "format": "year >"}"#, #"{"entity": "Book", "format": "year > %@"}"#,
        #"{"entity": "Book", "format": "year > %@", "arguments": [{"sql": "1"}]}"#,
        #"{"entity": "Book", "format": "year > 1800; DROP TABLE ZBOOK"}"#,
    ])
    func `a malformed filter is rejected`(_ filter: String) async throws {
        let answer = try await answer(to: filter)
        #expect(answer.status == 400)
        #expect(try !answer.error.message.isEmpty)
    }

    @Test(arguments: ["year > 'old'", "title > 7"])
    func `a filter that compares different types is rejected`(_ format: String) async throws {
        let answer = try await answer(to: filter(format))
        #expect(answer.status == 400)
        #expect(try answer.error.code == "invalidCondition")
    }

    @Test func `a filter with too many parts is not allowed`() async throws {
        let format = Array(repeating: "year == 1", count: 600).joined(separator: " OR ")
        let answer = try await answer(to: filter(format))
        #expect(answer.status == 400)
        #expect(try answer.error.code == "conditionNotAllowed")
    }

    @Test func `a filter that is nested deeply is rejected`() async throws {
        let format = String(repeating: "(", count: 5_000) + "year == 1" + String(repeating: ")", count: 5_000)
        #expect(try await answer(to: filter(format)).status == 400)
        let list = String(repeating: #"{"list": ["#, count: 1_000) + String(repeating: "]}", count: 1_000)
        #expect(try await answer(to: filter("year IN %@", list)).status == 400)
    }

    @Test func `a query that is too long is rejected`() async throws {
        let text = String(repeating: "A", count: 200_000)
        try await TestServer.run { server in
            let answer = try await server.send(.get, "/books?filter=\(text)")
            #expect((400..<500).contains(answer.status))
            let next = try await server.send(.get, "/books")
            #expect(next.status == 200)
        }
    }

    @Test func `the filter of a live list is checked`() async throws {
        let answer = try await answer(to: filter("revision > 0"), path: "/books/live")
        #expect(answer.status == 400)
        #expect(try answer.error.code == "conditionNotAllowed")
    }
}
