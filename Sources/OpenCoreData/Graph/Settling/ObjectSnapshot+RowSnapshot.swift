import SwormPredicates
import SwormStore

extension ObjectSnapshot {
    /// Returns the row that an object has read, without the content of external data, or nil if it has read none.
    /// Values that `awakeFromFetch` has set are not part of the row.
    func rowSnapshot(of object: NSManagedObject) throws -> RowSnapshot? {
        switch self {
        case .none, .fault: return nil
        case .values(let row):
            return RowSnapshot(
                row: object.objectID.row, version: row.version, attributes: row.attributes.map { .value($0) },
                toOnes: row.toOnes)
        case .row(let group, let row), .unfired(let group, let row):
            return try group.rowSnapshot(row: row, of: object.compiledEntity, object.objectID.origin)
        case .patched(let patched):
            var snapshot = try patched.group.rowSnapshot(
                row: patched.row, of: object.compiledEntity, object.objectID.origin)
            snapshot.version = patched.version
            for (slot, value) in patched.values { snapshot.attributes[slot] = .value(value) }
            return snapshot
        case .awakened(let awakened): return try awakened.row.rowSnapshot(of: object)
        }
    }

    /// Returns the content of external data in a row that was read, or nil if the file no longer exists.
    func content(_ slot: Int, of object: NSManagedObject) throws -> SnapshotValue? {
        guard let (group, row) = fetched else { return nil }
        do {
            return .value(
                try group.value(
                    row: row, slot: slot, entity: object.compiledEntity, origin: object.objectID.origin,
                    context: object.context))
        } catch let error as CoreDataError where error.isOfMissingFile {
            return nil
        }
    }
}

extension RowSet {
    /// Returns a row as a value. External data is represented by the reference to it.
    func rowSnapshot(row: Int, of entity: CompiledEntity, _ origin: ObjectOrigin) throws -> RowSnapshot {
        let attributes = try entity.attributes.indices.map { slot -> SnapshotValue in
            let value = try value(row: row, slot: slot, entity: entity, origin: origin, context: nil)
            if entity.traits[slot].allowsExternalStorage, case .data(let bytes) = value { return .reference(bytes) }
            return .value(value)
        }
        let toOnes = entity.relationships.indices.map { slot in
            entity.relationships[slot].isToMany
                ? nil : destination(row: row, slot: slot, entity: entity, model: origin.compiled)
        }
        return RowSnapshot(
            row: RowID(entity: entity.number, key: key(row: row)), version: version(row: row),
            attributes: attributes, toOnes: toOnes)
    }
}
