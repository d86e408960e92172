import SwormStore

/// The rows of a store at one point in time, keyed by their identities.
struct FreshRows: Sendable {
    let model: CompiledModel
    private var rows: [RowID: RowSnapshot] = [:]

    init(model: CompiledModel, _ rows: [RowSnapshot] = []) {
        self.model = model
        for row in rows { insert(row) }
    }

    /// Returns the row with an identity; nil if the row does not exist or was not read.
    subscript(row: RowID) -> RowSnapshot? { rows[model.identity(of: row)] }

    mutating func insert(_ row: RowSnapshot) { rows[model.identity(of: row.row)] = row }
}
