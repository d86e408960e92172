import Foundation
import NIOCore
import NIOHTTP1
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ProcessTests {
    @Test(arguments: [SIGTERM, SIGINT])
    func `the program prints its address, answers, and ends by a signal`(_ signal: Int32) async throws {
        let process = try ServerProcess(["--port", "0"])
        defer { process.kill() }
        #expect(process.address.hasPrefix("http://127.0.0.1:"))
        let list = try await HTTPExchange(.GET, process.address).body()
        #expect(String(decoding: list, as: UTF8.self).contains("Frankenstein"))
        // A live list does not delay the end.
        let events = try await HTTPExchange(.GET, process.address + "/live")
        #expect(try await events.next() != nil)
        #expect(process.end(by: signal) == 0)
    }

    @Test(arguments: [["--port", "many"], ["--port"], ["A.sqlite", "B.sqlite"], ["--verbose"]])
    func `wrong arguments end the program`(_ arguments: [String]) throws {
        #expect(try ServerProcess(arguments).status() == 2)
    }

    @Test func `a store that does not open ends the program`() throws {
        // A file is no folder that could contain a store.
        #expect(try ServerProcess(["--port", "0", "\(#filePath)/Books.sqlite"]).status() == 1)
    }
}
