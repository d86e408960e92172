import Foundation
import SwormSQLite

/// What the triggers of a file say that they have changed, and what those of the connection have noted. It belongs to one
/// connection.
final class TriggerChanges {
    struct Place: Hashable {
        var entity: Int64
        var key: Int64
        var attribute: String
    }

    /// Whether the connection has the triggers for which the file has none.
    var isPrepared = false
    /// The last value that was given to each place.
    private var values: [Place: StoredValue] = [:]
    /// The rows whose derived values are to be worked out, by the number of the rule.
    private(set) var notedRows: [Int: Set<Int64>] = [:]

    func note(_ call: borrowing FunctionContext) {
        guard let attribute = call.text(3) else { return }
        let value: StoredValue =
            switch call.type(4) {
            case .null: .null
            case .integer: .integer(call.int64(4))
            case .real: .real(call.double(4))
            case .text: .text(call.text(4) ?? "")
            case .blob: .blob(Data(call.blob(4) ?? []))
            }
        note(Place(entity: call.int64(1), key: call.int64(2), attribute: attribute), value)
    }

    func note(_ place: Place, _ value: StoredValue) { values[place] = value }

    func noteRow(_ key: Int64, rule: Int) { notedRows[rule, default: []].insert(key) }

    var hasNotedRows: Bool { !notedRows.isEmpty }

    func takeNotedRows(_ rule: Int) -> Set<Int64> { notedRows.removeValue(forKey: rule) ?? [] }

    func forgetNotedRows() { notedRows = [:] }

    func removeAll() {
        if !values.isEmpty { values.removeAll() }
        forgetNotedRows()
    }

    func take() -> [Place: StoredValue] {
        defer { values.removeAll() }
        return values
    }
}

extension SaveTransaction {
    /// Tells the context what triggers have made of its objects.
    ///
    /// A trigger is part of the file, so what it says is taken only where it fits the model.
    func collectTriggerChanges() {
        for (place, stored) in connection.changes.take() {
            guard let entity = model.entity(numbered: place.entity),
                case .attribute(let slot)? = entity.slot(named: place.attribute)
            else { continue }
            let attribute = entity.attributes[slot]
            guard !attribute.isTransient, !attribute.allowsExternalStorage,
                let value = stored.value(as: attribute.type)
            else { continue }
            result.derived[SaveRequest.Row(entity: entity.number, key: place.key), default: [:]][slot] = value
        }
    }
}

// A trigger in the file can have SQLite leave a change out, with RAISE(IGNORE), and report no error.
extension SaveTransaction {
    /// Whether a trigger may do so, whatever it is about.
    func hasIgnoringTriggers() throws -> Bool {
        try connection.integer(
            "SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%RAISE%IGNORE%' LIMIT 1") != nil
    }

    /// The error of a change that was left out.
    ///
    /// - Parameters:
    ///   - change: The change, as a verb and its object: “insert Book p3”.
    ///   - table: The table to which the trigger belongs; quoted.
    func ignoredChange(_ change: String, of entity: CompiledEntity, in table: String) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreSaveError,
            "Cannot \(change): a trigger on the table \(table) leaves the change out, by RAISE(IGNORE), so that it would be lost without a word. Nothing of this was written. Remove the trigger, or have it raise an error.",
            entity: entity.name)
    }

    func ignoredChange(_ verb: String, _ row: SaveRequest.Row) -> CoreDataError {
        let entity = model[row.entity]
        let key = row.key >= 0 ? row.key : result.keys[row.key] ?? row.key
        return ignoredChange("\(verb) \(entity.name) p\(key)", of: entity, in: columns(of: row).table)
    }

    /// Throws where rows are there that statements have deleted or changed.
    ///
    /// - Parameter condition: Finds such rows.
    func requireNone(
        _ condition: String, _ values: [StoredValue] = [], in table: String, else change: @autoclosure () -> String,
        of entity: CompiledEntity
    ) throws {
        let sql = "SELECT 1 FROM \(table) WHERE \(condition) LIMIT 1"
        guard try connection.integer(sql, values) != nil else { return }
        throw ignoredChange(change(), of: entity, in: table)
    }
}
