import Foundation
import Sworm
import SwormTools
import TestSupport

// Commits by another container, and changes that the user makes in the own context.
extension RandomRun {
    /// Another container commits, while the call runs.
    func commitElsewhere(_ depth: Int) throws {
        guard setting.contexts != .shared, !call.isWriting, let other = stores.file?.container else { return }
        // Another test is about relations that both sides changed.
        let candidates = committed.sorted.filter { leaf in
            if case .updated(let fields)? = call.changes[leaf.id], fields.contains(.owner) { return false }
            return leaf.owner == nil
        }
        var state = committed
        let id: Int
        switch random.pick(10) {
        case ..<6:
            guard var leaf = random.pick(candidates) else { return }
            let isBulk = random.chance(30)
            if random.chance(50) { leaf.a = newText() } else { leaf.b = newText() }
            note("elsewhere: \(leaf)\(isBulk ? " in bulk" : "")", depth)
            try other.perform { context in
                if isBulk {
                    _ = try context.upsert([leaf.value])
                } else {
                    try context.fetchOne(RandomLeaf.all.where { $0.key == leaf.key })?.encode(leaf.value)
                }
            }
            (state[leaf.id], id) = (leaf, leaf.id)
        case ..<8:
            guard let leaf = random.pick(candidates) else { return }
            let isBulk = random.chance(30)
            note("elsewhere: delete \(leaf)\(isBulk ? " in bulk" : "")", depth)
            try other.perform { context in
                let request = RandomLeaf.all.where { $0.key == leaf.key }
                if isBulk { _ = try context.batchDelete(request) } else { try context.delete(request) }
            }
            (state[leaf.id], id) = (nil, leaf.id)
        default:
            // Perhaps with the key of a leaf that is not saved yet.
            let unsaved = call.changes.keys.sorted().filter { call.changes[$0] == .inserted }
            let keys = unsaved.compactMap { call.visible[$0]?.key }.filter { committed.leaf(withKey: $0) == nil }
            let key = call.isReading && random.chance(50) ? random.pick(keys) ?? newNumber() : newNumber()
            let leaf = PlainStore.Leaf(id: newNumber(), key: key, a: newText(), b: newText(), owner: nil)
            note("elsewhere: insert \(leaf)", depth)
            try other.perform { context in _ = try context.insert(leaf.value) }
            (state[leaf.id], id) = (leaf, leaf.id)
        }
        committed = state
        if call.isReading {
            foreignLeaves.insert(id)
            hasForeignCommit = true
        } else {
            call.see(committed)
        }
    }

    // MARK: The own context

    /// The user changes objects of the own context, and does not save them.
    func changeOutside() throws {
        guard let context = stores.context else { return }
        var state = outside ?? PlainCall(committed, isWriting: false)
        let kind = random.pick(3)
        let leaf = random.pick(state.visible.sorted)
        let new = PlainStore.Leaf(id: newNumber(), key: newNumber(), a: newText(), b: newText(), owner: nil)
        try context.performAndWait {
            if kind == 0 || leaf == nil {
                note("outside: insert \(new)", 0)
                let object = NSEntityDescription.insertNewObject(forEntityName: "RandomLeaf", into: context)
                object.setValue(new.key, forKey: "key")
                object.setValue(new.a, forKey: "a")
                object.setValue(new.b, forKey: "b")
                state.insert(new)
            } else if let leaf {
                let request = NSFetchRequest<NSManagedObject>(entityName: "RandomLeaf")
                request.predicate = NSPredicate(format: "key == %@", argumentArray: [leaf.key])
                let object = try context.fetch(request).first
                try expect(object != nil, "the own context has no leaf \(leaf)")
                note("outside: \(kind == 1 ? "change" : "delete") \(leaf)", 0)
                if kind == 1 {
                    object?.setValue(new.a, forKey: "a")
                    state.change(leaf.id, [.a]) { $0.a = new.a }
                } else if let object {
                    context.delete(object)
                    state.delete(leaf.id)
                }
            }
        }
        outside = state.changes.isEmpty ? nil : state
    }

    /// Checks that changes that were unsaved before a call still exist, unless the call saved them.
    func checkOutside(after access: Access) throws {
        guard let context = stores.context else { return }
        try context.performAndWait {
            try expectEqual(context.hasChanges, outside != nil, "whether the own context has unsaved changes")
            guard let outside else { return }
            try expectEqual(
                context.insertedObjects.count, outside.changes.values.count { $0 == .inserted },
                "the number of objects that the user inserted")
            try expectEqual(
                context.deletedObjects.count, outside.changes.values.count { $0 == .deleted },
                "the number of objects that the user deleted")
            for object in context.insertedObjects.union(context.updatedObjects)
            where object.entity.name == "RandomLeaf" {
                let (key, a) = (object.value(forKey: "key") as? Int, object.value(forKey: "a") as? String)
                let isWanted = outside.visible.leaves.contains { $0.key == key && $0.a == a }
                try expect(isWanted, "the own context has \(key ?? 0):\(a ?? "nil")")
            }
            // A write ran in a context of its own; its changes are in the way of the user's.
            if access == .write {
                log.append("outside: rolled back")
                context.rollback()
                context.refreshAllObjects()
                self.outside = nil
            }
        }
    }
}
