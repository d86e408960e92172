/// The reversal of one step: it gives the properties that the step has changed their old values.
///
/// A property that has another value than the step gave it was changed by somebody else, and keeps its value. First, all
/// conflicts are found; then the context is changed.
struct EditReversal {
    typealias Property = EditStep.Property

    let context: NSManagedObjectContext
    let step: EditStep
    private(set) var conflicts: [UndoConflict] = []

    /// The objects to insert again.
    private var revivals: [ObjectEdit] = []
    private var revived: Set<ObjectIdentifier> = []
    /// The objects that the step has inserted, with their partners.
    private var insertions: [(object: NSManagedObject, partners: [NSManagedObject])] = []
    /// The inserted objects that stay, because somebody else has changed them.
    private var kept: Set<ObjectIdentifier> = []
    /// The objects with changed properties, and their edits.
    private var changes: [(object: NSManagedObject, edit: ObjectEdit)] = []
    /// The changed properties that keep their values.
    private var refused: Set<Property> = []
    /// The relations to one that keep their destinations.
    private var keptDestinations: [(object: NSManagedObject, name: String, destination: NSManagedObject?)] = []

    init(of step: EditStep, in context: NSManagedObjectContext) {
        self.step = step
        self.context = context
    }

    /// Reverses the step.
    ///
    /// - Throws: The store's error, or that of a value that is not valid. The caller undoes what was changed.
    mutating func run() throws {
        try plan()
        for edit in revivals { try revive(edit) }
        for (object, edit) in changes {
            for (name, change) in edit.values where !isRefused(name, of: object) {
                try object.setEditedValue(change.old, for: name)
            }
        }
        for (object, edit) in changes {
            for (name, change) in edit.destinations where !isRefused(name, of: object) {
                try object.setEditedDestination(try present(change.old), for: name)
            }
        }
        for (object, edit) in changes { try changeLinks(of: object, by: edit) }
        for (object, edit) in changes {
            for (name, change) in edit.lists { try arrange(change, by: name, of: object) }
        }
        // A deleted object that is inserted again links with its partners.
        for (object, name, destination) in keptDestinations where object.isEditable {
            if try object.editedDestination(name) !== destination {
                try object.setEditedDestination(destination, for: name)
            }
        }
        for (object, _) in insertions where !kept.contains(ObjectIdentifier(object)) { context.delete(object) }
    }

    // MARK: Finding the conflicts

    private mutating func plan() throws {
        for edit in step.edits where edit.isDeletion {
            guard try present(edit.object) == nil, context.canRevive(edit.object) else {
                conflict(nil, of: edit.object)
                continue
            }
            revivals.append(edit)
            revived.insert(ObjectIdentifier(edit.object))
        }
        for edit in step.edits where !edit.isDeletion {
            guard let object = try present(edit.object) else {
                if !edit.isInsertion { conflict(nil, of: edit.object) }
                continue
            }
            if edit.isInsertion {
                try planDeletion(of: object, edit)
            } else {
                changes.append((object, edit))
                try findConflicts(of: object, edit)
            }
        }
        try findLostPartners()
        try findOccupiedDestinations()
        for (object, edit) in changes {
            for name in edit.destinations.keys where isRefused(name, of: object) {
                keptDestinations.append((object, name, try object.editedDestination(name)))
            }
        }
        keepPartners()
    }

    /// Notes the partners of objects to insert again that do not exist any more.
    private mutating func findLostPartners() throws {
        for edit in revivals {
            for (name, change) in edit.destinations {
                if let old = change.old, try !willBePresent(old) { conflict(name, of: edit.object) }
            }
            for (name, change) in edit.links where try !change.removed.allSatisfy(willBePresent) {
                conflict(name, of: edit.object)
            }
        }
    }

