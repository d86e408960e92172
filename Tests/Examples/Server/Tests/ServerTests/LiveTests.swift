import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOHTTP1
import Sworm
import Testing

@testable import Server

/// The events of a live list, as a client reads them.
struct Events {
    private var chunks: HTTPClientResponse.Body.AsyncIterator
    private var text = ""

    /// Starts a request.
    init(of url: String) async throws {
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
        #expect(response.headers["content-type"] == ["text/event-stream"])
        chunks = response.body.makeAsyncIterator()
    }

    /// Returns the list of the next event, or nil at the end of the stream.
    mutating func next() async throws -> BookList? {
        while true {
            if let end = text.range(of: "\n\n") {
                let event = text[..<end.lowerBound]
                text.removeSubrange(..<end.upperBound)
                #expect(event.hasPrefix("data: "))
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .iso8601
                return try decoder.decode(BookList.self, from: Data(event.dropFirst(6).utf8))
            }
            guard let chunk = try await chunks.next() else { return nil }
            text += String(buffer: chunk)
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct LiveTests {
    @Test func `a live list has the current books, and those after each change`() async throws {
        try await TestServer.run { server in
            var events = try await Events(of: server.url("/books/live"))
            #expect(try await events.next()?.total == 0)
            _ = try await server.send(.put, "/books/1", book(reviews: "[\(review(1))]"))
            #expect(try await events.next()?.books.map(\.title) == ["War and Peace"])
            _ = try await server.send(.put, "/books/1", book(reviews: "[\(review(1, "Bad."))]", revision: 1))
            #expect(try await events.next()?.books.first?.reviews.map(\.text) == ["Bad."])
            _ = try await server.send(.delete, "/books/1")
            #expect(try await events.next()?.total == 0)
        }
    }

    @Test func `a live list ends when the server shuts down`() async throws {
        let end = try await TestServer.run { server in
            var events = try await Events(of: server.url("/books/live"))
            _ = try await events.next()
            return Task { [events] in
                var events = events
                return try await events.next()
            }
        }
        #expect(try await end.value == nil)
    }

    @Test func `events end when the client disconnects`() async throws {
        let (values, source) = AsyncStream<Int>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        source.onTermination = { _ in end.finish() }
        source.yield(1)
        let router = Router(context: BookContext.self)
        router.get("events") { request, context in Response.events(values, for: request, context) }
        try await Application(router: router).test(.ahc(.http)) { client in
            var request = HTTPClientRequest(url: "http://localhost:\(client.port ?? 0)/events")
            request.headers.add(name: "connection", value: "close")
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
            for try await chunk in response.body {
                #expect(String(buffer: chunk) == "data: 1\n\n")
                break
            }
            for await _ in ends {}
        }
    }

    @Test func `a live list shows the commits of another process`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite")
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) } }
        let other = try ServerProcess(["--port", "0", file.path])
        defer { other.kill() }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let store = try PersistentContainer.books(at: .file(file), logger: logger)
        try await TestServer.run(over: store) { [address = other.address] server in
            var events = try await Events(of: server.url("/books/live"))
            #expect(try await events.next()?.total == 0)
            var request = HTTPClientRequest(url: address + "/1")
            request.method = .PUT
            request.body = .bytes(ByteBuffer(string: book()))
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
            #expect(response.status == .created)
            #expect(try await events.next()?.books.map(\.isbn) == ["1"])
        }
    }
}
