/// A builder that finds the join tables of a model and names their columns.
struct JoinLayoutBuilder {
    /// A many-to-many relationship, seen from the side after which its table is named.
    private struct Pair {
        var owner: PropertyLocation
        var inverse: PropertyLocation
        var relationship: CompiledRelationship
        var back: CompiledRelationship
        var isReflexive: Bool { owner == inverse }
    }

    /// A column that holds the keys of one side's objects, and the values that determine its number among equal names.
    private struct ColumnRequest {
        var pair: Int
        var isOwn: Bool
        var name: String
        var entity: Int
        var inverseName: String
    }

    let model: CompiledModel

    /// Returns the join of each to-many relationship that has one, by the entity that declares it.
    func joins() -> [PropertyLocation: StoreLayout.Join] {
        let pairs = findPairs()
        let columns = nameColumns(of: pairs)
        var result: [PropertyLocation: StoreLayout.Join] = [:]
        for (index, pair) in pairs.enumerated() {
            let own = columns[index].own
            let other = columns[index].other
            let join = StoreLayout.Join(
                table: Self.tableName(entity: pair.relationship.owner, relationship: pair.relationship.name),
                ownColumn: own, otherColumn: other,
                orderColumn: pair.relationship.isOrdered ? Self.orderColumn(for: pair.isReflexive ? own : other) : nil,
                inverseOrderColumn: pair.back.isOrdered && !pair.isReflexive ? Self.orderColumn(for: own) : nil,
                isOwner: true)
            result[pair.owner] = join
            if !pair.isReflexive { result[pair.inverse] = join.flipped }
        }
        return result
    }

    static func tableName(entity: Int, relationship: String) -> String {
        "Z_\(entity)" + SQLName.uppercased(relationship)
    }

    private static func orderColumn(for column: String) -> String { "Z_FOK_" + column.dropFirst(2) }

    private func findPairs() -> [Pair] {
        var seen: Set<Set<PropertyLocation>> = []
        var pairs: [Pair] = []
        for entity in model.entities {
            for slot in model.ownRelationships(of: entity) {
                let relationship = entity.relationships[slot]
                guard relationship.isToMany, !relationship.isTransient, let backSlot = relationship.inverse,
                    let back = model.inverse(of: relationship), back.isToMany, !back.isTransient
                else { continue }
                let place = PropertyLocation(entity: entity.number, slot: slot)
                let backPlace = PropertyLocation(entity: back.owner, slot: backSlot)
                guard seen.insert([place, backPlace]).inserted else { continue }
                if owns(relationship, over: back) {
                    pairs.append(Pair(owner: place, inverse: backPlace, relationship: relationship, back: back))
                } else {
                    pairs.append(Pair(owner: backPlace, inverse: place, relationship: back, back: relationship))
                }
            }
        }
        return pairs
    }

    /// Returns whether the table is named after the first of two relationships.
    ///
    /// The entity with sub-entities is the owner; if both or neither have sub-entities, it is the one with the lower
    /// number. For two relationships of one entity, existing files follow no rule; most of them use the later name.
    private func owns(_ first: CompiledRelationship, over second: CompiledRelationship) -> Bool {
        let (one, other) = (model[first.owner], model[second.owner])
        if one.hasDescendants != other.hasDescendants { return one.hasDescendants }
        if one.number != other.number { return one.number < other.number }
        return SQLName.precedes(second.name, first.name)
    }

    /// Names the key columns of the join tables.
    ///
    /// Equal column names of several tables are numbered in the order of the name of the inverse, which belongs to the
    /// entity whose keys the column holds.
    private func nameColumns(of pairs: [Pair]) -> [(own: String, other: String)] {
        var requests: [ColumnRequest] = []
        for (index, pair) in pairs.enumerated() {
            requests.append(
                ColumnRequest(
                    pair: index, isOwn: true, name: pair.back.name, entity: pair.relationship.owner,
                    inverseName: pair.relationship.name))
            guard !pair.isReflexive else { continue }
            requests.append(
                ColumnRequest(
                    pair: index, isOwn: false, name: pair.relationship.name, entity: pair.relationship.destination,
                    inverseName: pair.back.name))
        }
        var result = pairs.map { _ in (own: "", other: StoreLayout.Join.reflexiveColumn) }
        var names = SQLNameRegister()
        for request in requests.sorted(by: { SQLName.precedes($0.inverseName, $1.inverseName) }) {
            let name = names.claim(Self.tableName(entity: request.entity, relationship: request.name))
            if request.isOwn { result[request.pair].own = name } else { result[request.pair].other = name }
        }
        return result
    }
}

extension StoreLayout.Join {
    /// The same table, seen from its other side.
    var flipped: StoreLayout.Join {
        StoreLayout.Join(
            table: table, ownColumn: otherColumn, otherColumn: ownColumn, orderColumn: inverseOrderColumn,
            inverseOrderColumn: orderColumn, isOwner: !isOwner, isSymmetric: isSymmetric)
    }
}
