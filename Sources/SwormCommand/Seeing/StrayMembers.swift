import SwormStore

/// The keys in the join tables of a store that refer to no object, which only damaged stores have. Each relationship is
/// searched once.
final class StrayMembers {
    private struct Relationship: Hashable {
        var entity: Int
        var slot: Int
    }

    private let store: StoreReader
    private var counts: [Relationship: [Int64: Int]] = [:]

    init(_ store: StoreReader) { self.store = store }

    /// Returns the number of keys in a to-many relationship of an object that refer to no object.
    func count(of row: RowID, slot: Int) throws -> Int {
        let relationship = Relationship(entity: row.entity, slot: slot)
        if let known = counts[relationship] { return known[row.key] ?? 0 }
        var found: [Int64: Int] = [:]
        for stray in try store.session.strayMembers(ofRelationship: slot, entity: row.entity) {
            found[stray.owner, default: 0] += 1
        }
        counts[relationship] = found
        return found[row.key] ?? 0
    }
}
