import AsyncHTTPClient
import Foundation
import NIOCore
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ProcessTests {
    @Test(arguments: [SIGTERM, SIGINT])
    func `the program prints its address, answers, and ends by a signal`(_ signal: Int32) async throws {
        let process = try ServerProcess(["--port", "0"])
        defer { process.kill() }
        #expect(process.address.hasPrefix("http://127.0.0.1:"))
        let request = HTTPClientRequest(url: process.address)
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        #expect(String(buffer: try await response.body.collect(upTo: 1_000_000)).contains("Frankenstein"))
        // A live list does not delay the end.
        let live = HTTPClientRequest(url: process.address + "/live")
        var events = try await HTTPClient.shared.execute(live, timeout: .seconds(30)).body.makeAsyncIterator()
        #expect(try await events.next() != nil)
        #expect(process.end(by: signal) == 0)
    }

    @Test(arguments: [["--port", "many"], ["--port"], ["A.sqlite", "B.sqlite"], ["--verbose"]])
    func `wrong arguments end the program`(_ arguments: [String]) throws {
        #expect(try ServerProcess(arguments).status() == 2)
    }

    @Test func `a store that does not open ends the program`() throws {
        #expect(try ServerProcess(["--port", "0", "/dev/null/Books.sqlite"]).status() == 1)
    }
}
