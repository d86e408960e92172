extension CompiledModel {
    /// Returns the row identified by the entity that has the table, which is the same however the row was found.
    package func identity(of row: RowID) -> RowID {
        RowID(entity: self[row.entity].root, key: row.key)
    }

    package func isSame(_ row: RowID?, as other: RowID?) -> Bool {
        row.map(identity) == other.map(identity)
    }
}

extension CompiledEntity {
    /// Returns the relationships between two objects: the slot of each, and that of its inverse.
    package func pairings(in model: CompiledModel) -> [(slot: Int, inverse: Int)] {
        relationships.enumerated().compactMap { slot, relationship in
            guard !relationship.isToMany, let inverse = relationship.inverse,
                !model[relationship.destination].relationships[inverse].isToMany
            else { return nil }
            return (slot, inverse)
        }
    }
}
