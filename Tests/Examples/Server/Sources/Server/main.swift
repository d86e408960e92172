// A REST server of books:
//
//     swift run --package-path Tests/Examples/Server Server [--port 8080] [STORE]
//
// Without the path of a store, the books are samples in memory:
//
//     curl 'localhost:8080/books?sort=-year&limit=2'
//     curl -N localhost:8080/books/live
//     curl -X PATCH localhost:8080/books/9780141439471 -d '{"rating": null, "tags": ["horror"], "revision": 1}'
import Foundation
import Hummingbird
import Logging
import NIOCore
import Sworm

guard let arguments = Arguments(CommandLine.arguments.dropFirst()) else {
    print("usage: Server [--port PORT] [STORE]")
    exit(2)
}
let logger = Logger(label: "Server")
do {
    let store = try PersistentContainer.books(at: arguments.location, logger: logger)
    if arguments.location == .memory { try store.insertSamples() }
    let server = bookServer(for: BookRoutes(store: store), port: arguments.port, logger: logger) { channel in
        let address = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)/books\n"
        FileHandle.standardOutput.write(Data(address.utf8))
    }
    // Returns after SIGINT or SIGTERM, when all requests have been answered.
    try await server.runService()
    try store.close(deadline: .now + .seconds(10))
} catch {
    logger.critical("\(error)")
    exit(1)
}
