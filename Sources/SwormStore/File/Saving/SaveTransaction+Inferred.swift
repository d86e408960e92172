import SwormPredicates
import SwormSQLite

// A store whose model was inferred from its tables is written only on request, and only in ways that leave it valid
// under any model that the tables may have been created for.
extension SaveTransaction {
    /// The facts about an attribute that the bytes in its column reveal.
    struct ByteKind {
        /// Whether some values start with neither of the external data markers.
        var isPlain: Bool
        var mayBeUUIDs: Bool
    }

    /// The facts by column.
    typealias ByteKinds = [String: ByteKind]

    /// Throws an error if the request contains values or links whose storage format the tables do not reveal.
    func checkRequest(within limits: InferredLimits) throws {
        var kinds = ByteKinds()
        for insertion in request.insertions {
            let columns = columns(of: insertion.row)
            for place in columns.attributes where insertion.attributes[place.slot] != .null {
                try check(insertion.attributes[place.slot], of: place, in: columns, within: limits, kinds: &kinds)
            }
            for toOne in columns.toOnes where insertion.toOnes[toOne.slot] != nil {
                try checkLink(toOne, in: columns, within: limits)
            }
        }
        for update in request.updates {
            let columns = columns(of: update.row)
            for (slot, value) in update.attributes where value != .null {
                guard let place = columns.attribute(slot) else { continue }
                try check(value, of: place, in: columns, within: limits, kinds: &kinds)
            }
            for (slot, _) in update.toOnes {
                guard let toOne = columns.toOne(slot) else { continue }
                try checkLink(toOne, in: columns, within: limits)
            }
        }
    }

    /// Throws an error for numbers that may be keys, and for bytes in a column that may hold external data, in which a
    /// marker byte precedes the content.
    func check(
        _ value: AttributeValue, of place: EntityColumns.Attribute, in columns: EntityColumns,
        within limits: InferredLimits,
        kinds: inout ByteKinds
    ) throws {
        let name = "\(columns.table).\(place.column)"
        if limits.references.contains(where: { $0.table == columns.table && $0.column == place.column }) {
            throw unclear(
                "The numbers in the column '\(name)' may be keys of other rows", entity: columns.entity,
                key: place.attribute.name)
        }
        guard case .data(let data) = value else { return }
        let kind: ByteKind
        if let known = kinds[name] {
            kind = known
        } else {
            let rows = "SELECT 1 FROM \(columns.table) WHERE \(place.column) IS NOT NULL"
            kind = ByteKind(
                isPlain: try connection.integer(
                    "SELECT EXISTS (\(rows) AND substr(\(place.column), 1, 1) NOT IN (X'01', X'02'))") == 1,
                mayBeUUIDs: try connection.integer("SELECT NOT EXISTS (\(rows) AND length(\(place.column)) <> 16)") == 1
            )
            kinds[name] = kind
        }
        guard kind.isPlain else {
            throw unclear(
                "The column '\(name)' does not show whether its data can be stored in files", entity: columns.entity,
                key: place.attribute.name)
        }
        guard !kind.mayBeUUIDs || data.count == 16 else {
            throw unclear(
                "All values in the column '\(name)' have 16 bytes, like UUIDs, and the new value has \(data.count)",
                entity: columns.entity, key: place.attribute.name)
        }
    }

    /// Throws an error for a to-one relationship whose inverse must be written too.
    private func checkLink(
        _ toOne: EntityColumns.ToOne, in columns: EntityColumns, within limits: InferredLimits
    ) throws {
        let relationship = columns.entity.relationships[toOne.slot]
        let name = "\(columns.table).\(toOne.column)"
        if limits.guessed.contains([columns.table, toOne.column]) {
            throw unclear(
                "The destination of '\(name)' was guessed from names and values", entity: columns.entity,
                key: relationship.name)
        }
        if limits.ordered.contains([columns.table, toOne.column]) {
            throw unclear(
                "The rows with the same '\(name)' have an order that the model does not have", entity: columns.entity,
                key: relationship.name)
        }
        let destination = self.columns[relationship.destination - 1].table
        let other = limits.references.first {
            $0.table == destination && ($0.destination == columns.entity.root || $0.destination == nil)
        }
        if let other {
            throw unclear(
                "The column '\(other.table).\(other.column)' may be the inverse of '\(name)'", entity: columns.entity,
                key: relationship.name)
        }
    }

    /// Throws an error if, after the save, a column may still hold the key of a row that the save deletes.
    func checkDeletions(within limits: InferredLimits) throws {
        for deletion in request.deletions {
            let entity = model[deletion.row.entity]
            for reference in limits.references {
                // A key of the same table identifies that row. A key of an unknown table may identify it.
                guard reference.destination == nil || reference.destination == entity.root else { continue }
                let count = try connection.integer(
                    "SELECT EXISTS (SELECT 1 FROM \(reference.table) WHERE \(reference.column) = ?)",
                    binding: [.integer(deletion.row.key)])
                guard count == 1 else { continue }
                throw unclear(
                    "The column '\(reference.table).\(reference.column)' of a row may point to the deleted object \(deletion.row.key)",
                    entity: entity)
            }
        }
    }

    private func unclear(_ reason: String, entity: CompiledEntity, key: String? = nil) -> CoreDataError {
        let place = key.map { "'\(entity.name).\($0)'" } ?? "'\(entity.name)'"
        return CoreDataError(
            NSPersistentStoreSaveError,
            "\(place) cannot be saved with a model that was inferred from the tables. \(reason). Nothing was written. Open the store with its real model.",
            entity: entity.name, key: key)
    }
}
