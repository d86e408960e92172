import Foundation
import SwormPredicates

/// A builder of models from tables.
package enum TableModel {
    /// The models built so far, by the types that they were requested for.
    private static let built = Locked<[Set<ObjectIdentifier>: Built]>([:])

    private struct Built: @unchecked Sendable {
        // A model is never changed once it is stored here; it is only passed to coordinators. Hence `@unchecked`.
        let model: NSManagedObjectModel
    }

    /// Returns the model for types and all types that they refer to. It is built on the first request, and never
    /// changed.
    package static func shared(for roots: [any ManagedObjectConvertible.Type]) throws -> NSManagedObjectModel {
        let key = Set(roots.map { ObjectIdentifier($0) })
        if let known = built.withLock({ $0[key] }) { return known.model }
        // Built without the lock, because building runs the user's code. If two threads build the same model, the first
        // one is kept.
        let model = NSManagedObjectModel()
        model.entities = try entities(for: roots)
        let new = Built(model: model)
        return built.withLock { models in
            let kept = models[key] ?? new
            models[key] = kept
            return kept.model
        }
    }

    /// Returns the entities of types and of all types that they refer to.
    ///
    /// - Throws: A ``StoreError`` that lists every issue of the tables.
    static func entities(for roots: [any ManagedObjectConvertible.Type]) throws -> [NSEntityDescription] {
        let mappings = reachableEntities(from: roots).map(\.mapping)
        let issues = modelIssues(of: mappings, tableIssues: tableIssues(from: roots))
        if let first = issues.first {
            throw StoreError(
                .invalidTable, message(issues), entity: first.entity,
                attribute: issues.count == 1 ? first.member : nil)
        }
        return TableModelBuilder(mappings).build()
    }

    private static func message(_ issues: [TableIssue]) -> String {
        if issues.count == 1, let only = issues.first { return "No model can be created from the tables: \(only)" }
        return "No model can be created from the tables. They have \(issues.count) issues:"
            + issues.map { "\n- \(oneLine($0.description))" }.joined()
    }
}

/// Returns a string that may contain arbitrary names, on one line.
func oneLine(_ text: String) -> String {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: " ")
}

/// A builder that assembles the entities of valid tables.
private struct TableModelBuilder {
    private struct End: Hashable {
        let entity: String
        let relation: String
    }

    private let mappings: [any AnyEntityMapping]
    private var entities: [String: NSEntityDescription] = [:]
    private var relationships: [End: NSRelationshipDescription] = [:]

    init(_ mappings: [any AnyEntityMapping]) { self.mappings = mappings }

    func build() -> [NSEntityDescription] {
        var builder = self
        return builder.make()
    }

    private mutating func make() -> [NSEntityDescription] {
        // The struct of the objects of a super-entity itself adds nothing to the entity.
        let mappings = mappings.filter { !$0.isOwnCase }
        for mapping in mappings {
            let entity = NSEntityDescription()
            entity.name = mapping.entityName
            if let former = mapping.formerEntityName { entity.renamingIdentifier = former }
            entities[mapping.entityName] = entity
        }
        for mapping in mappings where mapping.isSuperentity {
            guard let entity = entities[mapping.entityName] else { continue }
            let all = mapping.subentities.compactMap { type in entities[type.entityName] }
            let others = all.filter { $0 !== entity }
            entity.subentities = others
            entity.isAbstract = others.count == all.count
        }
        // The properties of super-entities come first, because the indexes of sub-entities may name them.
        let depths = mappings.map(\.superentities.count)
        for index in mappings.indices.sorted(by: { depths[$0] < depths[$1] }) { fill(mappings[index]) }
        for mapping in mappings {
            for relation in mapping.ownRelations { link(relation, of: mapping) }
        }
        return mappings.compactMap { entities[$0.entityName] }
    }

    private mutating func fill(_ mapping: any AnyEntityMapping) {
        guard let entity = entities[mapping.entityName] else { return }
        let elements = Set(mapping.composites.flatMap(\.elementNames))
        let attributes =
            mapping.ownAttributes.filter { !elements.contains($0.name) }.map(Self.attribute)
            + mapping.ownComposites.map { Self.composite($0, of: mapping) }
        let relationships = mapping.ownRelations.map { relation in
            let relationship = relationship(relation)
            self.relationships[End(entity: mapping.entityName, relation: relation.name)] = relationship
            return relationship
        }
        entity.properties = attributes + relationships
        // After the properties, because the constraints and indexes refer to attributes by name.
        let byName = entity.attributesByName
        entity.uniquenessConstraints =
            mapping.ownAttributes.filter(\.traits.isUnique).map { [$0.name] } + mapping.uniquenessConstraints
        entity.indexes = mapping.allIndexes.map { index in
            let elements = index.elements.compactMap { element in
                byName[element.attribute].map {
                    let description = NSFetchIndexElementDescription(property: $0, collationType: .binary)
                    description.isAscending = element.isAscending
                    return description
                }
            }
            return NSFetchIndexDescription(name: index.name, elements: elements)
        }
    }

