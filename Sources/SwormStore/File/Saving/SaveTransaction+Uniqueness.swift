import Foundation
import SwormPredicates
import SwormSQLite

/// The values that the rows of a save have in constrained columns after the save.
private struct FinalValues {
    var rows: [(row: RowID, constraint: UniqueConstraint, values: [StoredValue])] = []
    /// The columns that the save writes, by table and key.
    var written: [String: [Int64: Set<String>]] = [:]
    /// The keys of the rows that the save deletes, by table.
    var deleted: [String: Set<Int64>] = [:]
}

extension SaveTransaction {
    /// Throws an error if unique values of the save belong to several rows, after a comparison of the rows' versions.
    func checkUniqueValues() throws {
        try checkVersions(includingUpdates: true)
        let conflicts = try uniquenessConflicts()
        guard conflicts.isEmpty else { throw UniquenessConflicts(conflicts: conflicts) }
    }

    /// Returns every unique value of the save that another row holds, before the save has written anything.
    func uniquenessConflicts() throws -> [UniquenessConflicts.Conflict] {
        let final: FinalValues
        do { final = try finalValues() } catch let error as CoreDataError {
            try checkValues()
            throw error
        }
        var conflicts: [UniquenessConflicts.Conflict] = []
        var holders: [UniqueConstraint: [[StoredValue]: RowID]] = [:]
        for (row, constraint, values) in final.rows where !values.contains(.null) {
            let normalized = values.map(\.comparable)
            if let other = holders[constraint, default: [:]][normalized] {
                conflicts.append(
                    .init(row: row, existing: other, constraint: constraint.properties, isInSave: true))
            } else {
                holders[constraint, default: [:]][normalized] = row
            }
            let own = try key(row)
            try connection.rows(
                "SELECT Z_PK, Z_ENT FROM \(constraint.table) WHERE "
                    + constraint.columns.map { "\($0) = ?" }.joined(separator: " AND "), binding: values
            ) { statement in
                let found = statement.int64(0)
                guard found != own, final.deleted[constraint.table]?.contains(found) != true else { return }
                // A row that gets other values in this save is in `holders` with its new values.
                let written = final.written[constraint.table]?[found] ?? []
                guard written.isDisjoint(with: constraint.columns) else { return }
                conflicts.append(
                    .init(
                        row: row, existing: .init(entity: statement.int(1), key: found),
                        constraint: constraint.properties))
            }
        }
        return conflicts
    }

    /// Sets the constrained columns to NULL in the rows to which the save assigns other values.
    func clearUniqueValues() throws {
        for update in request.updates {
            let columns = columns(of: update.row)
            let written = writtenColumns(update)
            let constrained = Set(columns.uniqueConstraints(in: model).flatMap(\.columns)).intersection(written)
            guard !constrained.isEmpty else { continue }
            try connection.run(
                "UPDATE \(columns.table) SET \(constrained.sorted().map { "\($0) = NULL" }.joined(separator: ", ")) WHERE Z_PK = ?",
                binding: [.integer(update.row.key)])
        }
    }

    private func writtenColumns(_ update: SaveRequest.Update) -> Set<String> {
        let columns = columns(of: update.row)
        return Set(
            update.attributes.compactMap { columns.attribute($0.slot)?.column }
                + update.toOnes.compactMap { columns.toOne($0.slot)?.column })
    }

    /// Throws the error of the first value, in the order of writing, that its column cannot return unchanged.
    private func checkValues() throws {
        for update in request.updates {
            let columns = columns(of: update.row)
            for (slot, value) in update.attributes {
                if let place = columns.attribute(slot) { _ = try plainValue(value, for: place, of: columns.entity) }
            }
            for (_, destination) in update.toOnes { _ = try destination.map { try key($0) } }
        }
        let groups = Dictionary(grouping: request.insertions.indices) { request.insertions[$0].row.entity }
        for (number, indexes) in groups.sorted(by: { $0.key < $1.key }) {
            let columns = columns[number - 1]
            for index in indexes {
                for place in columns.attributes where request.insertions[index].exact[place.slot] == nil {
                    let value = request.insertions[index].attributes[place.slot]
                    _ = try plainValue(value, for: place, of: columns.entity)
                }
                for destination in request.insertions[index].toOnes { _ = try destination.map { try key($0) } }
            }
        }
    }

    private func finalValues() throws -> FinalValues {
        var final = FinalValues()
        for deletion in request.deletions {
            final.deleted[columns(of: deletion.row).table, default: []].insert(deletion.row.key)
        }
        for insertion in request.insertions {
            let columns = columns(of: insertion.row)
            var values: [String: StoredValue] = [:]
            for place in columns.attributes {
                values[place.column] =
                    try insertion.exact[place.slot].map { StoredValue($0) }
                    ?? plainValue(insertion.attributes[place.slot], for: place, of: columns.entity)
            }
            for toOne in columns.toOnes {
                values[toOne.column] = try insertion.toOnes[toOne.slot].map { .integer(try key($0)) } ?? .null
            }
            for constraint in columns.uniqueConstraints(in: model) {
                final.rows.append((insertion.row, constraint, constraint.columns.map { values[$0] ?? .null }))
            }
        }
        for update in request.updates { try add(update, to: &final) }
        return final
    }

    private func add(_ update: SaveRequest.Update, to final: inout FinalValues) throws {
        let columns = columns(of: update.row)
        let written = writtenColumns(update)
        final.written[columns.table, default: [:]][update.row.key, default: []].formUnion(written)
        var values: [String: StoredValue] = [:]
        for (slot, value) in update.attributes {
            guard let place = columns.attribute(slot) else { continue }
            values[place.column] = try plainValue(value, for: place, of: columns.entity)
        }
        for (slot, destination) in update.toOnes {
            guard let toOne = columns.toOne(slot) else { continue }
            values[toOne.column] = try destination.map { .integer(try key($0)) } ?? .null
        }
        for constraint in columns.uniqueConstraints(in: model) where !written.isDisjoint(with: constraint.columns) {
            var row: [StoredValue] = []
            try connection.rows(
                "SELECT \(constraint.columns.joined(separator: ", ")) FROM \(constraint.table) WHERE Z_PK = ?",
                binding: [.integer(update.row.key)]
            ) { statement in
                row = constraint.columns.indices.map { values[constraint.columns[$0]] ?? statement.storedValue($0) }
            }
            final.rows.append((update.row, constraint, row))
        }
    }

    /// Returns the value for comparison. External data is compared only as far as it is stored in the column; no file
    /// is written.
    private func plainValue(
        _ value: AttributeValue, for place: EntityColumns.Attribute, of entity: CompiledEntity
    ) throws -> StoredValue {
        let stored = try StoredValue(value, for: place.attribute, of: entity)
        if place.isExternal, case .blob(let data) = stored { return .blob(ExternalDataFolder.inlineColumn(data)) }
        return stored
    }
}

extension StoredValue {
    /// The representation that is the same for all values that SQLite considers equal.
    fileprivate var comparable: StoredValue {
        switch self {
        case .real(let number): Int64(exactly: number).map(StoredValue.integer) ?? self
        case .uuid(let uuid): .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        // Swift considers some strings equal whose bytes differ.
        case .text(let text): .blob(Data(text.utf8))
        default: self
        }
    }
}
