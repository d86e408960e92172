import SwormPredicates

/// A mapping from the columns of a destination's rows to the source columns that they are read from.
struct CellSource {
    let map: MigrationMap
    let old: StoreLayout
    let new: StoreLayout
    let feeds: LinkSources

    /// The SQL function that returns the content of a value that may be stored in a file.
    static let contentFunction = "SwormExternalContent"
    /// The SQL function that returns the column value for the content of an attribute that allows external storage. SQL
    /// concatenation yields text, and text in a UTF-16 database cannot have an odd number of bytes, so SQL itself
    /// cannot build the value.
    static let inlineFunction = "SwormInlineContent"

    /// Returns the cell of a column; nil if the rows of the pair do not have the column.
    func cell(of use: ColumnUse, in pair: MigrationMap.Pair) throws -> TablePlan.Cell? {
        guard map.destination[use.entity].family.contains(pair.destination.number) else { return nil }
        switch use.role {
        case .attribute(let slot): return try attribute(slot, in: pair)
        case .key(let slot):
            guard let (toOne, relationship, _) = link(slot, for: use, in: pair) else { return .empty }
            return key(
                toOne.column, from: relationship.destination, to: pair.destination.relationships[slot].destination)
        case .entity(let slot):
            // If the entity numbers change, they are set after the rows are in their tables.
            guard let column = link(slot, for: use, in: pair)?.0.entityColumn else { return .empty }
            return plain(column)
        case .order(let slot):
            guard let (_, _, own) = link(slot, for: use, in: pair),
                let column = old.order(ofToOne: own, in: pair.source)
            else { return .empty }
            return plain(column)
        case .ownerKey(let place):
            guard let (source, column, _) = owner(of: place, in: pair) else { return .empty }
            return key(column, from: source.number, to: place.entity)
        case .ownerOrder(let place):
            guard let order = owner(of: place, in: pair)?.order else { return .empty }
            return plain(order)
        }
    }

    private func plain(_ column: String) -> TablePlan.Cell {
        TablePlan.Cell(column: column, expression: SQLName.quoted(column))
    }

    // MARK: Relationships

    private func link(
        _ slot: Int, for use: ColumnUse, in pair: MigrationMap.Pair
    ) -> (StoreLayout.ToOne, CompiledRelationship, Int)? {
        guard feeds[PropertyLocation(entity: use.entity, slot: slot)] == .direct, let own = pair.relationships[slot],
            let toOne = old.toOne(own, in: pair.source.number)
        else { return nil }
        return (toOne, pair.source.relationships[own], own)
    }

    /// Returns the owner's columns if the rows of the pair can have an owner.
    private func owner(
        of place: PropertyLocation, in pair: MigrationMap.Pair
    ) -> (owner: CompiledEntity, column: String, order: String?)? {
        guard feeds[place] == .direct, let (owner, relationship, column, order) = feeds.directOwner(place),
            map.source[relationship.destination].family.contains(pair.source.number)
        else { return nil }
        return (owner, column, order)
    }

    /// Returns a cell for the key of a row of another table, with the key that the row has after the migration.
    private func key(_ column: String, from source: Int, to destination: Int) -> TablePlan.Cell {
        let offset = feeds.offsets.offset(from: map.source[source].root, into: map.destination[destination].root)
        guard let offset else { return .empty }
        guard offset > 0 else { return plain(column) }
        return TablePlan.Cell(column: column, expression: "\(SQLName.quoted(column)) + \(offset)")
    }

    // MARK: Attributes

    private func attribute(_ slot: Int, in pair: MigrationMap.Pair) throws -> TablePlan.Cell {
        let attribute = pair.destination.attributes[slot]
        guard let own = pair.attributes[slot], let column = old.column(ofAttribute: own, in: pair.source.number) else {
            var cell = TablePlan.Cell(fill: try fill(for: attribute, of: pair.destination))
            if cell.fill != nil, attribute.isOptional { cell.witnesses = siblings(of: attribute.name, pair) }
            return cell
        }
        let source = pair.source.attributes[own]
        var cell = TablePlan.Cell(
            column: column, expression: Self.converted(SQLName.quoted(column), from: source, to: attribute))
        // A leaf of an optional composite is optional itself.
        if !attribute.isOptional, source.isOptional {
            cell.fill = try fill(for: attribute, of: pair.destination)
        }
        return cell
    }

    /// Returns the columns that show whether an object has the composite of a new leaf. If the object has no such
    /// composite, the leaf gets no value; if the composite itself is new, there are no such columns, and it is created
    /// with its values.
    private func siblings(of name: String, _ pair: MigrationMap.Pair) -> [String] {
        var path = name
        while let dot = path.lastIndex(of: ".") {
            path = String(path[..<dot])
            let leaves = pair.destination.composites[path] ?? []
            let columns = leaves.compactMap { leaf in
                pair.attributes[leaf].flatMap { old.column(ofAttribute: $0, in: pair.source.number) }
            }
            if !columns.isEmpty { return columns }
        }
        return []
    }

    private func fill(for attribute: CompiledAttribute, of entity: CompiledEntity) throws -> StoredValue? {
        guard attribute.derivation == nil, attribute.defaultValue != .null else { return nil }
        let value = try StoredValue(attribute.defaultValue, for: attribute, of: entity)
        guard attribute.allowsExternalStorage, case .blob(let data) = value else { return value }
        return .blob(ExternalDataFolder.inlineColumn(data))
    }

    private static func converted(
        _ column: String, from source: CompiledAttribute, to attribute: CompiledAttribute
    ) -> String {
        switch (source.allowsExternalStorage, attribute.allowsExternalStorage) {
        case (false, true): return "\(inlineFunction)(\(column))"
        case (true, false): return "\(contentFunction)(\(column))"
        default: break
        }
        switch (source.type, attribute.type) {
        case (.double, .integer16), (.double, .integer32), (.double, .integer64), (.float, .integer16),
            (.float, .integer32), (.float, .integer64), (.decimal, .integer16), (.decimal, .integer32),
            (.decimal, .integer64):
            return "CAST(\(column) AS INTEGER)"
        case (.decimal, .double), (.decimal, .float): return "CAST(\(column) AS REAL)"
        default: return column
        }
    }
}
