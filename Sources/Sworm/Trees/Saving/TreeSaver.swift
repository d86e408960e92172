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
    /// The objects that the call deletes unless they are in the trees.
    var replaced: Set<ObjectIdentifier> = []
    var nodeByObject: [ObjectIdentifier: SaveNode] = [:]
    private var nodeByKey: [NewKey: SaveNode] = [:]
    private var linksByOwner: [LinkKey: LinkPlan] = [:]
    var result = TreeSaveResult()
    var changes: [SavePreview.Change] = []
    /// Whether ``changes`` is filled.
    let isRecording: Bool

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
        _ context: NSManagedObjectContext, bindings: BindingCache, repeats policy: RepeatPolicy, now: Date,
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
            SaveSlot(list: 0, position: index, place: SavePlace(index: first.map { $0 + index }))
        }
        let nodes = try nodes(
            of: trees, in: WholeChild<Tree>(), at: slots, identity: identity, role: .shared,
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
        for branch in plan.branches where branch.relation != inverse { try branch.save(written, by: self) }
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
        of values: [Source.Value], in source: Source, at slots: [SaveSlot], identity: SaveIdentity, role: BranchRole,
        lists: [SaveList]
    ) throws -> [SaveNode] {
        let binding = try bindings.binding(for: Source.Object.self)
        let type = TypedSave(binding)
        var encoded: [EncodedValue] = []
        encoded.reserveCapacity(values.count)
        for (value, slot) in zip(values, slots) {
            do {
                encoded.append(try source.encoded(value, as: type))
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
        try find(&objects, keys: keys, of: encoded, at: slots, identity: identity, binding: binding, lists: lists)
        try findByID(&objects, of: values, in: source, at: slots, binding: binding)
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
                try existing.add(encoded[index], at: slot.place, rank: rank, repeats: policy)
                found.append(existing)
                continue
            }
            guard isKnown || role.inserts else { throw unknown(binding.mapping.entityName, at: slot.place) }
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
        _ objects: inout [NSManagedObject?], keys: [SaveKey?], of encoded: [EncodedValue], at slots: [SaveSlot],
        identity: SaveIdentity, binding: EntityBinding<T>, lists: [SaveList]
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
        _ objects: inout [NSManagedObject?], of values: [Source.Value], in source: Source, at slots: [SaveSlot],
        binding: EntityBinding<Source.Object>
    ) throws {
        guard source.hasIDs else { return }
        for index in values.indices {
            guard let reference = source.reference(of: values[index]) else { continue }
            guard let object = try existingObject(for: reference), binding.represents(object.entityKey) else {
                throw StoreError(
                    .objectNotFound,
                    "\(slots[index].place.path): there is no object \(reference.url). It was deleted, or the id belongs to another store.",
                    entity: binding.mapping.entityName, path: slots[index].place.path)
            }
            objects[index] = object
        }
    }

    private func existingObject(for reference: ObjectReference) throws -> NSManagedObject? {
        do {
            return try context.existingObject(for: reference)
        } catch  where StoreError.Code.objectDeleted ~= translatedError(error) {
            return nil
        }
    }

    private func unknown(_ entity: String, at place: SavePlace) -> StoreError {
        StoreError(
            .objectNotFound,
            "\(place.path): there is no such \(entity), and the branch only links existing objects. Save it before, or make the branch `.linkedOrInserted`.",
            entity: entity, path: place.path)
    }

    /// Adds the objects behind a relation of an object.
    func link(
        _ plan: @autoclosure () -> LinkPlan, to owner: SaveNode, along relation: String, children: [SaveNode],
        at place: SavePlace
    ) throws {
        let key = LinkKey(owner: ObjectIdentifier(owner), relation: relation)
        if let known = linksByOwner[key] { return try known.add(children, at: place, repeats: policy) }
        let plan = plan()
        linksByOwner[key] = plan
        links.append(plan)
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
