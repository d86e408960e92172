import SwormPredicates

/// Changes the objects of a store to what its records require.
///
/// An object is in the store if it is alive, all its attributes and to-one relations are known, and the store has the objects
/// of its required relations. Otherwise, its values wait in its record. A link is shown if both objects are in the store and neither was
/// deleted after the link was made; of a relation that is to-one at both ends, if both ends refer to each other.
final class BundleSettlement {
    let ledger: BundleLedger
    /// The records whose objects may have to be inserted, changed or removed.
    var unsettled: [LedgerEntry] = []
    /// The records of objects that were deleted, and changed later.
    var outlived: [LedgerEntry] = []
    /// The to-one relations that may have another destination.
    var changedTargets: [(entry: LedgerEntry, relation: BundleEntity.Relation)] = []
    /// The links that may have changed, of relations that are to-many at both ends.
    var changedLinks: [(entry: LedgerEntry, relation: BundleEntity.Relation, member: String)] = []
    /// The ordered relations whose order may have changed.
    var changedOrders: [(entry: LedgerEntry, relation: BundleEntity.Relation)] = []

    init(_ ledger: BundleLedger) { self.ledger = ledger }

    func settle() throws {
        for entry in ledger.arrived { try wake(entry) }
        ledger.arrived = []
        var next = 0
        while next < unsettled.count {
            try settle(unsettled[next])
            next += 1
        }
        unsettled = []
        for entry in outlived { try recheckLinks(of: entry) }
        outlived = []
        for (entry, relation) in changedTargets { try showTarget(of: relation, of: entry) }
        changedTargets = []
        try showLinks()
        try showOrders()
    }

    // MARK: Objects

    private func settle(_ entry: LedgerEntry) throws {
        let isAlive = entry.isAlive(in: ledger)
        let object = try ledger.object(of: entry)
        if try isAlive && hasRequirements(entry) {
            if let object {
                write(entry, to: object)
            } else if entry.isComplete {
                try insert(entry)
            }
        } else if let object {
            try remove(object, of: entry)
        }
        if !isAlive { entry.erase(in: ledger) }
    }

    /// Returns whether the store has the objects of the required relations. If not, the record waits for the first one.
    private func hasRequirements(_ entry: LedgerEntry) throws -> Bool {
        for relation in entry.entity.relations.values where !relation.isToMany && !relation.isOptional {
            guard let target = try ledger.target(of: relation, of: entry) else { return false }
            guard try isShown(relation, of: entry, to: target) else {
                try wait(entry, for: target, in: relation)
                return false
            }
        }
        return true
    }

    private func insert(_ entry: LedgerEntry) throws {
        let object = try translatingErrors {
            try ledger.context.instance.insertPermanentObject(ofEntity: entry.identity.entity)
        }
        for (name, value) in zip(entry.entity.key, entry.identity.values ?? []) {
            guard let attribute = entry.entity.attributes[name] else { continue }
            object.setBundleValue(value, of: attribute)
        }
        ledger.setRow(object.objectID.reference.key, of: entry)
        entry.object = object
        write(entry, to: object)
        for relation in entry.entity.relations.values {
            if !relation.isToMany, !relation.isOptional,
                let destination = try ledger.target(of: relation, of: entry).flatMap({ try ledger.existingEntry($0) }),
                let other = try ledger.object(of: destination)
            {
                // At once, so that a removal of the other object finds this one.
                object.setBundleMembers([other], of: relation)
                if relation.inverseIsOrdered, let inverse = destination.entity.relations[relation.inverse] {
                    changedOrders.append((destination, inverse))
                }
            }
            changedTargets.append((entry, relation))
            for member in (entry.state.links[relation.name] ?? [:]).keys {
                changedLinks.append((entry, relation, member))
            }
            if relation.isOrdered { changedOrders.append((entry, relation)) }
        }
        try wake(entry)
    }

    private func write(_ entry: LedgerEntry, to object: NSManagedObject) {
        if entry.state.values.isEmpty { return }
        for (name, value) in entry.state.values {
            guard let attribute = entry.entity.attributes[name] else { continue }
            object.setBundleValue(value.value, of: attribute)
        }
        entry.state.values = [:]
    }

    /// Removes an object alone: the bundle names the objects that its deletion has deleted elsewhere.
    private func remove(_ object: NSManagedObject, of entry: LedgerEntry) throws {
        for name in entry.entity.contents where entry.state.values[name] == nil {
            guard let attribute = entry.entity.attributes[name] else { continue }
            entry.state.values[name] = BundleValue(try object.bundleValue(attribute))
        }
        for relation in entry.entity.relations.values {
            let members = object.bundleMembers(relation)
            if !relation.isToMany, entry.state.targets[relation.name] == nil {
                entry.state.targets[relation.name] = try members.first.map { try ledger.identity(of: $0).text } ?? ""
            }
            for member in members {
                guard let other = try ledger.entry(of: member), other !== entry else { continue }
                if !relation.inverseIsToMany {
                    if other.state.targets[relation.inverse] == nil {
                        other.state.targets[relation.inverse] = entry.identity.text
                    }
                    if let inverse = other.entity.relations[relation.inverse], !inverse.isOptional {
                        unsettled.append(other)
                    }
                }
                entry.state.waiting.insert(.init(record: other.identity.text, relation: relation.inverse))
            }
            object.setBundleMembers([], of: relation)
        }
        ledger.context.instance.delete(object)
        ledger.setRow(0, of: entry)
    }

