import Foundation
import SwormStore

/// The transactions of a timeline, one by one, as they are read.
struct TimelineTransactions {
    private let reader: TimelineReader
    private let console: Console

    init(_ reader: TimelineReader, console: Console) {
        self.reader = reader
        self.console = console
    }

    func write(json: Bool) throws {
        if json { try writeJSON() } else { try writeTable() }
    }

    private func writeTable() throws {
        let table = TextTable(
            ["number", "time (UTC)", "author", "changes", "objects"], right: [true, false, false, true, false],
            width: console.width, to: console.out)
        var isEmpty = true
        try reader.forEach { transaction in
            isEmpty = false
            let entities = entities(of: transaction).map { "\($0.name) \($0.counts.signed)" }
            table.add([
                "\(transaction.number)", TimelineGroups.time(transaction, length: 19),
                ObjectText.origin(author: transaction.author, process: transaction.processID),
                "\(transaction.changes.count)",
                entities.joined(separator: ", "),
            ])
            try console.out.check()
        }
        table.end()
        if isEmpty { console.line("no transactions") }
    }

    private func writeJSON() throws {
        var isFirst = true
        try reader.forEach { transaction in
            console.out.write(isFirst ? "[\n" as StaticString : ",\n")
            isFirst = false
            json(transaction).write(to: console.out, indent: nil)
            try console.out.check()
        }
        console.out.write(isFirst ? "[]\n" as StaticString : "\n]\n")
    }

    private func json(_ transaction: StoredTransaction) -> JSONValue {
        let entities = entities(of: transaction).map { entity -> JSONValue in
            .object([("entity", .string(entity.name))] + TimelineOutput.members(entity.counts))
        }
        return .object([
            ("transaction", .int(transaction.number)), ("date", ObjectJSON.date(transaction.timestamp)),
            ("author", .optional(transaction.author)), ("process", .optional(transaction.processID)),
            ("bundle", .optional(transaction.bundleID)), ("context", .optional(transaction.contextName)),
            ("changes", .count(transaction.changes.count)), ("entities", .array(entities)),
        ])
    }

    /// Returns the numbers of changes by entity, those with the most changes first.
    private func entities(of transaction: StoredTransaction) -> [(name: String, counts: ChangeCounts)] {
        var counts: [Int: ChangeCounts] = [:]
        for change in transaction.changes { counts[change.row.entity, default: ChangeCounts()].add(change.type) }
        return counts.map { (reader.store.model[$0.key].name, $0.value) }
            .sorted { ($1.1.total, $0.0) < ($0.1.total, $1.0) }
    }
}

extension ChangeCounts {
    /// The numbers with their signs, without those that are zero: `+2 ~1`.
    fileprivate var signed: String {
        [("+", inserted), ("~", updated), ("-", deleted)].filter { $0.1 > 0 }.map { "\($0.0)\($0.1)" }
            .joined(separator: " ")
    }
}
