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
    var links: [LinkPlan] = []
    var linksByOwner: [LinkKey: LinkPlan] = [:]
    /// The objects that the call deletes unless they are in the trees.
    var replaced: Set<ObjectIdentifier> = []
    var nodeByObject: [ObjectIdentifier: SaveNode] = [:]
    /// The new objects, by the attributes of each uniqueness constraint.
    private var nodeByKey: [NewKey: SaveNode] = [:]
    /// The branches that only link, which are added when all new objects are known.
    private var linkingBranches: [() throws -> Void] = []
    private(set) var isLinking = false
    var result = TreeSaveResult()
    var changes: [SavePreview.Change] = []
    /// Whether ``changes`` is filled.
    let isRecording: Bool
    /// Takes the write lock; nil if that is up to the save of the context.
    let beginWriting: (() throws -> Void)?

    private struct NewKey: Hashable {
        private let entity: EntityKey
        private let names: [String]
        private let key: SaveKey

        init(_ constraint: ModelConstraint, _ key: SaveKey) {
            (entity, names, self.key) = (constraint.entity.key, constraint.names, key)
        }
    }

    init(
        _ context: NSManagedObjectContext, bindings: BindingCache, repeats policy: RepeatPolicy, now: Date,
        isRecording: Bool = false, beginWriting: (() throws -> Void)? = nil
    ) {
        (self.context, self.bindings, self.policy) = (context, bindings, policy)
        (self.now, self.isRecording, self.beginWriting) = (now, isRecording, beginWriting)
    }

    /// Returns the node of an object that is in the trees.
    func node(of object: NSManagedObject) -> SaveNode? {
        nodeByObject[ObjectIdentifier(object)].flatMap { $0.uses > 0 ? $0 : nil }
    }

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
        try checkSaving(plan)
        let binding = try bindings.binding(for: Tree.self)
        if let root { for tree in trees { try check(tree, at: root) } }
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
        for node in nodes { node.uses += 1 }
        // Before the branches look for objects: a client that has an old version learns nothing else.
        for node in nodes where policy == .equal { try node.checkVersion() }
        try addBranches(
            of: zip(nodes, trees).enumerated().map {
                SavedTree(node: $1.0, tree: $1.1, place: slots[$0].place, rank: .updated)
            })
        isLinking = true
        defer { isLinking = false }
        for branch in linkingBranches { try branch() }
        linkingBranches = []
        return nodes
    }

    /// Adds a branch that only links when all new objects are known, so that it finds them.
    func addLater(_ branch: @escaping () throws -> Void) { linkingBranches.append(branch) }

    /// Throws an error if a branch cannot be saved. Trees that are only read are not checked.
    private func checkSaving(_ plan: any AnyTreePlan) throws {
        var seen: Set<SavedPlan> = []
        var queue = [SavedPlan(plan, besides: nil)]
        while let next = queue.popLast() {
            guard seen.insert(next).inserted else { continue }
            try next.plan.checkSaving(bindings, besides: next.inverse)
            queue += next.plan.savedPlans(bindings, besides: next.inverse)
        }
    }

    /// Throws an error if a tree has the id of another object than that at whose handle it is saved.
    private func check<Tree: ManagedTreeConvertible>(_ tree: Tree, at root: NSManagedObject) throws {
        guard let reference = Tree.treePlan.identifier?(tree), reference != root.objectID.reference else { return }
        throw StoreError(
            .invalidRequest,
            "The \(Tree.self) has the id of another object, \(reference.url), than the handle. Save it at a handle to that object, or with `save` of the context.",
            entity: Tree.Entity.entityName, rows: [reference])
    }

    /// Adds the branches of trees whose values are written.
    func addBranches<Tree: ManagedTreeConvertible>(of trees: [SavedTree<Tree>], besides inverse: String? = nil) throws {
        let plan = Tree.treePlan
        if plan.branches.isEmpty { return }
        // The values of another appearance may count instead, or none do because the object is only linked.
        let written = trees.filter { tree in
            tree.rank == tree.node.rank && (tree.rank == .updated || tree.rank == .inserted && tree.node.isNew)
        }
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
                throw translatedError(error).at(slot.place)
            }
        }
        let names = identity.attributes.map { binding.mapping.attributes[$0].name }
        let keys = encoded.map { value in
            names.isEmpty
                ? nil : SaveKey(identity.attributes.indices.map { value.value(names[$0], at: identity.attributes[$0]) })
        }
        var objects = [NSManagedObject?](repeating: nil, count: values.count)
        try findByID(&objects, of: values, in: source, at: slots, binding: binding)
        try find(&objects, keys: keys, of: encoded, at: slots, identity: identity, binding: binding, lists: lists)
        let constraints = binding.constraints(in: context)
        var found: [SaveNode] = []
        var own = OwnNodes()
        for index in values.indices {
            let slot = slots[index]
            if let object = objects[index] { try check(object, isOf: encoded[index].type, at: slot.place) }
            let newKey = keys[index].flatMap { key in
                if case .constraint(_, let constraint) = identity { NewKey(constraint, key) } else { nil }
            }
            let existing =
                objects[index].flatMap { nodeByObject[ObjectIdentifier($0)] } ?? newKey.flatMap { nodeByKey[$0] }
                ?? (objects[index] == nil ? own[slot, keys[index]] : nil)
            let isKnown = objects[index] != nil || existing.map { !$0.isNew } ?? false
            let rank: SaveNode.Rank = role.updates ? .updated : role.inserts && !isKnown ? .inserted : .linked
            if let existing {
                try check(existing, isOf: encoded[index].type, rank: rank, at: slot.place)
                if rank > existing.rank { forgetLinks(of: existing) }
                try existing.add(encoded[index], at: slot.place, rank: rank, repeats: policy)
                if rank == .updated, let version = try source.version(of: encoded[index]) {
                    existing.add(version, repeats: policy)
                }
                found.append(existing)
                continue
            }
            guard isKnown || role.inserts else { throw unknown(binding.mapping.entityName, at: slot.place) }
            let node = SaveNode(encoded[index], at: slot.place, rank: rank, object: objects[index])
            node.version = rank == .updated ? try source.version(of: encoded[index]) : nil
            if let object = objects[index] {
                nodeByObject[ObjectIdentifier(object)] = node
            } else {
                own[slot, keys[index]] = node
                for constraint in constraints {
                    if let key = constraint.key(of: encoded[index]) { nodeByKey[NewKey(constraint, key)] = node }
                }
            }
            nodes.append(node)
            found.append(node)
        }
        return found
    }
}

/// The new objects of one call, by their list and their key, or their position if they have no key. An owner that is in the trees
/// more than once has one list.
private struct OwnNodes {
    private struct Position: Hashable {
        let list: Int
        let position: Int
    }

    private var byKey: [Int: [SaveKey: SaveNode]] = [:]
    private var byPosition: [Position: SaveNode] = [:]

    subscript(slot: SaveSlot, key: SaveKey?) -> SaveNode? {
        get { key.map { byKey[slot.list]?[$0] } ?? byPosition[Position(list: slot.list, position: slot.position)] }
        set {
            if let key {
                byKey[slot.list, default: [:]][key] = newValue
            } else {
                byPosition[Position(list: slot.list, position: slot.position)] = newValue
            }
        }
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
