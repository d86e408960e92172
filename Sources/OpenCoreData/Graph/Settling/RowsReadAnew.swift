import SwormPredicates
import SwormStore

/// Rows that were read under the write lock, as values for settling and as snapshots for objects.
struct RowsReadAnew {
    private(set) var values: FreshRows
    /// The conflicts of the rows that a save writes or refers to.
    private(set) var conflicts: [MergeConflict] = []
    private var conflictIndexes: [RowID: Int] = [:]
    private var snapshots: [RowID: ObjectSnapshot] = [:]

    init(model: CompiledModel) { values = FreshRows(model: model) }

    mutating func note(_ conflict: MergeConflict) {
        conflictIndexes[conflict.sourceObject] = conflicts.count
        conflicts.append(conflict)
    }

    mutating func insert(_ row: RowSnapshot, as snapshot: ObjectSnapshot) {
        values.insert(row)
        snapshots[values.model.identity(of: row.row)] = snapshot
    }

    /// Returns the snapshot for the object of a row, or nil if the row does not exist.
    func snapshot(of row: RowID) -> ObjectSnapshot? { snapshots[values.model.identity(of: row)] }

    /// Calls a closure with the stored state of a row, and with the conflict that it was read for.
    func withRow(
        _ row: RowID, do body: (ObjectSnapshot, MergeConflict) throws -> Void
    ) throws {
        guard let snapshot = snapshot(of: row), let index = conflictIndexes[row] else { return }
        try body(snapshot, conflicts[index])
    }
}
