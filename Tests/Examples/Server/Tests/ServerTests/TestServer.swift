import Foundation
import HTTPTypes
import HummingbirdTesting
import Logging
import NIOCore
import Sworm

@testable import Server

/// A server for one test, on a port and over a store of its own.
struct TestServer {
    let store: PersistentContainer
    let client: any TestClientProtocol

    /// Runs a test while a server is running.
    static func run<Value>(
        over store: PersistentContainer? = nil, timeLimit: Duration = .seconds(60),
        _ test: @Sendable (TestServer) async throws -> Value
    ) async throws -> Value {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let store = try store ?? .books(at: .memory, logger: logger)
        return try await bookServer(for: store, port: 0, timeLimit: timeLimit, logger: logger).test(.ahc(.http)) {
            try await test(TestServer(store: store, client: $0))
        }
    }

    /// Sends a request, and returns the answer.
    func send(
        _ method: HTTPRequest.Method, _ uri: String, _ body: String? = nil, headers: HTTPFields = [:]
    ) async throws -> Answer {
        let response = try await client.executeRequest(
            uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(string: $0) })
        return Answer(
            status: response.status.code, eTag: response.headers[.eTag], headers: response.headers,
            body: Data(response.body.readableBytesView))
    }

    /// The URL of a path, for clients of another kind.
    func url(_ path: String) -> String { "http://localhost:\(client.port ?? 0)\(path)" }
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