    // MARK: Waiting

    func wait(_ entry: LedgerEntry, for target: BundleIdentity, in relation: BundleEntity.Relation) throws {
        let other = try ledger.entry(target)
        let waiting = RecordState.Waiting(record: entry.identity.text, relation: relation.name)
        if !other.state.waiting.contains(waiting) { other.state.waiting.insert(waiting) }
    }

    /// Continues with the relations that wait for an object, which is in the store now.
    private func wake(_ entry: LedgerEntry) throws {
        if entry.state.waiting.isEmpty { return }
        let waiting = entry.state.waiting
        entry.state.waiting = []
        for item in waiting.sorted(by: { ($0.record, $0.relation) < ($1.record, $1.relation) }) {
            guard let other = try ledger.existingEntry(text: item.record),
                let relation = other.entity.relations[item.relation]
            else { continue }
            if relation.isToMany {
                changedLinks.append((other, relation, entry.identity.text))
            } else {
                if other.row == 0 { unsettled.append(other) }
                changedTargets.append((other, relation))
            }
        }
    }

    /// Compares the links of an object with its deletion again.
    private func recheckLinks(of entry: LedgerEntry) throws {
        guard let object = try ledger.object(of: entry) else { return }
        for relation in entry.entity.relations.values {
            for member in object.bundleMembers(relation) {
                guard let other = try ledger.entry(of: member), let inverse = other.entity.relations[relation.inverse]
                else { continue }
                if !inverse.isToMany {
                    if other.state.targets[inverse.name] == nil {
                        other.state.targets[inverse.name] = entry.identity.text
                    }
                    if !inverse.isOptional { try settle(other) }
                    changedTargets.append((other, inverse))
                } else {
                    changedLinks.append((other, inverse, entry.identity.text))
                    changedLinks.append((entry, relation, other.identity.text))
                }
            }
        }
        while !unsettled.isEmpty { try settle(unsettled.removeFirst()) }
    }

    // MARK: To-one relations

    /// Returns whether an object that exists refers to another one.
    private func isShown(
        _ relation: BundleEntity.Relation, of entry: LedgerEntry, to target: BundleIdentity
    ) throws -> Bool {
        guard let other = try ledger.existingEntry(target), other.row != 0,
            let stamp = entry.state.stamp(relation.name), ledger.isAfterDeletion(stamp, of: other)
        else { return false }
        guard !relation.inverseIsToMany, let inverse = other.entity.relations[relation.inverse] else { return true }
        guard let back = other.state.stamp(inverse.name), ledger.isAfterDeletion(back, of: entry) else { return false }
        return try ledger.target(of: inverse, of: other) == entry.identity
    }

    private func showTarget(of relation: BundleEntity.Relation, of entry: LedgerEntry) throws {
        guard !relation.isToMany, let text = entry.state.targets[relation.name],
            let object = try ledger.object(of: entry)
        else { return }
        let present = object.bundleMembers(relation).first
        var destination: NSManagedObject?
        if let target = BundleIdentity(text: text) {
            if try isShown(relation, of: entry, to: target) {
                destination = try ledger.existingEntry(target).flatMap { try ledger.object(of: $0) }
                entry.state.targets[relation.name] = nil
            } else {
                try wait(entry, for: target, in: relation)
            }
        } else {
            entry.state.targets[relation.name] = nil
        }
        if present === destination { return }
        if !relation.inverseIsToMany {
            // Both ends are to-one: the objects that lose their destination keep it in their records.
            try keepTarget(of: relation.inverse, at: present)
            try keepTarget(of: relation.name, at: destination?.value(forKey: relation.inverse) as? NSManagedObject)
        }
        object.setBundleMembers(destination.map { [$0] } ?? [], of: relation)
        guard relation.inverseIsOrdered else { return }
        for owner in [present, destination] {
            guard let owner, let other = try ledger.entry(of: owner),
                let inverse = other.entity.relations[relation.inverse]
            else { continue }
            changedOrders.append((other, inverse))
        }
    }

    private func keepTarget(of relation: String, at object: NSManagedObject?) throws {
        guard let object, let entry = try ledger.entry(of: object), entry.state.targets[relation] == nil,
            let target = object.value(forKey: relation) as? NSManagedObject
        else { return }
        entry.state.targets[relation] = try ledger.identity(of: target).text
    }
}

extension BundleLedger {
    /// Returns the identity that a to-one relation refers to, whether the store shows it or not.
    func target(of relation: BundleEntity.Relation, of entry: LedgerEntry) throws -> BundleIdentity? {
        if let text = entry.state.targets[relation.name] { return BundleIdentity(text: text) }
        guard let object = try object(of: entry) else { return nil }
        return try object.bundleMembers(relation).first.map { try identity(of: $0) }
    }
}
