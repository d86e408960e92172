// Undo and redo.
extension EditingContext {
    /// Whether a step can be undone.
    public var canUndo: Bool { !undoNames.isEmpty }
    /// Whether a step can be done again.
    public var canRedo: Bool { !redoNames.isEmpty }

    /// Undoes the last step.
    ///
    /// Objects that the step has inserted are deleted, objects that it has deleted are inserted again under their old
    /// keys, and changed properties get their old values. Properties that somebody else has changed since then keep
    /// their values, as does an inserted object with such properties; they are listed in ``undoConflicts``.
    ///
    /// On Apple's platforms, a deletion cannot be undone after it was saved: Core Data cannot insert an object under its
    /// old key.
    ///
    /// - Returns: Whether a step was undone. False without a step, or if the store could not be read, which is
    ///   reported to `logError` of the container.
    @discardableResult
    public func undo() -> Bool {
        guard !isEditing, let step = undoSteps.last, let opposite = reverse(step) else { return false }
        _ = undoSteps.popLast()
        if !opposite.isEmpty { redoSteps.append(opposite) }
        finishReversal(opposite)
        return true
    }

    /// Does the step that was undone last again.
    ///
    /// - Returns: Whether a step was done again. See ``undo()``.
    @discardableResult
    public func redo() -> Bool {
        guard !isEditing, let step = redoSteps.last, let opposite = reverse(step) else { return false }
        _ = redoSteps.popLast()
        if !opposite.isEmpty { undoSteps.append(opposite) }
        finishReversal(opposite)
        return true
    }

    /// Forgets all steps. Changes remain.
    public func removeAllSteps() {
        (undoSteps, redoSteps, lastEdit) = ([], [], nil)
        registrar?.removeAllSteps()
        updateState()
    }

    /// Connects the undo manager of a window, or another receiver of steps. It is held until another one is registered.
    ///
    /// Undo with the receiver then, and not with ``undo()``, so that its menu agrees with the steps. The steps that exist
    /// already are registered first.
    ///
    /// - Parameter registrar: The receiver; nil for none.
    public func register(with registrar: (any UndoRegistering)?) {
        self.registrar?.removeAllSteps()
        self.registrar = registrar
        for step in undoSteps { registerUndo(step.name) }
    }

    private func reverse(_ step: EditStep) -> EditStep? {
        do {
            // Commits that wait are merged before the step is reversed, and may mark properties of it.
            return try lasting.runIfOpen {
                let step = (undoSteps.last { $0.isSame(as: step) } ?? redoSteps.last { $0.isSame(as: step) }) ?? step
                var reversal = EditReversal(of: step, in: instance)
                let (_, opposite) = try recording(as: step.name) { try translatingErrors { try reversal.run() } }
                undoConflicts = reversal.conflicts
                return opposite
            }
        } catch {
            core.store.logError?(error)
            return nil
        }
    }

    private func finishReversal(_ opposite: EditStep) {
        lastEdit = nil
        if registrar != nil, !isCalledByRegistrar {
            // The receiver cannot follow a reversal that it has not asked for.
            registerAllSteps()
        }
        changed()
    }

    /// Registers the steps that can be undone anew.
    private func registerAllSteps() {
        registrar?.removeAllSteps()
        for step in undoSteps { registerUndo(step.name) }
    }

    // MARK: Steps

    func push(_ step: EditStep, coalescing: Bool) {
        let now = clock.now()
        defer { lastEdit = now }
        redoSteps = []
        if coalescing, let last = undoSteps.last, last.name == step.name, let lastEdit, now - lastEdit < .seconds(1),
            let both = last.merged(with: step)
        {
            if !both.isEmpty {
                undoSteps[undoSteps.count - 1] = both
                return
            }
            // The edits have cancelled each other.
            undoSteps.removeLast()
            registerAllSteps()
            updateState()
            return
        }
        undoSteps.append(step)
        limitUndo()
        if undoLevels > 0 { registerUndo(step.name) }
    }

    func limitUndo() {
        let excess = undoSteps.count - max(0, undoLevels)
        if excess > 0 { undoSteps.removeFirst(excess) }
        updateState()
    }

    /// Forgets the steps that would insert objects again whose deletion was saved, and all before them, where the engine
    /// cannot do that.
    func forgetSteps(reviving deleted: Set<NSManagedObject>) {
        func forget(_ steps: inout [EditStep]) {
            if let index = steps.lastIndex(where: { $0.revives(deleted) }) { steps.removeFirst(index + 1) }
        }
        if deleted.isEmpty { return }
        forget(&undoSteps)
        forget(&redoSteps)
    }

    private func registerUndo(_ name: String) {
        registrar?.registerUndo(name) { [weak self] in
            self?.calledByRegistrar { editing in
                // Without a redo step, if nothing could be undone.
                let count = editing.redoSteps.count
                if editing.undo(), editing.redoSteps.count > count { editing.registerRedo(name) }
            }
        }
    }

    private func registerRedo(_ name: String) {
        registrar?.registerUndo(name) { [weak self] in
            self?.calledByRegistrar { editing in
                let count = editing.undoSteps.count
                if editing.redo(), editing.undoSteps.count > count { editing.registerUndo(name) }
            }
        }
    }

    private func calledByRegistrar(_ body: (EditingContext) -> Void) {
        isCalledByRegistrar = true
        defer { isCalledByRegistrar = false }
        body(self)
    }
}
