import SwormPredicates

extension CommittedChanges {
    /// Creates the changes of transactions that a history has recorded.
    ///
    /// A history names the rows, and the properties of updated rows. Links are noted from both sides, because not every
    /// program records a change of the other side.
    init(_ transaction: StoredTransaction, model: CompiledModel) {
        self.init()
        isForeign = true
        author = transaction.author
        for change in transaction.changes {
            let entity = model[change.row.entity]
            let root = model[entity.root].name
            switch change.type {
            case .insert:
                note(.insertion, of: change.row.key, root: root)
                note(entity.relationships.indices, of: entity, model: model)
            case .update:
                note(.update, of: change.row.key, root: root)
                note(change.properties, of: entity, model: model)
            case .delete:
                note(.deletion, of: change.row.key, root: root)
                note(entity.relationships.indices, of: entity, model: model)
            }
            // Derived values are not recorded. They may change with each row of the hierarchy.
            for number in model[entity.root].family {
                let relative = model[number]
                guard !relative.derivedSlots.isEmpty else { continue }
                note(properties: relative.derivedSlots.map { relative.name(of: .attribute($0)) }, of: relative.name)
            }
        }
    }

    /// Notes the changed properties of an updated row; all of them if they are unknown.
    private mutating func note(_ properties: [String]?, of entity: CompiledEntity, model: CompiledModel) {
        guard let properties, !properties.isEmpty else {
            note(properties: entity.attributes.indices.map { entity.name(of: .attribute($0)) }, of: entity.name)
            return note(entity.relationships.indices, of: entity, model: model)
        }
        let names = Set(properties)
        note(properties: names, of: entity.name)
        let slots = entity.relationships.indices.filter { names.contains(entity.relationships[$0].name) }
        note(slots, of: entity, model: model)
    }

    /// Notes that relationships changed, and their inverses at any object at the other end.
    private mutating func note(_ slots: some Sequence<Int>, of entity: CompiledEntity, model: CompiledModel) {
        for slot in slots {
            let relationship = entity.relationships[slot]
            note(properties: [relationship.name], of: entity.name)
            guard let inverse = relationship.inverse else { continue }
            for number in model[relationship.destination].family {
                note(properties: [model[number].relationships[inverse].name], of: model[number].name)
            }
        }
    }
}
