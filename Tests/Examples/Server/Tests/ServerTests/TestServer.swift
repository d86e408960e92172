import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Sworm

@testable import Server

/// A server for one test, on a port and over a store of its own.
struct TestServer {
    let store: PersistentContainer
    let port: Int

    /// Runs a test while a server is running.
    static func run<Value>(
        over store: PersistentContainer? = nil, timeLimit: Duration = .seconds(60),
        firstRevision: @escaping @Sendable () -> Int = { 1 },
        _ test: @Sendable (TestServer) async throws -> Value
    ) async throws -> Value {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let store = try store ?? .books(at: .memory, logger: logger)
        let routes = BookRoutes(store: store, firstRevision: firstRevision)
        return try await serving { running in
            bookServer(for: routes, port: 0, timeLimit: timeLimit, logger: logger, onServerRunning: running)
        } test: { port in
            try await test(TestServer(store: store, port: port))
        }
    }

    /// Runs a test with the port of a server, and shuts the server down.
    static func serving<Value>(
        _ server: (@escaping @Sendable (any Channel) async -> Void) -> some ApplicationProtocol & Service,
        test: (Int) async throws -> Value
    ) async throws -> Value {
        let (ports, port) = AsyncStream<Int>.makeStream()
        let server = server { channel in port.yield(channel.localAddress?.port ?? 0) }
        let group = ServiceGroup(services: [server], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { port.finish() }
                try await group.run()
            }
            let result: Result<Value, any Error>
            do {
                // Without a port, the server has ended, and its error is thrown below.
                let running = await ports.first { _ in true }
                result = .success(try await test(running ?? 0))
            } catch {
                result = .failure(error)
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try result.get()
        }
    }

    /// Sends a request, and returns the answer.
    func send(
        _ method: HTTPRequest.Method, _ uri: String, _ body: String? = nil, headers: HTTPFields = [:]
    ) async throws -> Answer {
        let exchange = try await HTTPExchange(
            HTTPMethod(rawValue: method.rawValue), url(uri),
            headers: HTTPHeaders(headers.map { ($0.name.rawName, $0.value) }), body: body)
        var fields = HTTPFields()
        for (name, value) in exchange.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return Answer(
            status: Int(exchange.status.code), eTag: fields[.eTag], headers: fields, body: try await exchange.body())
    }

    /// Returns the URL of a path.
    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
}

struct Answer: Sendable {
    let status: Int
    let eTag: String?
    let headers: HTTPFields
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }
    var page: BookPage { get throws { try decode() } }
    var list: BookList { get throws { try decode() } }
    var error: Failure.Content { get throws { try (decode() as Failure.Body).error } }

    private func decode<Value: Decodable>() throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(Value.self, from: body)
    }
}

/// The body of a PUT, with further members of the JSON object.
func book(
    _ title: String = "War and Peace", year: Int = 1869, reviews: String = "[]", tags: String = "[]", revision: Int = 0,
    with more: String = ""
) -> String {
    """
    {"title": "\(title)", "year": \(year), "reviews": \(reviews), "tags": \(tags), "revision": \(revision)\(more)}
    """
}

/// A review as JSON.
func review(_ day: Int, _ text: String = "Good.", mark: Int = 3) -> String {
    #"{"day": "2026-01-0\#(day)T00:00:00Z", "mark": \#(mark), "text": "\#(text)"}"#
}
