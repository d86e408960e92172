import SwormPredicates
import SwormSQLite

// Inserts and updates of rows from values, without objects.
extension SaveTransaction {
    /// Inserts a row for each value.
    ///
    /// - Throws: The errors that a save of such objects throws.
    func insert(_ batch: RowBatch) throws -> BatchCounts {
        guard case .reject = batch.takenValues else { return try insertSettling(batch) }
        let writers = try batch.layouts.map { try BatchWriter($0, in: self) }
        var keys = ReservedKeys(root: model[batch.entity].root)
        var counts = BatchCounts()
        try batch.handOver { index, start, count in
            let (writer, layout) = (writers[index], batch.layouts[index])
            if let refusal = writer.refusal { throw refusal }
            try keys.require(count, in: self)
            for index in 0..<count {
                let row = start + index * layout.stride
                do {
                    _ = try writer.write(row, key: keys.next)
                    if connection.base.changes == 0 {
                        throw ignoredChange("insert", of: RowID(entity: layout.entity, key: keys.next))
                    }
                } catch let error as SQLiteError where error.isUniqueViolation {
                    throw try writer.takenValue(row, besides: nil, isOwn: keys.isUsed) ?? error
                }
                if keepsHistory { notes.insert(RowID(entity: layout.entity, key: keys.next)) }
                keys.use()
            }
            counts.inserted += count
            // The values computed by triggers are not needed, because no object represents the rows.
            connection.changes.forgetValues()
        }
        try keys.giveBack(self)
        counts.keys = keys.used
        return counts
    }

    /// Inserts a row for each value, or updates the row that has its unique values.
    ///
    /// - Parameters:
    ///   - batch: The values.
    ///   - rules: The rule for each layout of the batch.
    /// - Returns: Nil, with nothing written, if no index of the file enforces the constraint, or if a trigger may
    ///   ignore a change, which could not be detected.
    func upsert(_ batch: RowBatch, by rules: [UpsertRule]) throws -> BatchCounts? {
        var upserts: [Upsert] = []
        for (layout, rule) in zip(batch.layouts, rules) {
            guard let upsert = Upsert(rule, columns: columns[layout.entity - 1], model: model) else { return nil }
            upserts.append(upsert)
        }
        if try hasIgnoringTriggers() { return nil }
        let writers: [BatchWriter]
        do {
            writers = try zip(batch.layouts, upserts).map { layout, upsert in
                try BatchWriter(
                    layout, in: self, clause: upsert.clause(returning: keepsHistory), defersContent: true)
            }
        } catch let error as SQLiteError where error.isMissingConflictTarget {
            return nil
        }
        var keys = ReservedKeys(root: model[batch.entity].root)
        var counts = BatchCounts()
        connection.base.forgetInsertedRowID()
        try batch.handOver { index, start, count in
            let (writer, upsert, rule) = (writers[index], upserts[index], rules[index])
            let layout = batch.layouts[index]
            try keys.require(count, in: self)
            for index in 0..<count {
                let row = start + index * layout.stride
                let key = keys.next
                let returned: Int64?
                do {
                    returned = try writer.write(row, key: key)
                } catch let error as SQLiteError where error.isUniqueViolation {
                    let target = (upsert.target, rule.updates ?? [])
                    throw try writer.takenValue(row, besides: target, isOwn: keys.isUsed) ?? error
                }
                // An update leaves the row ID of the last insertion unchanged, and that was never this key.
                if connection.base.lastInsertedRowID == key {
                    if let refusal = writer.refusal { throw refusal }
                    try writer.writeContent(ofRow: key)
                    if keepsHistory { notes.insert(RowID(entity: layout.entity, key: key)) }
                    keys.use()
                    counts.inserted += 1
                } else if rule.updates == nil {
                    counts.ignored += 1
                } else {
                    if connection.base.changes == 0 {
                        try checkEntity(of: row, upsert: upsert, writer: writer, keys: keys)
                    }
                    if let returned {
                        notes.change(object(entity: layout.entity, key: returned), properties: upsert.properties)
                    }
                    counts.updated += 1
                }
            }
            connection.changes.forgetValues()
        }
        try keys.giveBack(self)
        counts.keys = keys.used
        return counts
    }

    /// Throws an error if a row of another entity would be updated as one of this entity. Any other unchanged row
    /// already has the values.
    private func checkEntity(
        of row: UnsafeRawPointer, upsert: Upsert, writer: BatchWriter, keys: ReservedKeys
    ) throws {
        guard upsert.hasRelatives, let (other, values) = try writer.holder(of: row, upsert.target),
            other.entity != upsert.entity
        else { return }
        throw writer.takenValue(of: upsert.target, values: values, by: other, isOwn: keys.isUsed(other.key))
    }
}

/// The parts of a statement that inserts or updates.
private struct Upsert {
    let entity: Int
    let target: UniqueConstraint
    let properties: [PropertySlot]
    /// Whether the table contains rows of other entities.
    let hasRelatives: Bool
    private let columns: [String]

    /// Returns nil if the table alone is not enough, because the constraint or the update involves relationships, or
    /// files that a row would leave behind.
    init?(_ rule: UpsertRule, columns: EntityColumns, model: CompiledModel) {
        let target = columns.uniqueConstraints(in: model).first { $0.properties == rule.constraint }
        guard let target else { return nil }
        let updates = (rule.updates ?? []).compactMap { columns.attribute($0) }
        guard !updates.contains(where: \.isExternal) else { return nil }
        self.target = target
        self.columns = updates.map(\.column).filter { !target.columns.contains($0) }
        properties = updates.filter { !target.columns.contains($0.column) }.map { .attribute($0.slot) }
        entity = columns.entity.number
        hasRelatives = model[columns.entity.root].family.count > 1
    }

    func clause(returning: Bool) -> String {
        // Only the row of the conflict is checked. Any other conflicting row is an error in any case.
        guard !columns.isEmpty else {
            return " ON CONFLICT (\(target.columns.joined(separator: ", "))) DO UPDATE SET Z_OPT = Z_OPT WHERE 0"
        }
        let values = columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        let differences = columns.map { "\($0) IS NOT excluded.\($0)" }.joined(separator: " OR ")
        // The version is computed like `version(after:)`, because a file can contain any number.
        return " ON CONFLICT (\(target.columns.joined(separator: ", "))) DO UPDATE SET \(values), "
            + "Z_OPT = CASE WHEN Z_OPT BETWEEN 0 AND 9223372036854775806 THEN Z_OPT + 1 ELSE 1 END "
            + "WHERE Z_ENT = \(entity) AND (\(differences))" + (returning ? " RETURNING Z_PK" : "")
    }
}
