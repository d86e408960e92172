import SwormPredicates

/// The columns that store the values of one entity.
struct EntityColumns: Sendable {
    struct Attribute: Sendable {
        var slot: Int
        /// The quoted column name, as it appears in SQL.
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
        /// The column for the object's position in the ordered inverse.
        var orderColumn: String?
        /// The query for the rows that refer back, only if the inverse is a to-one relationship too. Its parameter is
        /// the object's key.
        var partners: Leading?
    }

    /// A query for the rows that refer to an object through a to-one relationship, which has an index.
    struct Leading: Sendable {
        /// The SQL that returns the key and the entity number of each row. Its parameter is the object's key.
        var query: String
        /// The slot of the to-one relationship in its entity.
        var slot: Int
        /// The entity to which the relationship belongs.
        var entity: Int
    }

    let entity: CompiledEntity
    let table: String
    /// The attributes that are written, which are neither transient nor derived.
    let attributes: [Attribute]
    /// The same attributes as plain bytes, for the loop over the values of many rows.
    let writes: [Write]
    let toOnes: [ToOne]
    /// The to-one inverses of the entity's relationships, which must not refer to a deleted object.
    let leading: [Leading]
    private let attributePlaces: [Int: Int]
    private let toOnePlaces: [Int: Int]
    /// The INSERT statement. Its parameters are the key, the version, a value for each attribute, and for each to-one
    /// relationship the key and, if it has such a column, the entity.
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
            let order = layout.orderColumn(inInverseOf: relationship).map { SQLName.quoted($0) }
            return ToOne(
                slot: slot, column: SQLName.quoted(toOne.column), entityColumn: toOne.entityColumn.map(SQLName.quoted),
                orderColumn: order, partners: Leading(inverseOf: relationship, model: model, layout: layout))
        }
        leading = entity.relationships.compactMap { relationship in
            // This rule leaves the inverse to the caller.
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

    /// Returns the column of an attribute, or nil for a transient or derived one.
    func attribute(_ slot: Int) -> Attribute? { attributePlaces[slot].map { attributes[$0] } }

    /// Returns the columns of a to-one relationship, or nil for any other relationship.
    func toOne(_ slot: Int) -> ToOne? { toOnePlaces[slot].map { toOnes[$0] } }

    var externalAttributes: [Attribute] { attributes.filter(\.isExternal) }
}

extension EntityColumns.Leading {
    /// Returns nil if the relationship has no inverse, or a to-many inverse.
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
