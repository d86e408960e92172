import SwormPredicates

@testable import OpenCoreData
@testable import SwormStore

/// The properties whose values the columns of a store hold, according to its layout.
struct ColumnMeanings {
    /// A property as declared by an entity, with the name of a composite instead of a leaf.
    struct Property: Hashable {
        var entity: Int
        var name: String
    }

    private let model: CompiledModel
    /// The properties of each column. A region that holds one of them is touched by every change of the column.
    private var properties: [ReadColumn: Set<Property>] = [:]
    /// The roots of the tables with rows of objects.
    private var roots: [String: Int] = [:]
    /// The properties that lead to the objects of a hierarchy.
    private var leading: [Int: Set<Property>] = [:]

    init(_ model: CompiledModel, _ layout: StoreLayout) {
        self.model = model
        for entity in model.entities {
            let table = layout.table(of: entity)
            roots[table] = entity.root
            for (slot, attribute) in entity.attributes.enumerated() {
                guard let column = layout.column(ofAttribute: slot, in: entity.number) else { continue }
                let name = String(attribute.name.prefix { $0 != "." })
                note([Property(entity: entity.number, name: name)], [column], of: table)
            }
            for (slot, relationship) in entity.relationships.enumerated() {
                let sides = sides(of: relationship, of: entity)
                leading[model[relationship.destination].root, default: []].formUnion(sides)
                if let toOne = layout.toOne(slot, in: entity.number) {
                    note(sides, [toOne.column, toOne.entityColumn], of: table)
                }
                let destination = layout.table(of: model[relationship.destination])
                switch layout.toMany(slot, in: entity.number) {
                case .inverse(let column, let order), .oneWay(let column, let order):
                    note(sides, [column, order], of: destination)
                case .join(let join):
                    note(
                        sides, [join.ownColumn, join.otherColumn, join.orderColumn, join.inverseOrderColumn, ""],
                        of: join.table)
                case nil: break
                }
            }
        }
    }

    /// Returns a relationship and its inverse.
    private func sides(of relationship: CompiledRelationship, of entity: CompiledEntity) -> Set<Property> {
        var sides: Set = [Property(entity: entity.number, name: relationship.name)]
        if let inverse = model.inverse(of: relationship) {
            sides.insert(Property(entity: relationship.destination, name: inverse.name))
        }
        return sides
    }

    private mutating func note(_ sides: Set<Property>, _ columns: [String?], of table: String) {
        for column in columns.compactMap({ $0 }) {
            properties[ReadColumn(table: table, column: column), default: []].formUnion(sides)
        }
    }

    /// Returns the properties of a column; nil for a column that holds no property.
    func properties(of column: ReadColumn) -> Set<Property>? { properties[column] }

    /// Returns how a region lacks a column that is read; nil if it does not.
    func lack(of column: ReadColumn, in region: TrackedRegion) -> String? {
        if let alternatives = properties[column] {
            return alternatives.contains { region.holds($0, model) } ? nil : "\(column.table).\(column.column)"
        }
        // The list of the values of a condition.
        if column.table == "json_each" { return nil }
        guard let root = roots[column.table], ["Z_PK", "Z_ENT", "Z_OPT", ""].contains(column.column) else {
            return "\(column.table).\(column.column), which is unknown,"
        }
        // An object behind a relationship comes and goes with its links.
        let isFollowed = leading[root, default: []].contains { region.holds($0, model) }
        return isFollowed || region.roots.contains(model[root].name) ? nil : "the rows of \(model[root].name)"
    }
}

extension TrackedRegion {
    /// Returns whether the region holds a property of an entity and of all that inherit from it. An entity may be one
    /// that inherits the property itself, because a request reads objects of one entity only.
    func holds(_ property: ColumnMeanings.Property, _ model: CompiledModel) -> Bool {
        model[property.entity].family.contains { member in
            model[member].family.allSatisfy { properties[model[$0].name]?.contains(property.name) ?? false }
        }
    }

    /// Returns the region without properties of all entities, and without root entities.
    func removing(_ names: Set<String> = [], roots removed: Set<String> = []) -> TrackedRegion {
        var region = TrackedRegion()
        for root in roots.subtracting(removed) { region.countRows(of: root) }
        for (entity, properties) in properties {
            for name in properties.subtracting(names) { region.read(name, of: entity) }
        }
        return region
    }
}
