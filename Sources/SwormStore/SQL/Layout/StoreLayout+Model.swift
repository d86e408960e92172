import SwormPredicates

extension StoreLayout {
    /// Creates the layout that a model implies, which is that of a new store.
    package init(model: CompiledModel) {
        self.init()
        attributes = model.entities.map { Array(repeating: nil, count: $0.attributes.count) }
        toOnes = model.entities.map { Array(repeating: nil, count: $0.relationships.count) }
        toManys = model.entities.map { Array(repeating: nil, count: $0.relationships.count) }
        var tableNames = SQLNameRegister(["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"])
        for root in model.entities where root.root == root.number {
            var builder = TableLayoutBuilder(
                root: root, model: model, name: tableNames.claim("Z" + SQLName.uppercased(root.name)))
            builder.build()
            tables[root.number] = builder.table
            for (place, name) in builder.attributeColumns { attributes[place.entity - 1][place.slot] = name }
            for (place, toOne) in builder.toOneColumns { toOnes[place.entity - 1][place.slot] = toOne }
            for (place, toMany) in builder.toManyColumns { toManys[place.entity - 1][place.slot] = toMany }
        }
        for (place, join) in JoinLayoutBuilder(model: model).joins() {
            toManys[place.entity - 1][place.slot] = .join(join)
        }
        inherit(in: model)
    }

    /// Copies the columns of inherited properties to every entity.
    mutating func inherit(in model: CompiledModel) {
        for entity in model.entities {
            guard let above = entity.superentity.map({ model[$0] }) else { continue }
            let index = entity.number - 1
            attributes[index].replaceSubrange(above.attributes.indices, with: attributes[above.number - 1])
            toOnes[index].replaceSubrange(above.relationships.indices, with: toOnes[above.number - 1])
            toManys[index].replaceSubrange(above.relationships.indices, with: toManys[above.number - 1])
        }
    }
}

extension StoreLayout {
    /// Returns the table of an entity's hierarchy.
    package func table(of entity: CompiledEntity) -> String { tables[entity.root]?.name ?? "" }

    /// Returns the column of an attribute, or nil if the attribute is transient.
    package func column(ofAttribute slot: Int, in entity: Int) -> String? { attributes[entity - 1][slot] }

    /// Returns the columns of a to-one relationship, or nil for any other relationship.
    package func toOne(_ slot: Int, in entity: Int) -> ToOne? { toOnes[entity - 1][slot] }

    /// Returns the storage of a to-many relationship, or nil for any other relationship.
    package func toMany(_ slot: Int, in entity: Int) -> ToMany? { toManys[entity - 1][slot] }

    /// Returns the column for an object's position in the ordered inverse of a to-one relationship, if it has one.
    func orderColumn(inInverseOf relationship: CompiledRelationship) -> String? {
        guard let inverse = relationship.inverse,
            case .inverse(_, let column?)? = toMany(inverse, in: relationship.destination)
        else { return nil }
        return column
    }
}

extension StoreLayout.Join {
    /// Whether the relationship is its own inverse. The table may then contain a pair of objects in either direction.
    var isReflexive: Bool { isSymmetric || otherColumn == Self.reflexiveColumn }

    static let reflexiveColumn = "REFLEXIVE"
}

/// A property of an entity: the entity's number and the slot.
struct PropertyLocation: Hashable {
    var entity: Int
    var slot: Int
}

extension CompiledModel {
    /// Returns the slots of the attributes that an entity declares itself.
    func ownAttributes(of entity: CompiledEntity) -> Range<Int> {
        (entity.superentity.map { self[$0].attributes.count } ?? 0)..<entity.attributes.count
    }

    /// Returns the slots of the relationships that an entity declares itself.
    func ownRelationships(of entity: CompiledEntity) -> Range<Int> {
        (entity.superentity.map { self[$0].relationships.count } ?? 0)..<entity.relationships.count
    }

    /// Returns the inverse of a relationship.
    func inverse(of relationship: CompiledRelationship) -> CompiledRelationship? {
        guard let slot = relationship.inverse else { return nil }
        let relationships = self[relationship.destination].relationships
        return relationships.indices.contains(slot) ? relationships[slot] : nil
    }
}
