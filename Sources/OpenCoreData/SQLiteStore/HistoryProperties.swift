import Foundation

/// How the history names the properties of one entity.
///
/// The length of a bit string is certain. Which bit stands for which property is known from looking at stores only: all
/// properties in the order of their names, after one bit of unknown meaning, fits most of them.
struct HistoryProperties: Sendable {
    struct Tombstone: Sendable {
        /// The slot of the attribute.
        var slot: Int
        /// Quoted, as it stands in SQL.
        var column: String
        var isExternal: Bool
    }

    /// By attribute slot. The leaves of a composite attribute have the bit of the composite.
    private let attributes: [Int]
    /// By relationship slot.
    private let relationships: [Int]
    /// By bit, from 1.
    private let names: [String]
    /// The bits of properties that a store keeps.
    private let recorded: Set<Int>
    private let length: Int
    /// What stays of a deleted object, in the order of its columns.
    let tombstones: [Tombstone]

    /// - Parameter tombstones: How many columns the file has for values of deleted objects.
    init(_ entity: CompiledEntity, layout: StoreLayout, tombstones: Int) {
        var names = Set(entity.fetchedProperties)
        names.formUnion(entity.attributes.map(\.propertyName))
        names.formUnion(entity.relationships.map(\.name))
        self.names = names.sorted(by: SQLName.precedes)
        // The bit at the very front belongs to no property.
        let bits = Dictionary(
            self.names.enumerated().map { ($0.element, $0.offset + 1) },
            uniquingKeysWith: { first, _ in first })
        attributes = entity.attributes.map { bits[$0.propertyName] ?? 0 }
        relationships = entity.relationships.map { bits[$0.name] ?? 0 }
        let kept =
            entity.attributes.filter { !$0.isTransient }.map(\.propertyName)
            + entity.relationships.filter { !$0.isTransient }.map(\.name)
        recorded = Set(kept.compactMap { bits[$0] })
        length = names.count / 8 + 1
        self.tombstones = entity.preservedAttributes.prefix(tombstones).compactMap { slot in
            layout.column(ofAttribute: slot, in: entity.number).map {
                Tombstone(
                    slot: slot, column: SQLName.quoted($0), isExternal: entity.attributes[slot].allowsExternalStorage)
            }
        }
    }

    /// The bits of properties as `ZCOLUMNS` holds them: the first bit is the highest of the first byte.
    func bits(_ slots: Set<PropertySlot>) -> Data {
        var data = Data(count: length)
        for slot in slots {
            let bit =
                switch slot {
                case .attribute(let slot): attributes[slot]
                case .relationship(let slot): relationships[slot]
                }
            data[bit / 8] |= 0x80 >> UInt8(bit % 8)
        }
        return data
    }

    /// The names of the properties that bits stand for; nil for bits that do not fit the entity: of another length, none
    /// at all, the one of unknown meaning, or those of properties that no store keeps.
    func names(_ bits: Data) -> [String]? {
        guard bits.count == length else { return nil }
        var found: [String] = []
        for (index, byte) in bits.enumerated() where byte != 0 {
            for position in 0..<8 where byte & (0x80 >> UInt8(position)) != 0 {
                let bit = index * 8 + position
                guard recorded.contains(bit) else { return nil }
                found.append(names[bit - 1])
            }
        }
        return found.isEmpty ? nil : found
    }
}

extension CompiledEntity {
    /// The slots of the attributes whose values outlive the object in the history, by name. Composite attributes are not
    /// among them: how their leaves would share the columns is not known.
    var preservedAttributes: [Int] {
        attributes.indices.filter {
            attributes[$0].preservesValueInHistoryOnDeletion && !attributes[$0].isTransient
        }.sorted { SQLName.precedes(attributes[$0].name, attributes[$1].name) }
    }
}

extension CompiledAttribute {
    /// The name of the property that the model has: for a leaf the composite's.
    fileprivate var propertyName: String { name.split(separator: ".").first.map(String.init) ?? name }
}
