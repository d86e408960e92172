import OpenCoreData
import SwormStore

// The links of a dump that no save would write.
extension StoreImport {
    func addStrays(of object: DumpReader.Object) throws {
        warnings += object.warnings.map { "line \(object.line): \($0)" }
        for stray in object.strays {
            guard strays.canKeep(stray.slot, of: stray.owner.entity) else {
                let property = object.entity.relationships[stray.slot].name
                throw dumpLinks.issue(
                    at: object.line,
                    "cannot be imported: \(dumpLinks.name(object.row)): '\(property)' points to a missing row, which would store the link itself",
                    hint: "remove it from '\(property)'")
            }
            strays.links.append(stray)
        }
    }

    /// Removes the links that saves would reject from the pending changes.
    func passOverStrays() throws {
        let (missing, oneSided, found) = try dumpLinks.strays()
        warnings += found
        strays.links += missing + oneSided
        guard !missing.isEmpty else { return }
        struct Place: Hashable {
            var owner: RowID
            var slot: Int
            var key: Int64
        }
        let places = Set(missing.map { Place(owner: $0.owner, slot: $0.slot, key: $0.key) })
        func isMissing(_ link: SaveRequest.Link) -> Bool {
            places.contains(Place(owner: link.owner, slot: link.relationship, key: link.destination.key))
        }
        for index in request.insertions.indices {
            let row = request.insertions[index].row
            for case (let slot, let destination?) in request.insertions[index].toOnes.enumerated()
            where places.contains(Place(owner: row, slot: slot, key: destination.key)) {
                request.insertions[index].toOnes[slot] = nil
            }
        }
        later.removeAll { places.contains(Place(owner: $0.row, slot: $0.slot, key: $0.destination.key)) }
        links.removeAll(where: isMissing)
        positions.removeAll { isMissing($0.link) }
    }
}
