/// The objects of a context by identity: never two for one row.
struct IdentityTable {
    struct Key: Hashable {
        /// The store's place among the coordinator's origins; temporary objects share one.
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

    /// Whether the table keeps its objects alive.
    var retains: Bool {
        didSet {
            guard retains != oldValue else { return }
            for index in groups.indices { groups[index].objects.hold(strongly: retains) }
        }
    }
    // There are few: one for each hierarchy in use. A walk is quicker than another table.
    private var groups: [Group] = []

    init(retains: Bool) { self.retains = retains }

    /// Whether no object was entered since the table was made or emptied.
    var isEmpty: Bool { groups.isEmpty }

    subscript(key: Key) -> NSManagedObject? {
        get { index(of: key).flatMap { groups[$0].objects[key.key] } }
        set {
            if let index = index(of: key) {
                groups[index].objects.set(key.key, newValue, strongly: retains)
            } else if newValue != nil {
                groups.append(Group(origin: key.origin, root: key.root))
                groups[groups.count - 1].objects.set(key.key, newValue, strongly: retains)
            }
        }
    }

    /// Takes out everything that is entered beside a key, if that is as many objects as somebody knows of.
    ///
    /// - Returns: Whether it was so many.
    mutating func removeAll(beside key: Key, ifThereAre count: Int) -> Bool {
        guard let index = index(of: key), groups[index].objects.count == count else { return false }
        groups.remove(at: index)
        return true
    }

    /// Makes room for objects beside a key, so that the table does not grow step by step.
    mutating func reserve(_ count: Int, beside key: Key) {
        if index(of: key) == nil { groups.append(Group(origin: key.origin, root: key.root)) }
        if let index = index(of: key) { groups[index].objects.reserve(count) }
    }

    private func index(of key: Key) -> Int? {
        groups.firstIndex { $0.root == key.root && $0.origin == key.origin }
    }

    /// The registered objects that are alive.
    var objects: [NSManagedObject] { groups.flatMap { $0.objects.all } }

    /// The number of entries. Those whose objects have gone may count, too.
    var entryCount: Int { groups.reduce(0) { $0 + $1.objects.count } }

    mutating func removeAll() { groups = [] }

    /// Takes everything out. The objects that somebody else holds too are handed to the closure; the others end.
    mutating func drain(_ body: (NSManagedObject) -> Void) {
        var drained = groups
        groups = []
        for index in drained.indices { drained[index].objects.drain(body) }
    }
}

/// Objects by their keys, in a table with open addresses. A search looks at keys alone, so that it retains nothing.
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

    /// Marks a free place. An object with this very key stands aside.
    private static let free = Int64.min
    /// Keys that follow each other stand beside each other, so many at a time: most objects are made, used and given up in the
    /// order of their keys, and each of them is far from the last one in memory otherwise.
    private static let run = 16
    private static let runBits = run.trailingZeroBitCount
    /// Odd and different in each process, so that nobody can make a file whose keys all meet in one place.
    private static let multiplier = UInt64.random(in: .min ... .max) | 1

    private var keys: ContiguousArray<Int64> = []
    private var references: ContiguousArray<Reference?> = []
    private var aside: Reference?
    /// The number of entries. Those whose objects have gone count until room is made.
    private(set) var count = 0
    private var shift: UInt64 = 64

    @inline(__always)
    private func home(_ key: Int64) -> Int {
        // Multiplied twice: once alone keeps distances, and some multipliers would put many runs into the same few places.
        var mixed = (UInt64(bitPattern: key) &>> UInt64(Self.runBits)) &* Self.multiplier
        mixed = (mixed ^ (mixed &>> 32)) &* Self.multiplier
        return Int(truncatingIfNeeded: mixed &>> shift) &<< Self.runBits | Int(truncatingIfNeeded: key) & (Self.run - 1)
    }

    /// The place of a key, or the free place where it would go.
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

    mutating func set(_ key: Int64, _ object: NSManagedObject?, strongly: Bool) {
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
        // What stands behind the hole, and does not belong behind it, moves up: then no search ends too early.
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

    /// Makes room for some more objects.
    mutating func reserve(_ more: Int) {
        if (count + more) * 4 > keys.count * 3 { makeRoom(for: more) }
    }

    /// Makes room, and drops the entries whose objects have gone.
    private mutating func makeRoom(for more: Int = 1) {
        for index in references.indices {
            if case .weak(let box)? = references[index], box.object == nil {
                references[index] = nil
                count -= 1
            }
        }
        // Two runs at least: the shift of one would be all bits of a word.
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
            // Moved, so that no object is looked at.
            swap(&references[place], &oldReferences[index])
        }
    }

    var all: [NSManagedObject] { references.compactMap { $0?.object } + [aside?.object].compactMap { $0 } }

    /// Takes everything out; objects that somebody else holds too are handed to the closure.
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
            // An entry whose object has gone stays as it is until room is made.
            if let object = reference.object { references[index] = Reference(object, strongly: strongly) }
        }
        aside = aside?.object.map { Reference($0, strongly: strongly) }
    }
}
