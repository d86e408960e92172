import Foundation
import SwormPredicates
import SwormStore

extension NSManagedObjectContext {
    /// Writes all unsaved changes or no change at all, in one transaction per store.
    ///
    /// Objects are validated first. If a row was changed in the store since it was read, or if a unique value already
    /// exists, the merge policy decides. If the save fails, the changes stay in the context.
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
        post(.NSManagedObjectContextWillSave, userInfo: [:])
        try callWillSave()
        try validateChanges()
        try checkUniqueValues()
        try checkStores(coordinator)
        // Values that could not be read were treated as nil, and would be saved as nil.
        try throwReadError()
        var saved = SavedObjects()
        do {
            let origins = try originsOfChanges(coordinator)
            try keepTransactions(of: origins)
            for origin in origins { try save(in: origin, isOnly: origins.count == 1, into: &saved) }
        } catch {
            // A transaction that stays open is not committed yet, and the caller that keeps it open undoes it.
            guard !saved.parts.isEmpty, !transactions.areKept else { throw error }
            // Changes that were written to other stores stay saved.
            let places = saved.parts.map { $0.origin.store?.url?.path ?? "memory" }.joined(separator: ", ")
            try finish(saved, coordinator: coordinator, isPartial: true)
            throw CoreDataError(
                NSPersistentStoreIncompleteSaveError,
                "Only a part of the changes was saved, in \(places): \(error)", cause: error)
        }
        try finish(saved, coordinator: coordinator)
    }

    /// Assigns the keys of their rows to inserted objects.
    private func promote(_ saved: SavedObjects) {
        for part in saved.parts {
            // Some objects may already have permanent keys.
            let objects = part.inserted.filter { part.keys[$0.objectID.key] != nil }
            var start = 0
            while start < objects.count {
                // Objects of one hierarchy are usually adjacent, and usually all of them have no row yet.
                let first = objects[start]
                let (root, own) = (first.compiledEntity.root, first.objectID.origin)
                let end =
                    objects[start...].firstIndex { $0.compiledEntity.root != root || $0.objectID.origin !== own }
                    ?? objects.count
                let areOut = identities.removeAll(beside: temporaryKey(of: first), ifThereAre: end - start)
                identities.reserve(end - start, beside: identityKey(of: first.objectID.row, in: part.origin))
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
        // `willSave` may change objects, which are then processed in turn. The bound stops two objects that undo each
        // other's changes.
        var called = Set<ObjectIdentifier>()
        for _ in 0..<1000 {
            // Only an overridden `willSave` has an effect.
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
                    NSManagedObjectValidationError,
                    "\(object.compiledEntity.name) \(object.objectID) is not valid: \(error)",
                    entity: object.compiledEntity.name, objects: [object.objectID.reference], cause: error)
                if insertedList.count + updatedList.count + deletedList.count == 1 { throw error }
                errors.append(own)
            }
        }
        guard validation != .later else {
            return try CoreDataError.throwAll((insertedList.objects + updatedList.objects).flatMap(\.refusals))
        }
        // Use copies of the lists, because a custom class may change objects while it validates them.
        let (inserted, updated, deleted) = (insertedList, updatedList, deletedList)
        try deleted.forEach { object in try collect(object) { try object.validateForDelete() } }
        try inserted.forEach { object in
            if object.compiledEntity.isAbstract {
                errors.append(
                    CoreDataError(
                        NSManagedObjectValidationError,
                        "Cannot save an object of \(object.compiledEntity.name): the entity is abstract. Insert one of its sub-entities.",
                        entity: object.compiledEntity.name, objects: [object.objectID.reference]))
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
        // New objects of one entity are saved in one store, unless they were assigned to different stores.
        for list in [insertedList, updatedList, deletedList] {
            try list.forEach { object in
                if assignedStores.isEmpty, object.objectID.isTemporaryID {
                    guard object.compiledEntity.number != last else { return }
                    last = object.compiledEntity.number
                }
                let origin = try originForSaving(object, in: coordinator)
                if origins.last !== origin, !origins.contains(where: { $0 === origin }) { origins.append(origin) }
            }
        }
        return origins
    }

    /// Writes the changes of one store's objects. The merge policy settles conflicts.
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
        let builder = try requestBuilder(for: origin, isOnly: isOnly, coordinator: coordinator)
        // A pinned session would prevent the write from seeing, or waiting for, newer changes. However, settling a
        // conflict may read the content of external data that the session sees.
        parkPinnedViews()
        do {
            let result =
                builder.request.isEmpty
                ? SaveResult() : try write(builder.request, to: origin, store: store.objectStore)
            saved.add(builder, result: result, origin: origin)
        } catch {
            guard let conflicts = MetConflicts(error) else { throw error }
            forgetReadAhead()
            guard mergeType != .errorMergePolicyType else {
                forgetRelationshipsOfUnchangedObjects()
                throw self.error(of: conflicts, in: builder, origin)
            }
            let settled = try writeSettled(to: origin, store.objectStore) {
                try requestBuilder(for: origin, isOnly: isOnly, coordinator: coordinator)
            }
            saved.add(settled.builder, result: settled.result, origin: origin)
        }
    }

    /// Collects the unsaved changes of one store's objects.
    private func requestBuilder(
        for origin: ObjectOrigin, isOnly: Bool, coordinator: NSPersistentStoreCoordinator
    ) throws -> SaveRequestBuilder {
        var builder = SaveRequestBuilder(
            model: origin.compiled, author: transactionAuthor, contextName: name)
        try insertedList.forEach { object in
            guard try isOnly || originForSaving(object, in: coordinator) === origin else { return }
            builder.insert(object, after: lostVersions.isEmpty ? nil : lostVersions[ObjectIdentifier(object)])
        }
        updatedList.forEach { if $0.objectID.origin === origin { builder.update($0) } }
        deletedList.forEach { if $0.objectID.origin === origin { builder.delete($0) } }
        try throwReadError()
        return builder
    }

    /// Makes the written state the objects' committed state, and notifies observers.
    private func finish(
        _ saved: SavedObjects, coordinator: NSPersistentStoreCoordinator, isPartial: Bool = false
    ) throws {
        var (inserted, updated, deleted) = (insertedList, updatedList, deletedList)
        if isPartial {
            func isSaved(_ object: NSManagedObject) throws -> Bool {
                saved.contains(try originForSaving(object, in: coordinator))
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
            identities[identityKey(of: object.objectID.row, in: object.objectID.origin)] = nil
            object.status.subtract([.deleted, .updated])
            object.status.insert(.gone)
        }
        for object in inserted { object.commit(saved, version: saved.version(of: object) ?? 1) }
        for part in saved.parts {
            for (object, version) in zip(part.written, part.versions) { object.commit(saved, version: version) }
        }
        // The other objects have no changes in their rows, only in other relationships or in transient values.
        for object in updated where object.status.contains(.updated) { object.commit(saved, version: nil) }
        let refreshed = takeDerived(saved, besides: inserted.objects + updated.objects)
        forgetReferences(to: deleted.objects)
        // Only an overridden `didSave` has an effect.
        for list in [inserted, updated, deleted] where list.hasSubclasses {
            for object in list { object.didSave() }
        }
        func announce() {
            tellOfSave(inserted: inserted, updated: updated, refreshed: refreshed, deleted: deleted, coordinator)
            for object in deleted { object.detach() }
        }
        // Observers may use the context, so no part of it may be in use when they are called.
        if transactions.isEmpty { return announce() }
        transactions.announce { [weak self] in
            self?.tellOfSave(inserted: inserted, updated: updated, refreshed: refreshed, deleted: deleted, coordinator)
            for object in deleted { object.detach() }
        }
    }
}

/// The results of a save, by store.
struct SavedObjects {
    struct Part {
        var origin: ObjectOrigin
        /// The new objects.
        var inserted: [NSManagedObject]
        /// The permanent keys of objects that had temporary keys.
        var keys: AssignedKeys
        /// The other objects whose rows were written, and the new versions of the rows.
        var written: [NSManagedObject]
        var versions: [Int64]
        /// The values that the store has computed, by row and attribute slot.
        var derived: [RowID: [Int: AttributeValue]]
    }

    private(set) var parts: [Part] = []
    private(set) var orderKeys: [ObjectIdentifier: [Int: [ObjectIdentifier: Int64]]] = [:]
    private var versions: [ObjectIdentifier: Int64] = [:]
    /// The ordered relationships whose members have a different order in the store than in the context.
    private var rearranged: [ObjectIdentifier: Set<Int>] = [:]

    mutating func add(_ builder: SaveRequestBuilder, result: SaveResult, origin: ObjectOrigin) {
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

    /// Returns the version of a row that a save inserted again, or nil for other objects.
    func version(of object: NSManagedObject) -> Int64? {
        versions.isEmpty ? nil : versions[ObjectIdentifier(object)]
    }

    /// Returns whether the members of an ordered relationship must be read again.
    func isRearranged(_ object: NSManagedObject, slot: Int) -> Bool {
        rearranged.isEmpty ? false : rearranged[ObjectIdentifier(object)]?.contains(slot) ?? false
    }
}

extension NSManagedObject {
    /// Makes the current values the committed ones.
    ///
    /// - Parameter written: The new version of the row, or nil if it was not written.
    fileprivate final func commit(_ saved: SavedObjects, version written: Int64?) {
        let wasInserted = status.contains(.inserted)
        if let written, case .row = snapshot, let patched = PatchedRow(self, version: written) {
            snapshot = .patched(patched)
            edits = SlotValues()
        } else if written != nil || !changedAttributes.isEmpty || !edits.isEmpty {
            let toOnes = compiledEntity.relationships.indices.map { slot -> RowID? in
                guard !compiledEntity.relationships[slot].isToMany, !compiledEntity.relationships[slot].isTransient
                else { return nil }
                guard case .toOne(let destination) = relationshipState(slot) else { return committedDestination(slot) }
                guard changedRelationships.contains(slot) || wasInserted else { return committedDestination(slot) }
                return destination.flatMap { $0.status.isDisjoint(with: [.deleted, .gone]) ? $0.objectID.row : nil }
            }
            var attributes = presentAttributes
            // Values that were assigned to derived attributes are not saved. The database computes these attributes.
            for slot in compiledEntity.derivedSlots {
                attributes[slot] = wasInserted ? .null : committedAttribute(slot)
            }
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
            case .toMany where saved.isRearranged(self, slot: slot): relationships[slot] = .untouched
            case .toMany(let members): members.commit(orderKeys: keys[slot] ?? [:])
            case .toOne(let destination?) where destination.status.contains(.gone): relationships[slot] = .untouched
            case .toOne, .untouched: continue
            }
        }
    }
}
