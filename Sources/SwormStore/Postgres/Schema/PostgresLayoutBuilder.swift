import SwormPredicates

/// A builder that lays out the tables of a store on a server.
///
/// Properties have columns of their own names. In the table of a hierarchy, a name that is already used has the name of
/// the entity before it.
struct PostgresLayoutBuilder {
    private let model: CompiledModel
    private(set) var names: PostgresNames
    private(set) var layout = StoreLayout()
    /// The names of tables, and those of the columns of each table by the number of its root.
    private var takenTables: Set<String>
    private var takenColumns: [Int: Set<String>] = [:]
    private var secondsColumns: Set<PropertyLocation> = []

    init(model: CompiledModel, names: PostgresNames) {
        self.model = model
        self.names = names
        takenTables = Set(names.tables.values)
    }

    mutating func build(schema: String, storesSeconds: (CompiledAttribute) -> Bool) {
        layout.attributes = model.entities.map { Array(repeating: nil, count: $0.attributes.count) }
        layout.toOnes = model.entities.map { Array(repeating: nil, count: $0.relationships.count) }
        layout.toManys = model.entities.map { Array(repeating: nil, count: $0.relationships.count) }
        numberEntities()
        for root in model.entities where root.root == root.number { startTable(of: root) }
        for entity in model.entities {
            for slot in model.ownAttributes(of: entity) { addAttribute(slot, of: entity, storesSeconds: storesSeconds) }
            for slot in model.ownRelationships(of: entity) { addToOne(slot, of: entity) }
        }
        for entity in model.entities {
            for slot in model.ownRelationships(of: entity) { addToMany(slot, of: entity) }
        }
        layout.inherit(in: model)
        layout.server = ServerLayout(
            schema: schema, entityNumbers: model.entities.map { names.numbers[$0.name] ?? $0.number },
            secondsColumns: secondsColumns)
    }

    private mutating func numberEntities() {
        for entity in model.entities where names.numbers[entity.name] == nil {
            names.numbers[entity.name] = (names.numbers.values.max() ?? 0) + 1
        }
    }

    // MARK: Names

    private mutating func table(_ name: String, for part: String) -> String {
        if let known = names.tables[part] { return known }
        let result = Self.free(name) { !takenTables.contains($0) }
        takenTables.insert(result)
        names.tables[part] = result
        return result
    }

    /// Declares a column of the table of an entity's hierarchy, and returns its name.
    private mutating func column(_ name: String, of entity: CompiledEntity, type: String) -> String {
        let part = "\(entity.name).\(name)"
        let result = names.columns[part] ?? freeColumn(name.replacing(".", with: "_"), of: entity)
        takenColumns[entity.root, default: []].insert(result)
        names.columns[part] = result
        layout.tables[entity.root]?.columns.append(StoreLayout.Column(name: result, declaredType: type))
        return result
    }

    private func freeColumn(_ name: String, of entity: CompiledEntity) -> String {
        let taken = takenColumns[entity.root] ?? []
        let short = PostgresNames.shortened(name)
        if !taken.contains(short) { return short }
        return Self.free("\(entity.name)_\(name)") { !taken.contains($0) }
    }

    /// Returns a name that can be used, with the lowest number after it that makes it one.
    private static func free(_ name: String, isFree: (String) -> Bool) -> String {
        var result = PostgresNames.shortened(name)
        var number = 0
        while !isFree(result) {
            number += 1
            result = PostgresNames.shortened("\(name)_\(number)")
        }
        return result
    }

    // MARK: Tables

    private mutating func startTable(of root: CompiledEntity) {
        var columns = [StoreLayout.Column(name: "_key", declaredType: PostgresColumnType.key)]
        if root.hasDescendants {
            columns.append(StoreLayout.Column(name: "_entity", declaredType: PostgresColumnType.entity))
        }
        columns.append(StoreLayout.Column(name: "_version", declaredType: PostgresColumnType.version))
        layout.tables[root.number] = StoreLayout.Table(name: table(root.name, for: root.name), columns: columns)
        var taken: Set = ["_key", "_entity", "_version"]
        for number in root.family {
            let prefix = model[number].name + "."
            taken.formUnion(names.columns.filter { $0.key.hasPrefix(prefix) }.values)
        }
        takenColumns[root.number] = taken
    }

