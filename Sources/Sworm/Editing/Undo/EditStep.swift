/// One step that can be undone: what an edit, or its undo or redo, has changed.
struct EditStep {
    /// A property of an object.
    struct Property: Hashable {
        let object: ObjectIdentifier
        let name: String

        init(of object: NSManagedObject, _ name: String) {
            self.object = ObjectIdentifier(object)
            self.name = name
        }
    }

    var name: String
    private(set) var edits: [ObjectEdit]
    /// The properties that somebody else has changed in the store while their values of this step were not saved.
    private(set) var overtaken: Set<Property> = []
    private var objects: Set<ObjectIdentifier>

    init(name: String, edits: [ObjectEdit]) {
        self.name = name
        self.edits = edits
        objects = Set(edits.map { ObjectIdentifier($0.object) })
    }

    private let identity = Identity()
    private final class Identity {}

    /// Returns whether two values are the same step, apart from what was noted about it.
    func isSame(as other: EditStep) -> Bool { identity === other.identity }

    var isEmpty: Bool { edits.isEmpty }

    /// Notes that somebody else has changed properties of an object.
    mutating func note(overtaken names: Set<String>, of object: NSManagedObject) {
        guard objects.contains(ObjectIdentifier(object)) else { return }
        for name in names { overtaken.insert(Property(of: object, name)) }
    }

    /// Notes that somebody else has changed attributes of an object that the step has deleted. It is inserted again with
    /// the new values, unless it had unsaved ones.
    mutating func note(renewed values: [String: ObjectEdit.ValueChange], of deleted: NSManagedObject) {
        for index in edits.indices where edits[index].isDeletion && edits[index].object === deleted {
            for (name, change) in values where edits[index].values[name]?.old.isStoredSame(as: change.old) ?? false {
                edits[index].values[name]?.old = change.new
            }
        }
    }

    /// Adds changes that have become part of the step later. The step keeps those that it has already.
    mutating func append(_ later: [ObjectEdit]) {
        let new = later.filter { !objects.contains(ObjectIdentifier($0.object)) }.map(withoutTakenDestinations)
        edits += new
        objects.formUnion(new.map { ObjectIdentifier($0.object) })
    }

    /// Removes the old destinations that the step gives to another object when it is undone.
    private func withoutTakenDestinations(_ edit: ObjectEdit) -> ObjectEdit {
        var edit = edit
        for (name, change) in edit.destinations {
            guard let old = change.old,
                let inverse = edit.object.entity.relationshipsByName[name]?.inverseRelationship,
                !inverse.isToMany, isTaken(old, by: name, except: edit.object)
            else { continue }
            edit.destinations[name]?.old = nil
        }
        return edit
    }

    /// Returns whether undoing the step links an object with another one than the given one.
    private func isTaken(_ destination: NSManagedObject, by name: String, except object: NSManagedObject) -> Bool {
        let inverse = object.entity.relationshipsByName[name]?.inverseRelationship?.name
        return edits.contains { edit in
            if edit.object === destination {
                let old = inverse.flatMap { edit.destinations[$0]?.old }
                return old != nil && old !== object
            }
            return edit.object !== object && edit.object.entity == object.entity
                && edit.destinations[name]?.old === destination
        }
    }

    /// Returns whether undoing the step inserts one of the objects again.
    func revives(_ deleted: Set<NSManagedObject>) -> Bool {
        edits.contains { $0.isDeletion && deleted.contains($0.object) }
    }
}

// Steps that are undone together.
extension EditStep {
    /// Returns one step for this step and the next one; nil if they cannot be undone together, because objects were
    /// inserted or deleted, or somebody else has changed a property in between.
    func merged(with next: EditStep) -> EditStep? {
        guard (edits + next.edits).allSatisfy({ $0.wasPresent && $0.isPresent }) else { return nil }
        var merged = edits
        for later in next.edits {
            guard let index = merged.firstIndex(where: { $0.object === later.object }) else {
                merged.append(later)
                continue
            }
            guard let both = merged[index].merged(with: later) else { return nil }
            merged[index] = both
        }
        var step = EditStep(name: next.name, edits: merged.filter { !$0.isEmpty })
        step.overtaken = overtaken.union(next.overtaken)
        return step
    }
}

extension ObjectEdit {
    /// Returns the changes of this edit and a later one; nil if a property has changed in between.
    fileprivate func merged(with later: ObjectEdit) -> ObjectEdit? {
        var both = self
        for (name, change) in later.values {
            if let known = values[name], !known.new.isStoredSame(as: change.old) { return nil }
            let old = values[name]?.old ?? change.old
            both.values[name] = old.isStoredSame(as: change.new) ? nil : .init(old: old, new: change.new)
        }
        for (name, change) in later.destinations {
            if let known = destinations[name], known.new !== change.old { return nil }
            let old = destinations[name].map(\.old) ?? change.old
            both.destinations[name] = old === change.new ? nil : .init(old: old, new: change.new)
        }
        for (name, change) in later.lists {
            if let known = lists[name], !known.new.elementsEqual(change.old, by: ===) { return nil }
            let old = lists[name]?.old ?? change.old
            both.lists[name] = old.elementsEqual(change.new, by: ===) ? nil : .init(old: old, new: change.new)
        }
        for (name, change) in later.links {
            guard let known = links[name] else {
                both.links[name] = change
                continue
            }
            let (gained, lost) = (Set(known.added), Set(known.removed))
            let (added, removed) = (Set(change.added), Set(change.removed))
            let all = LinkChange(
                added: Array(gained.subtracting(removed).union(added.subtracting(lost))),
                removed: Array(lost.subtracting(added).union(removed.subtracting(gained))))
            both.links[name] = all.isEmpty ? nil : all
        }
        return both
    }
}
