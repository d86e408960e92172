import Foundation
import Sworm

/// A process that inserts rows until it is killed. The rows of one transaction have consecutive numbers.
func runInserter(_ url: URL, number: Int) throws {
    let store = try open(url, synchronous: "NORMAL", history: true)
    while true {
        try store.write { context in
            let last = try context.max(of: Entry.all, \.number) ?? 0
            try context.insert(contentsOf: (1...(1 + last % 3)).map { Entry(writer: number, number: last + $0) })
        }
        usleep(500)
    }
}

/// A process that appends the rows of each transaction to a file, with the token behind it, until it is killed.
func runReader(_ url: URL, _ output: URL, until end: Int64?) async throws {
    let store = try open(url, synchronous: "NORMAL", history: true)
    let handle = try FileHandle(forUpdating: output)
    var token: ChangeToken?
    // What was written before the kill counts up to the last whole line.
    let kept = try handle.readToEnd() ?? Data()
    let length = kept.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    if let line = kept[..<length].split(separator: UInt8(ascii: "\n")).last {
        token = try JSONDecoder().decode(Line.self, from: line).token
    }
    try handle.truncate(atOffset: UInt64(length))
    try handle.seekToEnd()
    let start = try token ?? ChangeToken.beginning(of: store.changeToken())
    if let end, start.number >= end { return }
    for try await changes in store.changes(since: start, of: Entry.self) {
        guard let token = changes.token else { throw Failure(description: "a transaction has no token") }
        let numbers = try changes.values(of: Entry.self).values.map(\.number).sorted()
        let line = try JSONEncoder().encode(Line(token: token, numbers: numbers))
        try handle.write(contentsOf: line + Data("\n".utf8))
        if let end, token.number >= end { return }
    }
}

private struct Line: Codable {
    var token: ChangeToken
    var numbers: [Int]
}

extension ChangeToken {
    /// The position before the first transaction of a store.
    static func beginning(of token: ChangeToken) throws -> ChangeToken {
        let text = #"{"store":"\#(token.store)","number":0}"#
        return try JSONDecoder().decode(ChangeToken.self, from: Data(text.utf8))
    }
}

/// Kills readers and writers, and returns whether the reader has received each transaction once and in order.
func feed(_ arguments: [String], in folder: URL) async throws -> Bool {
    let kills = arguments.first.flatMap { Int($0) } ?? 100
    let seed = arguments.firstIndex(of: "--seed").flatMap { UInt64(arguments[$0 + 1]) } ?? UInt64.random(in: 0...9_999)
    var random = Seeded(seed)
    let url = folder.appendingPathComponent("Store.sqlite")
    let output = folder.appendingPathComponent("received")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    let store = try open(url, synchronous: "NORMAL", history: true)
    func startWriter(_ number: Int) throws -> Process { try start(["inserter", url.path, "\(number)"]) }
    func startReader() throws -> Process { try start(["reader", url.path, output.path]) }
    var (writer, reader) = (try startWriter(0), try startReader())
    for number in 1...kills {
        usleep(UInt32(20_000 + random.next() % 60_000))
        if random.next() % 2 == 0 {
            kill(writer.processIdentifier, SIGKILL)
            writer.waitUntilExit()
            writer = try startWriter(number)
        } else {
            guard reader.isRunning else { throw Failure(description: "the reader has ended by itself") }
            kill(reader.processIdentifier, SIGKILL)
            reader.waitUntilExit()
            reader = try startReader()
        }
    }
    for process in [writer, reader] {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
    let end = try store.changeToken()
    let last = try start(["reader", url.path, output.path, "\(end.number)"])
    last.waitUntilExit()
    let lines = try String(contentsOf: output, encoding: .utf8).split(separator: "\n").map {
        try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
    let numbers = lines.flatMap(\.numbers)
    let count = try store.perform { try $0.count(of: Entry.all) }
    let isInOrder = zip(lines, lines.dropFirst()).allSatisfy { $0.token < $1.token }
    let isComplete = numbers == Array(1...max(1, count)) || numbers.isEmpty && count == 0
    print(
        "seed \(seed), \(kills) kills, \(lines.count) transactions with \(numbers.count) rows, \(count) rows in the store"
    )
    print(
        isInOrder && isComplete
            ? "each transaction once, in order" : "transactions are missing, repeated or out of order")
    return isInOrder && isComplete && last.terminationStatus == 0
}
