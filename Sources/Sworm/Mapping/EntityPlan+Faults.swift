/// Returns the issues of one table, without those that concern other tables.
func tableFaults<T>(entity: String, table: [Attribute<T>], relations: [RelationPlan]) -> [TableFault] {
    var faults: [TableFault] = []
    if entity.isEmpty {
        faults.append(TableFault(.emptyEntityName, entity: "", member: nil, "\(T.self) has an empty entity name"))
    }
    var names: Set<String> = []
    var keyPaths: [AnyKeyPath: String] = [:]
    for line in table {
        if line.name.isEmpty {
            faults.append(
                TableFault(.emptyName, entity: entity, member: nil, "\(line.keyPath) has an empty attribute name"))
        }
        if !names.insert(line.name).inserted {
            faults.append(
                TableFault(.repeatedName, entity: entity, member: line.name, "two attributes have this name"))
        }
        if let other = keyPaths.updateValue(line.name, forKey: line.keyPath) {
            faults.append(
                TableFault(
                    .repeatedKeyPath, entity: entity, member: line.name,
                    "\(line.keyPath) is also the attribute \"\(other)\""))
        }
    }
    var relationNames: Set<String> = []
    for relation in relations {
        if relation.name.isEmpty {
            faults.append(
                TableFault(.emptyName, entity: entity, member: nil, "\(relation.label) has an empty relation name"))
        }
        if !relation.name.isEmpty, names.contains(relation.name) {
            faults.append(
                TableFault(
                    .attributeAndRelation, entity: entity, member: relation.name,
                    "an attribute and a relation have this name"))
        }
        if !relationNames.insert(relation.name).inserted {
            faults.append(
                TableFault(.repeatedName, entity: entity, member: relation.name, "two relations have this name"))
        }
        if relation.kind == .toOne, relation.minimumCount != 0 || relation.maximumCount != 0 {
            faults.append(
                TableFault(.unfitOption, entity: entity, member: relation.name, "`.count` is for relations to many"))
        }
    }
    return faults
}

/// Converts the key paths of constraints and indexes into attribute names.
struct ColumnNames<T: ManagedObjectConvertible> {
    let entity: String
    let indexByKeyPath: [AnyKeyPath: Int]
    let attributes: [AttributePlan]

    func constraints(_ table: [UniquenessConstraint<T>], faults: inout [TableFault]) -> [[String]] {
        table.map { constraint in
            constraint.keyPaths.compactMap { name($0, in: "a uniqueness constraint", faults: &faults) }
        }
    }

    func indexes(_ table: [FetchIndex<T>], faults: inout [TableFault]) -> [IndexPlan] {
        var names: Set<String> = []
        return table.map { index in
            if index.name.isEmpty {
                faults.append(
                    TableFault(
                        .emptyName, entity: entity, member: nil, "an index has an empty name"))
            }
            if !names.insert(index.name).inserted {
                faults.append(
                    TableFault(.repeatedIndex, entity: entity, member: index.name, "two indexes have this name"))
            }
            let elements = index.elements.compactMap { element in
                name(element.keyPath, in: "the index \"\(index.name)\"", faults: &faults).map {
                    IndexPlan.Element(attribute: $0, isAscending: element.isAscending)
                }
            }
            return IndexPlan(name: index.name, elements: elements)
        }
    }

    private func name(_ keyPath: AnyKeyPath, in place: String, faults: inout [TableFault]) -> String? {
        if let index = indexByKeyPath[keyPath] { return attributes[index].name }
        faults.append(
            TableFault(
                .unknownKeyPath, entity: entity, member: nil,
                "\(place) names \(keyPathName(keyPath).text), which is not in the table of attributes"))
        return nil
    }
}
