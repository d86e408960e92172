import Foundation
import SwormPredicates

// The writing of what differs.
extension TreeSaver {
    /// Writes what differs, and validates it.
    ///
    /// - Parameter replaced: The objects that are deleted if they are not in the trees.
    /// - Throws: A ``StoreError`` with all invalid values, or a conflict if the store has changed since the state that
    ///   the context reads. The caller restores the context.
    func write(deleting replaced: [NSManagedObject] = []) throws {
        try checkRepeatedChildren()
        let former = try FormerOwners(of: links, in: context)
        for plan in links { try checkOwners(plan, former) }
        let nodes = nodes.filter { $0.uses > 0 }
        let placed = placedChildren
        var failures = SaveFailures()
        for node in nodes { try failures.collect(at: node.place) { try write(node) } }
        try failures.check()
        var removed: [(object: NSManagedObject, plan: LinkPlan)] = []
        for plan in links { try write(plan, removing: &removed, placed: placed, from: former) }
        for (object, plan) in removed where !object.isDeleted {
            note(.delete, at: plan.place.path, of: object)
            result.deleted += 1
            context.delete(object)
        }
        for object in replaced where node(of: object) == nil && !object.isDeleted {
            note(.delete, at: "", of: object)
            result.deleted += 1
            context.delete(object)
        }
        noteChangedParts()
        for node in nodes { try moveOn(node) }
        for node in nodes where node.isNew || node.isUpdated || node.isRelinked {
            guard let object = node.object else { continue }
            try failures.collect(at: node.place) {
                if node.isNew { try object.validateForInsert() } else { try object.validateForUpdate() }
            }
        }
        try failures.check()
        for node in nodes where node.isRelinked && !node.isNew { node.object.map(context.touch) }
        for node in nodes where !node.isNew && node.rank == .updated {
            if node.isUpdated { result.updated += 1 } else { result.unchanged += 1 }
        }
        // A tree has all that its relations hold, which the versions of the rows do not show. So the state that it was compared
        // with must still be the latest one when it is committed, as in a save past objects.
        if !result.isEmpty { try beginWriting?() }
    }

    /// Throws an error if a child is taken from an owner that is not in the trees.
    private func checkOwners(_ plan: LinkPlan, _ former: FormerOwners) throws {
        guard plan.hasOneOwner, !plan.isMovable else { return }
        for child in plan.children {
            let other = former.owners(of: child, along: plan).first { owner in
                owner !== plan.owner.object && node(of: owner) == nil && !replaced.contains(ObjectIdentifier(owner))
            }
            // The row of the owner may be missing.
            guard let owner = other, try context.present(owner) != nil else { continue }
            let path = child.place.path
            // Without the owner's id, because the message may be an answer to somebody who must not know it.
            throw StoreError(
                .validation,
                "\(path) belongs to another \(owner.entity.name ?? "") that is not among the trees. Save that one too, or make the branch `.movable`.",
                entity: child.entityName, rows: [owner.objectID.reference], path: path)
        }
    }

    private func write(_ node: SaveNode) throws {
        var values: [SavePreview.Change.Value] = []
        func note(_ index: Int, of part: EncodedValue, from old: AttributeValue?, to new: AttributeValue) {
            guard isRecording else { return }
            func text(_ value: AttributeValue?) -> String? { value == .null ? nil : value.map { excerpt($0) } }
            values.append(.init(name: part.type.attributes[index].name, old: text(old), new: text(new)))
        }
        if node.isNew {
            try node.checkNewVersion()
            let object = try node.type.insert(node.parts[0].values, into: context)
            node.object = object
            nodeByObject[ObjectIdentifier(object)] = node
            for part in node.parts.dropFirst() {
                for (index, value) in part.values.enumerated() {
                    if let value { try part.type.setValue(value, of: object, at: index) }
                }
            }
            var noted: Set<String> = []
            for part in node.parts where isRecording {
                for (index, value) in part.values.enumerated() {
                    guard let value, value != .null, noted.insert(part.type.attributes[index].name).inserted else {
                        continue
                    }
                    note(index, of: part, from: nil, to: value)
                }
            }
            result.inserted += 1
            self.note(.insert, at: node.place.path, entity: node.entityName, id: nil, values: values)
            return
        }
        guard node.rank == .updated, let object = node.object else { return }
        try node.checkVersion()
        for part in node.parts {
            for (index, value) in part.values.enumerated() {
                guard let value else { continue }
                let old = try part.type.value(of: object, at: index)
                if old.isStoredSame(as: value) { continue }
                try part.type.setValue(value, of: object, at: index)
                // A value may be stored as the old one, because the attribute has a smaller range or precision.
                let new = try part.type.value(of: object, at: index)
                if old.isStoredSame(as: new) { continue }
                node.isUpdated = true
                note(index, of: part, from: old, to: new)
            }
        }
        if node.isUpdated {
            if isRecording { node.update = changes.count }
            self.note(.update, at: node.place.path, entity: node.entityName, id: object, values: values)
        }
    }

