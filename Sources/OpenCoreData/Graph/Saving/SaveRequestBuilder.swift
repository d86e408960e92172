import SwormPredicates
import SwormStore

/// A builder that collects the unsaved changes of one store's objects into a request.
struct SaveRequestBuilder {
    let model: CompiledModel
    private(set) var request = SaveRequest()
    /// The inserted objects in the order of the request's insertions, the changed objects, and the deleted ones.
    private(set) var inserted: [NSManagedObject] = []
    private(set) var updated: [NSManagedObject] = []
    private(set) var deleted: [NSManagedObject] = []
    /// The objects of the request's updates, in the same order.
    private(set) var written: [NSManagedObject] = []
    /// The new order keys of the members of ordered relationships. They are adopted after the save.
    private(set) var orderKeys: [ObjectIdentifier: [Int: [ObjectIdentifier: Int64]]] = [:]
    private var seenAdded = Set<SaveRequest.Link>()
    private var seenRemoved = Set<SaveRequest.Link>()

    /// - Parameter mayRepeatValues: Whether objects of the request may have the same unique values.
    init(model: CompiledModel, author: String? = nil, contextName: String? = nil, mayRepeatValues: Bool = false) {
        self.model = model
        request.mayRepeatValues = mayRepeatValues
        request.author = author
        request.contextName = contextName
    }

    /// The objects of the rows in the request.
    ///
    /// - Complexity: O(*n*): the dictionary is created at each access.
    var objects: [RowID: NSManagedObject] {
        Dictionary((inserted + updated + deleted).map { ($0.objectID.row, $0) }, uniquingKeysWith: { $1 })
    }

    /// - Parameter version: The last known version of the object's row before another context deleted it.
    mutating func insert(_ object: NSManagedObject, after version: Int64? = nil) {
        inserted.append(object)
        let compiledEntity = object.compiledEntity
        let toOnes = compiledEntity.relationships.indices.map { slot in
            compiledEntity.relationships[slot].isToMany || compiledEntity.relationships[slot].isTransient
                ? nil : liveDestination(of: object, slot)
        }
        request.insertions.append(
            SaveRequest.Insertion(
                row: object.objectID.row, attributes: object.presentAttributes, toOnes: toOnes, lostVersion: version))
        for slot in compiledEntity.relationships.indices { addMembers(of: object, slot) }
    }

    mutating func update(_ object: NSManagedObject) {
        let row = object.objectID.row
        updated.append(object)
        let attributes = object.changedStoredAttributes
        var toOnes: [(slot: Int, destination: RowID?)] = []
        object.changedRelationships.forEach { slot in
            let relationship = object.compiledEntity.relationships[slot]
            guard !relationship.isTransient else { return }
            if !relationship.isToMany { toOnes.append((slot, liveDestination(of: object, slot))) }
        }
        object.changedRelationships.forEach { addMembers(of: object, $0) }
        guard !attributes.isEmpty || !toOnes.isEmpty else { return }
        written.append(object)
        request.updates.append(
            SaveRequest.Update(
                row: row, version: object.snapshot.version, attributes: attributes,
                toOnes: toOnes))
    }

    mutating func delete(_ object: NSManagedObject) {
        let row = object.objectID.row
        deleted.append(object)
        request.deletions.append(
            SaveRequest.Deletion(row: row, version: object.snapshot.version, emptied: emptied(object)))
    }

    /// Requests that the row of an object still has the version that was read. A fault has read none.
    mutating func compare(_ object: NSManagedObject) {
        guard !object.changesRow, object.status.isDisjoint(with: [.inserted, .deleted, .gone]),
            let version = object.snapshot.version
        else { return }
        request.expectations.append(SaveRequest.Expectation(row: object.objectID.row, version: version))
    }

    /// Requests that no other transaction changes the row of an object, or its members, at the same time.
    mutating func touch(_ object: NSManagedObject) {
        if object.status.isDisjoint(with: [.inserted, .deleted, .gone]) { request.touched.append(object.objectID.row) }
    }

