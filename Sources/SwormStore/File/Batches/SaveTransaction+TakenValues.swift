import SwormPredicates
import SwormSQLite

// Insertions whose unique values may belong to other rows, which are kept or updated.
extension SaveTransaction {
    /// Inserts a row for each value, except for values whose unique attributes another row has.
    ///
    /// The other row may be one that the batch has inserted before.
    ///
    /// - Throws: The errors that a save of such objects throws.
    func insertSettling(_ batch: RowBatch) throws -> BatchCounts {
        let writers = try batch.layouts.map { try BatchWriter($0, in: self, defersContent: true) }
        var keys = ReservedKeys(root: model[batch.entity].root)
        var counts = BatchCounts()
        var written: [Int64] = []
        var updated: Set<Int64> = []
        try batch.handOver { index, start, count in
            let (writer, layout) = (writers[index], batch.layouts[index])
            try keys.require(count, in: self)
            for index in 0..<count {
                let row = start + index * layout.stride
                if let failure = try errorOfWriting(row, by: writer, key: keys.next) {
                    guard let taken = try? writer.takenConstraint(of: row) else { throw failure }
                    guard case .updateRow(let given) = batch.takenValues else {
                        counts.ignored += 1
                        continue
                    }
                    try updateRow(of: taken, to: row, by: writer, given: given(row), isOwn: keys.isUsed)
                    counts.updated += 1
                    let key = taken.row.key
                    if !keys.isUsed(key), updated.insert(key).inserted { written.append(key) }
                } else {
                    let inserted = RowID(entity: layout.entity, key: keys.next)
                    if connection.base.changes == 0 { throw ignoredChange("insert", of: inserted) }
                    try writer.writeContent(ofRow: inserted.key)
                    if keepsHistory { notes.insert(inserted) }
                    written.append(inserted.key)
                    counts.inserted += 1
                    keys.use()
                }
            }
            connection.changes.forgetValues()
        }
        try keys.giveBack(self)
        counts.keys = keys.used
        counts.written = written
        return counts
    }

    /// Writes a value as a new row, and returns the error if that fails: because another row has its unique values, or
    /// because a new row needs other values than the given ones.
    ///
    /// - Throws: Every other error. Some of them, such as an interruption or a full disk, have rolled the transaction
    ///   back, and each later statement would be committed by itself.
    private func errorOfWriting(
        _ row: UnsafeRawPointer, by writer: BatchWriter, key: Int64
    ) throws -> (any Error)? {
        if let refusal = writer.refusal { return refusal }
        do {
            _ = try writer.write(row, key: key)
            return nil
        } catch {
            let isOfRow = error is CoreDataError || (error as? SQLiteError)?.isConstraint == true
            guard isOfRow, connection.base.isInTransaction else { throw error }
            return error
        }
    }

    /// Updates the row that has the unique values of a value.
    ///
    /// - Parameters:
    ///   - given: The slots of the attributes that were given.
    ///   - isOwn: Returns whether a key belongs to a row that this batch has written.
    private func updateRow(
        of taken: BatchWriter.TakenConstraint, to row: UnsafeRawPointer, by writer: BatchWriter, given: SlotSet,
        isOwn: (Int64) -> Bool
    ) throws {
        guard let attributes = try writer.update(of: taken, to: row, given: given), limits == nil else {
            throw writer.takenValue(
                of: taken.constraint, values: taken.values, by: taken.row, isOwn: isOwn(taken.row.key))
        }
        guard !attributes.isEmpty else { return }
        versions[taken.row] = try version(of: taken.row)
        do {
            // The row was just read, so no version is expected.
            try update(
                SaveRequest.Update(row: taken.row, version: nil, attributes: attributes, toOnes: []),
                in: BindingArena())
        } catch let error as SQLiteError where error.isUniqueViolation {
            throw try writer.takenValue(
                row, besides: (taken.constraint, attributes.map(\.slot)), isOwn: isOwn) ?? error
        }
        guard keepsHistory, !isOwn(taken.row.key) else { return }
        notes.change(
            object(entity: taken.row.entity, key: taken.row.key), properties: attributes.map { .attribute($0.slot) })
    }
}
