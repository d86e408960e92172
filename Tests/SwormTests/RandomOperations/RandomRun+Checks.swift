import Sworm
import SwormTools
import TestSupport

// Comparisons of what a call sees with the model.
extension RandomRun {
    /// Compares in one of several ways.
    func look(_ frame: inout Frame) throws {
        let kind = random.pick(8)
        note("look, way \(kind)", frame.depth)
        let context = frame.context
        let wanted = call.visible.sorted
        if kind == 0 { return try lookAtHandles(frame) }
        fixSnapshot()
        switch kind {
        case 1:
            try expectEqual(try context.decode(RandomLeaf.all.sort(\.key)), wanted.map(\.value), "the decoded leaves")
        case 2, 3:
            var found: [PlainStore.Leaf] = []
            for (handle, leaf) in zip(try context.fetch(RandomLeaf.all.sort(\.key)), wanted) {
                let value = try handle.decode()
                found.append(
                    .init(id: leaf.id, key: value.key, a: value.a, b: value.b, owner: try handle.owner?.decode(\.key)))
                if random.chance(30) { frame.handles.append((leaf.id, handle)) }
            }
            try expectEqual(found, wanted, "the leaves behind handles")
        case 4:
            let filter = RandomFilter(self)
            try expectEqual(
                try context.count(of: filter.request), wanted.filter(filter.matches).count,
                "the number of leaves where \(filter)")
        case 5:
            let filter = RandomFilter(self)
            try expectEqual(
                try context.decode(filter.request.sort(\.key)), wanted.filter(filter.matches).map(\.value),
                "the leaves where \(filter)")
        case 6:
            try expectEqual(
                try context.fetch(RandomLeaf.all.sort(\.key), \.b), wanted.map(\.b), "the values of one attribute")
        default:
            var found: [Int: [Int]] = [:]
            for stem in try context.fetch(RandomStem.all) {
                found[try stem.decode(\.key)] = try stem.leaves.decode().map(\.key).sorted()
            }
            let members = call.visible.stems.map { key in (key, wanted.filter { $0.owner == key }.map(\.key)) }
            try expectEqual(found, Dictionary(uniqueKeysWithValues: members), "the leaves of the stems")
        }
    }

    /// Checks the existing handles: only handles of existing leaves can be read.
    private func lookAtHandles(_ frame: Frame) throws {
        for (id, handle) in frame.handles {
            guard let leaf = call.visible[id] else {
                do {
                    let value = try handle.decode()
                    throw Difference(description: "the handle of a deleted leaf shows \(value)")
                } catch is StoreError {
                    continue
                }
            }
            try expectEqual(try handle.decode(), leaf.value, "what a handle that was kept shows")
            try expectEqual(try handle.owner?.decode(\.key), leaf.owner, "the owner of a handle that was kept")
        }
    }

    /// Compares the store with the model, from outside of any call.
    func checkStore() throws {
        let wanted = committed
        let container = stores.file?.container ?? stores.container
        // A read of the own context would see its unsaved changes.
        guard stores.file != nil || outside == nil else { return }
        try container.read { context in
            try expectEqual(
                try context.decode(RandomLeaf.all.sort(\.key)), wanted.sorted.map(\.value), "the leaves in the store")
            try expectEqual(
                try context.decode(RandomLeaf.all.where { $0.owner.key > 0 }.sort(\.key)),
                wanted.sorted.filter { $0.owner != nil }.map(\.value), "the leaves on stems in the store")
            try expectEqual(
                try context.fetch(RandomStem.all.sort(\.key), \.key), wanted.stems.sorted(), "the stems in the store")
        }
    }
}
