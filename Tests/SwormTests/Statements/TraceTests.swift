import Foundation
import Sworm
import SwormTools
import Testing

#if !canImport(CoreData)
private final class Traces: Sendable {
    private let kept = Locked<[SQLTrace]>([])
    var all: [SQLTrace] { kept.withLock { $0 } }
    var work: [SQLTrace] { all.filter { !$0.isUpkeep } }
    func add(_ trace: SQLTrace) { kept.withLock { $0.append(trace) } }
    func clear() { kept.withLock { $0 = [] } }
}

@Suite("Traces of SQL")
struct TraceTests {
    private func folder() throws -> URL {
        let url = FileManager.default.temporaryDirectory.appending(path: "sworm-trace-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    @Test func `every statement is reported with its time and rows, from the opening on`() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let traces = Traces()
        let location = StoreLocation.file(folder.appending(path: "Store.sqlite"))
        let store = try PersistentContainer(for: Kiosk.Book.self, at: location, trace: { traces.add($0) })
        #expect(traces.all.contains { $0.sql.hasPrefix("CREATE TABLE ZBOOK") && $0.isUpkeep })
        traces.clear()
        try store.perform { context in
            for number in 0..<3 { try context.insert(Kiosk.Book(title: "secret \(number)", year: number)) }
        }
        #expect(traces.work.map { String($0.sql.prefix(16)) } == Array(repeating: "INSERT INTO ZBOO", count: 3))
        #expect(traces.all.contains { $0.sql == "COMMIT" })
        traces.clear()
        #expect(try store.perform { try $0.decode(Kiosk.Book.all.where { $0.title > "secret 0" }) }.count == 2)
        let read = try #require(traces.work.first)
        #expect(traces.work.count == 1)
        #expect(read.sql.contains("FROM ZBOOK"))
        #expect(read.rows == 2)
        #expect(read.seconds > 0 && read.seconds < 10)
        #expect(read.sqlWithValues == nil)
        #expect(!traces.all.contains { "\($0)".contains("secret") })
    }

    @Test(arguments: [true, false])
    func `values are reported on request`(isWanted: Bool) throws {
        let traces = Traces()
        let store = try PersistentContainer(
            for: Kiosk.Book.self, at: .tested, trace: { traces.add($0) }, tracesValues: isWanted)
        try store.perform { try $0.insert(Kiosk.Book(title: "secret")) }
        #expect(traces.all.contains { "\($0)".contains("'secret'") } == isWanted)
    }

    @Test func `a store without a trace reports nothing of another store`() throws {
        let traces = Traces()
        let traced = try PersistentContainer(for: Kiosk.Book.self, at: .tested, trace: { traces.add($0) })
        let other = try PersistentContainer(for: Kiosk.Book.self, at: .tested)
        traces.clear()
        try other.perform { _ = try $0.insert(Kiosk.Book()) }
        #expect(traces.all == [])
        #expect(try traced.perform { try $0.count(of: Kiosk.Book.all) } == 0)
        #expect(traces.work.count == 1)
    }

    @Test func `internal statements of a store are distinguished`() throws {
        let traces = Traces()
        let store = try PersistentContainer(for: Kiosk.Book.self, at: .tested, trace: { traces.add($0) })
        try store.perform { try $0.insert(Kiosk.Book()) }
        #expect(try store.perform { try $0.count(of: Kiosk.Book.all) } == 1)
        let upkeep = traces.all.filter(\.isUpkeep).map(\.sql)
        for start in ["BEGIN", "COMMIT", "PRAGMA user_version", "UPDATE Z_PRIMARYKEY", "SELECT max(Z_PK)"] {
            #expect(upkeep.contains { $0.hasPrefix(start) }, "\(start)")
        }
    }
}
#endif
