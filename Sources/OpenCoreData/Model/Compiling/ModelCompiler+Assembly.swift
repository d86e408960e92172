import Foundation
import SwormPredicates
import SwormStore

extension ModelCompiler {
    /// Creates the frozen model. The issues were checked before, so everything that is named here exists.
    func assemble() -> CompiledModel {
        let hashes = VersionHash.entities(ordered)
        var drafts: [EntityDraft] = []
        for (index, entity) in ordered.enumerated() {
            let above = superNumber(of: entity)
            drafts.append(EntityDraft(entity, number: index + 1, above: above.map { drafts[$0 - 1] }))
        }
        let slots = drafts.map { draft in
            Dictionary(
                draft.relationships.enumerated().map { (ObjectIdentifier($1), $0) },
                uniquingKeysWith: { first, _ in first })
        }
        var owners: [ObjectIdentifier: Int] = [:]
        for draft in drafts {
            for relationship in draft.relationships where relationship.declaringEntity === draft.entity {
                owners[ObjectIdentifier(relationship)] = draft.number
            }
        }
        let entities = drafts.map { draft in
            let above = superNumber(of: draft.entity)
            let relationships = draft.relationships.map { relationship in
                compiled(relationship, owner: owners[ObjectIdentifier(relationship)] ?? draft.number, slots: slots)
            }
            let className = draft.entity.managedObjectClassName
            return CompiledEntity(
                number: draft.number, name: draft.entity.name ?? "",
                managedObjectClassName: className == "NSManagedObject" ? nil : className,
                isAbstract: draft.entity.isAbstract, superentity: above, root: draft.root,
                family: draft.number...lastOfFamily[draft.number - 1], attributes: draft.attributes,
                relationships: relationships, composites: draft.composites, fetchedProperties: draft.fetched,
                uniquenessConstraints: draft.entity.uniquenessNames, indexes: indexes(of: draft),
                versionHash: hashes[draft.number - 1].1)
        }
        return CompiledModel(
            entities: entities, versionIdentifiers: model.versionIdentifiers.map { "\($0.base)" }.sorted(),
            configurations: model.configurationMembers.mapValues { $0.compactMap(\.name) },
            storeHashes: model.storeHashes)
    }

    private func superNumber(of entity: NSEntityDescription) -> Int? {
        entity.superentity.flatMap { numbers[ObjectIdentifier($0)] }
    }

    private func compiled(
        _ relationship: NSRelationshipDescription, owner: Int, slots: [[ObjectIdentifier: Int]]
    ) -> CompiledRelationship {
        let destination = relationship.destinationEntity.flatMap { numbers[ObjectIdentifier($0)] } ?? owner
        let inverse = relationship.inverseRelationship.flatMap { slots[destination - 1][ObjectIdentifier($0)] }
        // Apple's models may have ordered to-one relationships: the flag is part of the version hash, but tables store
        // no order.
        let isOrdered = relationship.isToMany && relationship.isOrdered
        return CompiledRelationship(
            name: relationship.name, owner: owner, destination: destination, inverse: inverse,
            isToMany: relationship.isToMany, isOrdered: isOrdered, isOptional: relationship.isOptional,
            isTransient: relationship.isTransient, minCount: relationship.minCount,
            maxCount: max(0, relationship.maxCount), deleteRule: relationship.deleteRule)
    }

    /// Returns the indexes of an entity: its fetch indexes, its compound indexes, and one for every attribute that is
    /// flagged as indexed, including inherited ones.
    private func indexes(of draft: EntityDraft) -> [CompiledIndex] {
        let entity = draft.entity
        var indexes = entity.indexes.compactMap { index -> CompiledIndex? in
            // An R-tree index is not an index of a table; it only makes some requests faster, so it is left out.
            guard !index.elements.contains(where: { $0.collationType == .rTree }) else { return nil }
            // A partial index without its predicate would be a different index, so it is left out if the predicate is
            // known as a string only.
            guard index.partialPredicateText == nil || index.partialPredicate != nil else { return nil }
            let elements = index.elements.map { element -> CompiledIndex.Element in
                switch element.target {
                case .property(let name): .property(name, ascending: element.isAscending)
                case .primaryKey: .primaryKey(ascending: element.isAscending)
                case .entity: .entity(ascending: element.isAscending)
                }
            }
            return CompiledIndex(
                kind: .fetchIndex, name: index.name, elements: elements, predicate: index.partialPredicate)
        }
        for members in entity.compoundIndexNames where !members.isEmpty {
            indexes.append(
                CompiledIndex(
                    kind: .compound, name: members.joined(separator: "_"),
                    elements: members.map { .property($0, ascending: true) }))
        }
        for name in draft.flagged {
            indexes.append(CompiledIndex(kind: .flag, name: name, elements: [.property(name, ascending: true)]))
        }
        return indexes
    }
}

