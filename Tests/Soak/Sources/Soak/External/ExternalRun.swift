import Foundation
import Sworm

/// A process is stopped while it reads, until others have replaced all data in files and opened the store again and again.
struct ExternalRun {
    private static let replacements = 100
    private static let openings = 3
    private let rounds: Int
    private let plant: String?

    init(_ arguments: Arguments) throws {
        try arguments.allow("rounds", "plant")
        rounds = max(1, try arguments.number("rounds", or: 3))
        plant = try arguments.plant("removed", "orphan")
    }

    /// Runs everything, and returns whether all bytes were read and no file is left over.
    func run() throws -> Bool {
        var checks = Checks()
        for round in 1...rounds {
            for (journal, call) in [("wal", "read"), ("wal", "perform"), ("delete", "read")] {
                try run(journal, call, "\(round), \(journal), \(call): ", &checks)
            }
        }
        return checks.holds
    }

    private func run(_ journal: String, _ call: String, _ name: String, _ checks: inout Checks) throws {
        let place = try PerformState()
        let path = place.url("store.sqlite").path
        let folder = place.url(".store_SUPPORT/_EXTERNAL_DATA")
        try fill(path, journal)
        let store = ["--store", path, "--journal", journal]
        let reader = try ChildProcess(["external-reader", "--call", call] + store)
        let line = try reader.line()
        guard let line, line.hasPrefix("reading ") else { throw Failure("the reader said \(line ?? "nothing")") }
        try reader.stop()
        if journal == "wal" {
            try replace(store)
            checks.note(name + "files while the reader is stopped", "\(try files(folder).count)")
        } else {
            // Without a log a reader excludes commits.
            let writer = try ChildProcess(["external-writer", "--count", "1", "--timeout", "1"] + store)
            let answer = try writer.line() ?? "nothing"
            try writer.end()
            checks.add(name + "a commit beside the stopped reader", answer, wanted: "timed out", answer == "timed out")
        }
        if plant == "removed", let file = try files(folder).sorted().first(where: { isOld($0, folder) }) {
            try FileManager.default.removeItem(at: folder.appending(path: file))
        }
        reader.goOn()
        try reader.send()
        let answer = try reader.line() ?? "nothing"
        try reader.end()
        checks.add(name + "bytes read of \(Document.count) documents", answer, wanted: "wrong 0", answer == "wrong 0")
        if journal != "wal" { try replace(store) }
        if plant == "orphan" { try Data([1]).write(to: folder.appending(path: UUID().uuidString)) }
        // A checkpoint, and an opening.
        let first = try DocumentStore(at: path, journal: journal).container
        if journal == "wal" { try first.checkpoint() }
        try first.close()
        let last = try DocumentStore(at: path, journal: journal).container
        let found = try last.read { try $0.decode(Document.all) }
        try last.close()
        let wrong = found.count { $0.data != Document.bytes($0.number, $0.version) || $0.version <= 0 }
        let isWhole = wrong == 0 && found.count == Document.count
        checks.add(
            name + "documents in the end", "\(found.count), \(wrong) wrong", wanted: "\(Document.count), 0 wrong",
            isWhole)
        let left = try files(folder).count - Document.count
        checks.add(name + "files that no row names", "\(left)", wanted: "0", left == 0)
    }

    private func fill(_ path: String, _ journal: String) throws {
        let store = try DocumentStore(at: path, journal: journal).container
        try store.perform { context in
            for number in 0..<Document.count { try context.insert(Document(number: number, version: 0)) }
        }
        try store.close()
    }

    /// Replaces the data again and again, in processes that each open the store once.
    private func replace(_ store: [String]) throws {
        var first = 0
        for opening in 1...Self.openings {
            let next = Self.replacements * opening / Self.openings
            let writer = try ChildProcess(
                ["external-writer", "--first", "\(first)", "--count", "\(next - first)"] + store)
            try writer.expect("replaced \(next - first)")
            try writer.end()
            first = next
        }
    }

    private func files(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    /// Whether a file has the data of a document as it was first.
    private func isOld(_ file: String, _ folder: URL) -> Bool {
        guard let data = try? Data(contentsOf: folder.appending(path: file)) else { return false }
        return (0..<Document.count).contains { data == Document.bytes($0, 0) }
    }
}
