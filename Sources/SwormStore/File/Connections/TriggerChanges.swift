import Foundation
import SwormSQLite
import SwormRows

/// The changes that the triggers of a file report, and the rows that the triggers of the connection have noted. Each
/// connection has its own instance.
final class TriggerChanges {
    struct Place: Hashable {
        var entity: Int64
        var key: Int64
        var attribute: String
    }

    /// Whether the connection has the triggers that the file lacks.
    var isPrepared = false
    /// The last value that was assigned to each attribute of a row.
    private var values: [Place: StoredValue] = [:]
    /// The rows whose derived values must be computed, by the number of the rule.
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
        note(Place(entity: call.int64(1), key: call.int64(2), attribute: attribute), value: value)
    }

    func note(_ place: Place, value: StoredValue) { values[place] = value }

    func noteRow(_ key: Int64, rule: Int) { notedRows[rule, default: []].insert(key) }

    var hasNotedRows: Bool { !notedRows.isEmpty }

    func takeNotedRows(_ rule: Int) -> Set<Int64> { notedRows.removeValue(forKey: rule) ?? [] }

    func forgetNotedRows() { notedRows = [:] }

    func forgetValues() { if !values.isEmpty { values.removeAll() } }

    func removeAll() {
        forgetValues()
        forgetNotedRows()
    }

    func take() -> [Place: StoredValue] {
        defer { values.removeAll() }
        return values
    }
}
