import Foundation
import SwormPredicates

/// A save of trees through objects: it finds the known objects, compares them, and writes what differs.
final class TreeSaver {
    let context: NSManagedObjectContext
    let bindings: BindingCache
    let policy: RepeatPolicy
    /// The moment of the save, for versions that are dates.
    let now: Date
    /// The objects of the trees, owners before the objects behind their relations.
    private(set) var nodes: [SaveNode] = []
    private(set) var links: [LinkPlan] = []
    private var nodeByObject: [ObjectIdentifier: SaveNode] = [:]
    private var nodeByKey: [NewKey: SaveNode] = [:]
    private var linksByOwner: [LinkKey: LinkPlan] = [:]
    private(set) var result = TreeSaveResult()
    private(set) var changes: [SavePreview.Change] = []
    /// Whether ``changes`` is filled.
    private let isRecording: Bool

    private struct NewKey: Hashable {
        let entity: String
        let names: [String]
        let key: SaveKey
    }

    private struct LinkKey: Hashable {
        let owner: ObjectIdentifier
        let relation: String
    }

    init(
        _ context: NSManagedObjectContext, _ bindings: BindingCache, _ policy: RepeatPolicy, now: Date,
        isRecording: Bool = false
    ) {
        (self.context, self.bindings, self.policy) = (context, bindings, policy)
        (self.now, self.isRecording) = (now, isRecording)
    }

    func node(of object: NSManagedObject) -> SaveNode? { nodeByObject[ObjectIdentifier(object)] }

    /// Returns the description of a relation.
    func relationship(_ relation: String, of entity: String) throws -> NSRelationshipDescription {
        guard let found = bindings.description(of: entity)?.relationshipsByName[relation] else {
            throw StoreError.unknownName(relation, kind: "relation", of: entity, among: [])
        }
        return found
    }

    // MARK: Collecting

    /// Adds trees, and the trees inside of them.
    ///
    /// - Parameters:
    ///   - trees: The trees.
    ///   - first: The number of the first tree in the call; nil for a single tree.
    ///   - matched: The attributes that identify the roots; empty for those of the only constraint.
    ///   - root: The object of a single tree, if it is known.
    @discardableResult
    func add<Tree: ManagedTreeConvertible>(
        _ trees: [Tree], from first: Int?, on matched: [PartialKeyPath<Tree>], root: NSManagedObject? = nil
    ) throws -> [SaveNode] {
        let plan = Tree.treePlan
        try plan.check()
        for plan in plan.family { try plan.checkSaving(bindings) }
        let binding = try bindings.binding(for: Tree.self)
        let indices = try matched.isEmpty ? nil : matched.map { try binding.mapping.index(of: $0) }
        let identity =
            try root != nil
            ? SaveIdentity.position
            : binding.identity(matched: indices, in: context, name: "\(Tree.self)").asRoot(
                of: "\(Tree.self)", in: binding)
        let slots = trees.indices.map { index in
            SaveSlot(list: 0, position: index, place: SavePlace(nil, "", first.map { $0 + index }))
        }
        let nodes = try nodes(
            of: trees, WholeChild<Tree>(), slots, identity, role: .shared,
            lists: [SaveList(members: root.map { [$0] } ?? [])])
        try addBranches(
            of: zip(nodes, trees).enumerated().map { SavedTree(node: $1.0, tree: $1.1, place: slots[$0].place) })
        return nodes
    }

    /// Adds the branches of trees whose values are written.
    func addBranches<Tree: ManagedTreeConvertible>(of trees: [SavedTree<Tree>], besides inverse: String? = nil) throws {
        let plan = Tree.treePlan
        if plan.branches.isEmpty { return }
        let written = trees.filter { $0.node.isNew || $0.node.rank == .updated }
        if written.isEmpty { return }
        for branch in plan.branches where branch.relation != inverse { try branch.save(written, self) }
    }

