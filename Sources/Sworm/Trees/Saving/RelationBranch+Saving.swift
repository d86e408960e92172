import SwormPredicates

extension RelationBranch {
    /// Returns the role of the branch; nil if it has none.
    func role(of relation: NSRelationshipDescription) -> BranchRole? {
        if let role = options.roles.first { return role }
        if isNarrowed { return .readOnly }
        if let role = source.defaultRole(isToMany: isToMany) { return role }
        return relation.deleteRule == .cascadeDeleteRule ? .owned : nil
    }

    /// Whether the branch has a part of the objects only.
    private var isNarrowed: Bool {
        let choice = choice
        return choice.condition != nil || choice.limit != nil || choice.offset > 0
    }

    /// Whether the children have another order than the relation.
    var isSorted: Bool { !choice.sorts.isEmpty }

    func writingIssue(_ bindings: BindingCache) throws -> StoreError? {
        guard let relation = bindings.description(of: Tree.Entity.entityName)?.relationshipsByName[relation] else {
            return nil
        }
        func fault(_ text: String) -> StoreError {
            StoreError(
                .invalidTable, "\(name) \(text)", entity: Tree.Entity.entityName, attribute: self.relation)
        }
        if Set(options.roles).count > 1 {
            return fault(
                "has two roles: \(options.roles.map { ".\($0.rawValue)" }.joined(separator: " and ")). Keep one of them."
            )
        }
        guard let role = role(of: relation) else {
            return fault(
                "does not say what a save does with the objects behind '\(self.relation)'. Give it a role: `.owned`, `.shared`, `.added`, `.linked`, `.linkedOrInserted` or `.readOnly`."
            )
        }
        if role != .readOnly, options.isMatchedByPosition, isSorted {
            return fault(
                "has `.matchedByPosition` and a sort, so a position is not that of an object. Remove one of them, or give the branch `.matched(by:)`."
            )
        }
        if role != .readOnly, isNarrowed {
            return fault(
                "has the role .\(role.rawValue), and a condition or a limit, so a save does not know the other objects. Remove one of them, or make the branch `.readOnly`."
            )
        }
        return nil
    }

    func isWritten(_ bindings: BindingCache) -> Bool {
        guard let relation = bindings.description(of: Tree.Entity.entityName)?.relationshipsByName[relation] else {
            return false
        }
        return role(of: relation) != .readOnly
    }

    func savedPlan(_ bindings: BindingCache) -> SavedPlan? {
        guard let plan = source.plan,
            let relation = bindings.description(of: Tree.Entity.entityName)?.relationshipsByName[relation],
            role(of: relation)?.inserts == true
        else { return nil }
        return SavedPlan(plan, besides: relation.inverseRelationship?.name)
    }

    func save(_ owners: [SavedTree<Tree>], by saver: TreeSaver) throws {
        let relationship = try saver.relationship(relation, of: Tree.Entity.entityName)
        guard let role = role(of: relationship), role != .readOnly else { return }
        if role == .linked, !saver.isLinking { return saver.addLater { try self.save(owners, by: saver) } }
        let binding = try saver.bindings.binding(for: Source.Object.self)
        let label = keyPathName(property).components.joined(separator: ".")
        var values: [Source.Value] = []
        var slots: [SaveSlot] = []
        var lists: [SaveList] = []
        var ranges: [(owner: SavedTree<Tree>, list: Int, values: Range<Int>)] = []
        var listByOwner: [ObjectIdentifier: Int] = [:]
        for owner in owners {
            guard let own = children(owner.tree) else { continue }
            let start = values.count
            let list = listByOwner[ObjectIdentifier(owner.node)] ?? lists.count
            if list == lists.count {
                listByOwner[ObjectIdentifier(owner.node)] = list
                lists.append(SaveList(members: try members(of: owner.node, saver)))
            }
            for (position, value) in own.enumerated() {
                values.append(value)
                slots.append(
                    SaveSlot(
                        list: list, position: position,
                        place: SavePlace(
                            in: owner.place, label: label, index: isToMany ? position : nil,
                            isAttribute: source.isAttribute)))
            }
            ranges.append((owner, list, start..<values.count))
        }
        let identity = try identity(in: binding, role: role, saver.context)
        if case .new = identity, role.removes, !source.hasIDs, lists.contains(where: { !$0.members.isEmpty }) {
            throw StoreError(
                .invalidTable,
                "\(name): nothing identifies the objects behind '\(relation)', so a save cannot tell known ones from new ones. Give the branch `.matched(by:)` or `.matchedByPosition`, or declare a uniqueness constraint.",
                entity: Tree.Entity.entityName, attribute: relation)
        }
        let nodes = try saver.nodes(of: values, in: source, at: slots, identity: identity, role: role, lists: lists)
        for range in ranges {
            let place = SavePlace(in: range.owner.place, label: label)
            let children = Array(nodes[range.values])
            try saver.link(
                LinkPlan(
                    of: range.owner.node, along: relationship, role: role, isMovable: options.isMovable,
                    isInOrder: isInOrder && !isSorted,
                    at: place, children: children, current: lists[range.list].members),
                to: range.owner.node, along: relation, children: children, at: place)
        }
        try source.saveBranches(
            of: zip(nodes, zip(values, slots)).map { node, value in
                let rank: SaveNode.Rank = role.updates ? .updated : role.inserts && node.isNew ? .inserted : .linked
                return SavedTree(node: node, tree: value.0, place: value.1.place, rank: rank)
            },
            besides: relationship.inverseRelationship?.name, saver)
    }

    /// Returns the objects behind the relation of an object, in their order.
    private func members(of owner: SaveNode, _ saver: TreeSaver) throws -> [NSManagedObject] {
        guard let object = owner.object else { return [] }
        let members =
            isToMany
            ? try owner.type.members(of: object, along: relation)
            : try saver.context.present(owner.type.destination(of: object, along: relation)).map { [$0] } ?? []
        let present = members.filter { !$0.isDeleted }
        return kind == .toMany ? present.sorted { $0.positionInOrder < $1.positionInOrder } : present
    }

    /// Returns the way in which children are identified.
    func identity(
        in binding: EntityBinding<Source.Object>, role: BranchRole, _ context: NSManagedObjectContext
    ) throws -> SaveIdentity {
        let matched = try options.matched.map { try binding.mapping.index(of: $0) }
        let indices = try matched.isEmpty ? source.identifyingIndex(in: binding.mapping).map { [$0] } : matched
        let identity = try binding.identity(
            matched: indices, isByPosition: options.isMatchedByPosition, in: context, name: name)
        // The object behind a relation to one needs no key: it is the one that is there.
        if case .new = identity, !isToMany, role == .owned { return .position }
        return identity
    }
}
