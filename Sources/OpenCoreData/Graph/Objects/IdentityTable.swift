/// The objects of a context, keyed by identity. It never has two objects for one row.
struct IdentityTable {
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
        var objects = KeyedObjects()
    }

    /// Whether the table retains its objects.
    var retains: Bool {
        didSet {
            guard retains != oldValue else { return }
            for index in groups.indices { groups[index].objects.hold(strongly: retains) }
        }
    }
    // There are few groups: one for each hierarchy in use. A linear search is faster than another table.
    private var groups: [Group] = []

    init(retains: Bool) { self.retains = retains }

    /// Whether no object was added since the table was created or emptied.
    var isEmpty: Bool { groups.isEmpty }

    subscript(key: Key) -> NSManagedObject? {
        get { index(of: key).flatMap { groups[$0].objects[key.key] } }
        set {
            if let index = index(of: key) {
                groups[index].objects.set(key.key, to: newValue, strongly: retains)
            } else if newValue != nil {
                groups.append(Group(origin: key.origin, root: key.root))
                groups[groups.count - 1].objects.set(key.key, to: newValue, strongly: retains)
            }
        }
    }

    /// Removes all entries in the group of a key if their number is the one that the caller expects.
    ///
    /// - Returns: Whether the number matched.
    mutating func removeAll(beside key: Key, ifThereAre count: Int) -> Bool {
        guard let index = index(of: key), groups[index].objects.count == count else { return false }
        groups.remove(at: index)
        return true
    }

    /// Reserves capacity for objects in the group of a key, so that the table does not grow step by step.
    mutating func reserve(_ count: Int, beside key: Key) {
        if index(of: key) == nil { groups.append(Group(origin: key.origin, root: key.root)) }
        if let index = index(of: key) { groups[index].objects.reserve(count) }
    }

    private func index(of key: Key) -> Int? {
        groups.firstIndex { $0.root == key.root && $0.origin == key.origin }
    }

    /// The registered objects that still exist.
    var objects: [NSManagedObject] { groups.flatMap { $0.objects.all } }

    /// The number of entries. It may include entries whose objects no longer exist.
    var entryCount: Int { groups.reduce(0) { $0 + $1.objects.count } }

    mutating func removeAll() { groups = [] }

    /// Removes all entries. The closure is called with the objects that are also retained elsewhere; all other objects
    /// are deallocated.
    mutating func drain(_ body: (NSManagedObject) -> Void) {
        var drained = groups
        groups = []
        for index in drained.indices { drained[index].objects.drain(body) }
    }
}

/// A hash table of objects by key, with open addressing. A search only compares keys, so it retains nothing.
private struct KeyedObjects {
    final class Weak {
        weak var object: NSManagedObject?
        init(_ object: NSManagedObject) { self.object = object }
    }

    enum Reference {
        case strong(NSManagedObject)
        case weak(Weak)

        init(_ object: NSManagedObject, strongly: Bool) { self = strongly ? .strong(object) : .weak(Weak(object)) }

        var object: NSManagedObject? {
            switch self {
            case .strong(let object): object
            case .weak(let box): box.object
            }
        }
    }

    /// The marker of a free slot. An object with this very key is stored separately.
    private static let free = Int64.min
    /// The number of consecutive keys that are stored next to each other. Most objects are created, used and released
    /// in the order of their keys; without runs, each of them would be far from the previous one in memory.
    private static let run = 16
    private static let runBits = run.trailingZeroBitCount
    /// An odd number that differs in each process, so that no file can be crafted whose keys all collide.
    private static let multiplier = UInt64.random(in: .min ... .max) | 1

    private var keys: ContiguousArray<Int64> = []
    private var references: ContiguousArray<Reference?> = []
    private var aside: Reference?
    /// The number of entries. Entries whose objects no longer exist count until the table grows.
    private(set) var count = 0
    private var shift: UInt64 = 64

    @inline(__always)
    private func home(_ key: Int64) -> Int {
        // Two multiplications: a single one preserves distances, and some multipliers would map many runs to the same
        // few slots.
        var mixed = (UInt64(bitPattern: key) &>> UInt64(Self.runBits)) &* Self.multiplier
        mixed = (mixed ^ (mixed &>> 32)) &* Self.multiplier
        return Int(truncatingIfNeeded: mixed &>> shift) &<< Self.runBits | Int(truncatingIfNeeded: key) & (Self.run - 1)
    }

