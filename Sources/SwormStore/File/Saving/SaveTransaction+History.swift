import Foundation
import SwormSQLite

extension SaveTransaction {
    /// One row of `ACHANGE`.
    private struct Change {
        var type: Int64
        var entity: Int
        var key: Int64
        var columns: Data?
        var tombstones: [StoredValue] = []

        func tombstone(_ index: Int) -> StoredValue { tombstones.indices.contains(index) ? tombstones[index] : .null }
    }

    /// Writes the changes of the save into the store's history, if the store has one. A save without changes writes
    /// nothing.
    func writeHistory() throws {
        guard let history else { return }
        let changes = try changes(history)
        guard !changes.isEmpty else { return }
        if isMirrored { try request.refuseMirroringAuthor() }
        let transaction = try addTransaction(history)
        writtenHistory.add(transaction, changes: changes.count)
        let (first, number) = try HistoryKeys.reserve(changes.count, of: .change, model: model, connection: connection)
        let tombstones = changes.map(\.tombstones.count).max() ?? 0
        let names = ["Z_PK", "Z_ENT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"]
        let columns =
            names.filter { history.has($0, in: .change) } + (0..<tombstones).map { HistoryTables.tombstone($0) }
        let arena = BindingArena()
        var statement = try connection.base.statement(Self.insertion(into: .change, columns))
        for (index, change) in changes.enumerated() {
            for (parameter, column) in columns.enumerated() {
                let value: StoredValue =
                    switch column {
                    case "Z_PK": .integer(first + Int64(index))
                    case "Z_ENT": .integer(number)
                    case "ZCHANGETYPE": .integer(change.type)
                    case "ZENTITY": .integer(Int64(change.entity))
                    case "ZENTITYPK": .integer(change.key)
                    case "ZTRANSACTIONID": .integer(transaction)
                    case "ZCOLUMNS": change.columns.map { .blob($0) } ?? .null
                    default: change.tombstone(parameter - columns.count + tombstones)
                    }
                try statement.bind(value, at: parameter + 1, in: arena)
            }
            try statement.run(emptying: arena)
        }
    }

    private static func insertion(into kind: HistoryTables.Kind, _ columns: [String]) -> String {
        let parameters = columns.map { _ in "?" }.joined(separator: ", ")
        return "INSERT INTO \(kind.table) (\(columns.joined(separator: ", "))) VALUES (\(parameters))"
    }

    // MARK: Changes

    private func changes(_ history: HistoryTables) throws -> [Change] {
        var changes: [Change] = []
        changes.reserveCapacity(request.insertions.count + notes.changed.count + notes.deletions.count)
        var inserted: Set<HistoryNotes.Object> = []
        for insertion in request.insertions {
            let key = try key(insertion.row)
            inserted.insert(object(entity: insertion.row.entity, key: key))
            changes.append(Change(type: 0, entity: insertion.row.entity, key: key))
        }
        for row in notes.insertions {
            inserted.insert(object(entity: row.entity, key: row.key))
            changes.append(Change(type: 0, entity: row.entity, key: row.key))
        }
        let updated = Dictionary(
            request.updates.map { (object(entity: $0.row.entity, key: $0.row.key), $0.row.entity) },
            uniquingKeysWith: { first, _ in first })
        for object in notes.changed where !inserted.contains(object) && !notes.deleted.contains(object) {
            guard let entity = try updated[object] ?? entity(of: object) else { continue }
            let bits = history.properties(of: entity).bits(notes.properties[object] ?? [])
            changes.append(Change(type: 1, entity: entity, key: object.key, columns: bits))
        }
        for deletion in notes.deletions where !inserted.contains(deletion.object) {
            changes.append(
                Change(
                    type: 2, entity: deletion.entity, key: deletion.object.key, tombstones: deletion.tombstones))
        }
        return changes
    }

    /// Returns the actual entity of an object that is known only through a relationship, or nil if the object does not
    /// exist.
    private func entity(of object: HistoryNotes.Object) throws -> Int? {
        let number = try connection.integer(
            "SELECT Z_ENT FROM \(columns[object.root - 1].table) WHERE Z_PK = ?", binding: [.integer(object.key)])
        guard let entity = number.flatMap({ model.entity(numbered: $0) }), entity.root == object.root else {
            return nil
        }
        return entity.number
    }

    // MARK: Transactions

    /// Inserts the row of the transaction and returns its key.
    private func addTransaction(_ history: HistoryTables) throws -> Int64 {
        let (key, number) = try HistoryKeys.reserve(1, of: .transaction, model: model, connection: connection)
        let process = ProcessInfo.processInfo.processName
        var values: [(column: String, value: StoredValue)] = [
            ("Z_PK", .integer(key)), ("Z_ENT", .integer(number)),
            ("ZTIMESTAMP", .real(Date().timeIntervalSinceReferenceDate)),
        ]
        for (column, text) in [
            ("ZAUTHOR", request.author), ("ZCONTEXTNAME", request.contextName),
            // A program without a bundle records a name too, because readers expect one.
            ("ZBUNDLEID", Bundle.main.bundleIdentifier ?? EarlierHistory.bundleIdentifier(of: process)),
            ("ZPROCESSID", process),
        ] {
            guard let text, !text.isEmpty else { continue }
            if history.hasStrings, history.has(column + "TS", in: .transaction) {
                let key = try HistoryKeys.key(ofString: text, model: model, connection: connection)
                values.append((column + "TS", .integer(key)))
            } else {
                values.append((column, .text(text)))
            }
        }
        values.removeAll { !history.has($0.column, in: .transaction) }
        try connection.run(Self.insertion(into: .transaction, values.map(\.column)), binding: values.map(\.value))
        result.historyNumber = key
        return key
    }
}
