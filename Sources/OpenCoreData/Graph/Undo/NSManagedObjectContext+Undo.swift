import SwormStore

// The steps of the context's undo manager.
extension NSManagedObjectContext {
    /// Records changes for an undo manager from now on, or stops recording.
    final func recordSteps(for manager: (any UndoManaging)?) {
        registerStep()
        recorder = manager == nil ? nil : ChangeRecorder()
        guard let manager = manager as? UndoManager, manager !== undoManaging else { return }
        manager.addEventEnd { [weak self, weak manager] in
            guard let self, let manager, self.undoManaging === manager else { return false }
            self.processEvents()
            return true
        }
    }

    /// Registers the changes since the last event as one step.
    final func registerStep() {
        guard let manager = undoManaging, let recorder else { return }
        if recorder.records.isEmpty { return }
        self.recorder = ChangeRecorder()
        guard let step = UndoStep(recorder) else { return }
        manager.registerUndo(withTarget: self) { $0.reverse(step) }
    }

    private final func reverse(_ step: UndoStep) {
        do {
            try step.undo(in: self)
        } catch {
            noteFailure(error)
        }
        processEvents()
        registerStep()
    }

    /// Forgets the steps, because their objects have left the context or lost their changes.
    final func forgetSteps() {
        guard let manager = undoManaging else { return }
        recorder = ChangeRecorder()
        // Other contexts may use the undo manager, too.
        manager.removeAllActions(withTarget: self)
    }
}
