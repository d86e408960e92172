// The issues of super-entities, whose tables and those of their cases must agree.

/// Returns the issues between the table of an enum of structs and the tables of its cases.
func subentityIssues(_ mapping: any AnyEntityMapping) -> [TableIssue] {
    var issues: [TableIssue] = []
    func issue(_ message: String) {
        issues.append(TableIssue(.unfitSubentity, entity: mapping.entityName, member: nil, message: message))
    }
    guard mapping.superentities.count < superentityDepthLimit else {
        issue("the entity is its own super-entity")
        return issues
    }
    if mapping.isSuperentity, mapping.subentities.isEmpty {
        issue("the table of sub-entities is empty; declare a `Subentity` for each case")
    }
    var names: Set<String> = []
    for type in mapping.subentities {
        if !names.insert(type.entityName).inserted { issue("two cases hold the entity \(type.entityName)") }
        if type is any SuperentityConvertible.Type, type.entityName == mapping.entityName {
            issue("the case of the entity itself must hold a struct")
        }
    }
    issues += sharedRelationIssues(of: mapping)
    // A tree over an entity is no case of its super-entity, and may leave out shared attributes.
    guard let superentity = mapping.superentity, mapping.entity == nil else { return issues }
    if !superentity.subentities.contains(where: { $0.anyMapping === mapping }) {
        issue("its super-entity \(superentity.entityName) has no case for \(mapping.typeName)")
    }
    return issues + sharedAttributeIssues(of: mapping, under: superentity)
}

private func sharedAttributeIssues(
    of mapping: any AnyEntityMapping, under superentity: any AnyEntityMapping
) -> [TableIssue] {
    var issues: [TableIssue] = []
    func issue(at member: String, _ message: String) {
        issues.append(TableIssue(.unfitSubentity, entity: mapping.entityName, member: member, message: message))
    }
    let above = superentity.entityName
    for shared in superentity.attributes where !shared.name.isEmpty {
        guard let own = mapping.attributes.first(where: { $0.name == shared.name }) else {
            issue(
                at: shared.name,
                "the table of the super-entity \(above) has the attribute, so the table of the struct needs it too")
            continue
        }
        if own.kind != shared.kind || own.isOptional != shared.isOptional {
            issue(
                at: shared.name,
                "the property is \(own.typeName), but that of the super-entity \(above) is \(shared.typeName)")
        }
    }
    let inherited = Set(superentity.attributes.map(\.name))
    for name in mapping.namesWithOptions where inherited.contains(name) {
        issue(at: name, "the options of a shared attribute belong in the table of the super-entity \(above)")
    }
    if mapping.isOwnCase {
        if !mapping.uniquenessConstraints.isEmpty || !mapping.indexes.isEmpty || mapping.formerEntityName != nil {
            issues.append(
                TableIssue(
                    .unfitSubentity, entity: mapping.entityName, member: nil,
                    message:
                        "the struct represents the entity itself, so constraints, indexes and the former name belong in the enum"
                ))
        }
        for own in mapping.attributes where !inherited.contains(own.name) {
            issue(
                at: own.name,
                "the struct represents the entity itself, so the table of the enum needs the attribute too")
        }
        for relation in mapping.relations where !superentity.relations.contains(where: { $0.name == relation.name }) {
            issue(
                at: relation.name, "the struct represents the entity itself, so the relations of the enum need it too")
        }
    }
    return issues
}

private func sharedRelationIssues(of mapping: any AnyEntityMapping) -> [TableIssue] {
    mapping.relations.compactMap { relation in
        if relation.destination.anyMapping.isOwnCase {
            return TableIssue(
                .unfitSubentity, entity: mapping.entityName, member: relation.name,
                message: "the destination can be an object of any case; make the enum the destination")
        }
        guard let shared = mapping.inherited(relation) else { return nil }
        let isSame =
            shared.kind == relation.kind && shared.destination.entityName == relation.destination.entityName
            && (relation.inverse == nil || relation.inverseName == shared.inverseName)
            && relation.repeatsOptions(of: shared)
        return isSame
            ? nil
            : TableIssue(
                .unfitSubentity, entity: mapping.entityName, member: relation.name,
                message: "the relation differs from that of the super-entity \(mapping.superentity?.entityName ?? "")")
    }
}

extension RelationMapping {
    /// Returns whether the options are those of a shared relation, or left out.
    fileprivate func repeatsOptions(of shared: RelationMapping) -> Bool {
        (deleteRule == .nullify || deleteRule == shared.deleteRule) && (isOptional || !shared.isOptional)
            && (minimumCount == 0 || minimumCount == shared.minimumCount)
            && (maximumCount == 0 || maximumCount == shared.maximumCount)
            && (renamingIdentifier == nil || renamingIdentifier == shared.renamingIdentifier)
            && (hashModifier == nil || hashModifier == shared.hashModifier)
    }
}

extension AnyEntityMapping {
    /// The attributes that the tables of the super-entities lack.
    var ownAttributes: [AttributeMapping] {
        let inherited = Set(superentities.flatMap { $0.attributes.map(\.name) })
        return inherited.isEmpty ? attributes : attributes.filter { !inherited.contains($0.name) }
    }

    /// The composite attributes that the tables of the super-entities lack.
    var ownComposites: [CompositeMapping] {
        let inherited = Set(superentities.flatMap { $0.composites.map(\.name) })
        return inherited.isEmpty ? composites : composites.filter { !inherited.contains($0.name) }
    }

    /// The relations that the super-entities lack.
    var ownRelations: [RelationMapping] { relations.filter { inherited($0) == nil } }

    /// Returns the relation of a super-entity that a relation declares again.
    func inherited(_ relation: RelationMapping) -> RelationMapping? {
        inherited(relationNamed: relation.name)?.relation
    }

    /// Returns the relation of a super-entity with a name, and the super-entity.
    func inherited(relationNamed name: String) -> (relation: RelationMapping, owner: any AnyEntityMapping)? {
        for mapping in superentities {
            if let shared = mapping.relations.first(where: { $0.name == name }) { return (shared, mapping) }
        }
        return nil
    }

    /// Returns an attribute as the uppermost super-entity declares it, with its options.
    func declared(_ attribute: AttributeMapping) -> AttributeMapping {
        let shared = superentities.compactMap { above in above.attributes.first { $0.name == attribute.name } }
        return shared.last ?? attribute
    }
}
