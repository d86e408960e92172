import SwormPredicates

/// The objects behind one relation of an object, as the saved trees have them.
final class LinkPlan {
    let owner: SaveNode
    let relation: NSRelationshipDescription
    let role: BranchRole
    let isMovable: Bool
    /// Whether the order of an ordered relation is that of the children.
    let isInOrder: Bool
    /// The property in paths.
    let place: SavePlace
    private(set) var children: [SaveNode]
    /// The objects behind the relation before the save.
    let current: [NSManagedObject]

    init(
        of owner: SaveNode, along relation: NSRelationshipDescription, role: BranchRole, isMovable: Bool,
        isInOrder: Bool,
        at place: SavePlace, children: [SaveNode], current: [NSManagedObject]
    ) {
        (self.owner, self.relation, self.role) = (owner, relation, role)
        (self.isMovable, self.isInOrder, self.place) = (isMovable, isInOrder, place)
        (self.children, self.current) = (Self.different(children), current)
    }

    /// Whether the children belong to the owner: they are deleted with it, or when they are no longer in its tree.
    var ownsChildren: Bool { role == .owned || relation.deleteRule == .cascadeDeleteRule }

    /// Returns the children without repetitions.
    private static func different(_ children: [SaveNode]) -> [SaveNode] {
        var seen: Set<ObjectIdentifier> = []
        return children.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// Adds the children of another appearance of the owner.
    func add(_ others: [SaveNode], at place: SavePlace, repeats policy: RepeatPolicy) throws {
        let others = Self.different(others)
        if others.count == children.count, zip(others, children).allSatisfy({ $0 === $1 }) { return }
        if policy.takesLast {
            children = others
            return
        }
        let isSame = !isInOrder && Set(others.map(ObjectIdentifier.init)) == Set(children.map(ObjectIdentifier.init))
        if isSame { return }
        throw StoreError(
            .validation,
            "\(place.path) and \(self.place.path) are the same \(owner.entityName), and have different values behind '\(relation.name)'. Make them equal, or save with `repeats: .last`.",
            entity: owner.entityName, attribute: relation.name, path: place.path)
    }

    func remove(_ child: SaveNode) { children.removeAll { $0 === child } }

    /// Returns the position of a child in the trees.
    func path(of child: SaveNode) -> String {
        guard relation.isToMany, let index = children.firstIndex(where: { $0 === child }) else { return place.path }
        return "\(place.path)[\(index)]"
    }

    /// Whether a member has one owner only.
    var hasOneOwner: Bool { relation.inverseRelationship.map { !$0.isToMany } ?? false }

    /// Returns the owner of a member; nil if it has none, or the relation has no inverse.
    func owner(of member: NSManagedObject) -> NSManagedObject? {
        guard hasOneOwner, let inverse = relation.inverseRelationship else { return nil }
        return member.value(forKey: inverse.name) as? NSManagedObject
    }
}
