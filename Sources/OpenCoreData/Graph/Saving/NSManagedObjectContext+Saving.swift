import Foundation
import SwormPredicates
import SwormStore

extension NSManagedObjectContext {
    /// What a save asks of the objects.
    enum Validation {
        /// That what was changed is valid.
        case changes
        /// Nothing yet, beyond that values are of the right types: a migration checks the objects when all of them are there.
        case later
        /// That everything is valid, whether it was changed or not.
        case everything
    }

    /// Writes the unsaved changes: all of them, in one transaction a store, or nothing.
    ///
    /// Objects are validated first. When a row was changed in the store since it was read, or a unique value is taken, the
    /// merge policy decides. When the save fails, the changes stay in the context.
    ///
    /// - Throws: Validation errors, conflicts that the merge policy does not resolve, or the store's error.
    public func save() throws {
        lock.lock()
        defer { lock.unlock() }
        try throwReadError()
        guard hasChanges, !isSaving else { return }
        isSaving = true
        defer {
            isSaving = false
            endParkedViews()
            savingOrigins = [:]
            lostVersions = [:]
        }
        let coordinator = try requireCoordinator()
        post(.NSManagedObjectContextWillSave, [:])
        try callWillSave()
        try validateChanges()
        try checkUniqueValues()
        try checkStores(coordinator)
        // What could not be read was taken for nil, and would be written so.
        try throwReadError()
        var saved = SavedObjects()
        do {
            let origins = try originsOfChanges(coordinator)
            try keepTransactions(of: origins)
            for origin in origins { try save(in: origin, isOnly: origins.count == 1, into: &saved) }
        } catch {
            // A transaction that is kept is not committed yet, and whoever keeps it undoes it.
            guard !saved.parts.isEmpty, !transactions.areKept else { throw error }
            // What was written is saved, whatever the other stores say.
            let places = saved.parts.map { $0.origin.store?.url?.path ?? "memory" }.joined(separator: ", ")
            try finish(saved, coordinator, isPartial: true)
            throw CoreDataError(
                NSPersistentStoreIncompleteSaveError,
                "Only a part of the changes was saved, in \(places): \(error)", cause: error)
        }
        try finish(saved, coordinator)
    }

    /// Gives the objects that were inserted the keys of their rows.
    private func promote(_ saved: SavedObjects) {
        for part in saved.parts {
            // Some may have got their keys before.
            let objects = part.inserted.filter { part.keys[$0.objectID.key] != nil }
            var start = 0
            while start < objects.count {
                // Objects of one hierarchy mostly follow each other, and are all that there are without a row.
                let first = objects[start]
                let (root, own) = (first.plan.root, first.objectID.origin)
                let end =
                    objects[start...].firstIndex { $0.plan.root != root || $0.objectID.origin !== own } ?? objects.count
                let areOut = identities.removeAll(beside: temporaryKey(of: first), ifThereAre: end - start)
                identities.reserve(end - start, beside: identityKey(first.objectID.row, part.origin))
                for object in objects[start..<end] {
                    guard let key = part.keys[object.objectID.key] else { continue }
                    if !areOut { identities[temporaryKey(of: object)] = nil }
                    promote(object, to: key, origin: part.origin)
                }
                start = end
            }
        }
    }

    private func callWillSave() throws {
        guard [insertedList, updatedList, deletedList].contains(where: \.hasSubclasses) else { return }
        // `willSave` may change objects, which then have their turn; a bound keeps two that undo each other from going on.
        var called = Set<ObjectIdentifier>()
        for _ in 0..<1000 {
            // Only an overridden `willSave` does anything.
            let waiting = (insertedList.objects + updatedList.objects + deletedList.objects).filter {
                type(of: $0) != NSManagedObject.self && !called.contains(ObjectIdentifier($0))
            }
            if waiting.isEmpty { return }
            for object in waiting {
                called.insert(ObjectIdentifier(object))
                object.willSave()
            }
        }
    }

    final func validateChanges() throws {
        var errors: [CoreDataError] = []
        func collect(_ object: NSManagedObject, _ validate: () throws -> Void) throws {
            do {
                try validate()
            } catch let error as CoreDataError {
                errors += error.flattened
            } catch {
                let own = CoreDataError(
                    NSManagedObjectValidationError, "\(object.plan.name) \(object.objectID) is not valid: \(error)",
                    entity: object.plan.name, objects: [object.objectID.reference], cause: error)
                if insertedList.count + updatedList.count + deletedList.count == 1 { throw error }
                errors.append(own)
            }
        }
        guard validation != .later else {
            return try CoreDataError.throwAll((insertedList.objects + updatedList.objects).flatMap(\.refusals))
        }
        // The lists as they are now: a class of its own may change objects while it validates them.
        let (inserted, updated, deleted) = (insertedList, updatedList, deletedList)
        try deleted.forEach { object in try collect(object) { try object.validateForDelete() } }
        try inserted.forEach { object in
            if object.plan.isAbstract {
                errors.append(
                    CoreDataError(
                        NSManagedObjectValidationError,
                        "Cannot save an object of \(object.plan.name): the entity is abstract. Insert one of its sub-entities.",
                        entity: object.plan.name, objects: [object.objectID.reference]))
                return
            }
            try collect(object) { try object.validateForInsert() }
        }
        try updated.forEach { object in try collect(object) { try object.validateForUpdate() } }
        try CoreDataError.throwAll(errors)
    }

