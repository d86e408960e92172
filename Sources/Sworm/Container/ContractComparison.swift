import SwormPredicates

/// A comparison of tables with a model.
struct ContractComparison {
    private let types: TreeTypes
    private let model: NSManagedObjectModel
    private let use: ModelContract.Use
    private let entities: [String: NSEntityDescription]
    private var found: [ModelContract.Violation] = []
    /// The relations that at least one table declares, by entity and name.
    private var covered: Set<[String]> = []

    init(of types: [any ManagedTreeConvertible.Type], with model: NSManagedObjectModel, for use: ModelContract.Use) {
        self.types = TreeTypes(types)
        self.model = model
        self.use = use
        entities = model.entitiesByName
    }

    mutating func violations() -> [ModelContract.Violation] {
        let mappings = reachableEntities(from: types.entities).map(\.mapping)
        for mapping in mappings {
            for relation in mapping.relations + mapping.superentities.flatMap(\.relations) {
                covered.insert([mapping.entityName, relation.name])
            }
        }
        let issues = tableIssues(from: types.entities)
        for issue in issues + types.issues.filter({ !issues.contains($0) }) {
            found.append(ModelContract.Violation(issue))
        }
        for mapping in mappings { compare(mapping) }
        for tree in types.mappings {
            // A missing entity is reported for its own type.
            guard let entity = entities[tree.entityName] else { continue }
            compareAttributes(of: tree, named: tree.name, with: entity)
        }
        return found
    }

    private mutating func add(
        _ kind: ModelContract.Violation.Kind, entity: String, member: String?, message: String,
        suggestion: String? = nil
    ) {
        found.append(
            ModelContract.Violation(kind, entity: entity, member: member, message: message, suggestion: suggestion))
    }

    mutating func note(_ kind: ModelContract.Violation.Kind, entity: String, message: String) {
        add(kind, entity: entity, member: nil, message: message)
    }

    private mutating func compare(_ mapping: any AnyEntityMapping) {
        guard !mapping.entityName.isEmpty else { return }
        guard let entity = entities[mapping.entityName] else {
            return add(
                .unknownEntity, entity: mapping.entityName, member: nil,
                message: "the model has no entity with the name of the type \(mapping.typeName)",
                suggestion: nearestName(to: mapping.entityName, in: entities.keys))
        }
        compareAttributes(of: mapping, named: mapping.entityName, with: entity)
        let attributes = entity.attributesByName
        let relationships = entity.relationshipsByName
        for relation in mapping.relations where !relation.name.isEmpty {
            if let description = relationships[relation.name] {
                compare(relation, with: description, in: mapping.entityName)
            } else {
                add(
                    .unknownRelation, entity: mapping.entityName, member: relation.name,
                    message: attributes[relation.name] == nil
                        ? "the model's entity has no relation of this name"
                        : "this is an attribute in the model; move it to the table of attributes",
                    suggestion: nearestName(to: relation.name, in: relationships.keys))
            }
        }
        compareHierarchy(of: mapping, with: entity)
        if use == .writing, !entity.isAbstract { findMissing(from: mapping, in: entity) }
    }

    private mutating func compareAttributes(
        of mapping: any AnyEntityMapping, named owner: String, with entity: NSEntityDescription
    ) {
        let partial = Set(mapping.partialNames)
        for attribute in mapping.attributes where !attribute.name.isEmpty {
            if let description = entity.attribute(at: attribute.name) {
                let isRequired = !entity.isOptional(at: attribute.name)
                compare(
                    attribute, with: description, isOptional: !isRequired,
                    allowsNil: mapping.allowsNil(attribute),
                    // A tree leaves the attribute out instead of setting it to nil.
                    requiresValue: isRequired && !partial.contains(attribute.name), in: owner)
            } else {
                add(
                    .unknownAttribute, entity: owner, member: attribute.name,
                    message: entity.relationshipsByName[attribute.name] == nil
                        ? "the model's entity has no attribute of this name"
                        : "this is a relation in the model; move it to the table of relations",
                    suggestion: nearestName(to: attribute.name, in: entity.attributesByName.keys))
            }
        }
    }

    private mutating func compare(
        _ attribute: AttributeMapping, with description: NSAttributeDescription, isOptional: Bool, allowsNil: Bool,
        requiresValue: Bool, in entity: String
    ) {
        let type = AttributeType(rawValue: UInt32(description.attributeType.rawValue)) ?? .undefined
        if !attribute.accepts(type) {
            add(
                .type, entity: entity, member: attribute.name,
                message:
                    "the property is \(article(attribute.typeName)), which is stored as \(attribute.kind.attributeType.summary), but "
                    + "the model's attribute is \(type.summary)")
        }
        if !attribute.isOptional, !allowsNil, isOptional, description.defaultValue == nil {
            // With a default value, every object has a value from its insertion on. `.optional` states that the type
            // handles the model's nil.
            add(
                .optionality, entity: entity, member: attribute.name,
                message:
                    "the model allows nil, but the property does not; make it `\(attribute.typeName)?`, give the model's attribute "
                    + "a default, or write `.optional` into the table if nil never occurs")
        }
        if use == .writing, attribute.isOptional, requiresValue {
            add(
                .optionality, entity: entity, member: attribute.name,
                message:
                    "the property may be nil, but the model's attribute is required, so an object with nil could not be saved"
            )
        }
    }