    /// Returns the index of a key, or the index of the free slot for it.
    @inline(__always)
    private func place(of key: Int64) -> Int {
        var place = home(key)
        while keys[place] != key, keys[place] != Self.free { place = (place &+ 1) & (keys.count &- 1) }
        return place
    }

    subscript(key: Int64) -> NSManagedObject? {
        if key == Self.free { return aside?.object }
        if keys.isEmpty { return nil }
        let place = place(of: key)
        return keys[place] == key ? references[place]?.object : nil
    }

    mutating func set(_ key: Int64, to object: NSManagedObject?, strongly: Bool) {
        if key == Self.free {
            aside = object.map { Reference($0, strongly: strongly) }
            return
        }
        guard let object else { return remove(key) }
        if (count + 1) * 4 > keys.count * 3 { makeRoom() }
        let place = place(of: key)
        if keys[place] != key { count += 1 }
        keys[place] = key
        references[place] = Reference(object, strongly: strongly)
    }

    private mutating func remove(_ key: Int64) {
        guard !keys.isEmpty else { return }
        var hole = place(of: key)
        guard keys[hole] == key else { return }
        count -= 1
        references[hole] = nil
        // Later entries whose search passes the hole move into it, so that no search ends too early.
        let mask = keys.count - 1
        var next = (hole + 1) & mask
        while keys[next] != Self.free {
            if (next - home(keys[next])) & mask >= (next - hole) & mask {
                keys[hole] = keys[next]
                references.swapAt(hole, next)
                hole = next
            }
            next = (next + 1) & mask
        }
        keys[hole] = Self.free
    }

    /// Reserves capacity for more objects.
    mutating func reserve(_ more: Int) {
        if (count + more) * 4 > keys.count * 3 { makeRoom(for: more) }
    }

    /// Grows the table, and drops the entries whose objects no longer exist.
    private mutating func makeRoom(for more: Int = 1) {
        for index in references.indices {
            if case .weak(let box)? = references[index], box.object == nil {
                references[index] = nil
                count -= 1
            }
        }
        // At least two runs: with one run, the shift would be the full width of a word.
        var capacity = 2 * Self.run
        while capacity * 3 < (count + more) * 4 || capacity < (count + 1) * 2 { capacity *= 2 }
        var (oldKeys, oldReferences) = (ContiguousArray<Int64>(), ContiguousArray<Reference?>())
        swap(&oldKeys, &keys)
        swap(&oldReferences, &references)
        keys = ContiguousArray(repeating: Self.free, count: capacity)
        references = ContiguousArray(repeating: nil, count: capacity)
        shift = UInt64(64 + Self.runBits - capacity.trailingZeroBitCount)
        for index in oldKeys.indices where oldKeys[index] != Self.free && oldReferences[index] != nil {
            let place = place(of: oldKeys[index])
            keys[place] = oldKeys[index]
            // References are swapped, so that no object is retained or released.
            swap(&references[place], &oldReferences[index])
        }
    }

    var all: [NSManagedObject] { references.compactMap { $0?.object } + [aside?.object].compactMap { $0 } }

    /// Removes all entries. The closure is called with the objects that are also retained elsewhere.
    mutating func drain(_ body: (NSManagedObject) -> Void) {
        keys = []
        count = 0
        for index in references.indices {
            switch references[index].take() {
            case .strong(var object)?: if !isKnownUniquelyReferenced(&object) { body(object) }
            case .weak(let box)?: if let object = box.object { body(object) }
            case nil: break
            }
        }
        references = []
        if let object = aside?.object { body(object) }
        aside = nil
    }

    mutating func hold(strongly: Bool) {
        for index in references.indices {
            guard let reference = references[index] else { continue }
            // An entry whose object no longer exists stays unchanged until the table grows.
            if let object = reference.object { references[index] = Reference(object, strongly: strongly) }
        }
        aside = aside?.object.map { Reference($0, strongly: strongly) }
    }
}
