import SwormPredicates

/// The objects at the far end of a to-many relationship of one object, with the changes made to them.
///
/// Before it is loaded it only notes what was added and removed; those notes are laid over the store's members when they
/// are loaded.
final class ToManyMembers {
    private(set) var isLoaded: Bool
    /// The members in order, with holes where members were removed; a hole costs less than moving what follows.
    private var storage: [NSManagedObject?] = []
    private var positions: [ObjectIdentifier: Int] = [:]
    /// The members that the store holds, in its order, with their order keys.
    private(set) var committed: [(object: NSManagedObject, orderKey: Int64?)] = []
    private var added: [NSManagedObject] = []
    private var addedIDs: Set<ObjectIdentifier> = []
    private var removed: [ObjectIdentifier: NSManagedObject] = [:]
    /// Whether objects were moved by the user, beyond adding at the end.
    private(set) var isReordered = false

    /// - Parameter isLoaded: True for an object that was never saved: the store has no members for it.
    init(isLoaded: Bool) { self.isLoaded = isLoaded }

    /// A copy that later changes do not reach.
    init(copying other: ToManyMembers) {
        isLoaded = other.isLoaded
        storage = other.storage
        positions = other.positions
        committed = other.committed
        added = other.added
        addedIDs = other.addedIDs
        removed = other.removed
        isReordered = other.isReordered
    }

    /// Whether the members may differ from those in the store.
    var hasChanges: Bool {
        guard isLoaded else { return !added.isEmpty || !removed.isEmpty }
        if isReordered || count != committed.count { return true }
        return committed.contains { positions[ObjectIdentifier($0.object)] == nil }
    }

    var count: Int { positions.count }

    /// The members in order. For an unordered relationship the order means nothing.
    var objects: [NSManagedObject] {
        closeHoles()
        return storage.compactMap { $0 }
    }

    func contains(_ object: NSManagedObject) -> Bool { positions[ObjectIdentifier(object)] != nil }

    func position(of object: NSManagedObject) -> Int? {
        closeHoles()
        return positions[ObjectIdentifier(object)]
    }

    private func closeHoles() {
        guard storage.count != positions.count else { return }
        storage = storage.filter { $0 != nil }
        for (index, object) in storage.enumerated() {
            if let object { positions[ObjectIdentifier(object)] = index }
        }
    }

    /// Takes over the store's members and lays the noted changes over them.
    func load(_ members: [(object: NSManagedObject, orderKey: Int64?)]) {
        committed = members
        isLoaded = true
        storage.removeAll(keepingCapacity: true)
        positions.removeAll(keepingCapacity: true)
        storage.reserveCapacity(members.count)
        positions.reserveCapacity(members.count)
        for member in members where removed[ObjectIdentifier(member.object)] == nil { append(member.object) }
        for object in added { append(object) }
        forgetNotes()
    }

    private func forgetNotes() {
        added = []
        addedIDs = []
        removed = [:]
    }

    private func append(_ object: NSManagedObject) {
        guard positions[ObjectIdentifier(object)] == nil else { return }
        positions[ObjectIdentifier(object)] = storage.count
        storage.append(object)
    }

    /// Adds an object at the end.
    func add(_ object: NSManagedObject) {
        if isLoaded {
            append(object)
        } else if addedIDs.insert(ObjectIdentifier(object)).inserted {
            // A note that it was removed stays: it leaves its old place, and stands at the end.
            added.append(object)
        }
    }

    func remove(_ object: NSManagedObject) {
        guard isLoaded else {
            if addedIDs.remove(ObjectIdentifier(object)) != nil { added.removeAll { $0 === object } }
            removed[ObjectIdentifier(object)] = object
            return
        }
        if let position = positions.removeValue(forKey: ObjectIdentifier(object)) { storage[position] = nil }
    }

    /// Puts the members into another order. The array must hold the present members, each once.
    func reorder(_ ordered: [NSManagedObject]) {
        let present = objects
        guard present.count == ordered.count, !zip(present, ordered).allSatisfy({ $0 === $1 }) else { return }
        storage = ordered
        for (index, object) in ordered.enumerated() { positions[ObjectIdentifier(object)] = index }
        isReordered = true
    }

    /// The present members and their order keys become the store's.
    func commit(orderKeys: [ObjectIdentifier: Int64]) {
        guard isLoaded else { return forgetNotes() }
        dropGone()
        let old = Dictionary(
            committed.map { (ObjectIdentifier($0.object), $0.orderKey) }, uniquingKeysWith: { first, _ in first })
        committed = objects.map {
            let id = ObjectIdentifier($0)
            return ($0, orderKeys[id] ?? old[id] ?? nil)
        }
        isReordered = false
    }

    /// Forgets what was read of the store's members, and keeps the changes as notes for the next reading.
    func forgetCommitted() {
        guard isLoaded, !isReordered else { return }
        let changes = difference()
        added = changes.added
        addedIDs = Set(added.map(ObjectIdentifier.init))
        removed = Dictionary(
            changes.removed.map { (ObjectIdentifier($0), $0) }, uniquingKeysWith: { first, _ in first })
        committed = []
        storage = []
        positions = [:]
        isLoaded = false
    }

    /// The objects that were added and removed, as far as is known without reading the store's members.
    var noted: (added: [NSManagedObject], removed: [NSManagedObject]) {
        isLoaded ? difference() : (added, Array(removed.values))
    }

    /// Takes out objects whose deletion was saved.
    func dropGone() {
        committed.removeAll { $0.object.status.contains(.gone) }
        added.removeAll { $0.status.contains(.gone) }
        addedIDs = Set(added.map(ObjectIdentifier.init))
        removed = removed.filter { !$0.value.status.contains(.gone) }
        for case let object? in storage where object.status.contains(.gone) {
            if let position = positions.removeValue(forKey: ObjectIdentifier(object)) { storage[position] = nil }
        }
    }

    /// The objects added to and removed from the store's members. Only right when loaded.
    func difference() -> (added: [NSManagedObject], removed: [NSManagedObject]) {
        let old = Set(committed.map { ObjectIdentifier($0.object) })
        return (
            objects.filter { !old.contains(ObjectIdentifier($0)) },
            committed.compactMap { positions[ObjectIdentifier($0.object)] == nil ? $0.object : nil }
        )
    }
}
