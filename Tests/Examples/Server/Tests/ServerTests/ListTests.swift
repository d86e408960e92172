import HTTPTypes
import Testing

@testable import Server

struct ListTests {
    /// Runs a test with books whose titles repeat.
    private func withBooks(_ test: @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            for number in 1...7 {
                let body = book("T\(number % 2)", year: 1900 - number)
                #expect(try await server.send(.put, "/books/\(number)", body).status == 201)
            }
            try await test(server)
        }
    }

    @Test func `pages have all books once, in a stable order`() async throws {
        try await withBooks { server in
            var found: [String] = []
            for offset in stride(from: 0, to: 8, by: 2) {
                let list = try await server.send(.get, "/books?limit=2&offset=\(offset)").list
                #expect(list.total == 7 && list.limit == 2 && list.offset == offset)
                found += list.books.map(\.isbn)
            }
            #expect(found == ["2", "4", "6", "1", "3", "5", "7"])
        }
    }

    @Test(arguments: [
        ("title", "2461357"), ("-title", "1357246"), ("year", "7654321"), ("-year", "1234567"),
    ])
    func `books are sorted`(_ sort: String, _ order: String) async throws {
        try await withBooks { server in
            let list = try await server.send(.get, "/books?sort=\(sort)").list
            #expect(list.books.map(\.isbn).joined() == order)
        }
    }

    @Test func `a limit is capped`() async throws {
        try await withBooks { server in
            let list = try await server.send(.get, "/books?limit=1000000").list
            #expect(list.limit == 100 && list.books.count == 7)
        }
    }

    @Test func `an offset behind the last book finds none`() async throws {
        try await withBooks { server in
            let list = try await server.send(.get, "/books?offset=\(Int.max)").list
            #expect(list.books.isEmpty && list.total == 7)
        }
    }

    @Test(arguments: [
        "limit=0", "limit=-1", "limit=many", "limit=", "limit=99999999999999999999", "offset=-1", "offset=1.5",
        "sort=rating", "sort=", "sort=title%20DESC;--",
    ])
    func `wrong bounds and orders are rejected`(_ query: String) async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.get, "/books?\(query)")
            #expect(answer.status == 400)
            #expect(try answer.error.code == "badRequest")
        }
    }
}
