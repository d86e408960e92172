import SwormStore

/// A list of distinct objects in the order in which they were added. Adding and removing take constant time.
///
/// An object stores its index in the list. It is in one list at a time, and its index is valid only if the list has the
/// object at that index.
struct ObjectList: Sequence {
    private var storage: ContiguousArray<NSManagedObject?> = []
    private(set) var count = 0
    /// The number of objects by entity number.
    private var counts: [Int] = []
    /// Whether objects of subclasses were added, which may override methods that do nothing in plain objects.
    private(set) var hasSubclasses = false
    /// The index from which on the objects were added in the pending event.
    private var mark = 0

    var isEmpty: Bool { count == 0 }
    var objects: [NSManagedObject] { Array(self) }

    /// The numbers of the entities of the objects.
    var entities: some Sequence<Int> { counts.indices.lazy.filter { [counts] in counts[$0] > 0 } }

    func contains(_ object: NSManagedObject) -> Bool {
        storage.indices.contains(object.listPlace) && storage[object.listPlace] === object
    }

    mutating func insert(_ object: NSManagedObject) {
        guard !contains(object) else { return }
        object.listPlace = storage.count
        storage.append(object)
        if type(of: object) != NSManagedObject.self { hasSubclasses = true }
        count += 1
        let number = object.compiledEntity.number
        while counts.count <= number { counts.append(0) }
        counts[number] += 1
    }

    mutating func remove(_ object: NSManagedObject) {
        guard contains(object) else { return }
        storage[object.listPlace] = nil
        object.listPlace = -1
        count -= 1
        let number = object.compiledEntity.number
        if counts.indices.contains(number), counts[number] > 0 { counts[number] -= 1 }
        if storage.count > 32, count * 2 < storage.count { settle() }
    }

    mutating func removeAll() {
        storage = []
        count = 0
        counts = []
        hasSubclasses = false
        mark = 0
    }

    /// Closes the holes and updates the indexes of the objects. Call it after changes, or when an old copy of a list is
    /// used again.
    mutating func settle() {
        if mark > 0 { mark = storage[..<Swift.min(mark, storage.count)].count { $0 != nil } }
        storage.removeAll { $0 == nil }
        for (index, object) in storage.enumerated() { object?.listPlace = index }
    }
}

extension ObjectList {
    /// Whether objects may have been added in the pending event.
    var hasUnmarked: Bool { storage.count > mark }

    /// Calls a closure with the objects that were added in the pending event and not removed.
    func forEachUnmarked(_ body: (NSManagedObject) -> Void) {
        var index = mark
        while index < storage.count {
            if let object = storage[index] { body(object) }
            index += 1
        }
    }

    /// The objects that were added in the pending event and not removed.
    var unmarked: [NSManagedObject] {
        var objects: [NSManagedObject] = []
        forEachUnmarked { objects.append($0) }
        return objects
    }

    /// Ends the pending event.
    mutating func markAll() { mark = storage.count }

    /// Creates a list for iteration only, which does not set the indexes of the objects.
    init(listing objects: [NSManagedObject]) {
        storage = ContiguousArray(objects.map { $0 })
        count = objects.count
        hasSubclasses = objects.contains { type(of: $0) != NSManagedObject.self }
    }

    var underestimatedCount: Int { count }

    func makeIterator() -> Iterator { Iterator(storage: storage) }

    /// An iterator over the objects that were in the list when the iteration started.
    struct Iterator: IteratorProtocol {
        fileprivate let storage: ContiguousArray<NSManagedObject?>
        private var place = 0

        fileprivate init(storage: ContiguousArray<NSManagedObject?>) { self.storage = storage }

        mutating func next() -> NSManagedObject? {
            while place < storage.count {
                defer { place += 1 }
                if let object = storage[place] { return object }
            }
            return nil
        }
    }
}