    private func article(_ name: String) -> String {
        (name.first.map { "AEIOU".contains($0) } ?? false) ? "an \(name)" : "a \(name)"
    }

    private mutating func compare(
        _ relation: RelationMapping, with description: NSRelationshipDescription, in entity: String
    ) {
        let kind: RelationKind = !description.isToMany ? .toOne : description.isOrdered ? .toManyOrdered : .toMany
        if kind != relation.kind {
            add(
                .relationKind, entity: entity, member: relation.name,
                message:
                    "the relation is \(relation.kind.name) in the table and \(kind.name) in the model; declare it as `"
                    + "\(kind.typeName)<\(relation.destination)>`")
        }
        let destination = description.destinationEntity?.name ?? ""
        let wanted = relation.destination.entityName
        // A misspelt entity name is reported once, and not again for every relation to the entity.
        let isMisspelt = entities[wanted] == nil && nearestName(to: wanted, in: entities.keys) == destination
        if destination != wanted, !isMisspelt {
            add(
                .destination, entity: entity, member: relation.name,
                message: "the destination of the relation is \(wanted) in the table and "
                    + "\(destination.isEmpty ? "nothing" : destination) in the model")
        }
        guard let inverse = relation.inverse else { return }
        let isReported = found.contains {
            $0.kind == .inverse && $0.entity == entity && $0.member == relation.name
        }
        let modelInverse = description.inverseRelationship?.name
        if modelInverse != inverse.name, !isReported {
            add(
                .inverse, entity: entity, member: relation.name,
                message:
                    "its inverse is '\(inverse.name)' in the table and \(modelInverse.map { "'\($0)'" } ?? "missing") in the model"
            )
        }
    }

    /// Finds the values and destinations that the model requires and no table provides.
    private mutating func findMissing(from mapping: any AnyEntityMapping, in entity: NSEntityDescription) {
        // An element of a composite attribute counts as the attribute.
        let attributes = Set(mapping.attributes.map { String($0.name.prefix { $0 != "." }) })
        for (name, description) in entity.attributesByName.sorted(by: { $0.key < $1.key })
        where !attributes.contains(name) && !description.isOptional && !description.isTransient
            && description.defaultValue == nil && !(description is NSDerivedAttributeDescription)
        {
            add(
                .missingAttribute, entity: mapping.entityName, member: name,
                message:
                    "the model requires a value and has no default, and the table lacks the attribute, so an inserted object could "
                    + "not be saved")
        }
        for (name, description) in entity.relationshipsByName.sorted(by: { $0.key < $1.key })
        where !description.isOptional && !description.isTransient
            && !isCovered(description, named: name, in: mapping.entityName)
        {
            add(
                .missingRelation, entity: mapping.entityName, member: name,
                message:
                    "the model requires a destination, and neither table has the relation, so an inserted object could not be saved"
            )
        }
    }

    /// Whether a table declares the relation or its inverse. The inverse can set a destination from its end.
    private func isCovered(_ description: NSRelationshipDescription, named name: String, in entity: String) -> Bool {
        if covered.contains([entity, name]) { return true }
        guard let inverse = description.inverseRelationship, var end = description.destinationEntity else {
            return false
        }
        // The type at the other end may describe the destination entity or one of its subentities.
        let candidates = covered.filter { $0.last == inverse.name }.compactMap { $0.first.flatMap { entities[$0] } }
        while true {
            if candidates.contains(where: { $0.isKindOf(entity: end) }) { return true }
            guard let above = end.superentity, above.relationshipsByName[inverse.name] != nil else { return false }
            end = above
        }
    }
}

extension ModelContract.Violation {
    fileprivate init(_ violation: TableIssue) {
        let kind: Kind =
            switch violation.kind {
            case .repeatedName, .attributeAndRelation: .repeatedName
            case .repeatedKeyPath: .repeatedKeyPath
            case .foreignInverse, .oneSidedInverse, .sharedInverse, .unknownInverse: .inverse
            default: .table
            }
        self.init(kind, entity: violation.entity, member: violation.member, message: violation.message)
    }
}

extension RelationKind {
    fileprivate var name: String {
        switch self {
        case .toOne: "to-one"
        case .toMany: "to-many"
        case .toManyOrdered: "ordered to-many"
        }
    }

    fileprivate var typeName: String {
        switch self {
        case .toOne: "ToOneRelation"
        case .toMany: "ToManyRelation"
        case .toManyOrdered: "ToManyOrderedRelation"
        }
    }
}
