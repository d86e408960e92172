import Foundation

/// How the history of a store names the properties of one entity that a change has set.
///
/// A change holds a string of bits, the highest bit of the first byte first. Core Data counts from 0, and only what the store
/// keeps: to-one relationships, the columns with their entity numbers, their order keys, attributes (the leaves of a composite
/// singly) and to-many relationships. Each group begins with the properties of the root entity, and goes on by levels; within
/// a level the names decide. That order fits every change in the logs of real stores that could be replayed.
struct HistoryProperties: Sendable {
    /// The way in which a change counts properties.
    enum Order: Sendable {
        /// Core Data's.
        case byGroup
        /// That of earlier versions of this library: all properties by name, transient and fetched ones too, from 1 on.
        case byName
    }

    struct Tombstone: Sendable {
        /// The slot of the attribute.
        var slot: Int
        /// Quoted, as it stands in SQL.
        var column: String
        var isExternal: Bool
    }

    /// By bit: the name of the property; nil where no change sets the bit.
    let names: [String?]
    private let bits: [PropertySlot: Int]
    private let length: Int
    /// The values of a deleted object that the history keeps, in the order of its columns.
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

        // Slots are in the order that a group has: the root's first, and by name within a level.
        mutating func add() {
            let kept = entity.relationships.indices.filter { !entity.relationships[$0].isTransient }
            let toOnes = kept.filter { !entity.relationships[$0].isToMany }
            for slot in toOnes { add(.relationship(slot), entity.relationships[slot].name) }
            // No change has been seen that sets a bit of these two groups. One that does is about the relationship.
            for slot in toOnes where layout.toOne(slot, in: entity.number)?.entityColumn != nil {
                names.append(entity.relationships[slot].name)
            }
            for slot in toOnes where hasOrderKey(slot) { names.append(entity.relationships[slot].name) }
            for (slot, attribute) in entity.attributes.enumerated() where !attribute.isTransient {
                add(.attribute(slot), attribute.propertyName)
            }
            for slot in kept where entity.relationships[slot].isToMany {
                add(.relationship(slot), entity.relationships[slot].name)
            }
        }

        private mutating func add(_ slot: PropertySlot, _ name: String) {
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

    /// The bits of properties as `ZCOLUMNS` holds them.
    func bits(_ slots: Set<PropertySlot>) -> Data {
        var data = Data(count: length)
        for slot in slots {
            guard let bit = bits[slot] else { continue }
            data[bit / 8] |= 0x80 >> UInt8(bit % 8)
        }
        return data
    }

    /// The names of the properties that bits stand for; nil for bits that do not fit the entity: of another length, without a
    /// bit that is set, or with one behind the last property or that no change sets.
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
    /// The slots of the attributes whose values the history keeps when an object is deleted, in the order of their columns.
    /// Composite attributes are not among them: how their leaves would share the columns is not known.
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
    /// The name of the property that the model has: for a leaf the composite's.
    var propertyName: String { name.split(separator: ".").first.map(String.init) ?? name }
}
