import Foundation
import SwormPredicates

extension SaveRequest {
    /// Throws an error if the request does not fit the model, so that a store can rely on its entities and slots.
    func check(model: CompiledModel, layout: StoreLayout) throws {
        func check(_ row: RowID) throws {
            guard model.entities.indices.contains(row.entity - 1) else {
                throw CoreDataError(
                    NSPersistentStoreSaveError,
                    "The save contains an object with the entity number \(row.entity), which does not exist in the model."
                )
            }
        }
        /// Throws an error unless the relationship can refer to a row of this entity.
        func check(_ row: RowID, as slot: Int, of entity: CompiledEntity) throws {
            try check(row)
            guard entity.relationships.indices.contains(slot) else { return }
            let relationship = entity.relationships[slot]
            guard model[relationship.destination].family.contains(row.entity) else {
                throw CoreDataError(
                    NSPersistentStoreSaveError,
                    "The destination of '\(entity.name).\(relationship.name)' is '\(model[relationship.destination].name)', not '\(model[row.entity].name)'.",
                    entity: entity.name, key: relationship.name)
            }
        }
        for index in insertions.indices {
            let row = insertions[index].row
            try check(row)
            let entity = model[row.entity]
            guard insertions[index].attributes.count == entity.attributes.count,
                insertions[index].toOnes.count == entity.relationships.count
            else {
                throw CoreDataError(
                    NSPersistentStoreSaveError,
                    "The number of values of an inserted '\(entity.name)' differs from the number of properties of the entity.",
                    entity: entity.name)
            }
            guard !entity.isAbstract else {
                throw CoreDataError(
                    NSPersistentStoreSaveError,
                    "'\(entity.name)' is abstract. Only objects of its sub-entities can be saved.", entity: entity.name)
            }
            for slot in entity.relationships.indices {
                if let row = insertions[index].toOnes[slot] { try check(row, as: slot, of: entity) }
            }
        }
        for update in updates {
            try check(update.row)
            for (slot, row) in update.toOnes {
                if let row { try check(row, as: slot, of: model[update.row.entity]) }
            }
        }
        for deletion in deletions { try check(deletion.row) }
        for link in addedLinks + removedLinks + positions.map(\.link) {
            try check(link.owner)
            let entity = model[link.owner.entity]
            try check(link.destination, as: link.relationship, of: entity)
            guard entity.relationships.indices.contains(link.relationship),
                layout.toMany(link.relationship, in: entity.number) != nil
            else {
                throw CoreDataError(
                    NSPersistentStoreSaveError,
                    "The save changes a to-many relationship of '\(entity.name)' that does not exist in the model.",
                    entity: entity.name)
            }
        }
        try checkLinksOfDeletedRows(model: model)
    }

    /// Throws an error if the request links a row that it deletes: the link would lead to a row that does not exist.
    private func checkLinksOfDeletedRows(model: CompiledModel) throws {
        guard !addedLinks.isEmpty, !deletions.isEmpty else { return }
        var deleted = Set(deletions.map { model.identity(of: $0.row) })
        deleted.subtract(insertions.map { model.identity(of: $0.row) })
        for link in addedLinks {
            guard
                deleted.contains(model.identity(of: link.owner))
                    || deleted.contains(model.identity(of: link.destination))
            else { continue }
            let entity = model[link.owner.entity]
            let name = entity.relationships[link.relationship].name
            throw CoreDataError(
                NSManagedObjectReferentialIntegrityError,
                "The save adds a link of '\(entity.name).\(name)' to an object, or from one, that it deletes. Nothing was saved.",
                entity: entity.name, key: name)
        }
    }
}
