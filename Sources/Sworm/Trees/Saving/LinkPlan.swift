import SwormPredicates

/// The owner and the name of a relation whose objects a save writes.
struct LinkKey: Hashable {
    let owner: ObjectIdentifier
    let relation: String
}

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
    /// The position of each child in the tree, which may have children repeatedly.
    private var positions: [ObjectIdentifier: Int]
    /// The topmost entity that has the relation, for whose objects a member has one owner.
    let declarer: NSEntityDescription
    /// The relation by its name and that of its topmost entity. Other entities may have relations of the same name.
    let memberRelation: String
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
        positions = Self.positions(of: children)
        declarer = relation.entity.declarer(ofRelation: relation.name)
        memberRelation = "\(declarer.stableName).\(relation.name)"
    }

    /// Whether the children belong to the owner: they are deleted with it, or when they are no longer in its tree.
    var ownsChildren: Bool { role == .owned || relation.deleteRule == .cascadeDeleteRule }

    /// Returns the children without repetitions.
    private static func different(_ children: [SaveNode]) -> [SaveNode] {
        var seen: Set<ObjectIdentifier> = []
        return children.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    private static func positions(of children: [SaveNode]) -> [ObjectIdentifier: Int] {
        Dictionary(
            children.enumerated().map { (ObjectIdentifier($1), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Adds the children of another appearance of the owner.
    func add(_ others: [SaveNode], at place: SavePlace, repeats policy: RepeatPolicy) throws {
        let positions = Self.positions(of: others)
        let others = Self.different(others)
        if others.count == children.count, zip(others, children).allSatisfy({ $0 === $1 }) { return }
        if policy.takesLast {
            (children, self.positions) = (others, positions)
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
        guard relation.isToMany, let index = positions[ObjectIdentifier(child)] else { return place.path }
        return "\(place.path)[\(index)]"
    }

    /// Whether a member has one owner only, which it also has if the relation to many has no inverse.
    var hasOneOwner: Bool { relation.inverseRelationship.map { !$0.isToMany } ?? relation.isToMany }

    /// The relation of a member to its owner; nil if it may have several, or the relation has no inverse.
    var wayBack: NSRelationshipDescription? { relation.inverseRelationship.flatMap { $0.isToMany ? nil : $0 } }

    /// Returns whether a member has moved to another owner.
    func hasLost(_ member: NSManagedObject) -> Bool {
        wayBack.map { member.value(forKey: $0.name) as? NSManagedObject !== owner.object } ?? false
    }

    /// Returns the key under which a member has one owner.
    func key(of member: AnyObject) -> LinkKey {
        LinkKey(owner: ObjectIdentifier(member), relation: memberRelation)
    }
}
