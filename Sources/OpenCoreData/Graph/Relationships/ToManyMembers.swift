import SwormPredicates

/// The objects of a to-many relationship of one object, with their unsaved changes.
///
/// Before the members are loaded, it only records which objects were added and removed; these changes are merged with
/// the store's members when they are loaded.
final class ToManyMembers {
    private(set) var isLoaded: Bool
    /// Whether the user moved objects, other than adding them at the end.
    private(set) var isReordered = false
    /// The members, or the added objects before the members are loaded, each at the index of its number. Removed
    /// members leave holes, because a hole costs less than moving all later members.
    private var storage: [NSManagedObject?] = []
    private var numbers: [ObjectIdentifier: Int] = [:]
    /// The order of the numbers, once a member was moved or a position was requested while there were holes. If nil,
    /// the order is that of the numbers themselves.
    private var order: MemberOrder?
    /// The members in the store, in order, with their order keys.
    private(set) var committed: [(object: NSManagedObject, orderKey: Int64?)] = []
    /// The objects that were removed before the members were loaded.
    private var removed: [ObjectIdentifier: NSManagedObject] = [:]
    /// The order that the user gave the members, while they are not loaded. It is restored when they are.
    private var keptOrder: [NSManagedObject]?
    /// The number of members that were visited to list or to renumber all of them.
    private var walked = 0
    /// A number that increases with every change.
    private(set) var revision = 0

    /// Creates the members of a relationship.
    ///
    /// - Parameter isLoaded: True for an object that was never saved, because it has no members in the store.
    init(isLoaded: Bool) { self.isLoaded = isLoaded }

    /// Creates an independent copy.
    init(copying other: ToManyMembers) {
        isLoaded = other.isLoaded
        isReordered = other.isReordered
        storage = other.storage
        numbers = other.numbers
        order = other.order.map(MemberOrder.init(copying:))
        committed = other.committed
        removed = other.removed
        keptOrder = other.keptOrder
        revision = other.revision
    }

    /// Whether the members may differ from those in the store.
    var hasChanges: Bool {
        guard isLoaded else { return !numbers.isEmpty || !removed.isEmpty || keptOrder != nil }
        if count != committed.count { return true }
        // Reordered members may have been moved back to their order in the store.
        if isReordered { return !objects.elementsEqual(committed.lazy.map(\.object), by: ===) }
        return committed.contains { numbers[ObjectIdentifier($0.object)] == nil } || hasMovedMembers
    }

    /// Whether members of an ordered relationship were removed and added again, which moves them to the end, behind the
    /// other members in the store or behind added ones.
    private var hasMovedMembers: Bool {
        guard committed.contains(where: { $0.orderKey != nil }) else { return false }
        let remaining = committed.lazy.map(\.object).filter { self.numbers[ObjectIdentifier($0)] != nil }
        return !remaining.elementsEqual(objects.prefix(remaining.count), by: ===)
    }

    var count: Int { isLoaded ? numbers.count : 0 }

    /// The members in order. For an unordered relationship, the order has no meaning.
    var objects: [NSManagedObject] { isLoaded ? listed : [] }

    /// The objects in `storage`, in order.
    private var listed: [NSManagedObject] {
        renumber()
        walked += storage.count
        return storage.compactMap { $0 }
    }

    func contains(_ object: NSManagedObject) -> Bool { isLoaded && numbers[ObjectIdentifier(object)] != nil }

    /// The number of members and nodes of their order that were visited.
    var steps: Int { walked + (order?.steps ?? 0) }

    /// Closes the holes, and numbers the members in their order.
    private func renumber() {
        guard order != nil || storage.count != numbers.count else { return }
        walked += storage.count + (order?.steps ?? 0)
        storage = order.map { $0.numbers.map { storage[$0] } } ?? storage.filter { $0 != nil }
        order = nil
        for (number, object) in storage.enumerated() {
            if let object { numbers[ObjectIdentifier(object)] = number }
        }
    }

    /// Loads the store's members, and merges the recorded changes with them.
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
        if let keptOrder {
            self.keptOrder = nil
            let known = Set(keptOrder.map(ObjectIdentifier.init))
            let present = keptOrder.filter { numbers[ObjectIdentifier($0)] != nil }
            reorder(present + objects.filter { !known.contains(ObjectIdentifier($0)) })
        }
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
        // Before the members are loaded, a recorded removal is kept: the object leaves its old position and moves to
        // the end.
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
        // No holes at the end, and at most as many holes as members, so that adding and removing leaves no garbage
        // behind.
        if order == nil {
            while let last = storage.last, last == nil { storage.removeLast() }
        }
        if storage.count > 2 * numbers.count + 64 { renumber() }
    }

    /// Reorders the members. The array must contain the current members, each once.
    func reorder(_ ordered: [NSManagedObject]) {
        let present = objects
        guard present.count == ordered.count, !zip(present, ordered).allSatisfy({ $0 === $1 }) else { return }
        storage = ordered
        for (index, object) in ordered.enumerated() { numbers[ObjectIdentifier(object)] = index }
        walked += ordered.count
        isReordered = true
        revision += 1
    }

    /// Records that the current members and their order keys are in the store.
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
        keptOrder = nil
        revision += 1
    }

    /// Discards the store's members, and keeps the changes for the next time that the members are loaded.
    func forgetCommitted() {
        guard isLoaded else { return }
        let changes = difference()
        let isMoved = isReordered ? !objects.elementsEqual(committed.map(\.object), by: ===) : hasMovedMembers
        keptOrder = isMoved ? objects : nil
        isReordered = false
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

    /// The links that must exist after a save, and those that must not, according to the recorded changes only.
    var notedLinks: (added: [NSManagedObject], removed: [NSManagedObject]) {
        (listed, removed.values.filter { numbers[ObjectIdentifier($0)] == nil })
    }

    /// Removes the objects whose deletion was saved.
    func dropGone() {
        committed.removeAll { $0.object.status.contains(.gone) }
        removed = removed.filter { !$0.value.status.contains(.gone) }
        let gone = storage.compactMap { object in object.flatMap { $0.status.contains(.gone) ? $0 : nil } }
        for object in gone { take(object) }
        if !gone.isEmpty { revision += 1 }
    }

    /// Returns the objects that were added to and removed from the store's members. Only valid if the members are
    /// loaded.
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
    /// Returns the member at a position; nil after the end.
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
    /// - Parameter position: Its position afterwards; a position after the end means the end.
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

    /// Returns the order as a tree, which finds positions in spite of holes.
    private func numbering() -> MemberOrder {
        if let order { return order }
        let made = MemberOrder(storage.indices.lazy.filter { self.storage[$0] != nil })
        order = made
        return made
    }
}
