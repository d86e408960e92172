import SwormPredicates

/// The properties that one write of a transaction changes, according to its request.
struct WrittenProperties {
    /// The changed properties, by the number of the entity.
    private(set) var slots: [Int: Set<PropertySlot>] = [:]
    /// The root entities of which any row may be changed without being recorded.
    private(set) var unknownRoots: Set<Int> = []
    /// Whether links to and from the changed rows may be cut.
    private(set) var cutsLinks = false
    var author: String?

    /// Creates the properties that a save changes.
    init(_ request: SaveRequest, model: CompiledModel) {
        author = request.author
        for insertion in request.insertions {
            for (slot, destination) in insertion.toOnes.enumerated() where destination != nil {
                link(slot, of: insertion.row.entity, in: model)
            }
        }
        for update in request.updates {
            note(update.attributes.map { .attribute($0.slot) }, of: update.row.entity)
            for (slot, _) in update.toOnes { link(slot, of: update.row.entity, in: model) }
        }
        for deletion in request.deletions { unlink(deletion.row.entity, in: model) }
        for link in request.addedLinks { self.link(link, in: model) }
        for link in request.removedLinks { self.link(link, in: model) }
        for position in request.positions { link(position.link, in: model) }
    }

    /// Creates the properties that an insertion or upsert of rows changes.
    init(_ batch: RowBatch) {
        author = batch.author
        for layout in batch.layouts { note(layout.fields.map { .attribute($0.slot) }, of: layout.entity) }
    }

    init(_ batch: BatchUpdate, model: CompiledModel) {
        author = batch.author
        for number in model[batch.specification.entity].family {
            note(batch.values.map { .attribute($0.slot) }, of: number)
        }
    }

    init(_ batch: BatchDeletion, model: CompiledModel) {
        author = batch.author
        cutsLinks = true
        // SQLite does not report the rows of a DELETE without a condition.
        if case .found(let specification) = batch.choice {
            unknownRoots.insert(model[specification.entity].root)
        }
    }

    private mutating func note(_ properties: [PropertySlot], of entity: Int) {
        slots[entity, default: []].formUnion(properties)
    }

    /// Notes that a relationship changes, and its inverse at any object at its other end.
    private mutating func link(_ slot: Int, of entity: Int, in model: CompiledModel) {
        note([.relationship(slot)], of: entity)
        let relationship = model[entity].relationships[slot]
        guard let inverse = relationship.inverse else { return }
        for number in model[relationship.destination].family { note([.relationship(inverse)], of: number) }
    }

    private mutating func link(_ link: SaveRequest.Link, in model: CompiledModel) {
        self.link(link.relationship, of: link.owner.entity, in: model)
    }

    private mutating func unlink(_ entity: Int, in model: CompiledModel) {
        for slot in model[entity].relationships.indices { link(slot, of: entity, in: model) }
    }

    /// Adds the properties to the changes of a transaction.
    ///
    /// - Parameter roots: The root entities of the recorded rows.
    func add(to changes: inout CommittedChanges, changedRoots roots: [Int], model: CompiledModel) {
        var all = self
        if cutsLinks {
            for root in unknownRoots.union(roots) {
                for number in model[root].family { all.unlink(number, in: model) }
            }
        }
        for (number, slots) in all.slots {
            let entity = model[number]
            // An attribute changes only with a row of its entity, whereas a relationship may be stored in other rows.
            let hasRows = roots.contains(entity.root) || unknownRoots.contains(entity.root)
            let changed = slots.filter { if case .attribute = $0 { hasRows } else { true } }
            if !changed.isEmpty { changes.note(properties: changed.map { entity.name(of: $0) }, of: entity.name) }
        }
        for root in unknownRoots { changes.unknownRows.insert(model[root].name) }
    }
}

extension CompiledEntity {
    /// Returns the name of a property; for a leaf of a composite attribute, the name of the composite.
    func name(of slot: PropertySlot) -> String {
        switch slot {
        case .attribute(let slot): String(attributes[slot].name.prefix { $0 != "." })
        case .relationship(let slot): relationships[slot].name
        }
    }
}
