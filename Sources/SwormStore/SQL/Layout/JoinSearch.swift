/// A search for one join table of an existing file.
///
/// A table's name contains the number and the relationship of one of its sides. The numbers in the names of the table
/// and its columns can come from an older version of the model.
struct JoinSearch {
    private let join: StoreLayout.Join
    private let relationshipName: String
    private let inverseName: String

    init(relationship: CompiledRelationship, inverse: CompiledRelationship?, join: StoreLayout.Join) {
        self.join = join
        relationshipName = SQLName.uppercased(relationship.name)
        inverseName = SQLName.uppercased(inverse?.name ?? relationship.name)
    }

    var neededColumns: String {
        [join.ownColumn, join.otherColumn, join.inverseOrderColumn, join.orderColumn].compactMap { $0 }
            .joined(separator: ", ")
    }

    func find(in existing: ExistingSchema) -> StoreLayout.Join? {
        for table in candidates(in: existing) {
            if let found = match(table, columns: existing.tables[table] ?? []) { return found }
        }
        return nil
    }

    /// Returns the tables whose names match, most likely first.
    private func candidates(in existing: ExistingSchema) -> [String] {
        // If the table is named after the other side, its name is that of this side's column.
        let exact = [join.table, join.ownColumn].filter { existing.tables[$0] != nil }
        let numbered = existing.tables.keys.filter { name in
            guard let parsed = NumberedName(name), parsed.prefix == "Z_" else { return false }
            return parsed.rest == relationshipName || parsed.rest == inverseName
        }
        return exact + numbered.sorted().filter { !exact.contains($0) }
    }

    private func match(_ table: String, columns: [String]) -> StoreLayout.Join? {
        guard let (own, other) = keyColumns(of: table, columns: columns) else { return nil }
        func order(_ column: String) -> String? {
            let name = "Z_FOK_" + column.dropFirst(2)
            return columns.contains(name) ? name : nil
        }
        var result = join
        result.table = table
        result.ownColumn = own
        result.otherColumn = other
        if join.orderColumn != nil {
            guard let column = order(join.isReflexive ? own : other) else { return nil }
            result.orderColumn = column
        }
        if join.inverseOrderColumn != nil {
            guard let column = order(own) else { return nil }
            result.inverseOrderColumn = column
        }
        // For two relationships of one entity, or of entities that use the same name for them, the number does not
        // identify the side.
        if let parsed = NumberedName(table), relationshipName != inverseName {
            result.isOwner = parsed.rest == relationshipName
        }
        return result
    }

    private func keyColumns(of table: String, columns: [String]) -> (own: String, other: String)? {
        if columns.contains(join.ownColumn), columns.contains(join.otherColumn) {
            return (join.ownColumn, join.otherColumn)
        }
        let keys = columns.filter { NumberedName($0)?.prefix == "Z_" }
        if join.isReflexive {
            let own = keys.filter { NumberedName($0)?.isMade(from: relationshipName) == true }
            return own.count == 1 && columns.contains(join.otherColumn) ? (own[0], join.otherColumn) : nil
        }
        if relationshipName == inverseName {
            // Only the number distinguishes the sides. The owner's number also appears in the table's name.
            let number = NumberedName(table)?.number
            let own = keys.filter { NumberedName($0)?.number == number }
            let other = keys.filter { NumberedName($0)?.number != number }
            return own.count == 1 && other.count == 1 ? (own[0], other[0]) : nil
        }
        guard let own = best(keys, for: inverseName), let other = best(keys, for: relationshipName), own != other else {
            return nil
        }
        return (own, other)
    }

    /// Returns the column that is derived from a property's name, preferring one without a number after it.
    private func best(_ columns: [String], for name: String) -> String? {
        let bare = columns.filter { NumberedName($0)?.rest == name }
        if bare.count == 1 { return bare[0] }
        let numbered = columns.filter { NumberedName($0)?.isMade(from: name) == true }
        return bare.isEmpty && numbered.count == 1 ? numbered[0] : nil
    }
}
