import Foundation

/// The ordered set that `mutableOrderedSetValue(forKey:)` returns: every call is forwarded to the object's
/// relationship.
///
/// Foundation allows subclasses to override only some members; other members read the superclass's own storage. The
/// storage is filled when the set is created, and is updated with each change made through the set.
final class RelationshipOrderedSet: NSMutableOrderedSet {
    private let object: NSManagedObject
    private let key: String
    private let slot: Int?
    private var isCopying = false
    /// The revision of the members that are in the superclass's storage.
    private var revision = 0

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

    private var members: ToManyMembers? { slot.map { object.members($0) } }

    // MARK: The superclass's storage

    /// A change of one member that can be applied to the superclass's storage.
    private enum Step {
        case insertion
        case removal(Int)
        case other
    }

    /// Copies the relationship into the superclass's storage.
    private func copyMembers() {
        isCopying = true
        defer { isCopying = false }
        while super.count > 0 { super.removeObject(at: super.count - 1) }
        for member in members?.objects ?? [] { super.insert(member, at: super.count) }
        revision = members?.revision ?? 0
    }

    /// Changes the relationship, and then the superclass's storage: by the same step if both were equal before.
    private func change(_ member: Any, by step: Step, _ body: (Int, NSManagedObject) throws -> Void) {
        let wasEqual = members?.revision == revision
        object.changeMembers(key: key, slot: slot, member: member, body)
        if members?.revision == revision { return }
        if !wasEqual || !follow(step, of: member as? NSManagedObject) { copyMembers() }
    }

    /// Applies a step to the superclass's storage.
    ///
    /// - Returns: Whether the storage is known to equal the relationship.
    private func follow(_ step: Step, of member: NSManagedObject?) -> Bool {
        guard let member, let members else { return false }
        isCopying = true
        defer { isCopying = false }
        switch step {
        case .insertion:
            guard let position = members.position(of: member), members.count == super.count + 1 else { return false }
            super.insert(member, at: position)
        case .removal(let position):
            guard position < super.count, members.count == super.count - 1 else { return false }
            super.removeObject(at: position)
        case .other: return false
        }
        revision = members.revision
        return true
    }

    // MARK: The relationship

    // The superclass validates positions with `count` and `object(at:)`, and expects those of its own storage.
    override var count: Int { isCopying ? super.count : members?.count ?? 0 }

    override func object(at idx: Int) -> Any {
        if isCopying { return super.object(at: idx) }
        return members?.object(at: idx) ?? object.memberObjects(slot ?? 0)[idx]
    }

    override func index(of object: Any) -> Int {
        guard let candidate = object as? NSManagedObject else { return NSNotFound }
        return members?.position(of: candidate) ?? NSNotFound
    }

    override func insert(_ object: Any, at idx: Int) {
        if isCopying { return super.insert(object, at: idx) }
        change(object, by: .insertion) { slot, member in
            guard !self.object.hasMember(slot, object: member) else { return }
            try self.object.insertMember(slot, object: member, at: idx)
        }
    }

    override func removeObject(at idx: Int) {
        guard let member = members?.object(at: idx) else { return }
        change(member, by: .removal(idx)) { try self.object.removeMember($0, object: $1) }
    }

    override func replaceObject(at idx: Int, with object: Any) {
        change(object, by: .other) { slot, member in
            var ordered = self.object.memberObjects(slot)
            guard ordered.indices.contains(idx) else { return }
            ordered[idx] = member
            try self.object.setMembers(slot, to: ordered)
        }
    }

    override func add(_ object: Any) { change(object, by: .insertion) { try self.object.addMember($0, object: $1) } }

    override func remove(_ object: Any) {
        change(object, by: .removal(index(of: object))) { try self.object.removeMember($0, object: $1) }
    }
}
