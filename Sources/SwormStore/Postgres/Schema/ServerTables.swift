#if PostgreSQL
import SwormPredicates

/// The tables and indexes of a store on a server, as the model and the layout require them.
///
/// The server checks what a save can rely on: required attributes, unique values, and links whose ends the delete rules
/// keep consistent. It does not check what a save may violate for a moment: a unique value is NULL while rows exchange
/// their values, and a required link is checked by the validation of objects.
struct ServerTables {
    let model: CompiledModel
    let layout: StoreLayout
    /// The tables in the order of the model, each followed by its join tables.
    private(set) var tables: [ServerTable] = []
    let indexes: [ServerIndex]

    init(model: CompiledModel, layout: StoreLayout) {
        self.model = model
        self.layout = layout
        indexes = ServerIndexWriter.indexes(model: model, layout: layout)
        let properties = columnProperties()
        for root in model.entities where root.root == root.number {
            guard let table = layout.tables[root.number] else { continue }
            let known = properties[root.number] ?? [:]
            tables.append(
                ServerTable(
                    name: table.name,
                    columns: table.columns.map { column($0, of: root, for: known[$0.name]) }, entity: root.name))
            tables += layout.ownedJoins(of: root, in: model).map { self.table(of: $0, root: root) }
        }
    }

    // MARK: Columns

    /// The use of a column of a table of entities.
    private enum Property {
        case attribute(entity: Int, slot: Int)
        case toOne(entity: Int, slot: Int)
        /// The key of the owner in a relationship without an inverse.
        case owner(entity: Int, slot: Int)
        case order(entity: Int, slot: Int)
    }

    /// Returns the uses of all columns, by the number of the table's root entity and the column.
    private func columnProperties() -> [Int: [String: Property]] {
        var result: [Int: [String: Property]] = [:]
        for entity in model.entities {
            let number = entity.number
            for slot in model.ownAttributes(of: entity) {
                guard let column = layout.column(ofAttribute: slot, in: number) else { continue }
                result[entity.root, default: [:]][column] = .attribute(entity: number, slot: slot)
            }
            for slot in model.ownRelationships(of: entity) {
                if let toOne = layout.toOne(slot, in: number) {
                    result[entity.root, default: [:]][toOne.column] = .toOne(entity: number, slot: slot)
                }
                let members = model[entity.relationships[slot].destination].root
                switch layout.toMany(slot, in: number) {
                case .inverse(_, let order?): result[members, default: [:]][order] = .order(entity: number, slot: slot)
                case .oneWay(let column, let order):
                    result[members, default: [:]][column] = .owner(entity: number, slot: slot)
                    if let order { result[members, default: [:]][order] = .order(entity: number, slot: slot) }
                case .inverse, .join, nil: break
                }
            }
        }
        return result
    }

    private func column(
        _ column: StoreLayout.Column, of root: CompiledEntity, for property: Property?
    ) -> ServerTable.Column {
        var result = ServerTable.Column(name: column.name, type: column.declaredType)
        func subject(_ entity: Int, named name: String) -> ServerSubject {
            ServerSubject(entity: model[entity].name, properties: [name])
        }
        switch property {
        case .attribute(let number, let slot)?:
            let entity = model[number]
            let attribute = entity.attributes[slot]
            result.subject = subject(number, named: attribute.name)
            result.isExternal = attribute.allowsExternalStorage && column.declaredType == "bytea"
            result.isRequired = isRequired(attribute, of: entity)
            // In the table of a hierarchy, rows of other entities have no value.
            if attribute.derivation == nil, entity.root == number {
                result.defaultValue = ServerLiteral.text(
                    attribute.defaultValue, as: attribute.type, storesSeconds: layout.storesSeconds(slot, of: number))
            }
        case .toOne(let number, let slot)?:
            let relationship = model[number].relationships[slot]
            result.subject = subject(number, named: relationship.name)
            result.reference = isKept(relationship) ? table(of: relationship.destination) : nil
        case .owner(let number, let slot)?:
            result.subject = subject(number, named: model[number].relationships[slot].name)
        case .order(let number, let slot)?:
            result.subject = subject(number, named: model[number].relationships[slot].name)
        case nil: break
        }
        return result
    }

    private func table(of entity: Int) -> String? { layout.tables[model[entity].root]?.name }

    /// Returns whether a column is never NULL.
    ///
    /// The rows of other entities of a hierarchy have no value, a derived value is computed after the row was inserted,
    /// and a row gives up a unique value before another one takes it.
    private func isRequired(_ attribute: CompiledAttribute, of entity: CompiledEntity) -> Bool {
        guard !attribute.isOptional, attribute.derivation == nil, entity.root == entity.number else { return false }
        let constraints = entity.family.flatMap { model[$0].uniquenessConstraints }
        return !constraints.contains { $0.contains(attribute.name) }
    }

    /// Returns whether a link never leads to a row that does not exist.
    ///
    /// A deletion leaves links that no delete rule knows: those without an inverse, and those whose inverse has the rule
    /// "no action".
    private func isKept(_ relationship: CompiledRelationship) -> Bool {
        guard let inverse = model.inverse(of: relationship) else { return false }
        return inverse.deleteRule != .noActionDeleteRule
    }

    // MARK: Join tables

    private func table(of join: StoreLayout.Join, root: CompiledEntity) -> ServerTable {
        var result = ServerTable(
            name: join.table, columns: [], key: [join.ownColumn, join.otherColumn], entity: root.name)
        let side = model.entities.lazy.compactMap { entity in
            model.ownRelationships(of: entity).first { layout.toMany($0, in: entity.number) == .join(join) }.map {
                (entity: entity, relationship: entity.relationships[$0])
            }
        }.first
        let subject = side.map { ServerSubject(entity: $0.entity.name, properties: [$0.relationship.name]) }
        func append(_ name: String?, type: String, to entity: Int? = nil) {
            guard let name else { return }
            result.columns.append(
                ServerTable.Column(
                    name: name, type: type, reference: entity.flatMap { table(of: $0) }, subject: subject))
        }
        append(join.ownColumn, type: PostgresColumnType.reference, to: side?.entity.number)
        append(join.otherColumn, type: PostgresColumnType.reference, to: side?.relationship.destination)
        append(join.orderColumn, type: PostgresColumnType.reference)
        append(join.inverseOrderColumn, type: PostgresColumnType.reference)
        return result
    }
}

extension ServerTables {
    /// Returns the properties with a table and a column.
    func subject(ofTable table: String, column: String) -> ServerSubject? {
        tables.first { $0.name == table }?.columns.first { $0.name == column }?.subject
    }

    /// Returns the properties with an index or a foreign key.
    func subject(ofConstraint name: String, table: String?) -> ServerSubject? {
        if let index = indexes.first(where: { $0.name == name }) { return index.subject }
        guard let table = tables.first(where: { $0.name == table }) else { return nil }
        return table.columns.first { $0.reference != nil && table.foreignKeyName(of: $0) == name }?.subject
    }
}
#endif