    /// Returns the objects of values, known or new.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - source: The form of the values.
    ///   - slots: The position of each value.
    ///   - identity: The way in which they are identified.
    ///   - role: The role of their branch.
    ///   - lists: For each list of a branch, the objects that the owner has.
    func nodes<Source: ChildSource>(
        of values: [Source.Value], _ source: Source, _ slots: [SaveSlot], _ identity: SaveIdentity, role: BranchRole,
        lists: [SaveList]
    ) throws -> [SaveNode] {
        let binding = try bindings.binding(for: Source.Object.self)
        let type = TypedSave(binding)
        var encoded: [EncodedValue] = []
        encoded.reserveCapacity(values.count)
        for (value, slot) in zip(values, slots) {
            do {
                encoded.append(try source.encoded(value, type))
            } catch {
                throw translatedError(error).at(slot.place.path)
            }
        }
        let names = identity.attributes.map { binding.mapping.attributes[$0].name }
        let keys = encoded.map { value in
            names.isEmpty
                ? nil : SaveKey(identity.attributes.indices.map { value.value(names[$0], at: identity.attributes[$0]) })
        }
        var objects = [NSManagedObject?](repeating: nil, count: values.count)
        try find(&objects, keys, encoded, slots, identity, binding, lists)
        try findByID(&objects, values, source, slots, binding)
        var found: [SaveNode] = []
        var own: [Int: [SaveKey: SaveNode]] = [:]
        for index in values.indices {
            let slot = slots[index]
            let newKey = keys[index].flatMap { key in
                if case .constraint(_, let constraint) = identity {
                    NewKey(entity: "\(constraint.entity.key)", names: constraint.names.sorted(), key: key)
                } else {
                    nil
                }
            }
            let existing =
                objects[index].flatMap { self.node(of: $0) } ?? newKey.flatMap { nodeByKey[$0] }
                ?? keys[index].flatMap { own[slot.list]?[$0] }
            let isKnown = objects[index] != nil || existing.map { !$0.isNew } ?? false
            let rank: SaveNode.Rank = role.updates ? .updated : role.inserts && !isKnown ? .inserted : .linked
            if let existing {
                try existing.add(encoded[index], at: slot.place, rank: rank, policy)
                found.append(existing)
                continue
            }
            guard isKnown || role.inserts else { throw unknown(binding.mapping.entityName, slot.place) }
            let node = SaveNode(encoded[index], at: slot.place, rank: rank, object: objects[index])
            node.version = rank == .updated ? try source.version(of: encoded[index]) : nil
            if let object = objects[index] { nodeByObject[ObjectIdentifier(object)] = node }
            if let newKey, node.isNew { nodeByKey[newKey] = node }
            if let key = keys[index], node.isNew { own[slot.list, default: [:]][key] = node }
            nodes.append(node)
            found.append(node)
        }
        return found
    }

    private func find<T: ManagedTreeConvertible>(
        _ objects: inout [NSManagedObject?], _ keys: [SaveKey?], _ encoded: [EncodedValue], _ slots: [SaveSlot],
        _ identity: SaveIdentity, _ binding: EntityBinding<T>, _ lists: [SaveList]
    ) throws {
        switch identity {
        case .new: break
        case .position:
            for (index, slot) in slots.enumerated() where slot.position < lists[slot.list].members.count {
                objects[index] = lists[slot.list].members[slot.position]
            }
        case .constraint(let attributes, _), .within(let attributes):
            let known = try lists.map { list in
                var known: [SaveKey: NSManagedObject] = [:]
                for member in list.members {
                    if let key = SaveKey(try attributes.map { try binding.value(of: member, at: $0) }) {
                        known[key] = known[key] ?? member
                    }
                }
                return known
            }
            for (index, slot) in slots.enumerated() { objects[index] = keys[index].flatMap { known[slot.list][$0] } }
            guard case .constraint(_, let constraint) = identity else { break }
            let missing = keys.indices.filter { keys[$0] != nil && objects[$0] == nil }
            if missing.isEmpty { break }
            let names = constraint.names
            let wanted = missing.map { index in
                zip(names, attributes).map { encoded[index].value($0, at: $1) ?? .null }
            }
            let found = try binding.objects(with: wanted, of: constraint, in: context)
            for index in missing { objects[index] = keys[index].flatMap { found[$0] } }
        }
    }

    /// Finds the objects of values that hold an id.
    private func findByID<Source: ChildSource>(
        _ objects: inout [NSManagedObject?], _ values: [Source.Value], _ source: Source, _ slots: [SaveSlot],
        _ binding: EntityBinding<Source.Object>
    ) throws {
        guard source.hasIDs else { return }
        for index in values.indices {
            guard let reference = source.reference(of: values[index]) else { continue }
            guard let object = try context.existingObject(for: reference), binding.represents(object.entityKey) else {
                throw StoreError(
                    .objectNotFound,
                    "\(slots[index].place.path): there is no object \(reference.url). It was deleted, or the id belongs to another store.",
                    entity: binding.mapping.entityName, path: slots[index].place.path)
            }
            objects[index] = object
        }
    }

