// Saving.
extension EditingContext {
    /// Saves the unsaved changes.
    ///
    /// After an error, the changes remain, and can still be undone. Unsaved changes of an object that somebody else has
    /// deleted are lost: the other ones are saved, and ``saveError`` has the code `objectDeleted`.
    ///
    /// - Throws: A ``StoreError``: `validation`, `uniquenessViolation` or similar codes if the changes are not valid,
    ///   `timedOut`, `suspended` and similar codes if the store cannot be written. ``saveError`` has the same error.
    ///   `unsupported` inside an `edit`, which may still be undone.
    public func save() throws {
        guard !isEditing else {
            throw StoreError(.unsupported, "An editing context cannot be saved inside `edit`. Save it after the edit.")
        }
        core.waiting?.cancel()
        (core.waiting, changeTimes) = (nil, nil)
        let deleted = NSManagedObjectContext.revivesSavedDeletions ? [] : instance.unsavedDeletions
        do {
            try core.save()
            // Changes that were lost before the save, or by the merge at its start, are reported until the next one.
            if saveError != nil || lossError != nil { saveError = lossError }
            lossError = nil
            forgetSteps(reviving: deleted)
            updateState()
        } catch {
            saveError = error
            core.store.logError?(error)
            updateState()
            throw error
        }
    }

    /// Discards all unsaved changes, and forgets all steps.
    public func rollback() {
        guard !isEditing else { return }
        core.waiting?.cancel()
        (core.waiting, changeTimes) = (nil, nil)
        lasting.run { lasting.rollback() }
        undoConflicts = []
        (saveError, lossError) = (nil, nil)
        removeAllSteps()
        changed()
    }

    /// Saves the editing contexts of the program that save by themselves, without waiting for their pauses.
    ///
    /// Call it when the app goes to the background, or when a server shuts down. On Apple's mobile platforms, the system
    /// is asked to let the app run until the changes are saved. Errors are in the ``saveError`` of each context.
    ///
    /// - Returns: Whether everything was saved.
    @discardableResult
    public static func saveAll() -> Bool {
        ExpiringActivity.run("Saving changes") {
            var isSaved = true
            for core in released.withLock({ $0 }) where !core.finish() { isSaved = false }
            for editor in editors.compactMap(\.editor) where editor.core.savesItself && editor.instance.hasChanges {
                do { try editor.save() } catch { isSaved = false }
            }
            return isSaved
        }
    }

    // MARK: Autosave

    /// Plans the next save after a change.
    func planSave() {
        guard case .after = autosave, hasChanges else { return }
        let now = clock.now()
        changeTimes = (changeTimes?.first ?? now, now)
        guard core.waiting == nil else { return }
        core.waiting = Task { [weak self, clock] in
            // The context is not held during a pause.
            while let due = self?.dueTime {
                let rest = due - clock.now()
                guard rest > .zero else {
                    try? self?.save()
                    return
                }
                do { try await clock.sleep(rest) } catch { return }
            }
        }
    }

    /// The time of the next save; nil if nothing is to be saved.
    private var dueTime: Duration? {
        guard case .after(let pause, let limit) = autosave, let times = changeTimes else { return nil }
        return min(times.last + pause, times.first + limit)
    }

    // MARK: All contexts

    private static var editors: [WeakEditor] = []
    /// The cores of editing contexts that were released on another thread, until the main actor has finished them.
    nonisolated static let released = Locked<[EditorCore]>([])

    static func register(_ editor: EditingContext) {
        editors.removeAll { $0.editor == nil }
        editors.append(WeakEditor(editor: editor))
    }
}