/// The inherited and own properties of an entity during the assembly of the model.
private struct EntityDraft {
    let entity: NSEntityDescription
    let number: Int
    let root: Int
    var attributes: [CompiledAttribute]
    var relationships: [NSRelationshipDescription]
    var composites: [String: [Int]]
    var fetched: [String]
    /// The attributes that are flagged as indexed.
    var flagged: [String]

    init(_ entity: NSEntityDescription, number: Int, above: EntityDraft?) {
        self.entity = entity
        self.number = number
        root = above?.root ?? number
        attributes = above?.attributes ?? []
        relationships = above?.relationships ?? []
        composites = above?.composites ?? [:]
        fetched = above?.fetched ?? []
        flagged = above?.flagged ?? []
        for property in entity.ownProperties.sorted(by: { VersionHash.precedes($0.name, $1.name) }) {
            switch property {
            case let relationship as NSRelationshipDescription: relationships.append(relationship)
            case let attribute as NSAttributeDescription:
                add(
                    attribute, path: attribute.name, isOptional: attribute.isOptional,
                    isTransient: attribute.isTransient)
                let isPlain = !(attribute is NSCompositeAttributeDescription)
                if attribute.isIndexed, !attribute.hasFetchIndex, isPlain, !attribute.isTransient {
                    flagged.append(attribute.name)
                }
            case is NSFetchedPropertyDescription: fetched.append(property.name)
            default: break
            }
        }
    }

    private mutating func add(
        _ attribute: NSAttributeDescription, path: String, isOptional: Bool, isTransient: Bool,
        defaults: [String: AttributeValue] = [:]
    ) {
        if let composite = attribute as? NSCompositeAttributeDescription {
            let first = attributes.count
            var inner: [String: AttributeValue] = [:]
            if let value = composite.defaultValue {
                for (leaf, value) in CompositeDefault.values(value, of: composite) ?? [:] {
                    inner["\(path).\(leaf)"] = value
                }
            }
            // Defaults of the outer composite take precedence over those of this one.
            inner.merge(defaults) { _, outer in outer }
            for element in composite.elements {
                // Without the composite there are no leaves, so a leaf is only required if all enclosing composites are
                // required.
                add(
                    element, path: "\(path).\(element.name)", isOptional: isOptional || element.isOptional,
                    isTransient: isTransient, defaults: inner)
            }
            composites[path] = Array(first..<attributes.count)
            return
        }
        let type = attribute.attributeType.attributeType
        let own =
            attribute.keeps(defaultValue: attribute.defaultValue)
            ? attribute.defaultValue.flatMap { AttributeDefault.value($0, as: type) } : nil
        let takesFiles = type == .binaryData || type == .transformable
        attributes.append(
            CompiledAttribute(
                name: path, owner: number, type: type, isOptional: isOptional, isTransient: isTransient,
                allowsExternalStorage: attribute.allowsExternalBinaryDataStorage && takesFiles,
                defaultValue: defaults[path] ?? own ?? .null,
                derivation: (attribute as? NSDerivedAttributeDescription)?.derivation,
                valueTransformerName: attribute.valueTransformerName, validationRules: attribute.validationRules,
                preservesValueInHistoryOnDeletion: attribute.preservesValueInHistoryOnDeletion
                    && path == attribute.name,
                serverTraits: attribute.serverTraits))
    }
}
