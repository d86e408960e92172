/// Objects in the order in which they were added, each once; adding and removing take constant time.
///
/// An object notes its place in the list. It is in one list at a time, and a note counts only when the object stands there.
struct ObjectList {
    private var storage: ContiguousArray<NSManagedObject?> = []
    private(set) var count = 0
    /// How many of the objects there are by entity number.
    private var counts: [Int] = []

    var isEmpty: Bool { count == 0 }
    var objects: [NSManagedObject] {
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(count)
        for case let object? in storage { objects.append(object) }
        return objects
    }

    /// Calls a closure with each object that is in the list now.
    func forEach(_ body: (NSManagedObject) throws -> Void) rethrows {
        for case let object? in storage { try body(object) }
    }

    /// Whether there is an object for which a closure is true.
    func contains(where condition: (NSManagedObject) -> Bool) -> Bool {
        storage.contains { $0.map(condition) ?? false }
    }

    /// The numbers of the entities that the objects are of.
    var entities: some Sequence<Int> { counts.indices.lazy.filter { [counts] in counts[$0] > 0 } }

    func contains(_ object: NSManagedObject) -> Bool {
        storage.indices.contains(object.listPlace) && storage[object.listPlace] === object
    }

    mutating func insert(_ object: NSManagedObject) {
        guard !contains(object) else { return }
        object.listPlace = storage.count
        storage.append(object)
        count += 1
        let number = object.plan.number
        while counts.count <= number { counts.append(0) }
        counts[number] += 1
    }

    mutating func remove(_ object: NSManagedObject) {
        guard contains(object) else { return }
        storage[object.listPlace] = nil
        object.listPlace = -1
        count -= 1
        let number = object.plan.number
        if counts.indices.contains(number), counts[number] > 0 { counts[number] -= 1 }
        if storage.count > 32, count * 2 < storage.count { settle() }
    }

    mutating func removeAll() {
        storage = []
        count = 0
        counts = []
    }

    /// Closes the holes, and makes the objects note their places: after a change, or when an old copy of a list counts again.
    mutating func settle() {
        storage.removeAll { $0 == nil }
        for (index, object) in storage.enumerated() { object?.listPlace = index }
    }
}
