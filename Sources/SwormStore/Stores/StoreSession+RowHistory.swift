extension StoreSession {
    /// Reads the whole history, a part at a time.
    package func history(ofRow row: RowID, limit: Int) throws -> [StoredTransaction]? {
        var found: [StoredTransaction] = []
        var bound: HistoryBound?
        while true {
            guard let part = try history(after: bound, includingChanges: true, limit: 1000) else { return nil }
            for var transaction in part {
                transaction.changes.removeAll { $0.row != row }
                if !transaction.changes.isEmpty { found.append(transaction) }
            }
            found.removeFirst(max(0, found.count - limit))
            guard let last = part.last else { return found.reversed() }
            bound = .transaction(last.number)
        }
    }
}