    private mutating func findConflicts(of object: NSManagedObject, _ edit: ObjectEdit) throws {
        for (name, change) in edit.values.sorted(by: { $0.key < $1.key }) {
            let isSame = try object.editedValue(name).isStoredSame(as: change.new)
            if !isSame || isOvertaken(name, of: edit.object) { refuse(name, of: object) }
        }
        for (name, change) in edit.destinations.sorted(by: { $0.key < $1.key }) {
            let isSame = try object.editedDestination(name).flatMap(present) === present(change.new)
            let isAvailable = try change.old.map(willBePresent) ?? true
            if !isSame || !isAvailable || isOvertaken(name, of: edit.object) { refuse(name, of: object) }
        }
        for (name, change) in edit.links.sorted(by: { $0.key < $1.key }) {
            if try !change.removed.allSatisfy(willBePresent) { conflict(name, of: object) }
        }
        for (name, change) in edit.lists.sorted(by: { $0.key < $1.key }) {
            let isSame = try isList(name, of: object, equalTo: change.new)
            if !isSame || isOvertaken(name, of: edit.object) { refuse(name, of: object) }
        }
    }

    /// Keeps a relation to one whose inverse is one too, if somebody else has taken the old destination.
    private mutating func findOccupiedDestinations() throws {
        func isFree(_ destination: NSManagedObject, for object: NSManagedObject, by name: String) throws -> Bool {
            guard let inverse = object.entity.relationshipsByName[name]?.inverseRelationship, !inverse.isToMany,
                let destination = try present(destination),
                let occupant = try destination.editedDestination(inverse.name).flatMap(present), occupant !== object
            else { return true }
            // The step itself has given the destination to the occupant, and takes it back.
            return changes.contains {
                $0.object === destination && $0.edit.destinations[inverse.name] != nil
                    && !isRefused(inverse.name, of: destination)
            }
        }
        // A relation that stays may leave another destination occupied.
        let all = changes.map { ($0.object, $0.edit) } + revivals.map { ($0.object, $0) }
        var isChanged = true
        while isChanged {
            isChanged = false
            for (object, edit) in all {
                for (name, change) in edit.destinations where !isRefused(name, of: object) {
                    guard let old = change.old, try !isFree(old, for: object, by: name) else { continue }
                    refuse(name, of: object)
                    isChanged = true
                }
            }
        }
    }

    private mutating func planDeletion(of object: NSManagedObject, _ edit: ObjectEdit) throws {
        var partners: [NSManagedObject] = []
        var changed: [String] = []
        for (name, change) in edit.values where try !object.editedValue(name).isStoredSame(as: change.new) {
            changed.append(name)
        }
        for (name, change) in edit.destinations {
            let destination = try object.editedDestination(name).flatMap(present)
            if let destination { partners.append(destination) }
            if try destination !== present(change.new) { changed.append(name) }
        }
        for (name, change) in edit.lists {
            partners += try object.editedMembers(name)
            if try !isList(name, of: object, equalTo: change.new) { changed.append(name) }
        }
        for (name, members) in edit.members {
            let current = try object.editedMembers(name)
            partners += current
            let (known, found) = (try members.compactMap(present), try current.compactMap(present))
            if Set(known) != Set(found) { changed.append(name) }
        }
        insertions.append((object, partners))
        changed += step.overtaken.filter { $0.object == ObjectIdentifier(edit.object) }.map(\.name)
        guard !changed.isEmpty else { return }
        kept.insert(ObjectIdentifier(object))
        for name in Set(changed).sorted() { conflict(name, of: object) }
    }

    /// Keeps the inserted objects that belong to objects which stay, because their deletion would change these.
    private mutating func keepPartners() {
        let holders = Set(keptDestinations.compactMap { $0.destination.map(ObjectIdentifier.init) })
        var isChanged = true
        while isChanged {
            isChanged = false
            for (object, partners) in insertions where !kept.contains(ObjectIdentifier(object)) {
                let belongs =
                    holders.contains(ObjectIdentifier(object))
                    || partners.contains { kept.contains(ObjectIdentifier($0)) }
                    || insertions.contains { other in
                        kept.contains(ObjectIdentifier(other.object)) && other.partners.contains { $0 === object }
                    }
                guard belongs else { continue }
                kept.insert(ObjectIdentifier(object))
                conflict(nil, of: object)
                isChanged = true
            }
        }
    }

