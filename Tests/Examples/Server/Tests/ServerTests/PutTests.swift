import HTTPTypes
import Sworm
import Testing

@testable import Server

struct PutTests {
    @Test func `a PUT creates a book, and answers with its page`() async throws {
        try await TestServer.run { server in
            let author = #", "rating": 5, "author": {"name": "Leo", "born": 1828}"#
            let body = book(reviews: "[\(review(1))]", tags: #"["war", "peace"]"#, with: author)
            let answer = try await server.send(.put, "/books/1", body)
            #expect(answer.status == 201)
            #expect(answer.eTag == "\"1\"")
            let page = try answer.page
            #expect(page.title == "War and Peace" && page.year == 1869 && page.rating == 5 && page.revision == 1)
            #expect(page.author == Author(name: "Leo", born: 1828))
            #expect(page.reviews.map(\.text) == ["Good."] && page.reviewCount == 1)
            #expect(page.tags == ["peace", "war"])
            let read = try await server.send(.get, "/books/1")
            #expect(read.status == 200)
            #expect(try read.page == page)
            #expect(read.text.contains("2026-01-01T00:00:00Z"))
        }
    }

    @Test func `the answer of a GET is a body of a PUT, and changes nothing`() async throws {
        try await TestServer.run { server in
            let fraction = #"{"day": "2026-01-03T01:00:00.5+01:00", "mark": 1, "text": ""}"#
            _ = try await server.send(.put, "/books/1", book(reviews: "[\(review(1)), \(fraction)]"))
            let page = try await server.send(.get, "/books/1")
            let answer = try await server.send(.put, "/books/1", page.text)
            #expect(answer.status == 200)
            #expect(try answer.page == page.page)
            #expect(answer.eTag == page.eTag)
            #expect(page.text.contains("2026-01-03T00:00:00Z"))
        }
    }

    @Test func `a PUT removes, changes and adds reviews`() async throws {
        try await TestServer.run { server in
            _ = try await server.send(.put, "/books/1", book(reviews: "[\(review(1)), \(review(2)), \(review(3))]"))
            let reviews = "[\(review(4, "New.")), \(review(2, mark: 5)), \(review(3))]"
            let page = try await server.send(.put, "/books/1", book(reviews: reviews, revision: 1)).page
            #expect(page.reviews.map(\.text) == ["New.", "Good.", "Good."])
            #expect(page.reviews.map(\.mark) == [3, 5, 3])
            #expect(page.revision == 2)
            #expect(try await server.store.read { try $0.count(of: Review.all) } == 3)
        }
    }

    @Test func `the revision moves on with the text of a review`() async throws {
        try await TestServer.run { server in
            _ = try await server.send(.put, "/books/1", book(reviews: "[\(review(1))]"))
            let reviews = "[\(review(1, "Bad."))]"
            let answer = try await server.send(.put, "/books/1", book(reviews: reviews, revision: 1))
            #expect(try answer.page.reviews.map(\.text) == ["Bad."])
            #expect(answer.eTag == "\"2\"")
        }
    }

    @Test func `a PUT sets the order of the reviews`() async throws {
        try await TestServer.run { server in
            _ = try await server.send(.put, "/books/1", book(reviews: "[\(review(1, "A")), \(review(2, "B"))]"))
            let reviews = "[\(review(2, "B")), \(review(1, "A"))]"
            let page = try await server.send(.put, "/books/1", book(reviews: reviews, revision: 1)).page
            #expect(page.reviews.map(\.text) == ["B", "A"])
            #expect(page.revision == 2)
        }
    }

    @Test(arguments: [0, 2, Int.max, Int.min])
    func `a PUT at another revision is a conflict`(_ revision: Int) async throws {
        try await TestServer.run { server in
            _ = try await server.send(.put, "/books/1", book())
            let answer = try await server.send(.put, "/books/1", book("Peace", revision: revision))
            #expect(answer.status == 409)
            #expect(try answer.error.code == "conflict")
            #expect(try await server.send(.get, "/books/1").page.title == "War and Peace")
        }
    }

    @Test func `a PUT at a revision of a book that does not exist is a conflict`() async throws {
        try await TestServer.run { server in
            let answer = try await server.send(.put, "/books/1", book(revision: 3))
            #expect(answer.status == 409)
            #expect(try await server.send(.get, "/books/1").status == 404)
        }
    }

    @Test func `a book that was deleted and created again is another one`() async throws {
        try await TestServer.run(firstRevision: BookRoutes.randomRevision) { server in
            let old = try await server.send(.put, "/books/1", book())
            _ = try await server.send(.delete, "/books/1")
            let new = try await server.send(.put, "/books/1", book())
            #expect(new.status == 201 && new.eTag != old.eTag)
            let patch = #"{"title": "Peace", "revision": \#(try old.page.revision)}"#
            #expect(try await server.send(.patch, "/books/1", patch).status == 409)
            let eTag = try #require(old.eTag)
            let read = try await server.send(.get, "/books/1", headers: [.ifNoneMatch: eTag])
            #expect(read.status == 200)
            #expect(try read.page == new.page)
        }
    }

    @Test func `a PUT does not change an author that other books have`() async throws {
        try await TestServer.run { server in
            _ = try await server.send(.put, "/books/1", book(with: #", "author": {"name": "Leo", "born": 1828}"#))
            let other = try await server.send(
                .put, "/books/2", book(with: #", "author": {"name": "Leo", "born": 1999}"#))
            #expect(try other.page.author?.born == 1828)
            #expect(try await server.store.read { try $0.count(of: Author.all) } == 1)
        }
    }

    @Test func `a PUT does not take or change the reviews of another book`() async throws {
        try await TestServer.run { server in
            _ = try await server.send(.put, "/books/1", book(reviews: "[\(review(1, "Mine."))]"))
            let other = try await server.send(.put, "/books/2", book(reviews: "[\(review(1, "Yours."))]"))
            #expect(try other.page.reviews.map(\.text) == ["Yours."])
            #expect(try await server.send(.get, "/books/1").page.reviews.map(\.text) == ["Mine."])
        }
    }

    @Test func `keys that clients may not write are ignored`() async throws {
        try await TestServer.run { server in
            let more = #", "id": "x-coredata://1/Book/p1", "reviewCount": 7, "owner": {"name": "Me"}"#
            let page = try await server.send(.put, "/books/1", book(with: more)).page
            #expect(page.reviewCount == 0 && page.revision == 1)
        }
    }

    @Test func `the ISBN of the path is the one that counts`() async throws {
        try await TestServer.run { server in
            let wrong = try await server.send(.put, "/books/1", book(with: #", "isbn": "2""#))
            #expect(wrong.status == 400)
            #expect(try wrong.error.message.contains("another ISBN"))
            #expect(try await server.store.read { try $0.count(of: Book.all) } == 0)
            #expect(try await server.send(.put, "/books/1", book(with: #", "isbn": "1""#)).status == 201)
        }
    }

    @Test func `concurrent PUTs make one book`() async throws {
        try await TestServer.run { server in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 1...20 {
                    group.addTask { try await server.send(.put, "/books/1", book("Title \(number)")).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }.sorted()
            }
            #expect(statuses == [201] + Array(repeating: 409, count: 19))
            #expect(try await server.store.read { try $0.count(of: Book.all) } == 1)
        }
    }
}
