import SwormPredicates

/// Where the values of one entity are written.
struct EntityColumns: Sendable {
    struct Attribute: Sendable {
        var slot: Int
        /// Quoted, as it stands in SQL.
        var column: String
        var attribute: CompiledAttribute
        var isExternal: Bool
    }

    struct Write: Sendable {
        var slot: Int
        var type: AttributeType
        var isExternal: Bool
    }

    struct ToOne: Sendable {
        var slot: Int
        var column: String
        var entityColumn: String?
        /// Holds the object's place in the ordered inverse.
        var orderColumn: String?
    }

    let entity: CompiledEntity
    let table: String
    /// The attributes that are written: neither transient nor derived.
    let attributes: [Attribute]
    /// The same as plain bytes, for the loop over the values of many rows.
    let writes: [Write]
    let toOnes: [ToOne]
    private let attributePlaces: [Int: Int]
    private let toOnePlaces: [Int: Int]
    /// Takes the key, then a value for each attribute and the key, and where there is one the entity, of each to-one.
    let insertion: String

    init(entity: CompiledEntity, model: CompiledModel, layout: StoreLayout) {
        self.entity = entity
        table = SQLName.quoted(layout.table(of: entity))
        attributes = entity.attributes.enumerated().compactMap { slot, attribute in
            guard attribute.derivation == nil, !attribute.isTransient,
                let column = layout.column(ofAttribute: slot, in: entity.number)
            else { return nil }
            return Attribute(
                slot: slot, column: SQLName.quoted(column), attribute: attribute,
                isExternal: attribute.allowsExternalStorage)
        }
        writes = attributes.map { Write(slot: $0.slot, type: $0.attribute.type, isExternal: $0.isExternal) }
        toOnes = entity.relationships.enumerated().compactMap { slot, relationship in
            guard let toOne = layout.toOne(slot, in: entity.number) else { return nil }
            var order: String?
            if let inverse = relationship.inverse,
                case .inverse(_, let column?)? = layout.toMany(inverse, in: relationship.destination)
            {
                order = SQLName.quoted(column)
            }
            return ToOne(
                slot: slot, column: SQLName.quoted(toOne.column), entityColumn: toOne.entityColumn.map(SQLName.quoted),
                orderColumn: order)
        }
        attributePlaces = Dictionary(
            attributes.enumerated().map { ($0.element.slot, $0.offset) }, uniquingKeysWith: { first, _ in first })
        toOnePlaces = Dictionary(
            toOnes.enumerated().map { ($0.element.slot, $0.offset) }, uniquingKeysWith: { first, _ in first })
        let columns =
            ["Z_PK", "Z_ENT", "Z_OPT"] + attributes.map(\.column)
            + toOnes.flatMap { [$0.column] + ($0.entityColumn.map { [$0] } ?? []) }
        let parameters = ["?", String(entity.number), "1"] + columns.dropFirst(3).map { _ in "?" }
        insertion =
            "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(parameters.joined(separator: ", ")))"
    }

    /// The column of an attribute; nil for a transient or derived one.
    func attribute(_ slot: Int) -> Attribute? { attributePlaces[slot].map { attributes[$0] } }

    /// The columns of a to-one relationship; nil for any other.
    func toOne(_ slot: Int) -> ToOne? { toOnePlaces[slot].map { toOnes[$0] } }

    var externalAttributes: [Attribute] { attributes.filter(\.isExternal) }
}
