import SwormStore

/// The changes of one kind in a request, keyed by the identities of their rows, in the order of the request.
struct RequestChanges<Change> {
    private var changes: [Change?]
    private var indexes: [RowID: Int]
    private let model: CompiledModel

    init(_ changes: [Change], row: (Change) -> RowID, model: CompiledModel) {
        self.changes = changes
        self.model = model
        indexes = Dictionary(minimumCapacity: changes.count)
        for (index, change) in changes.enumerated() { indexes[model.identity(of: row(change))] = index }
    }

    subscript(row: RowID) -> Change? {
        get { indexes[model.identity(of: row)].flatMap { changes[$0] } }
        set {
            let identity = model.identity(of: row)
            if let index = indexes[identity] {
                changes[index] = newValue
            } else if let newValue {
                indexes[identity] = changes.count
                changes.append(newValue)
            }
        }
    }

    func contains(_ row: RowID) -> Bool { self[row] != nil }

    /// The remaining changes. Changes that were added later follow the original ones.
    var all: [Change] { changes.compactMap(\.self) }
}
