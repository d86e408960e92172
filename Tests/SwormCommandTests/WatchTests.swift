import Foundation
import Sworm
import Testing

@testable import SwormCommand

/// A row that is written while the tool watches.
private struct Entry: Sendable {
    var number = 0
    var text = ""
    var cover: Data?
}

extension Entry: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Entry>> = [
        .init(\.number, "number"), .init(\.text, "text"), .init(\.cover, "cover"),
    ]
    struct Relations: Sendable { let shelf = ToOneRelation<Rack>("shelf", inverse: \.entries) }
    static let relations = Relations()
}

private struct Rack: Sendable { var name = "" }

extension Rack: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Rack>> = [.init(\.name, "name")]
    struct Relations: Sendable { let entries = ToManyRelation<Entry>("entries") }
    static let relations = Relations()
}

/// A long run: SWORM_WATCH_COMMITS=10000 swift test --filter WatchTests.
@Suite("watch", .enabled(if: ToolProcess.path != nil), .timeLimit(.minutes(30)))
struct WatchTests {
    private let workshop: Workshop

    init() throws { workshop = try Workshop() }

    private func open(history: Bool = true) throws -> PersistentContainer {
        try PersistentContainer(for: Entry.self, at: .file(workshop.url("Watched.sqlite")), history: history)
    }

    private func watch(_ words: String...) throws -> WatchProcess {
        try WatchProcess([workshop.file("Watched.sqlite")] + words)
    }

    private func values(_ line: WatchProcess.Line, _ name: String) throws -> [String: Any]? {
        try #require(try line.json["properties"] as? [String: Any])[name] as? [String: Any]
    }

    @Test func `shows each transaction with old and new values, and ends when it is interrupted`() throws {
        let store = try open()
        try store.perform { _ = try $0.insert(Entry(number: 1, text: "a")) }
        let process = try watch()
        try store.perform { context in
            context.instance.transactionAuthor = "import"
            let shelf = try context.insert(Rack(name: "s"))
            let entry = try #require(try context.fetchOne(Entry.all))
            try entry.encode(\.text, "b")
            entry.shelf = shelf
        }
        let lines = try process.lines(2)
        let shelf = try #require(try lines.first { try $0.json["entity"] as? String == "Rack" })
        #expect(try shelf.json["kind"] as? String == "inserted" && shelf.json["author"] as? String == "import")
        #expect(try values(shelf, "name")?["new"] as? String == "s" && values(shelf, "name")?["old"] == nil)
        let entry = try #require(try lines.first { try $0.json["entity"] as? String == "Entry" })
        #expect(try entry.json["self"] as? String == "Entry/p1" && entry.json["kind"] as? String == "updated")
        #expect(try values(entry, "text")?["old"] as? String == "a" && values(entry, "text")?["new"] as? String == "b")
        #expect(try values(entry, "shelf")?["new"] as? String == "Rack/p1" && values(entry, "number") == nil)
        #expect(try entry.json["transaction"] as? Int == shelf.json["transaction"] as? Int)
        try store.perform { try $0.delete(Entry.all) }
        // The deletion also changes the relation of the shelf, whose line comes first.
        let last = try #require(try process.lines(4).first { try $0.json["kind"] as? String == "deleted" })
        #expect(try values(last, "text")?["old"] as? String == "b" && values(last, "text")?["new"] == nil)
        #expect(process.interrupt() == 0)
    }

    @Test func `sees each commit of another process once and soon`() throws {
        let long = ProcessInfo.processInfo.environment["SWORM_WATCH_COMMITS"].flatMap { Int($0) }
        let count = long ?? 50
        let store = try open()
        try store.perform { _ = try $0.insert(Entry(number: 0)) }
        let process = try watch()
        var times: [ContinuousClock.Instant] = []
        var next = ContinuousClock.now
        for number in 1...count {
            next += .milliseconds(20)
            let pause = next - .now
            if pause > .zero { Thread.sleep(forTimeInterval: pause / .seconds(1)) }
            try store.perform { _ = try $0.update(Entry.all, set: (\Entry.number, number)) }
            times.append(.now)
        }
        let lines = try process.lines(count)
        var latencies: [Double] = []
        for (index, line) in lines.enumerated() where index < count {
            #expect(
                try values(line, "number")?["new"] as? Int == index + 1 || values(line, "number")?["replaced"] != nil)
            latencies.append((line.time - times[index]) / .milliseconds(1))
        }
        latencies.sort()
        let (median, late) = (latencies[count / 2], latencies[min(count - 1, count * 99 / 100)])
        print(
            "watch: \(count) commits, \(lines.count) lines, p50 \(median) ms, p99 \(late) ms, at most \(latencies[count - 1]) ms"
        )
        if long != nil { #expect(late <= 50) }
        let transactions = try lines.compactMap { try $0.json["transaction"] as? Int }
        #expect(transactions == Array(transactions.sorted()) && Set(transactions).count == count)
        #expect(process.interrupt() == 0)
        #expect(process.all.count == count)
    }

    @Test func `without a history, marks commits that are read together`() throws {
        let store = try open(history: false)
        try store.perform { _ = try $0.insert(Entry(number: 0)) }
        let process = try watch()
        let count = 200
        for number in 1...count {
            try store.perform { _ = try $0.update(Entry.all, set: (\Entry.number, number)) }
            if number % 20 == 0 { usleep(3_000) }
        }
        var last = 0
        while last < count {
            last = 0
            for line in try process.lines(1) {
                let change = try values(line, "number")
                let (old, new) = (change?["old"] as? Int, change?["new"] as? Int)
                #expect(old == last)
                let commits = try line.json["merged"] == nil ? 1 : line.json["commits"] as? Int
                if let commits { #expect(new == last + commits) }
                last = try #require(new)
            }
            usleep(2_000)
        }
        #expect(last == count)
        #expect(process.interrupt() == 0)
    }

    @Test func `shows objects that match before or after a change`() throws {
        let store = try open()
        try store.perform { context in
            for number in 1...3 { try context.insert(Entry(number: number)) }
        }
        let process = try watch("--where", "number > 2")
        for number in 1...3 {
            try store.perform { context in
                _ = try context.update(Entry.all.where { $0.number == number }, set: (\Entry.text, "x"))
            }
        }
        try store.perform { _ = try $0.update(Entry.all.where { $0.number == 3 }, set: (\Entry.number, 0)) }
        // The condition is compared with the states that were read, so the next changes wait for that.
        _ = try process.lines(2)
        try store.perform { _ = try $0.update(Entry.all.where { $0.number == 1 }, set: (\Entry.number, 9)) }
        try store.perform { _ = try $0.update(Entry.all.where { $0.number == 0 }, set: (\Entry.text, "y")) }
        try store.perform { _ = try $0.update(Entry.all.where { $0.number == 9 }, set: (\Entry.text, "z")) }
        let lines = try process.lines(4)
        #expect(try lines.map { try $0.json["self"] as? String } == ["Entry/p3", "Entry/p3", "Entry/p1", "Entry/p1"])
        #expect(process.interrupt() == 0)
    }

    @Test func `rejects conditions and entities that the model does not have`() throws {
        let store = try open()
        try store.close()
        let path = workshop.file("Watched.sqlite")
        let missing = Run(["watch", path, "--entity", "Entri"])
        #expect(missing.code == .failure && missing.err.contains("Entry"))
        #expect(Run(["watch", path, "--where", "missing > 1"]).code == .failure)
        #expect(Run(["watch", path, "--where", "number >"]).code == .failure)
    }
}