    private mutating func refuse(_ name: String, of object: NSManagedObject) {
        refused.insert(Property(of: object, name))
        conflict(name, of: object)
    }

    private mutating func conflict(_ name: String?, of object: NSManagedObject) {
        let id = object.objectID
        conflicts.append(
            UndoConflict(entityName: object.entity.stableName, property: name, object: id.reference))
    }

    private func isRefused(_ name: String, of object: NSManagedObject) -> Bool {
        refused.contains(Property(of: object, name))
    }

    private func isOvertaken(_ name: String, of object: NSManagedObject) -> Bool {
        step.overtaken.contains(Property(of: object, name))
    }

    // MARK: Objects

    /// Returns the object that has the identity of an object of the step now; nil if it does not exist.
    private func present(_ object: NSManagedObject?) throws -> NSManagedObject? {
        guard let object else { return nil }
        if object.managedObjectContext === context { return object.isEditable ? object : nil }
        // Somebody else has inserted the object again.
        guard !object.objectID.isTemporaryID, let other = try? context.existingObject(with: object.objectID) else {
            return nil
        }
        return other !== object && other.isEditable ? other : nil
    }

    private func willBePresent(_ object: NSManagedObject) throws -> Bool {
        try revived.contains(ObjectIdentifier(object)) || present(object) != nil
    }

    private func isList(_ name: String, of object: NSManagedObject, equalTo members: [NSManagedObject]) throws -> Bool {
        let current = try object.editedMembers(name).compactMap(present)
        return current.elementsEqual(try members.compactMap(present), by: ===)
    }

    // MARK: Changing the context

    private mutating func revive(_ edit: ObjectEdit) throws {
        try context.reviveDeleted(edit.object)
        let derived = edit.object.entity.attributesByName.filter { $0.value is NSDerivedAttributeDescription }
        for (name, change) in edit.values where derived[name] == nil {
            try edit.object.setEditedValue(change.old, for: name)
        }
        try edit.settleMembers()
        // Its relations are set like those of other objects, once all objects are there.
        var links = edit
        links.values = [:]
        changes.append((edit.object, links))
    }

    private func changeLinks(of object: NSManagedObject, by edit: ObjectEdit) throws {
        for (name, change) in edit.links { try link(change.removed, unlink: change.added, by: name, of: object) }
        for (name, change) in edit.lists where !object.isInverseOfToOne(name) {
            let (old, new) = (Set(change.old), Set(change.new))
            let (lost, gained) = (change.old.filter { !new.contains($0) }, change.new.filter { !old.contains($0) })
            try link(lost, unlink: gained, by: name, of: object)
        }
    }

    private func link(
        _ added: [NSManagedObject], unlink removed: [NSManagedObject], by name: String, of object: NSManagedObject
    ) throws {
        for member in removed {
            if let member = try present(member) { try object.removeEditedMember(member, for: name) }
        }
        for member in added {
            if let member = try present(member) { try object.addEditedMember(member, for: name) }
        }
    }

    /// Restores the order of an ordered relation, whose members were restored before.
    private func arrange(_ change: ObjectEdit.ListChange, by name: String, of object: NSManagedObject) throws {
        guard !isRefused(name, of: object) else { return }
        let current = try object.editedMembers(name).compactMap(present)
        let members = Set(current)
        let old = try change.old.compactMap(present).filter { members.contains($0) }
        let known = Set(old)
        let wanted = old + current.filter { !known.contains($0) }
        if !wanted.elementsEqual(current, by: ===) { try object.setEditedMembers(wanted, for: name) }
    }
}