    private func unknown(_ entity: String, _ place: SavePlace) -> StoreError {
        StoreError(
            .objectNotFound,
            "\(place.path): there is no such \(entity), and the branch only links existing objects. Save it before, or make the branch `.linkedOrInserted`.",
            entity: entity, path: place.path)
    }

    /// Adds the objects behind a relation of an object.
    func link(
        _ plan: @autoclosure () -> LinkPlan, _ owner: SaveNode, _ relation: String, _ children: [SaveNode],
        at place: SavePlace
    ) throws {
        let key = LinkKey(owner: ObjectIdentifier(owner), relation: relation)
        if let known = linksByOwner[key] { return try known.add(children, at: place, policy) }
        let plan = plan()
        linksByOwner[key] = plan
        links.append(plan)
    }

    // MARK: Writing

    /// Writes what differs, and validates it.
    ///
    /// - Parameter others: Objects that are deleted if they are not in the trees.
    /// - Throws: A ``StoreError`` with all invalid values. The caller restores the context.
    func write(deleting others: [NSManagedObject] = []) throws {
        for plan in links { try checkOwners(plan) }
        var failures = SaveFailures()
        for node in nodes { try failures.collect(node.place.path) { try write(node) } }
        try failures.check()
        var removed: [(object: NSManagedObject, plan: LinkPlan)] = []
        for plan in links { try write(plan, &removed) }
        for (object, plan) in removed where !object.isDeleted {
            note(.delete, at: plan.place.path, object)
            result.deleted += 1
            context.delete(object)
        }
        for object in others where node(of: object) == nil && !object.isDeleted {
            note(.delete, at: "", object)
            result.deleted += 1
            context.delete(object)
        }
        for node in nodes { try moveOn(node) }
        for node in nodes where node.isNew || node.isUpdated || node.isRelinked {
            guard let object = node.object else { continue }
            try failures.collect(node.place.path) {
                if node.isNew { try object.validateForInsert() } else { try object.validateForUpdate() }
            }
        }
        try failures.check()
        for node in nodes where !node.isNew && node.rank == .updated {
            if node.isUpdated { result.updated += 1 } else { result.unchanged += 1 }
        }
    }

    /// Throws an error if a child is taken from an owner that is not in the trees.
    private func checkOwners(_ plan: LinkPlan) throws {
        guard plan.hasOneOwner, !plan.isMovable else { return }
        for child in plan.children {
            guard let object = child.object, let owner = plan.owner(of: object), owner !== plan.owner.object,
                node(of: owner) == nil
            else { continue }
            let path = child.place.path
            throw StoreError(
                .validation,
                "\(path) belongs to \(owner.entity.name ?? "") \(owner.objectID.reference.url.lastPathComponent), which is not among the trees. Save that one too, or make the branch `.movable`.",
                entity: child.entityName, path: path)
        }
    }