    private static func attribute(_ mapping: AttributeMapping) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        let traits = mapping.traits
        attribute.name = mapping.name
        attribute.attributeType =
            NSAttributeType(rawValue: .init(traits.storageType.rawValue)) ?? .undefinedAttributeType
        attribute.isOptional = traits.isOptional
        attribute.defaultValue = mapping.defaultValue?.foundationValue
        attribute.allowsExternalBinaryDataStorage = traits.allowsExternalStorage
        attribute.preservesValueInHistoryOnDeletion = traits.isPreservedOnDeletion
        if let name = traits.renamingIdentifier { attribute.renamingIdentifier = name }
        if let modifier = traits.hashModifier { attribute.versionHashModifier = modifier }
        attribute.setRules(traits)
        attribute.setServerTraits(traits)
        return attribute
    }

    private static func composite(
        _ composite: CompositeMapping, of mapping: any AnyEntityMapping
    ) -> NSCompositeAttributeDescription {
        let values = Dictionary(mapping.attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let attribute = Self.composite(
            named: composite.name, composite.table, isOptional: composite.allowsNil, at: composite.name, values: values)
        if let name = composite.renamingIdentifier { attribute.renamingIdentifier = name }
        attribute.defaultValue = defaults(of: composite.table, at: composite.name, values: values)
        return attribute
    }

    private static func composite(
        named name: String, _ table: CompositeTable, isOptional: Bool, at path: String,
        values: [String: AttributeMapping]
    ) -> NSCompositeAttributeDescription {
        let attribute = NSCompositeAttributeDescription()
        attribute.name = name
        attribute.isOptional = isOptional
        attribute.elements = table.elements.compactMap { element -> NSAttributeDescription? in
            let path = "\(path).\(element.name)"
            let isOptional = element.isOptional || element.options.contains(.optional)
            if let inner = element.composite {
                let attribute = composite(named: element.name, inner, isOptional: isOptional, at: path, values: values)
                if let name = element.options.renamingIdentifier { attribute.renamingIdentifier = name }
                return attribute
            }
            return values[path].map {
                let description = Self.attribute($0)
                description.name = element.name
                description.isOptional = isOptional
                // The default values are those of the whole composite.
                description.defaultValue = nil
                return description
            }
        }
        return attribute
    }

    /// Returns the default values of a composite as its value; nil without any.
    private static func defaults(
        of table: CompositeTable, at path: String, values: [String: AttributeMapping]
    ) -> NSDictionary? {
        var dictionary: [String: Any] = [:]
        for element in table.elements {
            let path = "\(path).\(element.name)"
            dictionary[element.name] =
                if let inner = element.composite {
                    defaults(of: inner, at: path, values: values)
                } else {
                    values[path]?.defaultValue?.foundationValue
                }
        }
        return dictionary.isEmpty ? nil : dictionary as NSDictionary
    }

    private func relationship(_ mapping: RelationMapping) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = mapping.name
        relationship.destinationEntity = entities[mapping.destination.entityName]
        relationship.isOptional = mapping.isOptional
        relationship.minCount = mapping.minimumCount
        relationship.maxCount = mapping.kind == .toOne ? 1 : mapping.maximumCount
        relationship.isOrdered = mapping.kind == .toManyOrdered
        relationship.deleteRule =
            switch mapping.deleteRule {
            case .nullify: .nullifyDeleteRule
            case .cascade: .cascadeDeleteRule
            case .deny: .denyDeleteRule
            case .noAction: .noActionDeleteRule
            }
        if let name = mapping.renamingIdentifier { relationship.renamingIdentifier = name }
        if let modifier = mapping.hashModifier { relationship.versionHashModifier = modifier }
        return relationship
    }

    /// Makes two relationships each other's inverse. Only one of them has to name the other, and either one may.
    private func link(_ relation: RelationMapping, of mapping: any AnyEntityMapping) {
        guard let inverse = relation.inverse,
            let one = relationships[End(entity: mapping.entityName, relation: relation.name)],
            let other = relationships[End(entity: relation.destination.entityName, relation: inverse.name)]
        else { return }
        one.inverseRelationship = other
        other.inverseRelationship = one
    }
}

extension AnyEntityMapping {
    /// The indexes of the table: first those of single attributes, then the declared ones.
    var allIndexes: [IndexMapping] {
        let taken = Set(indexes.map(\.name))
        let single = ownAttributes.filter(\.traits.isIndexed).map { attribute in
            // The name that a developer would likely choose in a model editor.
            var name = "by" + attribute.name.prefix(1).uppercased() + attribute.name.dropFirst()
            while taken.contains(name) { name += "_" }
            return IndexMapping(name: name, elements: [.init(attribute: attribute.name, isAscending: true)])
        }
        return single + indexes
    }
}
