import Foundation
import OpenCoreData
import SwormStore

extension DumpReader {
    func readRelationship(
        _ property: String, value: Any, of name: ObjectName, into object: inout Object, in model: CompiledModel
    ) throws {
        let entity = object.entity
        guard case .relationship(let slot)? = entity.slot(named: property), !entity.relationships[slot].isTransient
        else {
            throw unknown(
                "relationship", named: property, of: name,
                among: entity.relationships.filter { !$0.isTransient }.map(\.name))
        }
        let relationship = entity.relationships[slot]
        /// Returns nil for a link whose destination is not an object of the relationship.
        func row(_ value: Any) throws -> RowID? {
            guard let id = value as? String, let target = ObjectName(id), target.description == id else {
                throw issue(
                    "cannot be imported: \(name): '\(property)' is not the id of an object: \(DumpValue.shown(value))")
            }
            let found = model.entity(named: target.entity)
            guard found != nil || target.entity == ObjectName.unknownEntity else {
                throw issue(
                    "cannot be imported: \(name): '\(property)' points to \(target), whose entity is not in the model")
            }
            // No object has a key below 1, so a link to such a key has no destination.
            if let found, target.key > 0, model[relationship.destination].family.contains(found.number),
                !found.isAbstract
            {
                return RowID(entity: found.number, key: target.key)
            }
            guard found == nil || found?.root == model[relationship.destination].root else {
                throw issue(
                    "cannot be imported: \(name): '\(property)' points to \(target), which is not of the entity "
                        + model[relationship.destination].name)
            }
            let reason =
                found == nil || target.key < 1
                ? "which does not exist" : "which is not of the entity \(model[relationship.destination].name)"
            object.warnings.append("\(name): '\(property)' points to \(target), \(reason)")
            object.strays.append(StrayLink(owner: object.row, slot: slot, key: target.key, entity: found?.number))
            return nil
        }
        if relationship.isToMany {
            guard let list = value as? [Any] else {
                throw issue(
                    "cannot be imported: \(name): '\(property)' is \(DumpValue.shown(value)), but the relationship is to-many",
                    hint: "write a list of ids, or an empty list: []")
            }
            let members = try list.compactMap(row)
            guard Set(members).count == members.count else {
                throw issue("cannot be imported: \(name): '\(property)' names an object twice")
            }
            object.toManys.append((slot, members))
        } else if !(value is NSNull) {
            guard !(value is [Any]) else {
                throw issue(
                    "cannot be imported: \(name): '\(property)' is a list, but the relationship is to-one",
                    hint: "write one id, or null")
            }
            object.toOnes[slot] = try row(value)
        }
    }
}
