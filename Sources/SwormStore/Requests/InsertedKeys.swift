import SwormPredicates

/// The keys of the rows that a save inserts.
struct InsertedKeys {
    /// The temporary keys of the rows of each hierarchy that have no final key yet.
    private(set) var temporary: [(root: Int, keys: [Int64])] = []
    /// The highest final key of each hierarchy that the request determines.
    private(set) var highest: [Int: Int64] = [:]
    private var count = 0
    private var bounds = Int64(0)...0

    init(of request: SaveRequest, model: CompiledModel) {
        for index in request.insertions.indices {
            let row = request.insertions[index].row
            let root = model[row.entity].root
            guard row.key < 0 else {
                highest[root] = max(highest[root] ?? 0, row.key)
                continue
            }
            // Rows of one hierarchy are usually adjacent.
            if temporary.last?.root != root {
                if let place = temporary.firstIndex(where: { $0.root == root }) {
                    temporary.swapAt(place, temporary.count - 1)
                } else {
                    temporary.append((root, []))
                }
            }
            temporary[temporary.count - 1].keys.append(row.key)
            bounds =
                count == 0
                ? row.key...row.key : min(bounds.lowerBound, row.key)...max(bounds.upperBound, row.key)
            count += 1
        }
    }

    /// A table for the final keys, which is empty.
    var assignedKeys: AssignedKeys { AssignedKeys(count: count, within: bounds) }
}

extension AssignedKeys {
    /// Assigns a final key to a temporary one.
    ///
    /// - Throws: An error if the temporary key has one already.
    mutating func assignOnce(_ key: Int64, to temporary: Int64) throws {
        guard assign(key, to: temporary) else {
            throw CoreDataError(
                NSPersistentStoreSaveError, "Two objects of the save have the same temporary key \(temporary).")
        }
    }
}
