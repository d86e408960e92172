import SwormPredicates

/// The objects at the far end of a to-many relationship of one object, with the changes made to them.
///
/// Before it is loaded it only notes what was added and removed; those notes are laid over the store's members when they
/// are loaded.
final class ToManyMembers {
    private(set) var isLoaded: Bool
    /// Whether objects were moved by the user, beyond adding at the end.
    private(set) var isReordered = false
    /// The members, or before they are loaded those that were added, each at its number. There are holes where members were
    /// removed; a hole costs less than moving what follows.
    private var storage: [NSManagedObject?] = []
    private var numbers: [ObjectIdentifier: Int] = [:]
    /// The order of the numbers, once a member was moved or a position asked for among holes; else it is their own.
    private var order: MemberOrder?
    /// The members that the store holds, in its order, with their order keys.
    private(set) var committed: [(object: NSManagedObject, orderKey: Int64?)] = []
    /// The objects that were removed before the members are loaded.
    private var removed: [ObjectIdentifier: NSManagedObject] = [:]
    /// How many members have been looked at to list them all, or to give them other numbers.
    private var walked = 0
    /// Grows with every change.
    private(set) var revision = 0

    /// - Parameter isLoaded: True for an object that was never saved: the store has no members for it.
    init(isLoaded: Bool) { self.isLoaded = isLoaded }

    /// A copy that later changes do not reach.
    init(copying other: ToManyMembers) {
        isLoaded = other.isLoaded
        isReordered = other.isReordered
        storage = other.storage
        numbers = other.numbers
        order = other.order.map(MemberOrder.init(copying:))
        committed = other.committed
        removed = other.removed
        revision = other.revision
    }

    /// Whether the members may differ from those in the store.
    var hasChanges: Bool {
        guard isLoaded else { return !numbers.isEmpty || !removed.isEmpty }
        if isReordered || count != committed.count { return true }
        return committed.contains { numbers[ObjectIdentifier($0.object)] == nil }
    }

    var count: Int { isLoaded ? numbers.count : 0 }

    /// The members in order. For an unordered relationship the order means nothing.
    var objects: [NSManagedObject] { isLoaded ? listed : [] }

    /// The objects in `storage`, in order.
    private var listed: [NSManagedObject] {
        renumber()
        walked += storage.count
        return storage.compactMap { $0 }
    }

    func contains(_ object: NSManagedObject) -> Bool { isLoaded && numbers[ObjectIdentifier(object)] != nil }

    /// How many members and nodes of their order have been looked at by more than their names.
    var steps: Int { walked + (order?.steps ?? 0) }

    /// Closes the holes, and makes the order that of the numbers.
    private func renumber() {
        guard order != nil || storage.count != numbers.count else { return }
        walked += storage.count + (order?.steps ?? 0)
        storage = order.map { $0.numbers.map { storage[$0] } } ?? storage.filter { $0 != nil }
        order = nil
        for (number, object) in storage.enumerated() {
            if let object { numbers[ObjectIdentifier(object)] = number }
        }
    }

    /// Takes over the store's members and lays the noted changes over them.
    func load(_ members: [(object: NSManagedObject, orderKey: Int64?)]) {
        let added = isLoaded ? [] : listed
        committed = members
        isLoaded = true
        revision += 1
        removeAll(keepingCapacity: true)
        storage.reserveCapacity(members.count)
        numbers.reserveCapacity(members.count)
        for member in members where removed[ObjectIdentifier(member.object)] == nil { append(member.object) }
        for object in added { append(object) }
        removed = [:]
    }

    private func removeAll(keepingCapacity: Bool = false) {
        storage.removeAll(keepingCapacity: keepingCapacity)
        numbers.removeAll(keepingCapacity: keepingCapacity)
        order = nil
    }

    private func append(_ object: NSManagedObject) {
        guard numbers[ObjectIdentifier(object)] == nil else { return }
        numbers[ObjectIdentifier(object)] = storage.count
        order?.insert(storage.count, at: numbers.count - 1)
        storage.append(object)
    }

    /// Adds an object at the end.
    func add(_ object: NSManagedObject) {
        // Before they are loaded, a note that it was removed stays: it leaves its old position, and comes last.
        append(object)
        revision += 1
    }

    func remove(_ object: NSManagedObject) {
        take(object)
        if !isLoaded { removed[ObjectIdentifier(object)] = object }
        revision += 1
    }