    private func write(_ node: SaveNode) throws {
        var values: [SavePreview.Change.Value] = []
        func note(_ part: EncodedValue, _ index: Int, _ old: AttributeValue?, _ new: AttributeValue) {
            guard isRecording else { return }
            func text(_ value: AttributeValue?) -> String? { value == .null ? nil : value.map { excerpt($0) } }
            values.append(.init(name: part.type.attributes[index].name, old: text(old), new: text(new)))
        }
        if node.isNew {
            let object = try node.type.insert(node.parts[0].values, into: context)
            node.object = object
            nodeByObject[ObjectIdentifier(object)] = node
            for part in node.parts.dropFirst() {
                for (index, value) in part.values.enumerated() {
                    if let value { try part.type.setValue(value, of: object, at: index) }
                }
            }
            for part in node.parts {
                for (index, value) in part.values.enumerated() where value != nil && value != .null {
                    note(part, index, nil, value ?? .null)
                }
            }
            result.inserted += 1
            self.note(.insert, at: node.place.path, node.entityName, id: nil, values)
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
                note(part, index, old, new)
            }
        }
        if node.isUpdated { self.note(.update, at: node.place.path, node.entityName, id: object, values) }
    }

    /// Moves the version of a changed object on.
    private func moveOn(_ node: SaveNode) throws {
        guard let version = node.version, !node.isNew, node.isUpdated || node.isRelinked, let object = node.object
        else {
            return
        }
        let next: AttributeValue
        switch version.value {
        case .int(let number): next = .int(number &+ 1)
        default: next = .date(now)
        }
        try version.type.setValue(next, of: object, at: version.index)
        node.isUpdated = true
    }

    private func write(_ plan: LinkPlan, _ removed: inout [(object: NSManagedObject, plan: LinkPlan)]) throws {
        guard let owner = plan.owner.object else { return }
        let type = plan.owner.type
        let name = plan.relation.name
        let objects = plan.children.compactMap(\.object)
        let kept = Set(objects.map(ObjectIdentifier.init))
        let before = Set(plan.current.map(ObjectIdentifier.init))
        var unlinked: [NSManagedObject] = []
        for member in plan.current where !kept.contains(ObjectIdentifier(member)) {
            guard plan.role.removes else { continue }
            if node(of: member) != nil, plan.hasOneOwner || plan.role == .owned {
                // It is elsewhere in the trees.
                unlinked.append(member)
            } else if plan.role == .owned {
                removed.append((member, plan))
                plan.owner.isRelinked = true
            } else {
                unlinked.append(member)
                result.unlinked += 1
                note(.unlink, at: plan.place.path, member)
            }
        }
        let added = plan.children.filter { child in child.object.map { !before.contains(ObjectIdentifier($0)) } ?? false
        }
        if !added.isEmpty || !unlinked.isEmpty { plan.owner.isRelinked = true }
        for child in added where !child.isNew && !plan.owner.isNew {
            result.linked += 1
            if let object = child.object { note(.link, at: child.place.path, object) }
        }
        if !plan.relation.isToMany {
            if plan.role == .added, objects.isEmpty { return }
            if let old = plan.current.first, let new = objects.first, old === new { return }
            if plan.current.isEmpty, objects.isEmpty { return }
            return try type.setDestination(objects.first, of: owner, along: name)
        }
        if plan.relation.isOrdered {
            let gone = Set(unlinked.map(ObjectIdentifier.init) + removed.map { ObjectIdentifier($0.object) })
            let present = try type.members(of: owner, along: name).filter { !gone.contains(ObjectIdentifier($0)) }
            let order = plan.order(of: objects, among: present)
            if order.elementsEqual(present, by: ===), unlinked.isEmpty { return }
            if added.isEmpty, unlinked.isEmpty, !plan.owner.isNew { plan.owner.isUpdated = true }
            // Those that are deleted stay until then, so that their delete rules see their owner.
            let deleted = plan.current.filter { member in removed.contains { $0.object === member } }
            return try type.setMembers(order + deleted, of: owner, along: name)
        }
        for member in unlinked {
            if plan.hasOneOwner, plan.owner(of: member) !== owner { continue }
            try type.removeMember(member, from: owner, along: name)
        }
        for child in added { if let object = child.object { try type.addMember(object, to: owner, along: name) } }
    }

    // MARK: Changes

    private func note(_ kind: SavePreview.Change.Kind, at path: String, _ object: NSManagedObject) {
        note(kind, at: path, object.entity.name ?? "", id: object, [])
    }

    private func note(
        _ kind: SavePreview.Change.Kind, at path: String, _ entity: String, id object: NSManagedObject?,
        _ values: [SavePreview.Change.Value]
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
    fileprivate func checkVersion() throws {
        guard let version, let object else { return }
        let stored = try version.type.value(of: object, at: version.index)
        if stored.isStoredSame(as: version.value) { return }
        let name = version.type.attributes[version.index].name
        throw StoreError(
            .conflict,
            "\(place.path.isEmpty ? "" : place.path + ": ")the \(entityName) was changed since the tree was read: its '\(name)' is \(excerpt(stored)), not \(excerpt(version.value)). Read it again, and apply the change to what it is now.",
            entity: entityName, attribute: name, rows: [object.objectID.reference], path: place.path)
    }
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

extension SaveIdentity {
    /// Returns the identity of roots, which have no owner.
    fileprivate func asRoot<T>(of type: String, in binding: EntityBinding<T>) throws -> SaveIdentity {
        guard case .within(let attributes) = self else { return self }
        let names = attributes.map { binding.mapping.attributes[$0].name }.joined(separator: ", ")
        throw StoreError(
            .invalidRequest,
            "\(type): \(binding.mapping.entityName) has no uniqueness constraint over (\(names)), so the roots cannot be identified by it. Declare the constraint, or use the attributes of another one with `on:`.",
            entity: binding.mapping.entityName, attribute: names)
    }
}
