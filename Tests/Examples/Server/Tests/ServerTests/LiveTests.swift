import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import Sworm
import Testing

@testable import Server

/// The events of a live list, as a client reads them.
struct Events {
    private let exchange: HTTPExchange
    private var text = ""

    /// Starts a request.
    init(of url: String) async throws {
        exchange = try await HTTPExchange(.GET, url)
        #expect(exchange.headers["content-type"] == ["text/event-stream"])
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
            guard let chunk = try await exchange.next() else { return nil }
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
        try await TestServer.serving { running in
            Application(
                router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
                onServerRunning: running)
        } test: { port in
            let exchange = try await HTTPExchange(.GET, "http://127.0.0.1:\(port)/events")
            #expect(try await exchange.next().map { String(buffer: $0) } == "data: 1\n\n")
            await exchange.close()
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
            let exchange = try await HTTPExchange(.PUT, address + "/1", body: book())
            #expect(exchange.status == .created)
            _ = try await exchange.body()
            #expect(try await events.next()?.books.map(\.isbn) == ["1"])
        }
    }
}
