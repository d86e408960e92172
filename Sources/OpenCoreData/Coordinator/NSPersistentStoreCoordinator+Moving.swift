public import Foundation
import SwormPredicates
import SwormStore

extension NSPersistentStoreCoordinator {
    /// Moves a store to another URL or type, and opens it there.
    ///
    /// The new store has a copy of all rows, of the history and of the external data, and an identifier of its own. It
    /// replaces the store in this coordinator: objects and ids of its contexts belong to the new store from then on,
    /// unsaved changes included. The files of the old store stay as they are.
    ///
    /// ```swift
    /// let seed = try coordinator.addPersistentStore(
    ///     type: .sqlite, at: seedURL, options: [NSReadOnlyPersistentStoreOption: true])
    /// try coordinator.migratePersistentStore(seed, to: url, type: .sqlite)
    /// ```
    ///
    /// The coordinator posts `NSPersistentStoreCoordinatorStoresDidChange` with both stores, in this order, under
    /// `NSUUIDChangedPersistentStoresKey`.
    ///
    /// - Parameters:
    ///   - store: A store of this coordinator. It must not be used afterwards.
    ///   - storeURL: The URL of the new file, which must not exist. An in-memory store has none, and ignores it.
    ///   - options: The options of the new store.
    ///   - storeType: `NSSQLiteStoreType` or `NSInMemoryStoreType`.
    /// - Returns: The new store.
    /// - Throws: An error if the store does not belong to this coordinator; if there is a file at the URL; if another
    ///   thread writes for too long, or this one is writing; or if the copy cannot be made. Nothing has changed then.
    @discardableResult
    public func migratePersistentStore(
        _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        try throwingCocoaErrors { try move(store, to: storeURL, options: options ?? [:], type: storeType) }
    }

    private func move(
        _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any], type storeType: String
    ) throws -> NSPersistentStore {
        guard persistentStores.contains(where: { $0 === store }), let origin = store.origin else {
            throw CoreDataError(
                NSPersistentStoreOperationError, "Cannot move a store that does not belong to this coordinator.")
        }
        let given = try StoreKinds.kind(ofType: storeType)
        let kind = StoreFiles.isMemory(storeURL) ? try StoreKinds.kind(ofType: NSInMemoryStoreType) : given
        let shownURL = kind.hasURL ? try kind.shownURL(storeURL) : nil
        guard kind.isMissing(storeURL), shownURL.flatMap({ persistentStore(for: $0) }) == nil else {
            throw CoreDataError(
                NSPersistentStoreOperationError,
                "Cannot move the store to '\((shownURL ?? storeURL).path)': the file exists. Remove it first, or choose another URL."
            )
        }
        var storeOptions = try StoreOptions(coordinatorOptions: options)
        storeOptions.modelCache = try managedObjectModel.storeCache()
        let url = kind.hasURL ? storeURL : nil
        post(.NSPersistentStoreCoordinatorWillRemoveStore, [NSRemovedPersistentStoresKey: [store]])
        post(.NSPersistentStoreCoordinatorStoresWillChange, [NSRemovedPersistentStoresKey: [store]])
        let new = try store.holdingWrites {
            let objectStore = try kind.copy(store.objectStore, url ?? StoreFiles.memoryURL, storeOptions)
            let new = NSPersistentStore(
                objectStore, type: storeType, configurationName: store.configurationName, url: shownURL,
                options: options,
                coordinator: self, continuing: origin)
            exchange(store, for: new)
            // Threads that wait for their turn to write get an error of the closed store, and nothing is lost.
            store.leave()
            return new
        }
        new.startPosting()
        post(
            .NSPersistentStoreCoordinatorStoresDidChange,
            [
                NSAddedPersistentStoresKey: [new], NSRemovedPersistentStoresKey: [store],
                NSUUIDChangedPersistentStoresKey: [store, new],
            ])
        return new
    }

    /// Makes a store use another file, which must be a store of the same model.
    ///
    /// Objects and ids of contexts belong to the rows of the other file from then on. Unless the file is a copy of the
    /// present one, refresh the objects.
    ///
    /// - Parameters:
    ///   - url: The URL of the other file.
    ///   - store: An SQLite store of this coordinator.
    /// - Returns: False, with nothing changed, if the store has no file or does not belong to this coordinator, if there
    ///   is no store at the URL that can be opened with the same options, or if another thread writes for too long.
    public func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        guard let former = store.url, persistentStores.contains(where: { $0 === store }),
            let kind = try? StoreKinds.kind(ofType: store.type), !kind.isMissing(url), !StoreFiles.isMemory(url)
        else { return false }
        if former.standardizedFileURL.path == url.standardizedFileURL.path { return true }
        do {
            let options = try StoreOptions(coordinatorOptions: store.options ?? [:])
            try store.holdingWrites {
                let objectStore = try kind.open(url, compiledModel, options)
                let present = store.objectStore
                guard move(store, to: objectStore, at: url) else {
                    objectStore.close()
                    throw CoreDataError(
                        NSPersistentStoreOperationError, "The store at '\(url.path)' is already open.")
                }
                store.onLeave?()
                present.close()
            }
        } catch {
            return false
        }
        store.startPosting()
        return true
    }
}

extension NSPersistentStore {
    /// Calls a closure while nobody else writes to the store.
    ///
    /// - Throws: An error with the condition `timedOut`, or with the condition `wouldDeadlock` if this thread has an open
    ///   transaction, whose changes are not in the file yet; and the errors of the closure.
    fileprivate func holdingWrites<Result>(_ body: () throws -> Result) throws -> Result {
        let admission = try StoreAdmission.enter([self], isWriting: true, deadline: nil)
        defer { admission.leave() }
        if objectStore.readOnlyReason == nil { try objectStore.beginTransaction(nil).end() }
        return try body()
    }

    /// Starts to post notifications about commits if the options of the store ask for them.
    func startPosting() {
        onLeave = nil
        if let posting = RemoteChangePosting(self) { onLeave = { posting.end() } }
    }
}
