#if PostgreSQL
import SwormPostgres
import SwormPredicates

/// The columns that store the values of one entity on a server. All names are in the form in which SQL text writes them.
struct ServerColumns: Sendable {
    struct Attribute: Sendable {
        var slot: Int
        var column: String
        /// The type of the column, which is also that of a parameter for it.
        var type: PostgresType
        var attribute: CompiledAttribute
        var isExternal: Bool { attribute.allowsExternalStorage }
    }

    /// A derived attribute whose value a statement gets along with the other values: the time of the transaction, or a form
    /// of a value of the same row.
    struct Derived: Sendable {
        var place: Attribute
        /// The slot of the attribute that the value is computed from; nil for the time of the transaction.
        var source: Int?
        var derived: DerivedAttribute
    }

    struct ToOne: Sendable {
        var slot: Int
        var column: String
        /// The column for the object's position in the ordered inverse.
        var orderColumn: String?
        /// The rows that refer back, only if the inverse is a to-one relationship too.
        var partners: Leading?
    }

    /// A to-one relationship by which rows refer to an object. Its column has an index.
    struct Leading: Sendable, Hashable {
        /// The table of the rows.
        var table: String
        var column: String
        /// The slot of the relationship in its entity.
        var slot: Int
        /// The number of the entity to which the relationship belongs.
        var entity: Int
        /// Whether the table has a column of entity numbers.
        var numbersEntities: Bool
    }

    let entity: CompiledEntity
    /// The table of the hierarchy, with its schema.
    let table: String
    /// The number of the entity in the column of entity numbers.
    let storedNumber: Int64
    /// Whether the table has a column of entity numbers.
    let numbersEntities: Bool
    /// The attributes that are written, which are neither transient nor derived.
    let attributes: [Attribute]
    let toOnes: [ToOne]
    /// The derived attributes that are written along with the attributes.
    let derived: [Derived]
    /// The to-one inverses of the entity's relationships, which must not refer to a deleted object.
    let leading: [Leading]
    private let attributePlaces: [Int: Int]
    private let toOnePlaces: [Int: Int]

