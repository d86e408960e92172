import Sworm
import TestSupport

// Changes of objects.
extension RandomRun {
    func changeObjects(_ frame: inout Frame) throws {
        switch random.pick(100) {
        case ..<22: try insertLeaf(&frame)
        case ..<30: try insertStem(frame)
        case ..<58: try encode(&frame)
        case ..<70: try deleteLeaf(&frame)
        case ..<75: try deleteLeavesOfRequest(frame)
        case ..<95: try setOwner(&frame)
        default: try deleteStem(frame)
        }
    }

    /// Something is read: from now on the snapshot is fixed.
    func fixSnapshot() { call.isReading = true }

    /// A handle on a leaf that the call sees: one that is held, or a new one.
    func handle(on leaf: PlainStore.Leaf, _ frame: inout Frame) throws -> ManagedObject<RandomLeaf> {
        if random.chance(40), let held = frame.handles.first(where: { $0.id == leaf.id }) { return held.handle }
        fixSnapshot()
        let key = leaf.key
        guard let handle = try frame.context.fetchOne(RandomLeaf.all.where { $0.key == key }) else {
            throw Difference(description: "there is no leaf \(leaf)")
        }
        if random.chance(50) { frame.handles.append((leaf.id, handle)) }
        return handle
    }

    private func stem(_ key: Int, _ frame: Frame) throws -> ManagedObject<RandomStem> {
        fixSnapshot()
        guard let handle = try frame.context.fetchOne(RandomStem.all.where { $0.key == key }) else {
            throw Difference(description: "there is no stem \(key)")
        }
        return handle
    }

    // MARK: Insertions

    private func insertLeaf(_ frame: inout Frame) throws {
        guard call.visible.leaves.count < 25 else { return }
        // The key of a leaf that was deleted may be taken again.
        let deleted = call.base.sorted.map(\.key).filter { call.visible.leaf(withKey: $0) == nil }
        let key = random.chance(30) ? random.pick(deleted) ?? newNumber() : newNumber()
        let leaf = PlainStore.Leaf(id: newNumber(), key: key, a: newText(), b: newText(), owner: nil)
        note("insert \(leaf)", frame.depth)
        let handle = try frame.context.insert(leaf.value)
        frame.handles.append((leaf.id, handle))
        call.insert(leaf)
    }

    /// Inserts an object with a key that an untouched leaf has. It is the last that a call does: the save makes one of the two.
    func insertTakenKey(_ frame: inout Frame) throws {
        let candidates = call.base.sorted.filter { leaf in
            call.changes[leaf.id] == nil && call.visible[leaf.id] == leaf && !foreignLeaves.contains(leaf.id)
                && outside == nil
        }
        guard let taken = random.pick(candidates) else { return }
        let leaf = PlainStore.Leaf(id: newNumber(), key: taken.key, a: newText(), b: newText(), owner: nil)
        note("insert \(leaf), whose key is taken", frame.depth)
        try frame.context.insert(leaf.value)
        call.insert(leaf)
    }

    private func insertStem(_ frame: Frame) throws {
        guard call.visible.stems.count < 5 else { return }
        let key = newNumber()
        note("insert stem \(key)", frame.depth)
        try frame.context.insert(RandomStem(key: key))
        call.visible.stems.insert(key)
    }

    // MARK: Changes

    private func encode(_ frame: inout Frame) throws {
        guard let leaf = someLeaf() else { return }
        let (a, b) = (newText(), newText())
        let handle = try handle(on: leaf, &frame)
        switch random.pick(3) {
        case 0:
            note("encode a of \(leaf): \(a)", frame.depth)
            try handle.encode(\.a, a)
            call.change(leaf.id, [.a]) { $0.a = a }
        case 1:
            note("encode b of \(leaf): \(b)", frame.depth)
            try handle.encode(\.b, b)
            call.change(leaf.id, [.b]) { $0.b = b }
        default:
            // One of the values stays as it is.
            note("encode \(leaf) with a: \(a)", frame.depth)
            try handle.encode(RandomLeaf(key: leaf.key, a: a, b: leaf.b))
            call.change(leaf.id, [.a]) { $0.a = a }
        }
    }

    private func setOwner(_ frame: inout Frame) throws {
        guard let leaf = someLeaf() else { return }
        let owner = random.chance(30) ? nil : someStem()
        // Whether a relation that is set back to its stored value is a change at all is not promised.
        if foreignLeaves.contains(leaf.id), call.base[leaf.id]?.owner == owner { return }
        if leaf.owner == owner { return }
        note("owner of \(leaf): \(owner.map(String.init) ?? "nil")", frame.depth)
        let handle = try handle(on: leaf, &frame)
        if let owner {
            let stem = try stem(owner, frame)
            if random.chance(50) { handle.owner = stem } else { try stem.leaves.add(handle) }
        } else if let owner = leaf.owner, random.chance(50) {
            try stem(owner, frame).leaves.remove(handle)
        } else {
            handle.owner = nil
        }
        call.change(leaf.id, [.owner]) { $0.owner = owner }
    }

    // MARK: Deletions

    private func deleteLeaf(_ frame: inout Frame) throws {
        guard let leaf = someLeaf() else { return }
        note("delete \(leaf)", frame.depth)
        try frame.context.delete(try handle(on: leaf, &frame))
        call.delete(leaf.id)
    }

    private func deleteLeavesOfRequest(_ frame: Frame) throws {
        guard let filter = RandomFilter(narrow: self) else { return }
        note("delete leaves where \(filter)", frame.depth)
        fixSnapshot()
        try frame.context.delete(filter.request)
        for leaf in call.visible.leaves where filter.matches(leaf) { call.delete(leaf.id) }
    }

    private func deleteStem(_ frame: Frame) throws {
        guard let key = someStem() else { return }
        guard !call.visible.leaves.contains(where: { $0.owner == key && foreignLeaves.contains($0.id) }) else { return }
        note("delete stem \(key)", frame.depth)
        try frame.context.delete(try stem(key, frame))
        call.deleteStem(key)
    }
}