    /// Notes the objects to which changed ones belong, and those to which these belong.
    private func noteChangedParts() {
        guard nodes.contains(where: { $0.version != nil }) else { return }
        var hasFound = true
        while hasFound {
            hasFound = false
            for plan in links where plan.ownsChildren && !plan.owner.hasChangedParts {
                plan.owner.hasChangedParts = plan.children.contains { $0.isNew || $0.isChanged }
                hasFound = hasFound || plan.owner.hasChangedParts
            }
        }
    }

    /// Moves the version of a changed object on.
    private func moveOn(_ node: SaveNode) throws {
        guard let version = node.version, !node.isNew, node.isChanged, let object = node.object else { return }
        let current = try version.value ?? version.type.value(of: object, at: version.index)
        let next: AttributeValue =
            if version.type.attributes[version.index].kind == .date {
                .date(now)
            } else if case .int(let number) = current {
                .int(number &+ 1)
            } else {
                .int(1)
            }
        try version.type.setValue(next, of: object, at: version.index)
        noteUpdate(
            of: node,
            .init(
                name: version.type.attributes[version.index].name,
                old: current == .null ? nil : excerpt(current), new: excerpt(next)))
        node.isUpdated = true
    }

    private func write(
        _ plan: LinkPlan, removing removed: inout [(object: NSManagedObject, plan: LinkPlan)], placed: Set<LinkKey>,
        from former: FormerOwners
    ) throws {
        guard let owner = plan.owner.object else { return }
        let type = plan.owner.type
        let name = plan.relation.name
        let objects = plan.children.compactMap(\.object)
        let kept = Set(objects.map(ObjectIdentifier.init))
        var unlinked: [NSManagedObject] = []
        let first = removed.count
        for member in plan.current where !kept.contains(ObjectIdentifier(member)) {
            guard plan.role.removes else { continue }
            if plan.role == .owned, node(of: member) == nil {
                removed.append((member, plan))
                plan.owner.isRelinked = true
            } else {
                unlinked.append(member)
                // A child that has moved is counted as linked.
                if plan.hasOneOwner, placed.contains(plan.key(of: member)) { continue }
                result.unlinked += 1
                note(.unlink, at: plan.place.path, of: member)
            }
        }
        let added = plan.added
        for child in plan.children {
            guard let object = child.object else { continue }
            for owner in former.owners(of: child, along: plan) where owner !== plan.owner.object {
                plan.take(object, from: owner)
                node(of: owner)?.isRelinked = true
            }
        }
        if !added.isEmpty || !unlinked.isEmpty { plan.owner.isRelinked = true }
        for child in added where !child.isNew && !plan.owner.isNew {
            result.linked += 1
            if let object = child.object { note(.link, at: child.place.path, of: object) }
        }
        if !plan.relation.isToMany {
            if plan.role == .added, objects.isEmpty { return }
            if let old = plan.current.first, let new = objects.first, old === new { return }
            if plan.current.isEmpty, objects.isEmpty { return }
            return try type.setDestination(objects.first, of: owner, along: name)
        }
        if plan.relation.isOrdered {
            // Those that are deleted stay until then, so that their delete rules see their owner.
            let deleted = removed[first...].map(\.object)
            let gone = Set((unlinked + deleted).map(ObjectIdentifier.init))
            let present = try type.members(of: owner, along: name).filter {
                !gone.contains(ObjectIdentifier($0)) && !$0.isDeleted
            }
            let order = plan.order(of: objects, among: present)
            if order.elementsEqual(present, by: ===), unlinked.isEmpty { return }
            if added.isEmpty, unlinked.isEmpty, !plan.owner.isNew {
                plan.owner.isUpdated = true
                noteUpdate(of: plan.owner, .init(name: "order of \(name)", old: nil, new: nil))
            }
            return try type.setMembers(order + deleted, of: owner, along: name)
        }
        for member in unlinked {
            if plan.hasLost(member) { continue }
            try type.removeMember(member, from: owner, along: name)
        }
        for child in added { if let object = child.object { try type.addMember(object, to: owner, along: name) } }
    }

