import Foundation
import SwormPredicates
import SwormStore

/// One save of a context, from its first check until its observers are notified.
///
/// Nothing is written before all checks have passed. Then each store is written in a separate transaction. The objects
/// adopt the written state after all stores are written. An error leaves their unsaved changes as they are, except
/// changes that another store has already committed.
struct SaveOperation {
    let context: NSManagedObjectContext
    let coordinator: NSPersistentStoreCoordinator

    func run() throws {
        context.post(.willSave, userInfo: [:])
        try callWillSave()
        let isObserved = context.isObserved
        if isObserved { context.processEvents() }
        try context.validateChanges()
        if isObserved, context.hasPendingEvent {
            // Custom classes have changed objects, or observers have, which are validated too.
            context.processEvents()
            try context.validateChanges()
        }
        if let parent = context.nesting.parent {
            try context.throwReadError()
            return try finish(
                context.withParent(parent) {
                    var save = ParentSave(context, into: parent)
                    defer { parent.processEvents() }
                    return try save.run()
                })
        }
        let twins = try twinConflicts()
        // A policy of the application is asked first, whatever its type.
        if context.mergeType == .errorMergePolicyType, context.customMergePolicy == nil { try throwError(of: twins) }
        try checkStores()
        // Values that could not be read are treated as nil, and would be saved as nil.
        try context.throwReadError()
        var saved = SavedObjects()
        do {
            let origins = try originsOfChanges()
            try context.keepTransactions(of: origins)
            for origin in origins {
                let hasTwins = twins.contains { $0.origin === origin }
                try write(to: origin, isOnly: origins.count == 1, hasTwins: hasTwins, into: &saved)
            }
        } catch {
            // A transaction that stays open is not committed yet, and the caller that keeps it open undoes it.
            guard !saved.parts.isEmpty, !context.transactions.areKept else { throw error }
            // Changes that were written to other stores stay saved.
            let places = saved.parts.map { $0.origin.store?.url?.path ?? "memory" }.joined(separator: ", ")
            try finish(saved, isPartial: true)
            throw CoreDataError(
                NSPersistentStoreIncompleteSaveError,
                "Only some of the changes were saved, in \(places): \(error)", cause: error)
        }
        try finish(saved)
    }

    /// Returns the origins of the stores that have changes.
    private func originsOfChanges() throws -> [ObjectOrigin] {
        var origins: [ObjectOrigin] = []
        var last = -1
        // New objects of one entity are saved in one store, unless they were assigned to different stores.
        for list in [context.insertedList, context.updatedList, context.deletedList] {
            try list.forEach { object in
                if context.saving.assignedStores.isEmpty, object.objectID.isTemporaryID {
                    guard object.compiledEntity.number != last else { return }
                    last = object.compiledEntity.number
                }
                let origin = try context.originForSaving(object, in: coordinator)
                if origins.last !== origin, !origins.contains(where: { $0 === origin }) { origins.append(origin) }
            }
        }
        return origins
    }

    /// Writes the changes of one store's objects. The merge policy settles conflicts.
    ///
    /// Most saves have no conflicts, so the first attempt only compares versions. The rows in the store are read after
    /// that has failed, by a resolver that repeats the attempt under one write lock.
    ///
    /// - Parameters:
    ///   - isOnly: Whether no other store has changes.
    ///   - hasTwins: Whether there are objects with the same unique values.
    private func write(
        to origin: ObjectOrigin, isOnly: Bool, hasTwins: Bool, into saved: inout SavedObjects
    ) throws {
        guard let store = origin.store else {
            throw CoreDataError(
                NSPersistentStoreSaveError, "Cannot save: the store \(origin.storeIdentifier) was removed.")
        }
        if let reason = store.objectStore.readOnlyReason {
            throw CoreDataError(NSPersistentStoreSaveError, "Cannot save: \(reason).", condition: .readOnly)
        }
        let builder = try changes(in: origin, isOnly: isOnly, hasTwins: hasTwins)
        // A pinned session would prevent the write from seeing, or waiting for, newer changes. However, settling a
        // conflict may read the content of external data that the session sees.
        let view = context.transactions.parkPinned(for: builder.request.isEmpty ? nil : store.objectStore)
        do {
            let result =
                builder.request.isEmpty
                ? SaveResult()
                : try context.write(builder.request, to: origin, store: store.objectStore, continuing: view)
            saved.add(builder, result: result, origin: origin)
        } catch {
            guard let conflicts = MetConflicts(error) else { throw error }
            context.forgetReadAhead()
            guard context.mergeType != .errorMergePolicyType || context.customMergePolicy != nil else {
                context.forgetRelationshipsOfUnchangedObjects()
                // The rows are read in a session of their own, which no later read continues.
                defer { context.transactions.endPinned() }
                throw ConflictResolver(context, origin).error(of: conflicts, in: builder)
            }
            let resolver = ConflictResolver(context, origin)
            let settled = try resolver.write(to: store.objectStore) { lostVersions in
                try changes(in: origin, isOnly: isOnly, hasTwins: hasTwins, after: lostVersions)
            }
            saved.add(settled.builder, result: settled.result, origin: origin)
        }
    }

    /// Collects the unsaved changes of one store's objects.
    ///
    /// - Parameters:
    ///   - isOnly: Whether no other store has changes.
    ///   - hasTwins: Whether there are objects with the same unique values.
    ///   - lostVersions: The versions of rows that were deleted and are inserted again, by object.
    func changes(
        in origin: ObjectOrigin, isOnly: Bool, hasTwins: Bool, after lostVersions: [ObjectIdentifier: Int64] = [:]
    ) throws -> SaveRequestBuilder {
        var builder = SaveRequestBuilder(
            model: origin.compiled, author: context.transactionAuthor, contextName: context.name,
            mayRepeatValues: hasTwins)
        try context.insertedList.forEach { object in
            guard try isOnly || context.originForSaving(object, in: coordinator) === origin else { return }
            let met = lostVersions.isEmpty ? nil : lostVersions[ObjectIdentifier(object)]
            builder.insert(object, after: met ?? context.saving.lostVersion(of: object))
        }
        context.updatedList.forEach { if $0.objectID.origin === origin { builder.update($0) } }
        context.deletedList.forEach { if $0.objectID.origin === origin { builder.delete($0) } }
        for object in context.saving.compared where object.objectID.origin === origin { builder.compare(object) }
        for object in context.saving.touched where object.objectID.origin === origin { builder.touch(object) }
        try context.throwReadError()
        return builder
    }
}
