import OpenCoreData
import SwormStore

extension StoreImport {
    /// Links the two objects of each completed pair, in the save of the object that came last.
    func joinPairs() {
        guard !pairs.isEmpty else { return }
        let places = Dictionary(
            request.insertions.enumerated().map { ($1.row, $0) }, uniquingKeysWith: { first, _ in first })
        var partners: [RowID: [(slot: Int, destination: RowID?)]] = [:]
        for pair in pairs {
            let sides = [(pair.owner, pair.slot, pair.destination), (pair.destination, pair.inverse, pair.owner)]
            for (row, slot, other) in sides {
                if let index = places[row] {
                    request.insertions[index].toOnes[slot] = other
                } else {
                    partners[row, default: []].append((slot, other))
                }
            }
        }
        request.updates += updates(partners)
        pairs = []
    }

    /// Returns the slot of the inverse of a one-to-one relationship, or nil for any other relationship.
    func inversePair(_ slot: Int, of row: RowID) -> Int? {
        let relationship = model[row.entity].relationships[slot]
        guard let inverse = relationship.inverse else { return nil }
        let back = model[relationship.destination].relationships[inverse]
        return back.isToMany || back.isTransient ? nil : inverse
    }
}
