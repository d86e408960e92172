import SwormPredicates

/// A builder that lays out the table of one hierarchy of entities.
///
/// Names are assigned entity by entity, and within an entity by the name of the property, so that the first of several
/// equal names has no suffix. Columns are declared in groups by type, and within a group in that same order.
struct TableLayoutBuilder {
    private enum Group: Int, CaseIterable {
        case integers, orderKeys, reals, decimals, strings, uris, uuids, transformables, data
    }

    private let root: CompiledEntity
    private let model: CompiledModel
    private let name: String
    private var names = SQLNameRegister(["Z_PK", "Z_ENT", "Z_OPT"])
    private var groups: [[StoreLayout.Column]] = Group.allCases.map { _ in [] }

    private(set) var attributeColumns: [PropertyLocation: String] = [:]
    private(set) var toOneColumns: [PropertyLocation: StoreLayout.ToOne] = [:]
    private(set) var toManyColumns: [PropertyLocation: StoreLayout.ToMany] = [:]

    init(root: CompiledEntity, model: CompiledModel, name: String) {
        self.root = root
        self.model = model
        self.name = name
    }

    var table: StoreLayout.Table {
        let system = [
            StoreLayout.Column(name: "Z_PK", declaredType: "INTEGER PRIMARY KEY"),
            StoreLayout.Column(name: "Z_ENT", declaredType: "INTEGER"),
            StoreLayout.Column(name: "Z_OPT", declaredType: "INTEGER"),
        ]
        return StoreLayout.Table(name: name, columns: system + groups.joined())
    }

    mutating func build() {
        for number in root.family { nameProperties(of: model[number]) }
        for number in root.family { declareColumns(of: model[number]) }
        for number in root.family { addOrderKeys(of: model[number]) }
    }

    // MARK: Names

    private mutating func nameProperties(of entity: CompiledEntity) {
        var properties: [(name: String, slot: PropertySlot)] = []
        for slot in model.ownAttributes(of: entity) {
            properties.append((Self.topName(of: entity.attributes[slot].name), .attribute(slot)))
        }
        for slot in model.ownRelationships(of: entity) {
            properties.append((entity.relationships[slot].name, .relationship(slot)))
        }
        // All leaves of a composite have the same name here. Sorting by slot keeps their declared order.
        let sorted = properties.enumerated().sorted { first, second in
            SQLName.precedes(first.element.name, second.element.name)
                || (first.element.name == second.element.name && first.offset < second.offset)
        }
        for (_, property) in sorted {
            switch property.slot {
            case .attribute(let slot): nameAttribute(slot, of: entity)
            case .relationship(let slot): nameToOne(slot, of: entity)
            }
        }
    }

    private mutating func nameAttribute(_ slot: Int, of entity: CompiledEntity) {
        let attribute = entity.attributes[slot]
        guard !attribute.isTransient, Self.column(of: attribute.type) != nil else { return }
        let leaf = attribute.name.split(separator: ".").last.map(String.init) ?? attribute.name
        attributeColumns[PropertyLocation(entity: entity.number, slot: slot)] = names.claim(
            "Z" + SQLName.uppercased(leaf))
    }

    private mutating func nameToOne(_ slot: Int, of entity: CompiledEntity) {
        let relationship = entity.relationships[slot]
        guard !relationship.isToMany, !relationship.isTransient else { return }
        let upper = SQLName.uppercased(relationship.name)
        let column = names.claim("Z" + upper)
        let entityColumn =
            model[relationship.destination].hasDescendants ? names.claim("Z\(relationship.destination)_" + upper) : nil
        toOneColumns[PropertyLocation(entity: entity.number, slot: slot)] = StoreLayout.ToOne(
            column: column, entityColumn: entityColumn)
    }

    private static func topName(of attribute: String) -> String {
        attribute.split(separator: ".").first.map(String.init) ?? attribute
    }

    // MARK: Columns

