extension LinkConflicts {
    /// Creates the conflicts that a save has found among the rows of its store.
    ///
    /// The rows that the save inserts have the keys of the request, because the store forgets its own keys for them.
    ///
    /// - Parameter keys: The keys that the rows have in the store.
    init(_ conflicts: [Conflict], of request: SaveRequest, keys: AssignedKeys, model: CompiledModel) {
        var inserted: [RowID: RowID] = [:]
        for insertion in request.insertions {
            guard insertion.row.key < 0, let key = keys[insertion.row.key] else { continue }
            inserted[RowID(entity: model[insertion.row.entity].root, key: key)] = insertion.row
        }
        self.init(
            conflicts: conflicts.map { conflict in
                var conflict = conflict
                conflict.row = inserted[model.identity(of: conflict.row)] ?? conflict.row
                return conflict
            })
    }
}
