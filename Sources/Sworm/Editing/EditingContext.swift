public import Observation
import SwormPredicates

/// A context of the main actor in which a user edits objects: with undo and redo, and saved automatically.
///
/// ```swift
/// let editor = try EditingContext(store)
/// try editor.edit("Rename") { try $0.object(with: id).encode(\.title, "War and Peace") }
/// editor.undo()
/// ```
/// Each `edit` is one step, which can be undone, also after it was saved. Undoing and redoing are edits themselves: they
/// change both sides of relations, and are saved. A property that somebody else has changed since then keeps its value,
/// and is listed in ``undoConflicts``.
///
/// Changes remain in the context until they are saved: by default a second after the last change, and when the editing
/// context is released. If they cannot be saved, they remain, ``saveError`` has the reason, and the next change tries
/// again.
///
/// Commits of other contexts, containers and processes are merged before each `edit` and `read`. Unsaved changes have
/// precedence, property by property, also when they are saved.
@MainActor @Observable
public final class EditingContext {
    /// Whether there are unsaved changes.
    public private(set) var hasChanges = false
    /// The names of the steps that can be undone; the last one is undone first.
    public private(set) var undoNames: [String] = []
    /// The names of the steps that can be done again; the last one is done first.
    public private(set) var redoNames: [String] = []
    /// The error of the last save; nil after a save that succeeded.
    ///
    /// If somebody else has deleted an object with unsaved changes, these are lost, and the error has the code
    /// `objectDeleted` until the save after the next one.
    public internal(set) var saveError: (any Error)?
    /// The properties that the last undo or redo has not changed, because somebody else has changed them since.
    public internal(set) var undoConflicts: [UndoConflict] = []
    /// The maximum number of steps that can be undone; 100 by default. Zero switches undo off.
    public var undoLevels = 100 { didSet { limitUndo() } }

    /// When the context saves by itself.
    public let autosave: Autosave

    /// A number that increases with every change of an object, so that views that read objects are updated.
    private var revision = 0
    let core: EditorCore
    let clock: EditingClock
    @ObservationIgnored var undoSteps: [EditStep] = []
    @ObservationIgnored var redoSteps: [EditStep] = []
    /// The time of the last edit, if the next one may continue its step.
    @ObservationIgnored var lastEdit: Duration?
    /// The recorder of the edit, undo or redo that is running.
    @ObservationIgnored private var recorder: EditRecorder?
    @ObservationIgnored var changeTimes: (first: Duration, last: Duration)?
    /// The error of unsaved changes that were lost since the last save.
    @ObservationIgnored var lossError: StoreError?
    @ObservationIgnored var registrar: (any UndoRegistering)?
    @ObservationIgnored var isCalledByRegistrar = false

    /// Creates an editing context.
    ///
    /// - Parameters:
    ///   - store: The container, which stays open as long as the editing context exists.
    ///   - autosave: When the context saves by itself.
    ///   - clock: The clock of autosaves and of coalescing, for tests.
    /// - Throws: A ``StoreError`` if the store is closed or suspended.
    public init(
        _ store: PersistentContainer, autosave: Autosave = .after(.seconds(1)),
        clock: some Clock<Duration> = ContinuousClock()
    ) throws {
        self.autosave = autosave
        self.clock = EditingClock(clock)
        let editor = Locked(WeakEditor())
        let news = CommitNews { Task { @MainActor in editor.withLock { $0.editor }?.mergeCommits() } }
        core = try EditorCore(store, savesItself: autosave != .never, news: news)
        editor.withLock { $0.editor = self }
        core.lasting.onMerge = { [weak self] in self?.note($0) }
        EditingContext.register(self)
    }

    deinit {
        let core = core
        if MainQueue.isCurrent {
            MainActor.assumeIsolated { _ = core.finish() }
        } else {
            // Until then, ``saveAll()`` finishes it.
            Self.released.withLock { $0.append(core) }
            Task { @MainActor in core.finish() }
        }
    }

    var isEditing: Bool { recorder != nil }
    var lasting: LastingContext { core.lasting }
    var instance: NSManagedObjectContext { core.lasting.instance }

    // MARK: Editing

