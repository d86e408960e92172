import Foundation
import Sworm

/// A process that opens the store, replaces the data of documents, and ends.
struct DocumentWriter {
    private let arguments: Arguments
    private let count: Int
    private let first: Int

    init(_ arguments: Arguments) throws {
        try arguments.allow("store", "journal", "count", "first", "timeout")
        self.arguments = arguments
        count = try arguments.number("count", or: 0)
        first = try arguments.number("first", or: 0)
    }

    func run() throws {
        let store = try DocumentStore(arguments, timeout: arguments.decimal("timeout", or: 30)).container
        do {
            for turn in first..<first + count {
                try replace(turn, in: store)
                // Unused files are removed at most once a second, so wait for longer than that from time to time.
                if turn % 20 == 19 { usleep(1_100_000) }
            }
            say("replaced \(count)")
        } catch StoreError.Code.timedOut {
            say("timed out")
        }
        // Moves the log as far as readers let it.
        if arguments.text("journal") ?? "wal" == "wal" {
            _ = try? store.checkpoint(.restart, deadline: .now + .seconds(1))
        }
        try? store.close()
    }

    /// Replaces the data of one document, in one of four ways.
    private func replace(_ turn: Int, in store: PersistentContainer) throws {
        let number = turn % Document.count
        let version = turn + 1
        let document = Document.all.where { $0.number == number }
        let data = Document.bytes(number, version)
        switch turn / Document.count % 4 {
        case 0:
            try store.write { context in
                guard let found = try context.fetchOne(document) else { throw Failure("a document is missing") }
                try found.encode(\.version, version)
                try found.encode(\.data, data)
            }
        case 1:
            _ = try store.write { try $0.update(document, set: (\.version, version), (\.data, data)) }
        case 2:
            try store.write { context in
                guard let found = try context.fetchOne(document) else { throw Failure("a document is missing") }
                try context.delete(found)
            }
            try store.write { _ = try $0.insert(Document(number: number, version: version)) }
        default:
            try store.perform { _ = try $0.upsert([Document(number: number, version: version)], on: \.number) }
        }
    }
}
