import Foundation

/// The mapping between the properties of an entity and the bits with which the history of a store records the changed
/// properties.
///
/// A change contains a string of bits, starting with the highest bit of the first byte. Core Data counts from 0, and
/// only what the store contains: to-one relationships, the columns with their entity numbers, their order keys,
/// attributes (each leaf of a composite separately) and to-many relationships. Each group starts with the properties of
/// the root entity and continues by levels; within a level, the properties are sorted by name. That order is correct
/// for every change in the logs of real stores that could be replayed.
struct HistoryProperties: Sendable {
    /// The order in which a change counts properties.
    enum Order: Sendable {
        /// Core Data's order.
        case byGroup
        /// The order of earlier versions of this library: all properties by name, including transient and fetched ones,
        /// starting with 1.
        case byName
    }

    struct Tombstone: Sendable {
        /// The slot of the attribute.
        var slot: Int
        /// The quoted column name, as it appears in SQL.
        var column: String
        var isExternal: Bool
    }

    /// The name of the property for each bit, or nil if no change sets the bit.
    let names: [String?]
    private let bits: [PropertySlot: Int]
    private let length: Int
    /// The values of a deleted object that the history preserves, in the order of its columns.
    let tombstones: [Tombstone]

    /// - Parameter tombstones: The number of columns that the file has for values of deleted objects.
    init(_ entity: CompiledEntity, layout: StoreLayout, tombstones: Int, order: Order = .byGroup) {
        let names: [String?]
        switch order {
        case .byGroup:
            var groups = Groups(entity, layout: layout)
            groups.add()
            (names, bits) = (groups.names, groups.bits)
            length = (names.count + 7) / 8
        case .byName:
            (names, bits) = Self.byName(entity)
            length = (names.count - 1) / 8 + 1
        }
        self.names = names
        self.tombstones = entity.preservedAttributes(order).prefix(tombstones).compactMap { slot in
            layout.column(ofAttribute: slot, in: entity.number).map {
                Tombstone(
                    slot: slot, column: SQLName.quoted($0), isExternal: entity.attributes[slot].allowsExternalStorage)
            }
        }
    }

    private struct Groups {
        let entity: CompiledEntity
        let layout: StoreLayout
        var names: [String?] = []
        var bits: [PropertySlot: Int] = [:]

        init(_ entity: CompiledEntity, layout: StoreLayout) {
            self.entity = entity
            self.layout = layout
        }

        // Slots are already in the order of a group: the root's first, and by name within a level.
        mutating func add() {
            let kept = entity.relationships.indices.filter { !entity.relationships[$0].isTransient }
            let toOnes = kept.filter { !entity.relationships[$0].isToMany }
            for slot in toOnes { add(.relationship(slot), named: entity.relationships[slot].name) }
            // No observed change sets a bit of these two groups. If one does, it concerns the relationship.
            for slot in toOnes where layout.toOne(slot, in: entity.number)?.entityColumn != nil {
                names.append(entity.relationships[slot].name)
            }
            for slot in toOnes where hasOrderKey(slot) { names.append(entity.relationships[slot].name) }
            for (slot, attribute) in entity.attributes.enumerated() where !attribute.isTransient {
                add(.attribute(slot), named: attribute.propertyName)
            }
            for slot in kept where entity.relationships[slot].isToMany {
                add(.relationship(slot), named: entity.relationships[slot].name)
            }
        }

        private mutating func add(_ slot: PropertySlot, named name: String) {
            bits[slot] = names.count
            names.append(name)
        }

        private func hasOrderKey(_ slot: Int) -> Bool {
            let relationship = entity.relationships[slot]
            guard let inverse = relationship.inverse,
                case .inverse(_, .some)? = layout.toMany(inverse, in: relationship.destination)
            else { return false }
            return true
        }
    }

    private static func byName(_ entity: CompiledEntity) -> ([String?], [PropertySlot: Int]) {
        var all = Set(entity.fetchedProperties)
        all.formUnion(entity.attributes.map(\.propertyName))
        all.formUnion(entity.relationships.map(\.name))
        let kept = Set(
            entity.attributes.filter { !$0.isTransient }.map(\.propertyName)
                + entity.relationships.filter { !$0.isTransient }.map(\.name))
        let sorted = all.sorted(by: SQLName.precedes)
        let places = Dictionary(
            sorted.enumerated().map { ($0.element, $0.offset + 1) }, uniquingKeysWith: { first, _ in first })
        var bits: [PropertySlot: Int] = [:]
        for (slot, attribute) in entity.attributes.enumerated() {
            bits[.attribute(slot)] = places[attribute.propertyName]
        }
        for (slot, relationship) in entity.relationships.enumerated() {
            bits[.relationship(slot)] = places[relationship.name]
        }
        return ([nil] + sorted.map { kept.contains($0) ? $0 : nil }, bits)
    }

    /// Returns the bits of properties, as stored in `ZCOLUMNS`.
    func bits(_ slots: Set<PropertySlot>) -> Data {
        var data = Data(count: length)
        for slot in slots {
            guard let bit = bits[slot] else { continue }
            data[bit / 8] |= 0x80 >> UInt8(bit % 8)
        }
        return data
    }

    /// Returns the names of the properties that bits represent, or nil if the bits do not fit the entity: they have
    /// another length, none is set, or one is set that is after the last property or that no change sets.
    func names(_ bits: Data) -> [String]? {
        guard bits.count == length else { return nil }
        var found: [String] = []
        for (index, byte) in bits.enumerated() where byte != 0 {
            for position in 0..<8 where byte & (0x80 >> UInt8(position)) != 0 {
                let bit = index * 8 + position
                guard bit < names.count, let name = names[bit] else { return nil }
                if !found.contains(name) { found.append(name) }
            }
        }
        return found.isEmpty ? nil : found
    }
}

extension CompiledEntity {
    /// Returns the slots of the attributes whose values the history preserves when an object is deleted, in the order
    /// of their columns. Composite attributes are not included, because it is unknown how their leaves would share the
    /// columns.
    func preservedAttributes(_ order: HistoryProperties.Order = .byGroup) -> [Int] {
        let slots = attributes.indices.filter {
            attributes[$0].preservesValueInHistoryOnDeletion && !attributes[$0].isTransient
        }
        switch order {
        case .byGroup: return slots
        case .byName: return slots.sorted { SQLName.precedes(attributes[$0].name, attributes[$1].name) }
        }
    }
}

extension CompiledAttribute {
    /// The name of the model's property, which for a leaf is the name of the composite attribute.
    var propertyName: String { name.split(separator: ".").first.map(String.init) ?? name }
}
