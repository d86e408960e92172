import Foundation
import SwormSQLite

/// A translation of the changed properties in the persistent history from one model to another.
struct HistoryTranslation {
    /// The pairs of entities, by entity number of the source.
    private let pairs: [Int: (old: HistoryProperties, new: HistoryProperties, slots: [String: Set<PropertySlot>])]

    init(_ map: MigrationMap, old: StoreLayout, new: StoreLayout) {
        var pairs: [Int: (HistoryProperties, HistoryProperties, [String: Set<PropertySlot>])] = [:]
        for pair in map.pairs {
            var slots: [String: Set<PropertySlot>] = [:]
            for case (let slot, let own?) in pair.attributes.enumerated() {
                slots[pair.source.attributes[own].propertyName, default: []].insert(.attribute(slot))
            }
            for case (let slot, let own?) in pair.relationships.enumerated() {
                slots[pair.source.relationships[own].name, default: []].insert(.relationship(slot))
            }
            pairs[pair.source.number] = (
                HistoryProperties(pair.source, layout: old, tombstones: 0),
                HistoryProperties(pair.destination, layout: new, tombstones: 0), slots
            )
        }
        self.pairs = pairs
    }

    /// Returns the bits for the new model; nil if no changed property remains, or the bits cannot be interpreted.
    func translated(_ bits: Data, of entity: Int64) -> Data? {
        guard let number = Int(exactly: entity), let pair = pairs[number], let names = pair.old.names(bits) else {
            return nil
        }
        let slots = names.reduce(into: Set<PropertySlot>()) { $0.formUnion(pair.slots[$1] ?? []) }
        return slots.isEmpty ? nil : pair.new.bits(slots)
    }

    func register(on connection: Connection) throws {
        try connection.addFunction(MigrationPlanner.propertiesFunction, argumentCount: 2, deterministic: true) { call in
            guard let bits = call.blob(1), let new = translated(Data(bits), of: call.int64(0)) else { return .null }
            return .blob(Array(new))
        }
    }
}
