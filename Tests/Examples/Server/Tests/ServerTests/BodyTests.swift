import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import Sworm
import Testing

@testable import Server

struct BodyTests {
    @Test func `invalid values are answered with all their positions`() async throws {
        try await TestServer.run { server in
            let reviews = "[\(review(1)), \(review(2, mark: 9)), \(review(3, mark: -1))]"
            let answer = try await server.send(.put, "/books/1", book("", reviews: reviews))
            #expect(answer.status == 422)
            let error = try answer.error
            #expect(error.code == "validation")
            #expect(Set(error.issues?.map(\.path) ?? []) == ["title", "reviews[1].mark", "reviews[2].mark"])
            #expect(error.issues?.allSatisfy { !$0.message.isEmpty } == true)
            #expect(try await server.store.read { try $0.count(of: Book.all) } == 0)
        }
    }

    @Test func `an invalid ISBN, author and tag are answered with their positions`() async throws {
        try await TestServer.run { server in
            let isbn = try await server.send(.put, "/books/\(String(repeating: "1", count: 21))", book())
            #expect(isbn.status == 422)
            #expect(try isbn.error.path == "isbn")
            let author = try await server.send(
                .put, "/books/1", book(with: #", "author": {"name": "", "born": 1}"#))
            #expect(author.status == 422)
            #expect(try author.error.path == "author.name")
            let tagged = try await server.send(.put, "/books/1", book(tags: #"["war", ""]"#))
            #expect(tagged.status == 422)
            #expect(try tagged.error.path == "tags[1]")
        }
    }

    @Test func `different reviews of one day are rejected`() async throws {
        try await TestServer.run { server in
            let reviews = "[\(review(1, "Good.")), \(review(1, "Bad."))]"
            let answer = try await server.send(.put, "/books/1", book(reviews: reviews))
            #expect(answer.status == 422)
            #expect(try answer.error.path == "reviews[1]")
        }
    }

    @Test(arguments: [
        (#"{"title": 7, "year": 1, "reviews": [], "tags": [], "revision": 0}"#, "title"),
        (#"{"title": "A", "year": "old", "reviews": [], "tags": [], "revision": 0}"#, "year"),
        (#"{"year": 1, "reviews": [], "tags": [], "revision": 0}"#, "title"),
        (book(reviews: "{}"), "reviews"), (book(tags: #"["war", null]"#), "tags[1]"),
        (book(reviews: #"[{"day": 1, "mark": 1, "text": ""}]"#), "reviews[0].day"),
        (book(reviews: #"[{"day": "today", "mark": 1, "text": ""}]"#), "reviews[0].day"),
    ])
    func `values of wrong types are answered with their position`(_ body: String, _ path: String) async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.put, "/books/1", body)
            #expect(answer.status == 400)
            #expect(try answer.error.code == "invalidJSON")
            #expect(try answer.error.path == path)
        }
    }

    @Test(arguments: [
        "", "{", #"{"title": "A", "year": 1e300, "reviews": [], "tags": [], "revision": 0}"#, "null", "[]", "7",
        #"{"title": "\ud800"}"#, String(repeating: "[", count: 50_000),
        #"{"reviews": "# + String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000) + "}",
    ])
    func `malformed JSON is rejected`(_ body: String) async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.put, "/books/1", body)
            #expect(answer.status == 400)
            #expect(try !answer.error.message.isEmpty)
        }
    }

    @Test func `a body that is too large is rejected`() async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.put, "/books/1", book(String(repeating: "A", count: 100_000)))
            #expect(answer.status == 413)
            #expect(try answer.error.code == "contentTooLarge")
        }
    }

    @Test func `a text with a zero is stored as it is`() async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.put, "/books/1", book(#"A\u0000B"#))
            #expect(answer.status == 201)
            #expect(try await server.send(.get, "/books/1").page.title == "A\0B")
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a body that does not arrive is not awaited forever`() async throws {
        try await TestServer.run(timeLimit: .milliseconds(300)) { server in
            let exchange = try await HTTPExchange(.PUT, server.url("/books/1"), body: "{", length: 1_000)
            #expect(exchange.status == .requestTimeout)
            await exchange.close()
        }
    }
}
