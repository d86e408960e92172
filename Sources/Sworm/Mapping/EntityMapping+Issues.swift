/// Returns the issues of one table, without those that concern other tables.
func tableIssues<T>(entity: String, table: [Attribute<T>], relations: [RelationMapping]) -> [TableIssue] {
    var issues: [TableIssue] = []
    if entity.isEmpty {
        issues.append(
            TableIssue(.emptyEntityName, entity: "", member: nil, message: "\(T.self) has an empty entity name"))
    }
    var names: Set<String> = []
    var keyPaths: [AnyKeyPath: String] = [:]
    for line in table {
        if line.name.isEmpty {
            issues.append(
                TableIssue(
                    .emptyName, entity: entity, member: nil, message: "\(line.keyPath) has an empty attribute name"))
        }
        if !names.insert(line.name).inserted {
            issues.append(
                TableIssue(.repeatedName, entity: entity, member: line.name, message: "two attributes have this name"))
        }
        if let other = keyPaths.updateValue(line.name, forKey: line.keyPath) {
            issues.append(
                TableIssue(
                    .repeatedKeyPath, entity: entity, member: line.name,
                    message: "\(line.keyPath) is also the attribute '\(other)'"))
        }
    }
    var relationNames: Set<String> = []
    for relation in relations {
        if relation.name.isEmpty {
            issues.append(
                TableIssue(
                    .emptyName, entity: entity, member: nil, message: "\(relation.label) has an empty relation name"))
        }
        if !relation.name.isEmpty, names.contains(relation.name) {
            issues.append(
                TableIssue(
                    .attributeAndRelation, entity: entity, member: relation.name,
                    message: "an attribute and a relation have this name"))
        }
        if !relationNames.insert(relation.name).inserted {
            issues.append(
                TableIssue(
                    .repeatedName, entity: entity, member: relation.name, message: "two relations have this name"))
        }
        if relation.kind == .toOne, relation.minimumCount != 0 || relation.maximumCount != 0 {
            issues.append(
                TableIssue(
                    .unfitOption, entity: entity, member: relation.name, message: "`.count` is for to-many relations"))
        }
    }
    return issues
}

/// Returns the issues of attributes that are elements of a composite attribute, and have a line of their own too.
func overlapIssues<T>(entity: String, table: [Attribute<T>], lines: [AttributeLine<T>]) -> [TableIssue] {
    let elements = Set(table.filter { $0.table != nil }.flatMap { $0.lines(0) }.map(\.name))
    if elements.isEmpty { return [] }
    var issues: [TableIssue] = []
    var names: Set<String> = []
    var keyPaths: [AnyKeyPath: String] = [:]
    for line in lines {
        if !names.insert(line.name).inserted, elements.contains(line.name) {
            issues.append(
                TableIssue(
                    .repeatedName, entity: entity, member: line.name,
                    message: "an attribute has the name of an element of a composite attribute"))
        }
        guard let keyPath = line.keyPath else { continue }
        if let other = keyPaths.updateValue(line.name, forKey: keyPath),
            elements.contains(other) != elements.contains(line.name)
        {
            issues.append(
                TableIssue(
                    .repeatedKeyPath, entity: entity, member: line.name,
                    message: "the property is also the attribute '\(other)'"))
        }
    }
    return issues
}

/// Converts the key paths of constraints and indexes into attribute names.
struct ColumnNames<T: ManagedTreeConvertible> {
    let entity: String
    let indexByKeyPath: [AnyKeyPath: Int]
    let attributes: [AttributeMapping]
    /// The key paths of the composite attributes.
    let composites: Set<AnyKeyPath>

    func constraints(_ table: [UniquenessConstraint<T>], issues: inout [TableIssue]) -> [[String]] {
        table.map { constraint in
            constraint.keyPaths.compactMap { name($0, in: "a uniqueness constraint", issues: &issues) }
        }
    }

    func indexes(_ table: [FetchIndex<T>], issues: inout [TableIssue]) -> [IndexMapping] {
        var names: Set<String> = []
        return table.map { index in
            if index.name.isEmpty {
                issues.append(
                    TableIssue(
                        .emptyName, entity: entity, member: nil, message: "an index has an empty name"))
            }
            if !names.insert(index.name).inserted {
                issues.append(
                    TableIssue(
                        .repeatedIndex, entity: entity, member: index.name, message: "two indexes have this name"))
            }
            let elements = index.elements.compactMap { element in
                name(element.keyPath, in: "the index '\(index.name)'", issues: &issues).map {
                    IndexMapping.Element(attribute: $0, isAscending: element.isAscending)
                }
            }
            return IndexMapping(name: index.name, elements: elements)
        }
    }

    private func name(_ keyPath: AnyKeyPath, in place: String, issues: inout [TableIssue]) -> String? {
        if let index = indexByKeyPath[keyPath] { return attributes[index].name }
        if composites.contains(keyPath) {
            issues.append(
                TableIssue(
                    .unfitOption, entity: entity, member: nil,
                    message:
                        "\(place) names \(keyPathName(keyPath).text), which is a composite attribute; declare the property outside of the composite"
                ))
            return nil
        }
        issues.append(
            TableIssue(
                .unknownKeyPath, entity: entity, member: nil,
                message: "\(place) names \(keyPathName(keyPath).text), which is not in the table of attributes"))
        return nil
    }
}
