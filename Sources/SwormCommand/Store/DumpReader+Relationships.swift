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
                    "cannot be taken over: \(name): '\(property)' leads to no object: \(DumpValue.shown(value))")
            }
            let found = model.entity(named: target.entity)
            guard found != nil || target.entity == ObjectName.unknownEntity else {
                throw issue(
                    "cannot be taken over: \(name): '\(property)' leads to \(target), of which the model has no entity")
            }
            // No object has a key below 1, so a link to such a key has no destination.
            if let found, target.key > 0, model[relationship.destination].family.contains(found.number),
                !found.isAbstract
            {
                return RowID(entity: found.number, key: target.key)
            }
            guard found == nil || found?.root == model[relationship.destination].root else {
                throw issue(
                    "cannot be taken over: \(name): '\(property)' leads to \(target), which is no "
                        + model[relationship.destination].name)
            }
            let reason =
                found == nil || target.key < 1
                ? "which is not there" : "which is no \(model[relationship.destination].name)"
            object.warnings.append("\(name): '\(property)' leads to \(target), \(reason)")
            object.strays.append(StrayLink(owner: object.row, slot: slot, key: target.key, entity: found?.number))
            return nil
        }
        if relationship.isToMany {
            guard let list = value as? [Any] else {
                throw issue(
                    "cannot be taken over: \(name): '\(property)' is \(DumpValue.shown(value)), and it leads to many",
                    hint: "write a list of ids, which may be empty: []")
            }
            let members = try list.compactMap(row)
            guard Set(members).count == members.count else {
                throw issue("cannot be taken over: \(name): '\(property)' names an object twice")
            }
            object.toManys.append((slot, members))
        } else if !(value is NSNull) {
            guard !(value is [Any]) else {
                throw issue(
                    "cannot be taken over: \(name): '\(property)' is a list, and it leads to one object",
                    hint: "write one id, or null")
            }
            object.toOnes[slot] = try row(value)
        }
    }
}
