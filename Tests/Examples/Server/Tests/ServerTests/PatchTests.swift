import HTTPTypes
import Testing

@testable import Server

struct PatchTests {
    /// Runs a test with a book that has everything.
    private func withBook(_ test: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            let more = #", "rating": 4, "author": {"name": "Leo", "born": 1828}"#
            let answer = try await server.send(.put, "/books/1", book(reviews: "[\(review(1))]", with: more))
            #expect(answer.status == 201)
            try await test(server)
        }
    }

    @Test func `absent keys change nothing`() async throws {
        try await withBook { server in
            let before = try await server.send(.get, "/books/1").page
            let answer = try await server.send(.patch, "/books/1", #"{"revision": 1}"#)
            #expect(answer.status == 200)
            #expect(try answer.page == before)
        }
    }

    @Test func `null removes the rating and the author`() async throws {
        try await withBook { server in
            let page = try await server.send(
                .patch, "/books/1", #"{"rating": null, "author": null, "revision": 1}"#
            ).page
            #expect(page.rating == nil && page.author == nil)
            #expect(page.title == "War and Peace" && page.reviews.count == 1 && page.revision == 2)
        }
    }

    @Test func `values replace values`() async throws {
        try await withBook { server in
            let patch = #"{"title": "Peace", "rating": 5, "reviews": [], "tags": ["war"], "revision": 1}"#
            let page = try await server.send(.patch, "/books/1", patch).page
            #expect(page.title == "Peace" && page.rating == 5 && page.reviews.isEmpty && page.tags == ["war"])
            #expect(page.year == 1869 && page.author?.name == "Leo" && page.revision == 2)
        }
    }

    @Test(arguments: ["title", "year", "reviews", "tags", "isbn", "revision"])
    func `null is no value of a required key`(_ key: String) async throws {
        try await withBook { server in
            let revision = key == "revision" ? "" : #", "revision": 1"#
            let answer = try await server.send(.patch, "/books/1", #"{"\#(key)": null\#(revision)}"#)
            #expect(answer.status == 400)
            #expect(try answer.error.path == key)
        }
    }

    @Test func `a PATCH without a revision is rejected`() async throws {
        try await withBook { server in
            let answer = try await server.send(.patch, "/books/1", #"{"title": "Peace"}"#)
            #expect(answer.status == 400)
            #expect(try answer.error.path == "revision")
        }
    }

    @Test func `a PATCH at an old revision is a conflict`() async throws {
        try await withBook { server in
            _ = try await server.send(.patch, "/books/1", #"{"title": "A", "revision": 1}"#)
            let answer = try await server.send(.patch, "/books/1", #"{"title": "B", "revision": 1}"#)
            #expect(answer.status == 409)
            #expect(try answer.error.code == "conflict" && answer.error.path == "revision")
            #expect(try await server.send(.get, "/books/1").page.title == "A")
        }
    }

    @Test func `a PATCH at an old revision is a conflict, if only a review was changed`() async throws {
        try await withBook { server in
            let first = #"{"reviews": [\#(review(1, "Bad."))], "revision": 1}"#
            _ = try await server.send(.patch, "/books/1", first)
            let second = #"{"reviews": [\#(review(1, "Fine."))], "revision": 1}"#
            let answer = try await server.send(.patch, "/books/1", second)
            #expect(answer.status == 409)
        }
    }

    @Test func `a PATCH does not create a book`() async throws {
        try await withBook { server in
            let answer = try await server.send(.patch, "/books/2", #"{"title": "Peace", "revision": 0}"#)
            #expect(answer.status == 404)
            #expect(try answer.error.code == "notFound")
            #expect(try await server.send(.get, "/books/2").status == 404)
        }
    }

    @Test func `a PATCH with another ISBN is rejected`() async throws {
        try await withBook { server in
            let answer = try await server.send(.patch, "/books/1", #"{"isbn": "2", "revision": 1}"#)
            #expect(answer.status == 400)
        }
    }

    @Test func `one of many PATCHes at the same revision wins`() async throws {
        try await withBook { server in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 1...20 {
                    group.addTask {
                        try await server.send(.patch, "/books/1", #"{"title": "\#(number)", "revision": 1}"#).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }.sorted()
            }
            #expect(statuses == [200] + Array(repeating: 409, count: 19))
            #expect(try await server.send(.get, "/books/1").page.revision == 2)
        }
    }
}
