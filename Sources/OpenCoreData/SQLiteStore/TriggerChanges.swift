import Foundation
import SwormSQLite

/// What the triggers of a file say that they have changed. It belongs to one connection.
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
        values[Place(entity: call.int64(1), key: call.int64(2), attribute: attribute)] = value
    }

    func removeAll() { if !values.isEmpty { values.removeAll() } }

    func take() -> [Place: StoredValue] {
        defer { removeAll() }
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