    /// Returns the relationships whose rules delete the members or deny a deletion while there are members, and to
    /// which other contexts may add a member without changing a known row.
    private func emptied(_ object: NSManagedObject) -> [SaveRequest.Emptied] {
        object.compiledEntity.relationships.enumerated().compactMap { slot, relationship in
            guard relationship.isToMany, !relationship.isTransient,
                [.cascadeDeleteRule, .denyDeleteRule].contains(relationship.deleteRule),
                relationship.inverse.map({ model[relationship.destination].relationships[$0].isToMany }) ?? true
            else { return nil }
            guard case .toMany(let members) = object.relationshipState(slot) else {
                return SaveRequest.Emptied(relationship: slot, unlinked: [])
            }
            return SaveRequest.Emptied(
                relationship: slot, unlinked: Set(members.noted.removed.map(\.objectID.row.key)))
        }
    }

    private func liveDestination(of object: NSManagedObject, _ slot: Int) -> RowID? {
        guard let destination = object.destination(slot), !destination.status.contains(.deleted) else { return nil }
        return destination.status.contains(.gone) ? nil : destination.objectID.row
    }

    /// Adds links that have no to-one column, and the order of ordered members.
    private mutating func addMembers(of object: NSManagedObject, _ slot: Int) {
        let relationship = object.compiledEntity.relationships[slot]
        guard relationship.isToMany, !relationship.isTransient else { return }
        guard case .toMany(let present) = object.relationshipState(slot) else { return }
        let inverse = relationship.inverse.map { model[relationship.destination].relationships[$0] }
        let needsLinks = inverse?.isToMany ?? true
        guard needsLinks || relationship.isOrdered else { return }
        // Links in a join table are added and removed independently of the existing links, so an object with very many
        // links is saved without reading them.
        if needsLinks, inverse != nil, !relationship.isOrdered, !present.isLoaded {
            return addLinks(of: object, slot: slot, difference: present.notedLinks)
        }
        let members = object.members(slot)
        if needsLinks { addLinks(of: object, slot: slot, difference: members.difference()) }
        if relationship.isOrdered { addPositions(of: object, slot: slot, members: members) }
    }

    private mutating func addLinks(
        of object: NSManagedObject, slot: Int, difference: (added: [NSManagedObject], removed: [NSManagedObject])
    ) {
        for other in difference.added where !other.status.contains(.deleted) && !other.status.contains(.gone) {
            note(link(from: object, slot: slot, to: other), in: \.seenAdded, appendingTo: \.addedLinks)
        }
        for other in difference.removed where !other.status.contains(.deleted) && !other.status.contains(.gone) {
            note(link(from: object, slot: slot, to: other), in: \.seenRemoved, appendingTo: \.removedLinks)
        }
    }

    private mutating func note(
        _ link: SaveRequest.Link, in seen: WritableKeyPath<Self, Set<SaveRequest.Link>>,
        appendingTo list: WritableKeyPath<SaveRequest, [SaveRequest.Link]>
    ) {
        guard self[keyPath: seen].insert(link).inserted else { return }
        request[keyPath: list].append(link)
    }

    /// Returns the link between two objects, always named from the same side, regardless of the side on which it was
    /// found.
    private func link(from object: NSManagedObject, slot: Int, to other: NSManagedObject) -> SaveRequest.Link {
        let relationship = object.compiledEntity.relationships[slot]
        let direct = SaveRequest.Link(owner: object.objectID.row, relationship: slot, destination: other.objectID.row)
        guard let inverse = relationship.inverse else { return direct }
        let opposite = model[relationship.destination].relationships[inverse]
        let isFirst = (relationship.owner, relationship.name) <= (opposite.owner, opposite.name)
        return isFirst
            ? direct
            : SaveRequest.Link(owner: other.objectID.row, relationship: inverse, destination: object.objectID.row)
    }

    private mutating func addPositions(of object: NSManagedObject, slot: Int, members: ToManyMembers) {
        let present = Dictionary(
            members.committed.map { (ObjectIdentifier($0.object), $0.orderKey) },
            uniquingKeysWith: { first, _ in first })
        let ordered = members.objects.filter { !$0.status.contains(.deleted) && !$0.status.contains(.gone) }
        let old = ordered.map { present[ObjectIdentifier($0)] ?? nil }
        let keys = OrderKeys.arranged(old)
        var kept: [ObjectIdentifier: Int64] = [:]
        for (index, other) in ordered.enumerated() {
            kept[ObjectIdentifier(other)] = keys[index]
            guard old[index] != keys[index] else { continue }
            let link = SaveRequest.Link(owner: object.objectID.row, relationship: slot, destination: other.objectID.row)
            request.positions.append(SaveRequest.Position(link: link, orderKey: keys[index]))
        }
        orderKeys[ObjectIdentifier(object), default: [:]][slot] = kept
    }
}
