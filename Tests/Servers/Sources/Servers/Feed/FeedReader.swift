import Foundation
import Sworm

/// What the feed has said about one write.
struct FeedLine: Codable, Sendable {
    var token: ChangeToken
    var inserted = 0
    var updated = 0
    var deleted = 0
    var commits: [Commit] = []
}

/// A process that follows the feed behind the last token that it has kept, and appends a line to a file for each write, until
/// it is killed or has reached the end.
struct FeedReader {
    private let store: PersistentContainer
    private let output: URL
    /// The number of the last transaction to read; nil for all that come.
    private let end: Int64?

    init(_ words: [String], output: URL) throws {
        guard words.count == 1 || words.count == 2 else { throw Failure("feed-reader ADDRESS [END]") }
        store = try FeedStore.open(words[0])
        self.output = output
        end = words.count == 2 ? Int64(words[1]) : nil
    }

    func run() throws {
        let (store, end) = (store, end)
        let handle = try FileHandle(forUpdating: output)
        // What was written before the kill counts up to the last whole line.
        let kept = try handle.readToEnd() ?? Data()
        let length = kept.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        let last = try kept[..<length].split(separator: UInt8(ascii: "\n")).last.map {
            try JSONDecoder().decode(FeedLine.self, from: $0).token
        }
        try handle.truncate(atOffset: UInt64(length))
        try handle.seekToEnd()
        let start = try last ?? ChangeToken.beginning(of: store.changeToken())
        if let end, start.number >= end { return }
        try blocking { try await Self.follow(store, since: start, until: end) { try handle.write(contentsOf: $0) } }
    }

    private static func follow(
        _ store: PersistentContainer, since start: ChangeToken, until end: Int64?,
        keeping keep: @Sendable (Data) throws -> Void
    ) async throws {
        for try await changes in store.changes(since: start) {
            guard let token = changes.token else { throw Failure("a transaction has no token") }
            guard !changes.isIncomplete else { throw Failure("the transaction \(token.number) is incomplete") }
            var line = FeedLine(token: token)
            for item in changes.of(Item.self) {
                switch item.kind {
                case .inserted: line.inserted += 1
                case .updated: line.updated += 1
                case .deleted: line.deleted += 1
                }
            }
            if !changes.of(Commit.self).isEmpty { line.commits = Array(try changes.values(of: Commit.self).values) }
            try keep(JSONEncoder().encode(line) + Data("\n".utf8))
            if let end, token.number >= end { return }
        }
    }
}

extension ChangeToken {
    /// The position before the first transaction of a store.
    static func beginning(of token: ChangeToken) throws -> ChangeToken {
        let text = #"{"store":"\#(token.store)","number":0}"#
        return try JSONDecoder().decode(ChangeToken.self, from: Data(text.utf8))
    }
}
