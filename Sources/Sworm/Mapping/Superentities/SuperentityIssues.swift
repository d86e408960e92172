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
    guard let superentity = mapping.superentity else { return issues }
    if !superentity.subentities.contains(where: { $0.anyMapping === mapping }) {
        issue("its super-entity \(superentity.entityName) has no case for \(mapping.typeName)")
    }
    issues += sharedAttributeIssues(of: mapping, under: superentity) + sharedRelationIssues(of: mapping)
    return issues
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
        issue(at: name, "the options of a shared attribute belong into the table of the super-entity \(above)")
    }
    if mapping.isOwnCase {
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
        guard let shared = mapping.inherited(relation) else { return nil }
        let isSame =
            shared.kind == relation.kind && shared.destination.entityName == relation.destination.entityName
            && (relation.inverse == nil || relation.inverseName == shared.inverseName)
        return isSame
            ? nil
            : TableIssue(
                .unfitSubentity, entity: mapping.entityName, member: relation.name,
                message: "the relation differs from that of the super-entity \(mapping.superentity?.entityName ?? "")")
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
        for mapping in superentities {
            if let shared = mapping.relations.first(where: { $0.name == relation.name }) { return shared }
        }
        return nil
    }

    /// Returns whether an entity is this one or one of its super-entities.
    func inherits(fromEntityNamed name: String) -> Bool {
        entityName == name || superentities.contains { $0.entityName == name }
    }
}
