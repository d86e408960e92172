import Foundation
import SwormStore

/// The changes of one object in a timeline, one by one, with the properties that they changed and the values that the
/// history preserves of a deleted object.
struct TimelineChanges {
    private let reader: TimelineReader
    private let hidden: HiddenAttributes
    private let console: Console

    private var store: StoreReader { reader.store }

    init(_ reader: TimelineReader, hidden: HiddenAttributes, console: Console) {
        self.reader = reader
        self.hidden = hidden
        self.console = console
    }

    func write(json: Bool) throws {
        var found: [(transaction: StoredTransaction, change: StoredChange)] = []
        try reader.forEach { transaction in
            var header = transaction
            header.changes = []
            found += transaction.changes.map { (header, $0) }
        }
        if json {
            return console.answer(.array(try found.map { try self.json($0.change, in: $0.transaction) }))
        }
        let table = TextTable(
            ["transaction", "time (UTC)", "author", "change", "properties"],
            right: [true, false, false, false, false], width: console.width, to: console.out)
        for (transaction, change) in found {
            table.add([
                "\(transaction.number)", TimelineGroups.time(transaction, length: 19),
                ObjectText.origin(author: transaction.author, process: transaction.processID),
                ObjectChange(change, in: transaction).kind.rawValue,
                try properties(of: change),
            ])
        }
        table.end()
        if found.isEmpty { console.line("no changes") }
    }

    private func properties(of change: StoredChange) throws -> String {
        guard change.tombstone.isEmpty else {
            return try preserved(change).map { "\($0.name): \($0.text)" }.joined(separator: ", ")
        }
        if let names = change.properties { return names.joined(separator: ", ") }
        return change.type == .update ? "unknown" : ""
    }

    private func json(_ change: StoredChange, in transaction: StoredTransaction) throws -> JSONValue {
        guard case .object(var members) = ObjectJSON.change(ObjectChange(change, in: transaction)) else { return .null }
        members.insert(
            ("object", .string(ObjectName(entity: store.model[change.row.entity].name, key: change.row.key).shown)),
            at: 0)
        if change.type == .delete {
            members.append(("preserved", .object(try preserved(change).map { ($0.name, $0.json) })))
        }
        return .object(members)
    }

    /// Returns the values of a deleted object that the history preserves, in the order of the attributes.
    private func preserved(_ change: StoredChange) throws -> [(name: String, text: String, json: JSONValue)] {
        let entity = store.model[change.row.entity]
        return try change.tombstone.sorted { $0.key < $1.key }.compactMap { slot, value in
            guard entity.attributes.indices.contains(slot) else { return nil }
            let attribute = entity.attributes[slot]
            if hidden.contains(attribute, of: entity, in: store.model) {
                return (attribute.name, "hidden", .object([("hidden", .bool(true))]))
            }
            // The history has the content of external data, without a marker.
            let column = ValueColumn(title: attribute.name, cell: 0, kind: ValueColumn.Kind(attribute.type))
            let writer = RowWriter(
                [column], blobs: .hash, model: store.model, session: store.session, missingFiles: store.missingFiles)
            let row = StoredRow([value])
            let sink = ByteSink()
            try writer.writeJSON(column, of: row, to: sink)
            return (attribute.name, try writer.text(column, of: row), .encoded(sink.text))
        }
    }
}
