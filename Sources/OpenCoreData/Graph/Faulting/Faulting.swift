import SwormStore

/// The rows that a context has read ahead for faults, and the error of a fault that could not be read.
///
/// Rows are read ahead in two forms. Rows that are read for a relationship of all objects of a fetch are stored in the
/// ``RowSet`` of that fetch, and last as long as its objects. Rows that are read together with the row of one fault,
/// for the faults that are likely to be used next, are stored here. Each of these is used once.
///
/// Neither form is updated by a write. Instead, each write starts a new generation, and rows that were read ahead in an
/// earlier generation are not used. Forgetting them is as cheap as increasing a number, regardless of how many fetches
/// have stored rows.
struct Faulting {
    /// A counter that increases whenever rows that were read ahead may have become stale.
    private(set) var generation: UInt64 = 1
    /// A counter that increases whenever the content of a row that was read may have changed.
    ///
    /// Discarding unsaved changes does not increase it: the rows of a fetch are still the rows of the store.
    private(set) var rowGeneration: UInt64 = 1
    /// The maximum number of rows that are read for objects that were not requested.
    var largestReadAhead = 50_000
    /// The rows that were read ahead for faults that were not used yet.
    private var rows: [IdentityTable.Key: (group: RowSet, row: Int)] = [:]
    private var shapes: [Int: RowShape] = [:]
    /// An error in an accessor that cannot throw, such as a fault that could not be read. The next save or fetch throws
    /// it.
    private(set) var failure: (any Error)?

    // MARK: Rows

    /// Returns and removes the row that was read ahead for a fault.
    ///
    /// - Parameter entity: The number of the fault's entity. A row of another entity is not used, but read again.
    mutating func takeRow(of key: IdentityTable.Key, entity: Int) -> (group: RowSet, row: Int)? {
        guard let ahead = rows.removeValue(forKey: key), ahead.group.shape.covers(entity),
            ahead.group.entity(row: ahead.row) == entity
        else { return nil }
        return ahead
    }

    func hasRow(of key: IdentityTable.Key) -> Bool { rows[key] != nil }

    mutating func keep(_ group: RowSet, row: Int, for key: IdentityTable.Key) { rows[key] = (group, row) }

    /// Bounds the number of rows that were read ahead and never used. Call this method before more rows are added.
    mutating func makeRoom() {
        if rows.count > largestReadAhead { rows.removeAll() }
    }

    /// Discards everything that was read ahead.
    ///
    /// - Parameter rowsStand: Whether the rows themselves are still valid.
    mutating func forget(rowsStand: Bool) {
        generation += 1
        if !rowsStand { rowGeneration += 1 }
        rows.removeAll()
    }

    // MARK: Shapes

    mutating func shape(of entity: Int, in model: CompiledModel) -> RowShape {
        if let known = shapes[entity] { return known }
        let shape = RowShape(model: model, entity: entity)
        shapes[entity] = shape
        return shape
    }

    /// Forgets the shapes of a model that the context no longer uses.
    mutating func forgetShapes() { shapes = [:] }

    // MARK: Failures

    /// Records an error, unless there is an earlier one.
    mutating func note(_ error: any Error) { failure = failure ?? error }

    /// Replaces the recorded error by none, or by the one of a state that is restored.
    mutating func resetFailure(to earlier: (any Error)? = nil) { failure = earlier }
}
