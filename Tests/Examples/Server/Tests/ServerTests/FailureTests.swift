import Foundation
import HTTPTypes
import Sworm
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(1)))
struct FailureTests {
    @Test func `a request that waits too long is answered`() async throws {
        try await TestServer.run(timeLimit: .milliseconds(300)) { server in
            let (isHeld, hold) = AsyncStream<Void>.makeStream()
            let released = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                try? server.store.write { _ in
                    hold.finish()
                    released.wait()
                }
            }
            for await _ in isHeld {}
            defer { released.signal() }
            let answer = try await server.send(.put, "/books/1", book())
            #expect(answer.status == 503)
            #expect(answer.headers[.retryAfter] == "1")
            #expect(try answer.error.code == "timedOut")
        }
    }

    @Test func `a closed store is unavailable`() async throws {
        try await TestServer.run { server in
            try server.store.close()
            #expect(try await server.send(.get, "/books/1").status == 503)
        }
    }

    @Test func `an unexpected error does not tell what it is`() throws {
        struct Secret: Error {}
        let failure = Failure(Secret())
        #expect(failure.status == .internalServerError)
        #expect(failure.content.code == "internal")
        #expect(!failure.content.message.contains("Secret"))
    }

    @Test func `an error of the store does not tell the path of its file`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID())/secret.sqlite")
        defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
        let store = try PersistentContainer(for: Book.self, at: .file(file))
        try await TestServer.run(over: store) { server in
            _ = try await server.send(.put, "/books/1", book())
            try FileManager.default.removeItem(at: file.deletingLastPathComponent())
            let answer = try await server.send(.put, "/books/2", book())
            #expect(answer.status == 500)
            #expect(try answer.error.code == "internal")
            #expect(!answer.text.contains("secret") && !answer.text.contains("ZBOOK"))
        }
    }
}