    private func take(_ object: NSManagedObject) {
        guard let number = numbers.removeValue(forKey: ObjectIdentifier(object)) else { return }
        storage[number] = nil
        order?.remove(number)
        // No hole at the end, and not more holes than members: what was added and removed again leaves nothing behind.
        if order == nil {
            while let last = storage.last, last == nil { storage.removeLast() }
        }
        if storage.count > 2 * numbers.count + 64 { renumber() }
    }

    /// Puts the members into another order. The array must hold the present members, each once.
    func reorder(_ ordered: [NSManagedObject]) {
        let present = objects
        guard present.count == ordered.count, !zip(present, ordered).allSatisfy({ $0 === $1 }) else { return }
        storage = ordered
        for (index, object) in ordered.enumerated() { numbers[ObjectIdentifier(object)] = index }
        walked += ordered.count
        isReordered = true
        revision += 1
    }

    /// The present members and their order keys become the store's.
    func commit(orderKeys: [ObjectIdentifier: Int64]) {
        guard isLoaded else { return forgetNotes() }
        revision += 1
        dropGone()
        let old = Dictionary(
            committed.map { (ObjectIdentifier($0.object), $0.orderKey) }, uniquingKeysWith: { first, _ in first })
        committed = objects.map {
            let id = ObjectIdentifier($0)
            return ($0, orderKeys[id] ?? old[id] ?? nil)
        }
        isReordered = false
    }

    private func forgetNotes() {
        removeAll()
        removed = [:]
        revision += 1
    }

    /// Forgets what was read of the store's members, and keeps the changes as notes for the next reading.
    func forgetCommitted() {
        guard isLoaded, !isReordered else { return }
        let changes = difference()
        removed = Dictionary(
            changes.removed.map { (ObjectIdentifier($0), $0) }, uniquingKeysWith: { first, _ in first })
        committed = []
        removeAll()
        isLoaded = false
        for object in changes.added { append(object) }
        revision += 1
    }

    /// The objects that were added and removed, as far as is known without reading the store's members.
    var noted: (added: [NSManagedObject], removed: [NSManagedObject]) {
        isLoaded ? difference() : (listed, Array(removed.values))
    }

    /// The links that have to be there after a save, and those that must not, by the notes alone.
    var notedLinks: (added: [NSManagedObject], removed: [NSManagedObject]) {
        (listed, removed.values.filter { numbers[ObjectIdentifier($0)] == nil })
    }

    /// Takes out objects whose deletion was saved.
    func dropGone() {
        committed.removeAll { $0.object.status.contains(.gone) }
        removed = removed.filter { !$0.value.status.contains(.gone) }
        let gone = storage.compactMap { object in object.flatMap { $0.status.contains(.gone) ? $0 : nil } }
        for object in gone { take(object) }
        if !gone.isEmpty { revision += 1 }
    }

    /// The objects added to and removed from the store's members. Only right when loaded.
    func difference() -> (added: [NSManagedObject], removed: [NSManagedObject]) {
        let old = Set(committed.map { ObjectIdentifier($0.object) })
        return (
            objects.filter { !old.contains(ObjectIdentifier($0)) },
            committed.compactMap { numbers[ObjectIdentifier($0.object)] == nil ? $0.object : nil }
        )
    }
}

// MARK: Positions

extension ToManyMembers {
    /// The member at a position; nil beyond the last.
    func object(at position: Int) -> NSManagedObject? {
        guard isLoaded, position >= 0, position < count else { return nil }
        if order == nil {
            if storage.count == numbers.count { return storage[position] }
            if position == count - 1 { return storage.last ?? nil }
        }
        return storage[numbering().number(at: position)]
    }

    func position(of object: NSManagedObject) -> Int? {
        guard isLoaded, let number = numbers[ObjectIdentifier(object)] else { return nil }
        return order == nil && storage.count == numbers.count ? number : numbering().position(of: number)
    }

    /// Moves a member.
    ///
    /// - Parameter position: Its position afterwards; beyond the end it means the end.
    func move(_ object: NSManagedObject, to position: Int) {
        guard isLoaded, let number = numbers[ObjectIdentifier(object)], let present = self.position(of: object) else {
            return
        }
        let position = max(0, min(position, count - 1))
        guard position != present else { return }
        let order = numbering()
        order.remove(number)
        order.insert(number, at: position)
        isReordered = true
        revision += 1
    }

    /// The order as a tree, in which positions are found among holes.
    private func numbering() -> MemberOrder {
        if let order { return order }
        let made = MemberOrder(storage.indices.lazy.filter { self.storage[$0] != nil })
        order = made
        return made
    }
}
