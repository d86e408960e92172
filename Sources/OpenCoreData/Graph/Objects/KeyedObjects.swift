/// The constants of the hash tables, which a generic type cannot have.
private enum Slots {
    /// The marker of a free slot. An object with this very key is stored separately.
    static let free = Int64.min
    /// The number of consecutive keys that are stored next to each other. Most objects are created, used and released
    /// in the order of their keys; without runs, each of them would be far from the previous one in memory.
    static let run = 16
    static let runBits = run.trailingZeroBitCount
    /// An odd number that differs in each process, so that no file can be crafted whose keys all collide.
    static let multiplier = UInt64.random(in: .min ... .max) | 1
}

/// A hash table of objects by key, with open addressing. A search only compares keys, so it retains nothing.
///
/// Its invariants, which ``checkInvariants()`` tests: the capacity is zero or a power of two of at least two runs; at most
/// three quarters of the slots are in use, so that every search ends at a free slot; no slot between the ideal slot of a
/// key and its slot is free.
struct KeyedObjects<Object: AnyObject> {
    private final class Weak {
        weak var object: Object?
        init(_ object: Object) { self.object = object }
    }

    private enum Reference {
        case strong(Object)
        case weak(Weak)

        init(_ object: Object, retaining: Bool) { self = retaining ? .strong(object) : .weak(Weak(object)) }

        var object: Object? {
            switch self {
            case .strong(let object): object
            case .weak(let box): box.object
            }
        }
    }

    private var keys: ContiguousArray<Int64> = []
    private var references: ContiguousArray<Reference?> = []
    /// The object whose key is the marker of a free slot.
    private var objectOfFreeKey: Reference?
    /// The number of slots in use. Entries whose objects no longer exist count until the table grows.
    private var used = 0
    /// The number of bits by which a hash is shifted to the right, so that as many are left as the number of runs has.
    private var shift: UInt64 = 64

    /// The number of entries. It may include entries whose objects no longer exist.
    var count: Int { objectOfFreeKey == nil ? used : used + 1 }

    /// The objects that still exist, in no particular order.
    var all: [Object] { references.compactMap { $0?.object } + [objectOfFreeKey?.object].compactMap { $0 } }

    // MARK: Searches

    /// The slot at which the search for a key begins.
    @inline(__always)
    private func idealSlot(of key: Int64) -> Int {
        // Two multiplications: a single one preserves distances, and some multipliers would map many runs to the same
        // few slots.
        var mixed = (UInt64(bitPattern: key) &>> UInt64(Slots.runBits)) &* Slots.multiplier
        mixed = (mixed ^ (mixed &>> 32)) &* Slots.multiplier
        return Int(truncatingIfNeeded: mixed &>> shift) &<< Slots.runBits | Int(truncatingIfNeeded: key)
            & (Slots.run - 1)
    }

    /// Returns the slot of a key, or the free slot in which it would be stored. The table must have slots.
    @inline(__always)
    private func slot(of key: Int64) -> Int {
        assert(!keys.isEmpty && used < keys.count, "The search would not end.")
        var slot = idealSlot(of: key)
        while keys[slot] != key, keys[slot] != Slots.free { slot = (slot &+ 1) & (keys.count &- 1) }
        return slot
    }

    /// Returns the object with a key, if it still exists.
    subscript(key: Int64) -> Object? {
        if key == Slots.free { return objectOfFreeKey?.object }
        if keys.isEmpty { return nil }
        let slot = slot(of: key)
        return keys[slot] == key ? references[slot]?.object : nil
    }

    // MARK: Changes

    /// Adds or replaces the object with a key, or removes the entry of the key.
    mutating func set(_ object: Object?, forKey key: Int64, retaining: Bool) {
        if key == Slots.free {
            objectOfFreeKey = object.map { Reference($0, retaining: retaining) }
            return
        }
        guard let object else { return remove(forKey: key) }
        if !Self.isSufficient(keys.count, for: used + 1) { makeRoom() }
        let slot = slot(of: key)
        if keys[slot] != key { used += 1 }
        keys[slot] = key
        references[slot] = Reference(object, retaining: retaining)
    }

