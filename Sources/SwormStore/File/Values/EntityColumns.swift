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
        /// Finds the rows that lead back; only where the inverse leads to one object too. Takes the object's key.
        var partners: Leading?
    }

    /// A question for the rows that lead to an object by a to-one relationship, which has an index.
    struct Leading: Sendable {
        /// Gives the key and the entity's number of each row. Takes the object's key.
        var query: String
        /// The slot of the to-one relationship in its entity.
        var slot: Int
        /// The entity to which the relationship belongs.
        var entity: Int
    }

    let entity: CompiledEntity
    let table: String
    /// The attributes that are written: neither transient nor derived.
    let attributes: [Attribute]
    /// The same as plain bytes, for the loop over the values of many rows.
    let writes: [Write]
    let toOnes: [ToOne]
    /// The to-one inverses of the entity's relationships: what must not lead to an object that is deleted.
    let leading: [Leading]
    private let attributePlaces: [Int: Int]
    private let toOnePlaces: [Int: Int]
    /// Takes the key and the version, then a value for each attribute and the key, and where there is one the entity, of each to-one.
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
                orderColumn: order, partners: Leading(inverseOf: relationship, model: model, layout: layout))
        }
        leading = entity.relationships.compactMap { relationship in
            // This rule leaves the other end to the caller.
            guard relationship.deleteRule != .noActionDeleteRule else { return nil }
            return Leading(inverseOf: relationship, model: model, layout: layout)
        }
        attributePlaces = Dictionary(
            attributes.enumerated().map { ($0.element.slot, $0.offset) }, uniquingKeysWith: { first, _ in first })
        toOnePlaces = Dictionary(
            toOnes.enumerated().map { ($0.element.slot, $0.offset) }, uniquingKeysWith: { first, _ in first })
        let columns =
            ["Z_PK", "Z_ENT", "Z_OPT"] + attributes.map(\.column)
            + toOnes.flatMap { [$0.column] + ($0.entityColumn.map { [$0] } ?? []) }
        let parameters = ["?", String(entity.number), "?"] + columns.dropFirst(3).map { _ in "?" }
        insertion =
            "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(parameters.joined(separator: ", ")))"
    }

    /// The column of an attribute; nil for a transient or derived one.
    func attribute(_ slot: Int) -> Attribute? { attributePlaces[slot].map { attributes[$0] } }

    /// The columns of a to-one relationship; nil for any other.
    func toOne(_ slot: Int) -> ToOne? { toOnePlaces[slot].map { toOnes[$0] } }

    var externalAttributes: [Attribute] { attributes.filter(\.isExternal) }
}

extension EntityColumns.Leading {
    /// Nil where the relationship has no inverse, or one that leads to many objects.
    fileprivate init?(inverseOf relationship: CompiledRelationship, model: CompiledModel, layout: StoreLayout) {
        guard let inverse = relationship.inverse, let toOne = layout.toOne(inverse, in: relationship.destination) else {
            return nil
        }
        let table = SQLName.quoted(layout.table(of: model[relationship.destination]))
        query = "SELECT Z_PK, Z_ENT FROM \(table) WHERE \(SQLName.quoted(toOne.column)) = ?"
        slot = inverse
        entity = relationship.destination
    }
}
