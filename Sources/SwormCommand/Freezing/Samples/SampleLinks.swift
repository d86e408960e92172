import SwormStore

/// The links between made-up objects.
struct SampleLinks {
    private let model: CompiledModel
    private var rows: [SampleRows.Row]

    static func link(_ rows: inout [SampleRows.Row], in model: CompiledModel) {
        var links = SampleLinks(model: model, rows: rows)
        for entity in model.entities {
            for slot in entity.relationships.indices where entity.relationships[slot].owner == entity.number {
                links.link(Pair(slot, of: entity, in: model))
            }
        }
        rows = links.rows
    }

    /// A relationship with its inverse.
    private struct Pair {
        var slot: Int
        var relationship: CompiledRelationship
        var inverseSlot: Int?
        var inverse: CompiledRelationship?
        /// Whether the relationship is its own inverse.
        var isReflexive: Bool
        /// Whether the inverse does not link the objects too.
        var isFirst: Bool

        init(_ slot: Int, of entity: CompiledEntity, in model: CompiledModel) {
            let relationship = entity.relationships[slot]
            let back = relationship.inverse
            let inverse = back.map { model[relationship.destination].relationships[$0] }
            (self.slot, self.relationship, inverseSlot, self.inverse) = (slot, relationship, back, inverse)
            let there = (inverse?.owner ?? .max, back ?? 0)
            isReflexive = there == (entity.number, slot)
            isFirst = (entity.number, slot) <= there
        }

        func required(_ relationship: CompiledRelationship?) -> Bool {
            relationship.map { !$0.isOptional || $0.minCount > 0 } ?? false
        }

        var isRequired: Bool { required(relationship) || required(inverse) }
    }

    private mutating func link(_ pair: Pair) {
        guard pair.isFirst, !pair.relationship.isTransient, !(pair.inverse?.isTransient ?? false) else { return }
        let owners = members(model[pair.relationship.owner], and: pair.inverse?.destination)
        let destinations = members(model[pair.relationship.destination], and: pair.inverse?.owner)
        switch (pair.relationship.isToMany, pair.inverse?.isToMany) {
        case (false, false?): linkOneToOne(pair, from: owners, to: destinations)
        case (false, _):
            linkToOne(pair.relationship, many: pair.inverse, children: owners, parents: destinations) {
                $0.link($1, to: $2, by: pair)
            }
        // Without an inverse, an object still has one owner: its row has the owner's key.
        case (true, false?), (true, nil):
            linkToOne(pair.inverse, many: pair.relationship, children: destinations, parents: owners) {
                $0.link($2, to: $1, by: pair)
            }
        case (true, true?): linkManyToMany(pair, from: owners, to: destinations)
        }
    }

    /// Returns the indexes of the objects of an entity that also belong to another one.
    private func members(_ entity: CompiledEntity, and other: Int?) -> [Int] {
        rows.indices.filter { index in
            let number = rows[index].id.entity
            return entity.family.contains(number) && other.map { model[$0].family.contains(number) } ?? true
        }
    }

    private mutating func link(_ owner: Int, to destination: Int, by pair: Pair) {
        rows[owner].links[pair.slot].append(destination)
        guard let back = pair.inverseSlot, !(pair.isReflexive && owner == destination) else { return }
        rows[destination].links[back].append(owner)
    }

    private mutating func linkOneToOne(_ pair: Pair, from owners: [Int], to destinations: [Int]) {
        if pair.isReflexive {
            for place in stride(from: 0, to: owners.count - 1, by: 2) {
                link(owners[place], to: owners[place + 1], by: pair)
            }
            if owners.count % 2 == 1, let last = owners.last, pair.isRequired { link(last, to: last, by: pair) }
        } else if Set(owners).isDisjoint(with: destinations) {
            for (owner, destination) in zip(owners, destinations) { link(owner, to: destination, by: pair) }
        } else {
            // A chain, and a ring if every object needs both neighbors.
            var free = destinations
            for owner in owners {
                if let place = free.firstIndex(where: { $0 > owner }) {
                    link(owner, to: free.remove(at: place), by: pair)
                }
            }
            for owner in owners where pair.isRequired && rows[owner].links[pair.slot].isEmpty {
                if !free.isEmpty { link(owner, to: free.removeFirst(), by: pair) }
            }
        }
    }

    /// - Parameters:
    ///   - one: The relationship of the children; nil if they have none.
    ///   - many: The relationship of the parents; nil if they have none.
    private mutating func linkToOne(
        _ one: CompiledRelationship?, many: CompiledRelationship?, children: [Int], parents: [Int],
        add: (inout SampleLinks, _ child: Int, _ parent: Int) -> Void
    ) {
        guard !parents.isEmpty else { return }
        var counts: [Int: Int] = [:]
        let most = many.map { $0.maxCount > 1 ? $0.maxCount : .max } ?? .max
        let isTree = !Set(children).isDisjoint(with: parents)
        let needsAll = !(one?.isOptional ?? true) || many.map { !$0.isOptional || $0.minCount > 0 } ?? false
        for (place, child) in children.enumerated() {
            var parent: Int?
            if isTree, !needsAll {
                // No circles, which a program that follows the parents would never leave.
                parent = parents.last { $0 < child && counts[$0, default: 0] < most }
            } else {
                let order = parents.indices.map { parents[(place + $0) % parents.count] }
                let free = order.filter { counts[$0, default: 0] < most }
                parent = free.first { $0 != child } ?? (needsAll ? free.first : nil)
            }
            guard let parent else { continue }
            counts[parent, default: 0] += 1
            add(&self, child, parent)
        }
    }

    private mutating func linkManyToMany(_ pair: Pair, from owners: [Int], to destinations: [Int]) {
        func most(_ relationship: CompiledRelationship?) -> Int {
            relationship.map { $0.maxCount > 1 ? $0.maxCount : .max } ?? .max
        }
        if pair.isReflexive {
            for (owner, next) in zip(owners, owners.dropFirst()) { link(owner, to: next, by: pair) }
            return
        }
        guard !owners.isEmpty, !destinations.isEmpty else { return }
        let isMixed = !Set(owners).isDisjoint(with: destinations)
        let back = pair.inverse?.minCount ?? 0
        let share = (back * destinations.count + owners.count - 1) / owners.count
        let degree = min(
            max(pair.relationship.minCount, share, 2), most(pair.relationship), destinations.count - (isMixed ? 1 : 0))
        for (place, owner) in owners.enumerated() {
            for step in 0..<max(degree, 0) {
                let destination = destinations[(place + step + (isMixed ? 1 : 0)) % destinations.count]
                let isFull = rows[destination].links[pair.inverseSlot ?? 0].count >= most(pair.inverse)
                guard destination != owner, !isFull else { continue }
                link(owner, to: destination, by: pair)
            }
        }
    }
}