    /// Runs a closure that changes objects, as one step that can be undone.
    ///
    /// If the closure throws, nothing of it remains. An `edit` inside an `edit` belongs to the outer step. Objects cannot
    /// be written in bulk, because that could not be undone.
    ///
    /// - Parameters:
    ///   - name: The name of the step, for menus.
    ///   - coalescing: Whether the edit continues the previous step, if that has the same name and is less than a second
    ///     old. Edits that insert or delete objects always are separate steps.
    ///   - body: A closure that changes objects. Its handles can be used in later calls of `edit` and `read`.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read.
    @discardableResult
    public func edit<R>(
        _ name: String, coalescing: Bool = false, _ body: (ManagedObjectContext) throws -> R
    ) throws -> R {
        if isEditing { return try joinEdit(body) }
        let (result, step) = try recording(as: name) { try body(lasting.context) }
        if !step.isEmpty { push(step, coalescing: coalescing) }
        changed()
        return result
    }

    /// Runs a closure that reads objects, including unsaved changes.
    ///
    /// A view that calls this method in its body is updated after each change in the context, and after each commit that
    /// is merged.
    ///
    /// - Parameter body: A closure that reads objects, and cannot change them.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or a ``StoreError`` if the store cannot be read.
    public func read<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        _ = revision
        return try lasting.runIfOpen { try lasting.reading { try body(lasting.context) } }
    }

    private func joinEdit<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        let (checkpoint, mark) = (Checkpoint(of: instance), recorder?.mark())
        let failure = lasting.takeFailure()
        defer { lasting.restoreFailure(failure) }
        do {
            let result = try body(lasting.context)
            try lasting.throwFailure()
            return result
        } catch {
            lasting.discardFailure()
            instance.restore(checkpoint)
            if let mark { recorder?.forget(since: mark) }
            throw error
        }
    }

    /// Runs a closure, and returns what it has changed. If it throws, nothing of it remains.
    func recording<R>(as name: String, _ body: () throws -> R) throws -> (R, EditStep) {
        try lasting.runIfOpen {
            let checkpoint = Checkpoint(of: instance)
            let recorder = EditRecorder(instance)
            self.recorder = recorder
            defer { self.recorder = nil }
            do {
                let result = try body()
                try lasting.throwFailure()
                let edits = try translatingErrors { try recorder.end() }
                return (result, EditStep(name: name, edits: edits))
            } catch {
                recorder.cancel()
                lasting.discardFailure()
                instance.restore(checkpoint)
                throw error
            }
        }
    }

    // MARK: State

    /// Updates what observers see after a change, and plans the next save.
    func changed() {
        revision += 1
        updateState()
        planSave()
    }

    func updateState() {
        let isChanged = lasting.hasChanges
        if hasChanges != isChanged { hasChanges = isChanged }
        let (undo, redo) = (undoSteps.map(\.name), redoSteps.map(\.name))
        if undoNames != undo { undoNames = undo }
        if redoNames != redo { redoNames = redo }
    }

    /// Merges the commits that wait, between two jobs.
    private func mergeCommits() {
        guard !isEditing else { return }
        lasting.run {}
    }

    private func note(_ merged: MergedCommits) {
        for (object, names) in merged.overtaken {
            for index in undoSteps.indices { undoSteps[index].note(overtaken: names, of: object) }
            for index in redoSteps.indices { redoSteps[index].note(overtaken: names, of: object) }
        }
        for (deleted, values) in merged.renewed {
            updateStep(reviving: deleted) { $0.note(renewed: values, of: deleted) }
        }
        for (deleted, edits) in merged.cascades { updateStep(reviving: deleted) { $0.append(edits) } }
        for error in merged.losses {
            core.store.logError?(error)
            (saveError, lossError) = (error, error)
        }
        revision += 1
        updateState()
    }
}

extension EditingContext {
    /// Changes the step that inserts a deleted object again when it is undone or redone.
    private func updateStep(reviving deleted: NSManagedObject, _ change: (inout EditStep) -> Void) {
        if let index = undoSteps.lastIndex(where: { $0.revives([deleted]) }) {
            change(&undoSteps[index])
        } else if let index = redoSteps.lastIndex(where: { $0.revives([deleted]) }) {
            change(&redoSteps[index])
        }
    }
}

struct WeakEditor: Sendable {
    weak var editor: EditingContext?
}