    private func originsOfChanges(_ coordinator: NSPersistentStoreCoordinator) throws -> [ObjectOrigin] {
        var origins: [ObjectOrigin] = []
        var last = -1
        // New objects of one entity go into one store, unless somebody has said otherwise.
        for list in [insertedList, updatedList, deletedList] {
            try list.forEach { object in
                if assignedStores.isEmpty, object.objectID.isTemporaryID {
                    guard object.plan.number != last else { return }
                    last = object.plan.number
                }
                let origin = try originForSaving(object, coordinator)
                if origins.last !== origin, !origins.contains(where: { $0 === origin }) { origins.append(origin) }
            }
        }
        return origins
    }

    /// Writes the changes of one store's objects. Conflicts are settled as the merge policy says.
    ///
    /// - Parameter isOnly: Whether no other store has changes.
    private func save(in origin: ObjectOrigin, isOnly: Bool, into saved: inout SavedObjects) throws {
        guard let store = origin.store else {
            throw CoreDataError(
                NSPersistentStoreSaveError, "Cannot save: the store \(origin.storeIdentifier) was removed.")
        }
        if let reason = store.objectStore.readOnlyReason {
            throw CoreDataError(NSPersistentStoreSaveError, "Cannot save: \(reason).", condition: .readOnly)
        }
        let coordinator = try requireCoordinator()
        let builder = try requestBuilder(origin, isOnly: isOnly, coordinator)
        // A pinned view would keep the write from seeing, or waiting for, anything newer. But settling a conflict may ask for
        // the content of external data that it sees.
        parkPinnedViews()
        do {
            let result =
                builder.request.isEmpty ? SaveResult() : try write(builder.request, to: origin, store.objectStore)
            saved.add(builder, result, origin)
        } catch {
            guard let conflicts = MetConflicts(error) else { throw error }
            forgetReadAhead()
            guard mergeType != .errorMergePolicyType else {
                forgetRelationshipsOfUnchangedObjects()
                throw self.error(of: conflicts, in: builder, origin)
            }
            let settled = try writeSettled(to: origin, store.objectStore) {
                try requestBuilder(origin, isOnly: isOnly, coordinator)
            }
            saved.add(settled.builder, settled.result, origin)
        }
    }

    /// The unsaved changes of one store's objects.
    private func requestBuilder(
        _ origin: ObjectOrigin, isOnly: Bool, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> SaveRequestBuilder {
        var builder = SaveRequestBuilder(
            model: origin.compiled, author: transactionAuthor, contextName: name)
        try insertedList.forEach { object in
            guard try isOnly || originForSaving(object, coordinator) === origin else { return }
            builder.insert(object, after: lostVersions.isEmpty ? nil : lostVersions[ObjectIdentifier(object)])
        }
        updatedList.forEach { if $0.objectID.origin === origin { builder.update($0) } }
        deletedList.forEach { if $0.objectID.origin === origin { builder.delete($0) } }
        try throwReadError()
        return builder
    }

    /// Makes the written state the objects' state, and tells the world.
    private func finish(
        _ saved: SavedObjects, _ coordinator: NSPersistentStoreCoordinator, isPartial: Bool = false
    ) throws {
        var (inserted, updated, deleted) = (insertedList, updatedList, deletedList)
        if isPartial {
            func isSaved(_ object: NSManagedObject) throws -> Bool {
                saved.contains(try originForSaving(object, coordinator))
            }
            inserted = ObjectList(listing: try inserted.filter(isSaved))
            updated = ObjectList(listing: try updated.filter(isSaved))
            deleted = ObjectList(listing: try deleted.filter(isSaved))
            for object in inserted { insertedList.remove(object) }
            for object in updated { updatedList.remove(object) }
            for object in deleted { deletedList.remove(object) }
        } else {
            insertedList.removeAll()
            updatedList.removeAll()
            deletedList.removeAll()
            assignedStores.removeAll()
        }
        forgetReadAhead()
        promote(saved)
        for object in deleted {
            identities[identityKey(object.objectID.row, object.objectID.origin)] = nil
            object.status.subtract([.deleted, .updated])
            object.status.insert(.gone)
        }
        for object in inserted { object.commit(saved, saved.version(of: object) ?? 1) }
        for part in saved.parts {
            for (object, version) in zip(part.written, part.versions) { object.commit(saved, version) }
        }
        // Of the others nothing went into their rows: they have other relationships, or other transient values.
        for object in updated where object.status.contains(.updated) { object.commit(saved, nil) }
        let refreshed = takeDerived(saved, besides: inserted.objects + updated.objects)
        forgetReferences(to: deleted.objects)
        // Only an overridden `didSave` does anything.
        for list in [inserted, updated, deleted] where list.hasSubclasses {
            for object in list { object.didSave() }
        }
        func announce() {
            tellOfSave(inserted: inserted, updated: updated, refreshed: refreshed, deleted: deleted, coordinator)
            for object in deleted { object.detach() }
        }
        // Observers may use the context, so nothing of it is in use while they are called.
        if transactions.isEmpty { return announce() }
        transactions.announce { [weak self] in
            self?.tellOfSave(inserted: inserted, updated: updated, refreshed: refreshed, deleted: deleted, coordinator)
            for object in deleted { object.detach() }
        }
    }
}

/// What a save has written, by store.
struct SavedObjects {
    struct Part {
        var origin: ObjectOrigin
        /// The new objects.
        var inserted: [NSManagedObject]
        /// The keys of those that had temporary ones.
        var keys: AssignedKeys
        /// The other objects whose rows were written, and the versions that these have now.
        var written: [NSManagedObject]
        var versions: [Int64]
        /// What the store has worked out, by row and attribute slot.
        var derived: [RowID: [Int: AttributeValue]]
    }

