#if PostgreSQL
import SwormPredicates

/// A builder that lays out the tables of a store on a server.
///
/// Properties have columns of their own names. In the table of a hierarchy, a name that is already used has the name of
/// the entity before it.
struct PostgresLayoutBuilder {
    private let model: CompiledModel
    private(set) var names: PostgresNames
    private(set) var layout = StoreLayout()
    /// The names of tables, with those of their indexes and sequences.
    private var takenTables: Set<String>
    /// The names of the columns of each table by the number of its root, and those of them that are in the layout.
    private var takenColumns: [Int: Set<String>] = [:]
    private var usedColumns: [Int: Set<String>] = [:]
    private var secondsColumns: Set<PropertyLocation> = []

    init(model: CompiledModel, names: PostgresNames) {
        self.model = model
        self.names = names
        let tables = PostgresNames.ownTables.union(names.tables.values)
        takenTables = Set(tables.flatMap { PostgresNames.relations(ofTable: $0) })
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
            names.numbers[entity.name] = names.freeNumber
        }
    }

    // MARK: Names

    private mutating func table(_ name: String, for part: String) -> String {
        if let known = names.tables[part] { return known }
        let start = name.hasPrefix(PostgresNames.ownPrefix) ? "model" + name : name
        let result = PostgresNames.free([start]) { takenTables.isDisjoint(with: PostgresNames.relations(ofTable: $0)) }
        takenTables.formUnion(PostgresNames.relations(ofTable: result))
        names.tables[part] = result
        return result
    }

    /// Declares a column of the table of an entity's hierarchy, and returns its name.
    ///
    /// - Parameter part: The key of the column in the names.
    private mutating func column(
        _ name: String, for part: String, of entity: CompiledEntity, type: String
    ) -> String {
        let (taken, used) = (takenColumns[entity.root] ?? [], usedColumns[entity.root] ?? [])
        var result = names.columns[part]
        // Two properties had the name in tables of their own if their entities have moved into one hierarchy.
        if let known = result, used.contains(known) { result = nil }
        let name = result ?? PostgresNames.free([name, "\(entity.name)_\(name)"]) { !taken.contains($0) }
        takenColumns[entity.root, default: []].insert(name)
        usedColumns[entity.root, default: []].insert(name)
        names.columns[part] = name
        layout.tables[entity.root]?.columns.append(StoreLayout.Column(name: name, declaredType: type))
        return name
    }

    // MARK: Tables

    private mutating func startTable(of root: CompiledEntity) {
        var columns = [StoreLayout.Column(name: "_key", declaredType: PostgresColumnType.key)]
        if root.hasDescendants {
            columns.append(StoreLayout.Column(name: "_entity", declaredType: PostgresColumnType.entity))
        }
        columns.append(StoreLayout.Column(name: "_version", declaredType: PostgresColumnType.version))
        layout.tables[root.number] = StoreLayout.Table(name: table(root.name, for: root.name), columns: columns)
        var taken = PostgresNames.ownColumns
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
        layout.attributes[entity.number - 1][slot] = column(
            attribute.name.replacing(".", with: "_"),
            for: PostgresNames.property(attribute.name, of: entity.name), of: entity, type: type)
        if seconds { secondsColumns.insert(PropertyLocation(entity: entity.number, slot: slot)) }
    }

    private mutating func addToOne(_ slot: Int, of entity: CompiledEntity) {
        let relationship = entity.relationships[slot]
        guard !relationship.isToMany, !relationship.isTransient else { return }
        let name = column(
            relationship.name, for: PostgresNames.property(relationship.name, of: entity.name), of: entity,
            type: PostgresColumnType.reference)
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
        let members = model[inverse.owner]
        return .inverse(
            column: toOne.column,
            orderColumn: relationship.isOrdered
                ? column(
                    "_order_\(inverse.name)_\(relationship.name)",
                    for: PostgresNames.order(of: inverse.name, in: members.name), of: members,
                    type: PostgresColumnType.reference) : nil)
    }

    private mutating func oneWay(_ relationship: CompiledRelationship, of entity: CompiledEntity) -> StoreLayout.ToMany
    {
        let members = model[relationship.destination]
        let name = "\(entity.name)_\(relationship.name)"
        let link = PostgresNames.property(relationship.name, of: entity.name)
        return .oneWay(
            column: column(
                "_" + name, for: PostgresNames.owner(of: link, in: members.name), of: members,
                type: PostgresColumnType.reference),
            orderColumn: relationship.isOrdered
                ? column(
                    "_order_" + name, for: PostgresNames.order(of: link, in: members.name), of: members,
                    type: PostgresColumnType.reference) : nil)
    }

    /// Returns the join table of a relationship. A new one has the name of the side that comes first in the order of
    /// names, so that it does not depend on the numbers of the entities.
    private mutating func join(
        at location: PropertyLocation, of relationship: CompiledRelationship, inverse: CompiledRelationship
    ) -> StoreLayout.ToMany? {
        guard !inverse.isTransient, let inverseSlot = relationship.inverse else { return nil }
        let inverseLocation = PropertyLocation(entity: inverse.owner, slot: inverseSlot)
        guard owns(relationship, inverse: inverse) else {
            guard case .join(let other)? = join(at: inverseLocation, of: inverse, inverse: relationship) else {
                return nil
            }
            return .join(other.flipped)
        }
        let isSymmetric = location == inverseLocation
        let (own, other) = (model[relationship.owner].name, model[inverse.owner].name)
        let part = PostgresNames.property(relationship.name, of: own)
        var columns = names.joins[part] ?? PostgresNames.Join()
        var taken = PostgresNames.ownColumns.union(
            [columns.own, columns.other, columns.order, columns.inverseOrder].compactMap { $0 })
        func column(_ known: inout String?, _ candidates: String...) -> String {
            let name = known ?? PostgresNames.free(candidates) { !taken.contains($0) }
            taken.insert(name)
            known = name
            return name
        }
        let join = StoreLayout.Join(
            table: table("\(own)_\(relationship.name)", for: part), ownColumn: column(&columns.own, own),
            otherColumn: column(&columns.other, other == own ? relationship.name : other),
            orderColumn: relationship.isOrdered ? column(&columns.order, "_order_\(relationship.name)") : nil,
            inverseOrderColumn: inverse.isOrdered && !isSymmetric
                ? column(&columns.inverseOrder, "_order_\(inverse.name)", "_order_\(other)_\(inverse.name)") : nil,
            isOwner: true, isSymmetric: isSymmetric)
        names.joins[part] = columns
        return .join(join)
    }

    /// Returns whether the join table of a relationship is named after its entity.
    private func owns(_ relationship: CompiledRelationship, inverse: CompiledRelationship) -> Bool {
        let (own, other) = (model[relationship.owner].name, model[inverse.owner].name)
        // The first one stays the owner if entities or properties change their order.
        if names.joins[PostgresNames.property(relationship.name, of: own)] != nil { return true }
        if names.joins[PostgresNames.property(inverse.name, of: other)] != nil { return false }
        return own == other ? !SQLName.precedes(inverse.name, relationship.name) : SQLName.precedes(own, other)
    }
}
#endif