    init(entity: CompiledEntity, model: CompiledModel, layout: StoreLayout) {
        self.entity = entity
        table = Self.table(of: entity, layout)
        storedNumber = Int64(layout.storedNumber(of: entity.number))
        numbersEntities = model[entity.root].hasDescendants
        attributes = entity.attributes.enumerated().compactMap { slot, attribute in
            attribute.derivation == nil ? Attribute(slot, of: entity, layout: layout) : nil
        }
        toOnes = entity.relationships.enumerated().compactMap { slot, relationship in
            guard let toOne = layout.toOne(slot, in: entity.number) else { return nil }
            let order = layout.orderColumn(inInverseOf: relationship).map { SQLName.alwaysQuoted($0) }
            return ToOne(
                slot: slot, column: SQLName.alwaysQuoted(toOne.column), orderColumn: order,
                partners: Leading(inverseOf: relationship, model: model, layout: layout))
        }
        derived = entity.derivedSlots.compactMap { Derived($0, of: entity, model: model, layout: layout) }
        leading = entity.relationships.compactMap { relationship in
            // This rule leaves the inverse to the caller.
            guard relationship.deleteRule != .noActionDeleteRule else { return nil }
            return Leading(inverseOf: relationship, model: model, layout: layout)
        }
        attributePlaces = Dictionary(
            attributes.enumerated().map { ($0.element.slot, $0.offset) }, uniquingKeysWith: { first, _ in first })
        toOnePlaces = Dictionary(
            toOnes.enumerated().map { ($0.element.slot, $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the column of an attribute, or nil for a transient or derived one.
    func attribute(_ slot: Int) -> Attribute? { attributePlaces[slot].map { attributes[$0] } }

    /// Returns the column of a to-one relationship, or nil for any other relationship.
    func toOne(_ slot: Int) -> ToOne? { toOnePlaces[slot].map { toOnes[$0] } }

    /// The condition that a row is one of this very entity, to follow another condition; empty if the table has no other
    /// rows.
    ///
    /// - Parameter alias: The name of the table in the statement, with a period, or empty.
    func entityTest(_ alias: String = "") -> String {
        numbersEntities ? " AND \(alias)\(SystemColumns.postgres.entity) = \(storedNumber)" : ""
    }

    /// Returns the constraints that rows of the entity must satisfy, including those of its ancestors.
    func uniqueConstraints(in model: CompiledModel) -> [UniqueConstraint] {
        var result: [UniqueConstraint] = []
        var next: CompiledEntity? = entity
        while let current = next {
            for properties in current.uniquenessConstraints {
                let columns = properties.map { name -> String? in
                    switch entity.slot(named: name) {
                    case .attribute(let slot)?: attribute(slot)?.column
                    case .relationship(let slot)?: toOne(slot)?.column
                    case nil: nil
                    }
                }
                // A constraint over a property without a column cannot be checked, and no index enforces it.
                guard !columns.isEmpty, !columns.contains(nil) else { continue }
                result.append(
                    UniqueConstraint(table: table, properties: properties, columns: columns.compactMap(\.self)))
            }
            next = current.superentity.map { model[$0] }
        }
        return result
    }

    /// The type of a column of a unique constraint.
    func type(ofColumn column: String) -> PostgresType {
        attributes.first { $0.column == column }?.type ?? .int8
    }

    static func table(of entity: CompiledEntity, _ layout: StoreLayout) -> String {
        table(named: layout.table(of: entity), layout)
    }

    /// Returns the name of a table with its schema.
    static func table(named name: String, _ layout: StoreLayout) -> String {
        let schema = layout.server.map { SQLName.alwaysQuoted($0.schema) + "." } ?? ""
        return schema + SQLName.alwaysQuoted(name)
    }
}

extension ServerColumns.Attribute {
    /// Creates the column of an attribute; nil if it has none.
    init?(_ slot: Int, of entity: CompiledEntity, layout: StoreLayout) {
        let attribute = entity.attributes[slot]
        let storesSeconds = layout.storesSeconds(slot, of: attribute.owner)
        guard !attribute.isTransient, let column = layout.column(ofAttribute: slot, in: entity.number),
            let type = PostgresType(storing: attribute.type, asSeconds: storesSeconds)
        else { return nil }
        self.slot = slot
        self.column = SQLName.alwaysQuoted(column)
        self.attribute = attribute
        self.type = type
    }
}

extension ServerColumns.Derived {
    fileprivate init?(_ slot: Int, of entity: CompiledEntity, model: CompiledModel, layout: StoreLayout) {
        // The derivation refers to the properties of the entity that declares it, whose slots are the same here.
        let owner = model[entity.attributes[slot].owner]
        guard let derived = DerivedAttribute(slot, of: owner, in: model),
            let place = ServerColumns.Attribute(slot, of: entity, layout: layout)
        else { return nil }
        switch derived.derivation.source {
        case .now: self.init(place: place, source: nil, derived: derived)
        // A source that is derived itself is known only after it was computed.
        case .value(let path, let attribute) where path.isEmpty && entity.attributes[attribute].derivation == nil:
            self.init(place: place, source: attribute, derived: derived)
        case .value, .members: return nil
        }
    }
}

extension ServerColumns.Leading {
    /// Returns nil if the relationship has no inverse, or a to-many inverse.
    fileprivate init?(inverseOf relationship: CompiledRelationship, model: CompiledModel, layout: StoreLayout) {
        guard let inverse = relationship.inverse, let toOne = layout.toOne(inverse, in: relationship.destination) else {
            return nil
        }
        let destination = model[relationship.destination]
        self.init(
            table: ServerColumns.table(of: destination, layout), column: SQLName.alwaysQuoted(toOne.column),
            slot: inverse, entity: relationship.destination,
            numbersEntities: model[destination.root].hasDescendants)
    }
}

extension PostgresType {
    /// The type of the column of an attribute; nil for a type that has no column.
    init?(storing type: AttributeType, asSeconds: Bool) {
        switch type {
        case .integer16: self = .int2
        case .integer32: self = .int4
        case .integer64: self = .int8
        case .boolean: self = .bool
        case .double: self = .float8
        case .float: self = .float4
        case .decimal: self = .numeric
        case .date: self = asSeconds ? .float8 : .timestamptz
        case .string, .uri: self = .text
        case .uuid: self = .uuid
        case .binaryData, .transformable: self = .bytea
        case .undefined, .objectID, .composite: return nil
        }
    }
}

extension ServerSchema {
    /// Returns the columns of a row's entity.
    func columns(of row: RowID) -> ServerColumns { columns[row.entity - 1] }

    /// Returns the number in the model of a number in a column of entity numbers.
    ///
    /// - Parameter entity: An entity of the table's hierarchy, which is the result for a number that belongs to none.
    func entity(stored number: Int64?, in entity: Int) -> Int {
        guard let number, let found = entityNumbers[number] else { return entity }
        return columns[found - 1].entity.root == columns[entity - 1].entity.root ? found : entity
    }
}
#endif