    private mutating func addAttribute(
        _ slot: Int, of entity: CompiledEntity, storesSeconds: (CompiledAttribute) -> Bool
    ) {
        let attribute = entity.attributes[slot]
        let seconds = attribute.type == .date && storesSeconds(attribute)
        guard !attribute.isTransient, let type = PostgresColumnType.type(of: attribute, storesSeconds: seconds) else {
            return
        }
        layout.attributes[entity.number - 1][slot] = column(attribute.name, of: entity, type: type)
        if seconds { secondsColumns.insert(PropertyLocation(entity: entity.number, slot: slot)) }
    }

    private mutating func addToOne(_ slot: Int, of entity: CompiledEntity) {
        let relationship = entity.relationships[slot]
        guard !relationship.isToMany, !relationship.isTransient else { return }
        let name = column(relationship.name, of: entity, type: PostgresColumnType.reference)
        layout.toOnes[entity.number - 1][slot] = StoreLayout.ToOne(column: name, entityColumn: nil)
    }

    // MARK: To-many relationships

    private mutating func addToMany(_ slot: Int, of entity: CompiledEntity) {
        let relationship = entity.relationships[slot]
        guard relationship.isToMany, !relationship.isTransient else { return }
        let storage: StoreLayout.ToMany?
        if let inverse = model.inverse(of: relationship), let inverseSlot = relationship.inverse {
            storage =
                inverse.isToMany
                ? join(at: PropertyLocation(entity: entity.number, slot: slot), of: relationship, inverse: inverse)
                : members(of: relationship, inverse: inverse, slot: inverseSlot)
        } else if relationship.inverse == nil {
            storage = oneWay(relationship, of: entity)
        } else {
            storage = nil
        }
        if let storage { layout.toManys[entity.number - 1][slot] = storage }
    }

    private mutating func members(
        of relationship: CompiledRelationship, inverse: CompiledRelationship, slot: Int
    ) -> StoreLayout.ToMany? {
        guard let toOne = layout.toOnes[inverse.owner - 1][slot] else { return nil }
        let order = "_order_\(inverse.name)_\(relationship.name)"
        return .inverse(
            column: toOne.column,
            orderColumn: relationship.isOrdered
                ? column(order, of: model[inverse.owner], type: PostgresColumnType.reference) : nil)
    }

    private mutating func oneWay(_ relationship: CompiledRelationship, of entity: CompiledEntity) -> StoreLayout.ToMany
    {
        let members = model[relationship.destination]
        let name = "\(entity.name)_\(relationship.name)"
        return .oneWay(
            column: column("_" + name, of: members, type: PostgresColumnType.reference),
            orderColumn: relationship.isOrdered
                ? column("_order_" + name, of: members, type: PostgresColumnType.reference) : nil)
    }

    /// Returns the join table of a relationship. It has the name of the side that comes first in the order of names, so that
    /// it does not depend on the numbers of the entities.
    private mutating func join(
        at location: PropertyLocation, of relationship: CompiledRelationship, inverse: CompiledRelationship
    ) -> StoreLayout.ToMany? {
        guard !inverse.isTransient, let inverseSlot = relationship.inverse else { return nil }
        let (own, other) = (model[relationship.owner].name, model[inverse.owner].name)
        let inverseLocation = PropertyLocation(entity: inverse.owner, slot: inverseSlot)
        let isSymmetric = location == inverseLocation
        let isOwner =
            own == other ? !SQLName.precedes(inverse.name, relationship.name) : SQLName.precedes(own, other)
        guard isOwner else {
            guard case .join(let other)? = join(at: inverseLocation, of: inverse, inverse: relationship) else {
                return nil
            }
            return .join(other.flipped)
        }
        var otherColumn = other == own ? relationship.name : other
        if otherColumn == own { otherColumn += "_1" }
        return .join(
            StoreLayout.Join(
                table: table("\(own)_\(relationship.name)", for: "\(own).\(relationship.name)"),
                ownColumn: PostgresNames.shortened(own), otherColumn: PostgresNames.shortened(otherColumn),
                orderColumn: relationship.isOrdered ? PostgresNames.shortened("_order_\(relationship.name)") : nil,
                inverseOrderColumn: inverse.isOrdered && !isSymmetric
                    ? PostgresNames.shortened("_order_\(inverse.name)") : nil,
                isOwner: true, isSymmetric: isSymmetric))
    }
}