    private(set) var parts: [Part] = []
    private(set) var orderKeys: [ObjectIdentifier: [Int: [ObjectIdentifier: Int64]]] = [:]
    private var versions: [ObjectIdentifier: Int64] = [:]
    /// The ordered relationships whose members stand in the store otherwise than the context has them.
    private var rearranged: [ObjectIdentifier: Set<Int>] = [:]

    mutating func add(_ builder: SaveRequestBuilder, _ result: SaveResult, _ origin: ObjectOrigin) {
        for object in result.renewedVersions.isEmpty ? [] : builder.inserted {
            versions[ObjectIdentifier(object)] = result.renewedVersions[object.objectID.row]
        }
        if !result.rearranged.isEmpty {
            let objects = builder.objects
            for (owner, slot) in result.rearranged {
                if let object = objects[owner] { rearranged[ObjectIdentifier(object), default: []].insert(slot) }
            }
        }
        parts.append(
            Part(
                origin: origin, inserted: builder.inserted, keys: result.keys, written: builder.written,
                versions: result.updatedVersions, derived: result.derived))
        orderKeys.merge(builder.orderKeys) { $1 }
    }

    func contains(_ origin: ObjectOrigin) -> Bool { parts.contains { $0.origin === origin } }

    /// The version that a save gave to a row that it wrote anew; nil for others.
    func version(of object: NSManagedObject) -> Int64? {
        versions.isEmpty ? nil : versions[ObjectIdentifier(object)]
    }

    /// Whether the members of an ordered relationship are to be read anew.
    func isRearranged(_ object: NSManagedObject, _ slot: Int) -> Bool {
        rearranged.isEmpty ? false : rearranged[ObjectIdentifier(object)]?.contains(slot) ?? false
    }
}

extension NSManagedObject {
    /// The present values become the store's.
    ///
    /// - Parameter written: The version that the row has now; nil when it was not written.
    fileprivate final func commit(_ saved: SavedObjects, _ written: Int64?) {
        let wasInserted = status.contains(.inserted)
        if let written, case .row = snapshot, let patched = PatchedRow(self, version: written) {
            snapshot = .patched(patched)
            edits = SlotValues()
        } else if written != nil || !changedAttributes.isEmpty || !edits.isEmpty {
            let toOnes = plan.relationships.indices.map { slot -> RowID? in
                guard !plan.relationships[slot].isToMany, !plan.relationships[slot].isTransient else { return nil }
                guard case .toOne(let destination) = relationshipState(slot) else { return committedDestination(slot) }
                guard changedRelationships.contains(slot) || wasInserted else { return committedDestination(slot) }
                return destination.flatMap { $0.status.isDisjoint(with: [.deleted, .gone]) ? $0.objectID.row : nil }
            }
            var attributes = presentAttributes
            // What somebody has set of derived values was not written. The database says what they are.
            for slot in plan.derivedSlots { attributes[slot] = wasInserted ? .null : committedAttribute(slot) }
            let version = written ?? snapshot.version ?? 1
            snapshot = .values(CommittedRow(version: version, attributes: attributes, toOnes: toOnes))
            edits = SlotValues()
        }
        changedAttributes.removeAll()
        changedRelationships.removeAll()
        refusals = []
        status.subtract([.inserted, .updated])
        if relationships.isEmpty { return }
        let keys = saved.orderKeys[ObjectIdentifier(self)] ?? [:]
        for slot in relationships.indices {
            switch relationships[slot] {
            case .toMany where saved.isRearranged(self, slot): relationships[slot] = .untouched
            case .toMany(let members): members.commit(orderKeys: keys[slot] ?? [:])
            case .toOne(let destination?) where destination.status.contains(.gone): relationships[slot] = .untouched
            case .toOne, .untouched: continue
            }
        }
    }
}
