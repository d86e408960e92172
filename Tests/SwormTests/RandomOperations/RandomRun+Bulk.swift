import Sworm
import TestSupport

// Bulk writes.
extension RandomRun {
    func writeInBulk(_ frame: inout Frame) throws {
        switch random.pick(100) {
        case ..<34: try update(frame)
        case ..<56: try insertRows(frame)
        case ..<78: try upsert(frame)
        case ..<87: try deleteRows(frame)
        case ..<90: try deleteStemRows(frame)
        case ..<95: try insertTakenRows(frame)
        default: try writeNothing(frame)
        }
    }

    /// Runs a bulk write if it may begin. Otherwise it causes a conflict, and the call continues.
    private func bulk(_ frame: Frame, _ text: String, _ body: () throws -> Void) throws {
        note(text, frame.depth)
        guard call.isWriting || !(call.isReading && hasForeignCommit) else {
            let before = call
            try expectError(.conflict) { try body() }
            call = before
            return meet(.bulkConflict)
        }
        call.beginWriting()
        try body()
    }

    private func update(_ frame: Frame) throws {
        let filter = RandomFilter(self)
        let (a, b) = (newText(), newText())
        let kind = random.pick(3)
        let found = call.visible.leaves.filter { filter.matches($0) }
        try bulk(frame, "update where \(filter): \(kind != 1 ? "a = \(a) " : "")\(kind != 0 ? "b = \(b)" : "")") {
            let request = filter.request
            let count =
                switch kind {
                case 0: try frame.context.update(request, set: (\.a, a))
                case 1: try frame.context.update(request, set: (\.b, b))
                default: try frame.context.update(request, set: (\.a, a), (\.b, b))
                }
            try expectEqual(count, found.count, "the number of updated leaves")
            for var leaf in found {
                if kind != 1 { leaf.a = a }
                if kind != 0 { leaf.b = b }
                call.visible[leaf.id] = leaf
            }
        }
    }

    private func insertRows(_ frame: Frame) throws {
        guard call.visible.leaves.count < 25 else { return }
        let leaves = (0...random.pick(3)).map { _ in
            PlainStore.Leaf(id: newNumber(), key: newNumber(), a: newText(), b: newText(), owner: nil)
        }
        try bulk(frame, "insert rows \(leaves)") {
            try expectEqual(
                try frame.context.insert(contentsOf: leaves.map(\.value)), leaves.count, "the number of inserted rows")
            for leaf in leaves { call.visible[leaf.id] = leaf }
        }
    }

    /// One of the keys is taken: nothing of the call stays.
    private func insertTakenRows(_ frame: Frame) throws {
        // A leaf that is in the store, and not merely in objects.
        let stored = call.visible.sorted.filter { call.base[$0.id] != nil && call.changes[$0.id] == nil }
        guard let taken = random.pick(stored) else { return }
        var leaves = (0...random.pick(3)).map { _ in RandomLeaf(key: newNumber(), a: newText(), b: newText()) }
        leaves.insert(RandomLeaf(key: taken.key, a: newText(), b: newText()), at: random.pick(leaves.count + 1))
        try bulk(frame, "insert rows \(leaves.map(\.key)), of which \(taken.key) is taken") {
            do {
                _ = try frame.context.insert(contentsOf: leaves)
            } catch let error as StoreError where error.code == .uniquenessViolation {
                return meet(.takenRow)
            }
            throw Difference(description: "rows are inserted though one has a taken key")
        }
    }

    private func upsert(_ frame: Frame) throws {
        var leaves: [PlainStore.Leaf] = []
        for _ in 0...random.pick(3) {
            let isKnown = random.chance(60)
            guard isKnown || call.visible.leaves.count < 25 else { continue }
            guard let known = isKnown ? someLeaf() : nil else {
                leaves.append(.init(id: newNumber(), key: newNumber(), a: newText(), b: newText(), owner: nil))
                continue
            }
            guard !leaves.contains(where: { $0.key == known.key }) else { continue }
            var leaf = known
            (leaf.a, leaf.b) = random.chance(15) ? (known.a, known.b) : (newText(), newText())
            leaves.append(leaf)
        }
        guard !leaves.isEmpty else { return }
        let values = leaves.map(\.value)
        let known = leaves.filter { call.visible[$0.id] != nil }
        let kind = random.pick(3)
        try bulk(frame, "upsert \(leaves), \(["all", "a", "ignore"][kind])") {
            let result =
                switch kind {
                case 0: try frame.context.upsert(values)
                case 1: try frame.context.upsert(values, on: \.key, onConflict: .update(\.a))
                default: try frame.context.upsert(values, onConflict: .ignore)
                }
            try expectEqual(
                result,
                Upsert.Result(
                    inserted: leaves.count - known.count, updated: kind == 2 ? 0 : known.count,
                    ignored: kind == 2 ? known.count : 0), "the result of the upsert")
            for var leaf in leaves {
                if let present = call.visible[leaf.id] {
                    if kind != 0 { leaf.b = present.b }
                    if kind == 2 { leaf.a = present.a }
                }
                call.visible[leaf.id] = leaf
            }
        }
    }

    private func deleteRows(_ frame: Frame) throws {
        guard let filter = RandomFilter(narrow: self) else { return }
        let found = call.visible.leaves.filter { filter.matches($0) }
        try bulk(frame, "delete rows where \(filter)") {
            try expectEqual(
                try frame.context.batchDelete(filter.request), found.count, "the number of deleted leaves")
            for leaf in found { call.drop(leaf.id) }
        }
    }

    private func deleteStemRows(_ frame: Frame) throws {
        guard let key = someStem() else { return }
        try bulk(frame, "delete the row of stem \(key)") {
            try expectEqual(
                try frame.context.batchDelete(RandomStem.all.where { $0.key == key }), 1, "the number of deleted stems")
            call.deleteStem(key)
        }
    }

    /// A bulk write without values is no write.
    private func writeNothing(_ frame: Frame) throws {
        note("write nothing", frame.depth)
        try frame.context.insert(contentsOf: [RandomLeaf]())
        try frame.context.upsert([RandomLeaf]())
    }
}
