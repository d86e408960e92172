import Foundation
@testable import OpenCoreData

/// Where a store keeps the properties of a model, worked out anew from the rules of the format.
struct PlainModel {
    struct Attribute {
        /// For an element of a composite `composite.element`.
        var name: String
        var type: NSAttributeType
        var declaring: String
        var column: String
        var description: NSAttributeDescription
        var isTransient: Bool
    }

    struct Relationship {
        var name: String
        var declaring: String
        /// The column of a to-one's key.
        var column: String
        var description: NSRelationshipDescription
        var destination: String
        /// The name of the relationship that leads back.
        var inverse: String?
        var isToMany: Bool { description.isToMany }
        var isOrdered: Bool { isToMany && description.isOrdered }
    }

    struct Entity {
        var name: String
        var number: Int
        var parent: String?
        var root: String
        var last: Int
        var isAbstract: Bool
        var attributes: [Attribute]
        var relationships: [Relationship]
        var description: NSEntityDescription
        var family: ClosedRange<Int> { number...last }
        var table: String { "Z" + PlainModel.upper(root) }
        func relationship(_ name: String) -> Relationship? { relationships.first { $0.name == name } }
    }

    /// In the order of their numbers.
    private(set) var entities: [Entity] = []
    private var places: [String: Int] = [:]
    /// Keeps the descriptions alive.
    let model: NSManagedObjectModel

    subscript(name: String) -> Entity? { places[name].map { entities[$0] } }

    /// The ASCII letters in upper case.
    static func upper(_ name: String) -> String {
        String(decoding: name.utf8.map { (97...122).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
    }

    init(_ model: NSManagedObjectModel) {
        self.model = model
        func children(of parent: NSEntityDescription?) -> [NSEntityDescription] {
            model.entities.filter { $0.superentity === parent }
                .sorted { ($0.name ?? "").lowercased() < ($1.name ?? "").lowercased() }
        }
        for root in children(of: nil) {
            var names: [String: Int] = [:]
            func claim(_ base: String) -> String {
                let name = "Z" + Self.upper(base)
                let count = names[name, default: 0]
                names[name] = count + 1
                return count == 0 ? name : "\(name)\(count)"
            }
            func visit(_ description: NSEntityDescription, above: Entity?) {
                let name = description.name ?? ""
                var entity = Entity(
                    name: name, number: entities.count + 1, parent: above?.name, root: root.name ?? "",
                    last: entities.count + 1, isAbstract: description.isAbstract, attributes: above?.attributes ?? [],
                    relationships: above?.relationships ?? [], description: description)
                let inherited = Set(description.superentity?.propertiesByName.keys.map { $0 } ?? [])
                let own = description.properties.filter { !inherited.contains($0.name) }
                for property in own.sorted(by: { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) }) {
                    switch property {
                    case let relationship as NSRelationshipDescription:
                        let hasColumn = !relationship.isToMany && !relationship.isTransient
                        entity.relationships.append(
                            Relationship(
                                name: relationship.name, declaring: name,
                                column: hasColumn ? claim(relationship.name) : "", description: relationship,
                                destination: relationship.destinationEntity?.name ?? "",
                                inverse: relationship.inverseRelationship?.name))
                    case let attribute as NSAttributeDescription:
                        for leaf in Self.leaves(of: attribute, attribute.name) {
                            let column = attribute.isTransient ? "" : claim(leaf.element.name)
                            entity.attributes.append(
                                Attribute(
                                    name: leaf.path, type: leaf.element.attributeType, declaring: name, column: column,
                                    description: leaf.element, isTransient: attribute.isTransient))
                        }
                    default: continue
                    }
                }
                let place = entities.count
                places[name] = place
                entities.append(entity)
                for child in children(of: description) { visit(child, above: entity) }
                entities[place].last = entities.count
            }
            visit(root, above: nil)
        }
    }

    private static func leaves(
        of attribute: NSAttributeDescription, _ path: String
    ) -> [(path: String, element: NSAttributeDescription)] {
        guard let composite = attribute as? NSCompositeAttributeDescription else { return [(path, attribute)] }
        return composite.elements.flatMap { leaves(of: $0, "\(path).\($0.name)") }
    }

    /// The relationship that leads back, as the destination has it.
    func inverse(of relationship: Relationship) -> Relationship? {
        relationship.inverse.flatMap { self[relationship.destination]?.relationship($0) }
    }

    /// The column beside a to-one's key that names the destination's own entity, where that can differ.
    func entityColumn(of relationship: Relationship) -> String? {
        guard let destination = self[relationship.destination], destination.family.count > 1 else { return nil }
        return "Z\(destination.number)_" + relationship.column.dropFirst()
    }

    /// Where the members of a to-many relationship are found.
    enum Members {
        /// In rows of the destination's table: the column of the owner's key, and that of the order.
        case column(String, order: String?)
        /// In a join table: the columns of the owner's key, of the member's key, and of the order.
        case join(String, own: String, other: String, order: String?)
    }

    func members(of relationship: Relationship, in tables: [String: [String]]) -> Members? {
        guard let owner = self[relationship.declaring], let destination = self[relationship.destination] else {
            return nil
        }
        let name = Self.upper(relationship.name)
        guard let inverse = inverse(of: relationship) else {
            return .column("Z\(owner.number)\(name)", order: nil)
        }
        if !inverse.isToMany {
            return .column(inverse.column, order: relationship.isOrdered ? "Z_FOK_" + inverse.column.dropFirst() : nil)
        }
        if inverse.declaring == relationship.declaring, inverse.name == relationship.name {
            let own = "Z_\(owner.number)\(name)"
            return .join(
                own, own: own, other: "REFLEXIVE", order: relationship.isOrdered ? "Z_FOK_" + own.dropFirst(2) : nil)
        }
        guard let declaring = self[inverse.declaring] else { return nil }
        let back = Self.upper(inverse.name)
        for table in ["Z_\(owner.number)\(name)", "Z_\(declaring.number)\(back)"] {
            guard let columns = tables[table] else { continue }
            func column(_ base: String) -> String? {
                // A name that another join table has already is numbered.
                columns.first { $0.hasPrefix(base) && $0.dropFirst(base.count).allSatisfy(\.isNumber) }
            }
            guard let own = column("Z_\(owner.number)\(back)"), let other = column("Z_\(destination.number)\(name)")
            else { continue }
            return .join(
                table, own: own, other: other, order: relationship.isOrdered ? "Z_FOK_" + other.dropFirst(2) : nil)
        }
        return nil
    }
}
