import HTTPTypes
import Sworm
import Testing

@testable import Server

struct ReadTests {
    @Test func `an unknown book is not found`() async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.get, "/books/1")
            #expect(answer.status == 404)
            #expect(try answer.error.message == "There is no book '1'.")
        }
    }

    @Test func `a page that the client has is not sent again`() async throws {
        try await TestServer.run { server in
            _ = try await server.send(.put, "/books/1", book())
            let eTag = try #require(try await server.send(.get, "/books/1").eTag)
            let same = try await server.send(.get, "/books/1", headers: [.ifNoneMatch: eTag])
            #expect(same.status == 304)
            #expect(same.body.isEmpty)
            #expect(same.eTag == eTag)
            _ = try await server.send(.put, "/books/1", book("Peace", revision: 1))
            let changed = try await server.send(.get, "/books/1", headers: [.ifNoneMatch: eTag])
            #expect(changed.status == 200)
            #expect(try changed.page.title == "Peace")
            #expect(changed.eTag != eTag)
        }
    }

    @Test func `an ISBN is decoded from the path`() async throws {
        try await TestServer.run { server in
            _ = try await server.send(.put, "/books/0%201%2F2", book())
            #expect(try await server.store.read { try $0.decodeOne(Book.all)?.isbn } == "0 1/2")
            #expect(try await server.send(.get, "/books/0%201%2F2").page.isbn == "0 1/2")
        }
    }

    @Test func `a DELETE removes a book with its reviews`() async throws {
        try await TestServer.run { server in
            _ = try await server.send(.put, "/books/1", book(reviews: "[\(review(1))]"))
            #expect(try await server.send(.delete, "/books/1").status == 204)
            #expect(try await server.store.read { try $0.count(of: Review.all) } == 0)
            #expect(try await server.send(.get, "/books/1").status == 404)
            #expect(try await server.send(.delete, "/books/1").status == 404)
        }
    }

    @Test func `other paths and methods are answered with an error`() async throws {
        try await TestServer.run { server in
            let path = try await server.send(.get, "/authors")
            #expect(path.status == 404)
            #expect(try path.error.code == "notFound")
            let method = try await server.send(.post, "/books/1", book())
            #expect(method.status == 404)
            #expect(try method.error.code == "notFound")
        }
    }
}
