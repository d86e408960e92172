#if PostgreSQL
import SwormPredicates

/// A row as the subject of predicates, which it answers like a managed object without unsaved changes.
struct EvaluatedRow: EvaluationSubject {
    let rows: EvaluatedRows
    let row: Int

    var key: Int64 { rows.key(row) }

    /// The identity of the row.
    var identity: RowID {
        get throws {
            guard key > 0 else { throw CoreDataError.wrongKey(key, in: model[rows.shape.entity].name) }
            return RowID(entity: try rows.entity(row).number, key: key)
        }
    }

    private var model: CompiledModel { rows.source.model }

    var reference: ObjectReference? {
        guard let entity = try? rows.entity(row) else { return nil }
        return ObjectReference(
            storeIdentifier: rows.source.session.store.identifier, entityName: entity.name, key: key)
    }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        let entity = try rows.entity(row)
        switch entity.slot(named: key) {
        case .attribute(let slot): return .value(try rows.value(row, slot: slot, of: entity).asStored)
        case .relationship(let slot):
            if entity.relationships[slot].isToMany { return .objects(try rows.members(row, slot: slot, of: entity)) }
            if let destination = try rows.destination(row, slot: slot, of: entity) { return .object(destination) }
            return .missing(MissingObject(entity: model[entity.relationships[slot].destination], model: model))
        case nil: break
        }
        if key == "objectID" || key == "self" || key == "SELF" { return .object(self) }
        if let leaves = entity.composites[key] {
            return .object(
                CompositeSubject(of: entity, name: key, leaves: leaves) { [rows, row] slot in
                    try rows.value(row, slot: slot, of: entity)
                })
        }
        if let step = entity.cast(key, in: model) {
            return step.matches ? .object(self) : .missing(MissingObject(entity: step.target, model: model))
        }
        throw QueryError.unknownKey(key, of: entity.name, names: entity.propertyNames)
    }

    /// Returns the value by which the row is sorted: an attribute, the number of members, or the key of an object.
    func sortValue(_ path: [String]) throws -> AttributeValue {
        var current: any EvaluationSubject = self
        for key in path {
            switch try current.predicateValue(forKey: key) {
            case .value(let value): return value
            case .object(let next): current = next
            case .objects(let members): return .int(Int64(members.count))
            case .missing, .list: return .null
            }
        }
        return current.reference.map { .int($0.key) } ?? .null
    }
}
#endif
