/// The objects of a context, keyed by identity. It never has two objects for one row.
struct IdentityTable {
    /// The identity of a row, or of an object that was not saved yet.
    struct Key: Hashable {
        /// The origin of the store at the coordinator; temporary objects share one origin.
        var origin: ObjectIdentifier
        var root: Int
        var key: Int64
    }

    /// The objects of one hierarchy of one store.
    private struct Group {
        let origin: ObjectIdentifier
        let root: Int
        var objects = KeyedObjects<NSManagedObject>()
    }

    /// Whether the table retains its objects. A change takes time in proportion to the number of entries.
    var retains: Bool {
        didSet {
            guard retains != oldValue else { return }
            for index in groups.indices { groups[index].objects.setRetaining(retains) }
        }
    }
    // There are few groups: one for each hierarchy in use. A linear search is faster than another table.
    private var groups: [Group] = []

    init(retains: Bool) { self.retains = retains }

    /// Whether no object was added since the table was created or emptied.
    var isEmpty: Bool { groups.isEmpty }

    /// Accesses the object of a key. Setting nil removes the entry.
    subscript(key: Key) -> NSManagedObject? {
        get { index(of: key).flatMap { groups[$0].objects[key.key] } }
        set {
            if let index = index(of: key) {
                groups[index].objects.set(newValue, forKey: key.key, retaining: retains)
            } else if newValue != nil {
                groups.append(Group(origin: key.origin, root: key.root))
                groups[groups.count - 1].objects.set(newValue, forKey: key.key, retaining: retains)
            }
        }
    }

    /// Removes all entries in the group of a key if their number is the one that the caller expects.
    ///
    /// - Returns: Whether the number matched.
    mutating func removeAll(inGroupOf key: Key, expecting count: Int) -> Bool {
        guard let index = index(of: key), groups[index].objects.count == count else { return false }
        groups.remove(at: index)
        return true
    }

    /// Reserves capacity for objects in the group of a key, so that the table does not grow step by step.
    mutating func reserve(_ count: Int, inGroupOf key: Key) {
        if index(of: key) == nil { groups.append(Group(origin: key.origin, root: key.root)) }
        if let index = index(of: key) { groups[index].objects.reserve(count) }
    }

    private func index(of key: Key) -> Int? {
        groups.firstIndex { $0.root == key.root && $0.origin == key.origin }
    }

    /// The registered objects that still exist, in no particular order. Collecting them takes time in proportion to the
    /// capacity of the table.
    var objects: [NSManagedObject] { groups.flatMap { $0.objects.all } }

    /// The number of entries. It may include entries whose objects no longer exist.
    var entryCount: Int { groups.reduce(0) { $0 + $1.objects.count } }

    /// Returns whether the invariants of the hash tables hold, for tests.
    func checkInvariants() -> Bool { groups.allSatisfy { $0.objects.checkInvariants() } }

    mutating func removeAll() { groups = [] }

    /// Removes all entries. The closure is called with the objects that are also retained elsewhere; all other objects
    /// are deallocated.
    mutating func drain(_ body: (NSManagedObject) -> Void) {
        var drained = groups
        groups = []
        for index in drained.indices { drained[index].objects.drain(body) }
    }
}
