import Foundation

/// The ordered set that `mutableOrderedSetValue(forKey:)` hands out: every call goes to the object's relationship.
///
/// Foundation lets only some members be overridden; the others read the superclass's own storage. That is filled when the
/// set is made and after each change through it.
final class RelationshipOrderedSet: NSMutableOrderedSet {
    private let object: NSManagedObject
    private let key: String
    private let slot: Int?
    private var isCopying = false

    init(object: NSManagedObject, key: String) {
        self.object = object
        self.key = key
        slot = object.toManySlot(named: key)
        super.init(capacity: 0)
        copyMembers()
    }

    @available(*, unavailable)
    required init?(coder aDecoder: NSCoder) { nil }

    @available(*, unavailable)
    required convenience init(arrayLiteral elements: Any...) {
        self.init(object: NSManagedObject(entity: NSEntityDescription(), insertInto: nil), key: "")
    }

    private var members: [NSManagedObject] { slot.map { object.memberObjects($0) } ?? [] }

    /// Makes the superclass's storage what the relationship is.
    private func copyMembers() {
        isCopying = true
        defer { isCopying = false }
        while super.count > 0 { super.removeObject(at: super.count - 1) }
        for member in members { super.insert(member, at: super.count) }
    }

    private func change(_ member: Any, _ body: (Int, NSManagedObject) throws -> Void) {
        object.changeMembers(key: key, slot: slot, member: member, body)
        copyMembers()
    }

    // The superclass checks the places that it is given against these two, its own storage being meant.
    override var count: Int { isCopying ? super.count : slot.map { object.memberCount($0) } ?? 0 }

    override func object(at idx: Int) -> Any { isCopying ? super.object(at: idx) : members[idx] }

    override func index(of object: Any) -> Int {
        guard let candidate = object as? NSManagedObject else { return NSNotFound }
        return members.firstIndex { $0 === candidate } ?? NSNotFound
    }

    override func insert(_ object: Any, at idx: Int) {
        if isCopying { return super.insert(object, at: idx) }
        change(object) { slot, member in
            var ordered = members
            guard !ordered.contains(where: { $0 === member }) else { return }
            ordered.insert(member, at: Swift.min(Swift.max(idx, 0), ordered.count))
            try self.object.setMembers(slot, ordered)
        }
    }

    override func removeObject(at idx: Int) {
        if isCopying { return super.removeObject(at: idx) }
        let ordered = members
        guard ordered.indices.contains(idx) else { return }
        change(ordered[idx]) { try object.removeMember($0, $1) }
    }

    override func replaceObject(at idx: Int, with object: Any) {
        change(object) { slot, member in
            var ordered = members
            guard ordered.indices.contains(idx) else { return }
            ordered[idx] = member
            try self.object.setMembers(slot, ordered)
        }
    }

    override func add(_ object: Any) { change(object) { try self.object.addMember($0, $1) } }

    override func remove(_ object: Any) { change(object) { try self.object.removeMember($0, $1) } }
}
