import SwormPredicates

extension SaveTransaction {
    /// Reports the changes that triggers have made to the objects of the context.
    ///
    /// Triggers are part of the file, so their changes are used only if they fit the model.
    func collectTriggerChanges() {
        for (place, stored) in connection.changes.take() {
            guard let entity = model.entity(numbered: place.entity),
                case .attribute(let slot)? = entity.slot(named: place.attribute)
            else { continue }
            let attribute = entity.attributes[slot]
            guard !attribute.isTransient, !attribute.allowsExternalStorage,
                let value = stored.value(as: attribute.type)
            else { continue }
            result.derived[RowID(entity: entity.number, key: place.key), default: [:]][slot] = value
        }
    }
}

// A trigger in the file can make SQLite skip a change with RAISE(IGNORE), without reporting an error.
extension SaveTransaction {
    /// Returns whether any trigger may ignore changes, whatever table it belongs to.
    func hasIgnoringTriggers() throws -> Bool {
        try connection.integer(
            "SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%RAISE%IGNORE%' LIMIT 1") != nil
    }

    /// Returns the error for a change that a trigger ignored.
    ///
    /// - Parameters:
    ///   - change: The change, as a verb and its object: “insert Book p3”.
    ///   - table: The quoted name of the table to which the trigger belongs.
    func ignoredChange(_ change: String, of entity: CompiledEntity, in table: String) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreSaveError,
            "Cannot \(change): a trigger on the table '\(table)' skips the change by RAISE(IGNORE), so the change would be lost silently. Nothing was written. Remove the trigger, or make it raise an error.",
            entity: entity.name)
    }

    func ignoredChange(_ verb: String, of row: RowID) -> CoreDataError {
        let entity = model[row.entity]
        let key = row.key >= 0 ? row.key : result.keys[row.key] ?? row.key
        return ignoredChange("\(verb) \(entity.name) p\(key)", of: entity, in: columns(of: row).table)
    }

    /// Throws an error if there are rows that statements should have deleted or changed.
    ///
    /// - Parameter condition: The SQL condition that finds such rows.
    func requireNone(
        _ condition: String, binding values: [StoredValue] = [], in table: String,
        else change: @autoclosure () -> String,
        of entity: CompiledEntity
    ) throws {
        let sql = "SELECT 1 FROM \(table) WHERE \(condition) LIMIT 1"
        guard try connection.integer(sql, binding: values) != nil else { return }
        throw ignoredChange(change(), of: entity, in: table)
    }
}