    private mutating func declareColumns(of entity: CompiledEntity) {
        let attributes = model.ownAttributes(of: entity).sorted { first, second in
            let names = (
                Self.topName(of: entity.attributes[first].name), Self.topName(of: entity.attributes[second].name)
            )
            return SQLName.precedes(names.0, names.1) || (names.0 == names.1 && first < second)
        }
        for slot in attributes {
            guard let name = attributeColumns[PropertyLocation(entity: entity.number, slot: slot)],
                let (group, declaredType) = Self.column(of: entity.attributes[slot].type)
            else { continue }
            declare(name, as: declaredType, in: group)
        }
        for slot in sortedRelationships(of: entity) {
            guard let toOne = toOneColumns[PropertyLocation(entity: entity.number, slot: slot)] else { continue }
            declare(toOne.column, as: "INTEGER", in: .integers)
            if let column = toOne.entityColumn { declare(column, as: "INTEGER", in: .integers) }
        }
        for source in oneWaySources(to: entity) {
            let relationship = model[source.entity].relationships[source.slot]
            let column = names.claim("Z\(source.entity)" + SQLName.uppercased(relationship.name))
            declare(column, as: "INTEGER", in: .integers)
            toManyColumns[source] = .oneWay(column: column, orderColumn: nil)
        }
    }

    private mutating func addOrderKeys(of entity: CompiledEntity) {
        for slot in sortedRelationships(of: entity) {
            let relationship = entity.relationships[slot]
            guard let toOne = toOneColumns[PropertyLocation(entity: entity.number, slot: slot)],
                let inverse = model.inverse(of: relationship), inverse.isToMany, !inverse.isTransient,
                let inverseSlot = relationship.inverse
            else { continue }
            let order = inverse.isOrdered ? "Z_FOK_" + SQLName.uppercased(relationship.name) : nil
            toManyColumns[PropertyLocation(entity: inverse.owner, slot: inverseSlot)] = .inverse(
                column: toOne.column, orderColumn: order.map { declareOrderKey($0) })
        }
        for source in oneWaySources(to: entity) {
            let relationship = model[source.entity].relationships[source.slot]
            guard relationship.isOrdered, case .oneWay(let column, _) = toManyColumns[source] else { continue }
            let order = declareOrderKey("Z_FOK_\(source.entity)" + SQLName.uppercased(relationship.name))
            toManyColumns[source] = .oneWay(column: column, orderColumn: order)
        }
    }

    private mutating func declareOrderKey(_ name: String) -> String {
        let column = names.claim(name)
        declare(column, as: "INTEGER", in: .orderKeys)
        return column
    }

    private mutating func declare(_ name: String, as declaredType: String, in group: Group) {
        groups[group.rawValue].append(StoreLayout.Column(name: name, declaredType: declaredType))
    }

    private func sortedRelationships(of entity: CompiledEntity) -> [Int] {
        model.ownRelationships(of: entity).sorted {
            SQLName.precedes(entity.relationships[$0].name, entity.relationships[$1].name)
        }
    }

    /// Returns the to-many relationships without an inverse that refer to an entity.
    private func oneWaySources(to entity: CompiledEntity) -> [PropertyLocation] {
        var places: [PropertyLocation] = []
        for source in model.entities {
            places += sortedRelationships(of: source).filter { slot in
                let relationship = source.relationships[slot]
                return relationship.isToMany && !relationship.isTransient && relationship.inverse == nil
                    && relationship.destination == entity.number
            }.map { PropertyLocation(entity: source.number, slot: $0) }
        }
        return places
    }

    private static func column(of type: AttributeType) -> (Group, String)? {
        switch type {
        case .integer16, .integer32, .integer64, .boolean: (.integers, "INTEGER")
        case .double, .float: (.reals, "FLOAT")
        case .date: (.reals, "TIMESTAMP")
        case .decimal: (.decimals, "DECIMAL")
        case .string: (.strings, "VARCHAR")
        case .uri: (.uris, "VARCHAR")
        case .uuid: (.uuids, "BLOB")
        case .transformable: (.transformables, "BLOB")
        case .binaryData: (.data, "BLOB")
        case .undefined, .objectID, .composite: nil
        }
    }
}
