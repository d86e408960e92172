#if PostgreSQL && !canImport(CoreData)
import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Requests on a server that run in memory, and their explanations", .enabled(if: PostgresServer.isEnabled))
struct ServerRequestTests {
    private func location() throws -> StoreLocation {
        let server = try PostgresServer.shared()
        return .postgres(
            .init(
                host: server.folder.path, port: server.port, database: "postgres", user: server.user,
                schema: server.newSchema()))
    }

    private func store(_ books: Int, _ log: ErrorLog) throws -> PersistentContainer {
        let store = try PersistentContainer(for: Kiosk.Book.self, at: location(), logError: log.add)
        try store.write { context in
            _ = try context.insert(
                contentsOf: (0..<books).map { Kiosk.Book(title: "book \($0)", shelf: "s\($0 % 3)", year: $0) })
        }
        return store
    }

    private func messages(_ log: ErrorLog) -> [String] { log.errors.compactMap { ($0 as? StoreError)?.message } }

    @Test func `a request that evaluates more than 10,000 rows in memory is reported once for its kind`() throws {
        let log = ErrorLog()
        let store = try store(10_001, log)
        func count(_ pattern: String, limit: Int = 0) throws -> Int {
            let request = Kiosk.Book.all.where { $0.title.matches(pattern) }
            return try store.read { try limit > 0 ? $0.decode(request.limit(limit)).count : $0.count(of: request) }
        }
        #expect(try count("book 1.*") == 1112)
        let first = messages(log)
        #expect(first.count == 1)
        let message = try #require(first.first)
        for part in ["Book", "10001 rows", "MATCHES", "evaluationInMemory: .refuse", "explain"] {
            #expect(message.contains(part), "\(message)")
        }
        #expect(!message.contains("book 1"), "a value of the request is no part of the message")
        // Other constants and other limits are the same kind.
        #expect(try count("book 2.*") == 1111)
        #expect(try count("none", limit: 3) == 0)
        #expect(messages(log).count == 1)
        // Another condition is another kind.
        _ = try store.read { try $0.count(of: Kiosk.Book.all.where { $0.shelf.matches("s1") }) }
        #expect(messages(log).count == 2)
    }

    @Test func `few rows are not reported, nor are those that the server leaves out`() throws {
        let log = ErrorLog()
        let store = try store(10_000, log)
        #expect(try store.read { try $0.count(of: Kiosk.Book.all.where { $0.title.matches("book 1.*") }) } == 1111)
        try store.write { _ = try $0.insert(Kiosk.Book(title: "one more", shelf: "s0", year: -1)) }
        let request = Kiosk.Book.all.where { $0.year >= 0 && $0.title.matches("book 1.*") }
        #expect(try store.read { try $0.count(of: request) } == 1111)
        #expect(messages(log) == [])
    }

    @Test func `containers over one store report a request once`() throws {
        let log = ErrorLog()
        let store = try store(10_001, log)
        for number in 0..<3 {
            let tenant = store.withTransactions(settings: ["app.tenant": "\(number)"])
            _ = try tenant.read { try $0.count(of: Kiosk.Book.all.where { $0.title.matches("x") }) }
        }
        #expect(messages(log).count == 1)
    }

    @Test func `an explanation numbers parameters as the server does`() throws {
        let store = try PersistentContainer(for: Kiosk.Book.self, at: location())
        let explanation = try store.read { try $0.explain(Kiosk.Book.all.where { $0.title == "it's" && $0.year > 3 }) }
        #expect(explanation.sql.contains("= $1"))
        let lines = explanation.description.split(separator: "\n").map(String.init)
        #expect(lines.contains("$1 = 'it''s'") && lines.contains("$2 = 3"), "\(explanation)")
        #expect(!explanation.description.contains("?1"))
    }

    @Test func `a scan is named, also one in the order of an index`() throws {
        // With many rows, the server prefers the index of the keys for the first of all rows.
        let store = try store(10_001, ErrorLog())
        func explain(_ request: Request<Kiosk.Book>) throws -> RequestExplanation {
            try store.read { try $0.explain(request) }
        }
        let scan = "All rows of Book are scanned: no index covers title. Add .indexed to it."
        let titled = Kiosk.Book.all.where { $0.title > "x" }
        #expect(try explain(titled).advice == [scan])
        let first = try explain(titled.limit(3))
        #expect(first.plan.contains { $0.contains("_pkey") }, "\(first)")
        #expect(first.advice == [scan] && first.scannedEntities == ["Book"], "\(first)")
        #expect(try explain(Kiosk.Book.all.where { $0.year == 1869 }).advice == [])
        #expect(try explain(Kiosk.Book.all.limit(3)).advice == [])
        let sorted = try explain(Kiosk.Book.all.sort(\.title))
        #expect(
            sorted.advice == ["The matching rows are sorted by title: no index has that order. Add .indexed to title."])
    }
}
#endif