    // MARK: Changes

    /// Adds a property to the update of a known object.
    private func noteUpdate(of node: SaveNode, _ value: SavePreview.Change.Value) {
        guard isRecording, let object = node.object else { return }
        if let index = node.update {
            changes[index].values.append(value)
        } else {
            node.update = changes.count
            note(.update, at: node.place.path, entity: node.entityName, id: object, values: [value])
        }
    }

    private func note(_ kind: SavePreview.Change.Kind, at path: String, of object: NSManagedObject) {
        note(kind, at: path, entity: object.entity.name ?? "", id: object, values: [])
    }

    private func note(
        _ kind: SavePreview.Change.Kind, at path: String, entity: String, id object: NSManagedObject?,
        values: [SavePreview.Change.Value]
    ) {
        guard isRecording else { return }
        changes.append(
            SavePreview.Change(
                kind: kind, path: path, entity: entity,
                id: object.flatMap { $0.objectID.isTemporaryID ? nil : "\($0.objectID.reference.url)" }, values: values)
        )
    }
}

extension SaveNode {
    /// Throws an error if the tree was read at another version than the object has now.
    func checkVersion() throws {
        guard let version, let value = version.value, let object else { return }
        let stored = try version.type.value(of: object, at: version.index)
        if stored.isStoredSame(as: value) { return }
        // A handle can be to an object that the same call has inserted, and not changed since.
        let attribute = version.type.attributes[version.index]
        if object.objectID.isTemporaryID, attribute.isVersion(ofNewObject: stored) { throw missing(version, value) }
        throw outdated(
            version, rows: [object.objectID.reference],
            because:
                "the \(entityName) was changed since the tree was read: its '\(version.name)' is \(excerpt(stored)), not \(excerpt(value)). Read it again, and apply the change to what it is now."
        )
    }

    /// Throws an error if the tree of a new object was read at a version, because the object was deleted since.
    fileprivate func checkNewVersion() throws {
        guard let version, let value = version.value else { return }
        let attribute = version.type.attributes[version.index]
        if attribute.isVersion(ofNewObject: value) { return }
        throw missing(version, value)
    }

    private func missing(_ version: SavedVersion, _ value: AttributeValue) -> StoreError {
        outdated(
            version, rows: [],
            because:
                "there is no such \(entityName) any more: its '\(version.name)' was \(excerpt(value)) when the tree was read. Give it the value of a new tree to insert it."
        )
    }

    private func outdated(_ version: SavedVersion, rows: [ObjectReference], because message: String) -> StoreError {
        StoreError(
            .conflict, (place.path.isEmpty ? "" : place.path + ": ") + message, entity: entityName,
            attribute: version.name, rows: rows, path: place.path(of: version.name))
    }

    /// Whether the save has changed the object, a relation, or an object that belongs to it.
    fileprivate var isChanged: Bool { isUpdated || isRelinked || hasChangedParts }
}

extension LinkPlan {
    /// Returns the order of an ordered relation.
    fileprivate func order(of objects: [NSManagedObject], among present: [NSManagedObject]) -> [NSManagedObject] {
        let members = Set(present.map(ObjectIdentifier.init))
        let wanted = Set(objects.map(ObjectIdentifier.init))
        if isInOrder, role != .added { return objects }
        return present.filter { role == .added || wanted.contains(ObjectIdentifier($0)) }
            + objects.filter { !members.contains(ObjectIdentifier($0)) }
    }
}
