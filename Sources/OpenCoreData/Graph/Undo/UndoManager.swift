/// A list of changes that can be undone and done again, like Foundation's class on Apple platforms.
///
/// A context registers the changes of each event as one step, once it has an undo manager:
///
/// ```swift
/// context.undoManager = UndoManager()
/// book.setValue("Emma", forKey: "title")
/// context.undo()
/// ```
/// An undo manager is used where its context is used.
open class UndoManager: UndoManaging {
    private struct Step {
        var reversals: [() -> Void] = []
        var name = ""
    }

    private enum Work { case registering, undoing, redoing }

    private var undoSteps: [Step] = []
    private var redoSteps: [Step] = []
    private var work = Work.registering
    /// The groups that are open, the outermost first.
    private var groups: [Step] = []
    private var disabled = 0
    /// The maximum number of steps that can be undone; 0 for no limit.
    open var levelsOfUndo = 0 {
        didSet { dropOldest() }
    }

    /// Creates an undo manager without steps.
    public init() {}

    /// Whether there is a step to undo.
    open var canUndo: Bool { !undoSteps.isEmpty || !(groups.first?.reversals.isEmpty ?? true) }
    /// Whether there is a step to do again.
    open var canRedo: Bool { !redoSteps.isEmpty }
    /// Whether ``undo()`` runs.
    open var isUndoing: Bool { work == .undoing }
    /// Whether ``redo()`` runs.
    open var isRedoing: Bool { work == .redoing }
    /// Whether changes are registered.
    open var isUndoRegistrationEnabled: Bool { disabled == 0 }
    /// The number of groups that are open.
    open var groupingLevel: Int { groups.count }
    /// The name of the step that ``undo()`` reverses; empty if it has none.
    open var undoActionName: String { undoSteps.last?.name ?? "" }
    /// The name of the step that ``redo()`` does again; empty if it has none.
    open var redoActionName: String { redoSteps.last?.name ?? "" }

    /// Stops registering changes, until ``enableUndoRegistration()`` is called as often.
    open func disableUndoRegistration() { disabled += 1 }

    /// Registers changes again.
    open func enableUndoRegistration() { disabled = max(0, disabled - 1) }

    /// Begins a group: all changes until its end are one step. Groups may be nested.
    open func beginUndoGrouping() { groups.append(Step()) }

    /// Ends a group.
    open func endUndoGrouping() {
        guard let group = groups.popLast(), !group.reversals.isEmpty else { return }
        guard let outer = groups.indices.last else { return add(group) }
        groups[outer].reversals += group.reversals
        if !group.name.isEmpty { groups[outer].name = group.name }
    }

    /// Names the last step, or the group that is open.
    open func setActionName(_ actionName: String) {
        if let group = groups.indices.last {
            groups[group].name = actionName
        } else if work == .undoing, let last = redoSteps.indices.last {
            redoSteps[last].name = actionName
        } else if let last = undoSteps.indices.last {
            undoSteps[last].name = actionName
        }
    }

    open func registerUndo(_ reversal: @escaping () -> Void) {
        guard isUndoRegistrationEnabled else { return }
        if let group = groups.indices.last {
            groups[group].reversals.append(reversal)
        } else {
            add(Step(reversals: [reversal]))
        }
    }

    /// Registers a closure that reverses a change of an object. The object is not retained: the closure is not called once it
    /// is deallocated.
    open func registerUndo<Target: AnyObject>(withTarget target: Target, handler: @escaping (Target) -> Void) {
        registerUndo { [weak target] in if let target { handler(target) } }
    }

    open func undo() {
        while !groups.isEmpty { endUndoGrouping() }
        guard work == .registering, let step = undoSteps.popLast() else { return }
        run(step, as: .undoing)
    }

    open func redo() {
        guard work == .registering, groups.isEmpty, let step = redoSteps.popLast() else { return }
        run(step, as: .redoing)
    }

    open func removeAllActions() {
        undoSteps.removeAll()
        redoSteps.removeAll()
        groups = groups.map { _ in Step() }
    }

    /// Runs the reversals of a step, the last one first. Their registrations are one step in turn.
    private func run(_ step: Step, as work: Work) {
        self.work = work
        beginUndoGrouping()
        for reversal in step.reversals.reversed() { reversal() }
        if let group = groups.indices.last, groups[group].name.isEmpty { groups[group].name = step.name }
        endUndoGrouping()
        self.work = .registering
    }

    private func add(_ step: Step) {
        switch work {
        case .registering:
            redoSteps.removeAll()
            undoSteps.append(step)
        case .undoing: redoSteps.append(step)
        case .redoing: undoSteps.append(step)
        }
        dropOldest()
    }

    private func dropOldest() {
        guard levelsOfUndo > 0 else { return }
        undoSteps.removeFirst(max(0, undoSteps.count - levelsOfUndo))
        redoSteps.removeFirst(max(0, redoSteps.count - levelsOfUndo))
    }
}
