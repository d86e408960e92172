import Foundation

/// How the history names the properties of one entity.
///
/// The length of a bit string is certain. Which bit stands for which property is known from looking at stores only: all
/// properties in the order of their names, after one bit of unknown meaning, fits most of them.
struct HistoryProperties: Sendable {
    struct Tombstone: Sendable {
        /// Quoted, as it stands in SQL.
        var column: String
        var isExternal: Bool
    }

    /// By attribute slot. The leaves of a composite attribute have the bit of the composite.
    private let attributes: [Int]
    /// By relationship slot.
    private let relationships: [Int]
    private let length: Int
    /// What stays of a deleted object, in the order of its columns.
    let tombstones: [Tombstone]

    /// - Parameter tombstones: How many columns the file has for values of deleted objects.
    init(_ entity: CompiledEntity, layout: StoreLayout, tombstones: Int) {
        var names = Set(entity.fetchedProperties)
        names.formUnion(entity.attributes.map(\.propertyName))
        names.formUnion(entity.relationships.map(\.name))
        // The bit at the very front belongs to no property.
        let bits = Dictionary(
            names.sorted(by: SQLName.precedes).enumerated().map { ($0.element, $0.offset + 1) },
            uniquingKeysWith: { first, _ in first })
        attributes = entity.attributes.map { bits[$0.propertyName] ?? 0 }
        relationships = entity.relationships.map { bits[$0.name] ?? 0 }
        length = names.count / 8 + 1
        self.tombstones = entity.preservedAttributes.prefix(tombstones).compactMap { slot in
            layout.column(ofAttribute: slot, in: entity.number).map {
                Tombstone(column: SQLName.quoted($0), isExternal: entity.attributes[slot].allowsExternalStorage)
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