    private mutating func remove(forKey key: Int64) {
        guard !keys.isEmpty else { return }
        var hole = slot(of: key)
        guard keys[hole] == key else { return }
        used -= 1
        references[hole] = nil
        // Later entries whose search passes the hole move into it, so that no search ends too early.
        let mask = keys.count - 1
        var next = (hole + 1) & mask
        while keys[next] != Slots.free {
            if (next - idealSlot(of: keys[next])) & mask >= (next - hole) & mask {
                keys[hole] = keys[next]
                references.swapAt(hole, next)
                hole = next
            }
            next = (next + 1) & mask
        }
        keys[hole] = Slots.free
    }

    /// Removes all entries. The closure is called with the objects that are also retained elsewhere; all other objects
    /// are deallocated.
    mutating func drain(_ body: (Object) -> Void) {
        keys = []
        used = 0
        references.append(objectOfFreeKey.take())
        for index in references.indices {
            // Taken out of the array, so that the variable is the only reference of the table.
            switch references[index].take() {
            case .strong(var object)?: if !isKnownUniquelyReferenced(&object) { body(object) }
            case .weak(let box)?: if let object = box.object { body(object) }
            case nil: break
            }
        }
        references = []
    }

    /// Retains all objects that still exist, or none. Takes time in proportion to the capacity.
    mutating func setRetaining(_ retaining: Bool) {
        for index in references.indices {
            guard let reference = references[index] else { continue }
            // An entry whose object no longer exists stays unchanged until the table grows.
            if let object = reference.object { references[index] = Reference(object, retaining: retaining) }
        }
        objectOfFreeKey = objectOfFreeKey?.object.map { Reference($0, retaining: retaining) }
    }

    // MARK: Capacity

    /// Returns whether a number of slots leaves a quarter of them free.
    @inline(__always)
    private static func isSufficient(_ capacity: Int, for used: Int) -> Bool { used * 4 <= capacity * 3 }

    /// Reserves capacity for more objects.
    mutating func reserve(_ more: Int) {
        if !Self.isSufficient(keys.count, for: used + more) { makeRoom(for: more) }
    }

    /// Grows the table, and drops the entries whose objects no longer exist.
    private mutating func makeRoom(for more: Int = 1) {
        for index in references.indices {
            if case .weak(let box)? = references[index], box.object == nil {
                references[index] = nil
                used -= 1
            }
        }
        // At least two runs: with one run, the shift would be the full width of a word.
        var capacity = 2 * Slots.run
        while !Self.isSufficient(capacity, for: used + more) || capacity < (used + 1) * 2 { capacity *= 2 }
        var (oldKeys, oldReferences) = (ContiguousArray<Int64>(), ContiguousArray<Reference?>())
        swap(&oldKeys, &keys)
        swap(&oldReferences, &references)
        keys = ContiguousArray(repeating: Slots.free, count: capacity)
        references = ContiguousArray(repeating: nil, count: capacity)
        shift = UInt64(64 + Slots.runBits - capacity.trailingZeroBitCount)
        for index in oldKeys.indices where oldKeys[index] != Slots.free && oldReferences[index] != nil {
            let slot = slot(of: oldKeys[index])
            keys[slot] = oldKeys[index]
            // References are swapped, so that no object is retained or released.
            swap(&references[slot], &oldReferences[index])
        }
    }

    /// Returns whether the invariants hold, for tests.
    func checkInvariants() -> Bool {
        if keys.isEmpty { return used == 0 && references.isEmpty }
        let isPower = keys.count.nonzeroBitCount == 1 && keys.count >= 2 * Slots.run && references.count == keys.count
        let filled = keys.indices.filter { keys[$0] != Slots.free }
        guard isPower, filled.count == used, Self.isSufficient(keys.count, for: used) else { return false }
        return filled.allSatisfy { slot(of: keys[$0]) == $0 }
    }
}
