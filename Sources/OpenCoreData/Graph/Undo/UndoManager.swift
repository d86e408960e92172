import Foundation

/// A list of changes that can be undone and done again, like Foundation's class on Apple platforms.
///
/// A context registers the changes of each event as one step, once it has an undo manager:
///
/// ```swift
/// context.undoManager = UndoManager()
/// book.setValue("Emma", forKey: "title")
/// context.undo()
/// ```
/// An undo manager is used where its context is used. Its members first let the context end the event, so that changes
/// which were just made are a step already.
open class UndoManager: UndoManaging {
    private var stacks = UndoStacks()
    private var disabled = 0
    /// The target of the reversal that is being registered.
    private weak var target: AnyObject?
    /// The closures that end the events of contexts.
    private var eventEnds: [() -> Bool] = []
    private var isEndingEvents = false
    /// The maximum number of steps that can be undone; 0 for no limit.
    open var levelsOfUndo: Int {
        get { stacks.limit }
        set { change { $0.limit = newValue } }
    }

    /// Creates an undo manager without steps.
    public init() {}

    /// Changes the stacks, and then releases the steps that were removed.
    private func change<Result>(_ change: (inout UndoStacks) -> Result) -> Result {
        let result = change(&stacks)
        _ = stacks.takeRemoved()
        return result
    }

    // MARK: Events

    /// Adds a closure that registers the changes of an event that has not ended. It returns false once it is not needed any
    /// more.
    final func addEventEnd(_ end: @escaping () -> Bool) { eventEnds.append(end) }

    private func endEvents() {
        // Observers of the event may use the undo manager.
        if isEndingEvents { return }
        isEndingEvents = true
        defer { isEndingEvents = false }
        let ends = eventEnds
        eventEnds = []
        let needed = ends.filter { $0() }
        eventEnds = needed + eventEnds
        // A context that is not in use any more leaves its steps behind.
        if needed.count < ends.count { change { $0.removeDead() } }
    }

    // MARK: State

    /// Whether there is a step to undo.
    open var canUndo: Bool { undoStep != nil }
    /// Whether there is a step to do again.
    open var canRedo: Bool { redoStep != nil }
    /// Whether ``undo()`` runs.
    open var isUndoing: Bool { stacks.work == .undoing }
    /// Whether ``redo()`` runs.
    open var isRedoing: Bool { stacks.work == .redoing }
    /// Whether changes are registered.
    open var isUndoRegistrationEnabled: Bool { disabled == 0 }
    /// The number of groups that are open.
    open var groupingLevel: Int { stacks.groups.count }
    /// The name of the step that ``undo()`` reverses; empty if it has none.
    open var undoActionName: String { undoStep?.name ?? "" }
    /// The name of the step that ``redo()`` does again; empty if it has none.
    open var redoActionName: String { redoStep?.name ?? "" }
    /// The title of a menu command that calls ``undo()``: "Undo" and the name of the step.
    open var undoMenuItemTitle: String { title("Undo", naming: undoActionName) }
    /// The title of a menu command that calls ``redo()``: "Redo" and the name of the step.
    open var redoMenuItemTitle: String { title("Redo", naming: redoActionName) }

    private func title(_ command: String, naming name: String) -> String {
        name.isEmpty ? command : "\(command) \(name)"
    }

    private var undoStep: UndoStacks.Step? {
        endEvents()
        return stacks.undoStep
    }

    private var redoStep: UndoStacks.Step? {
        endEvents()
        return stacks.redoStep
    }

    // MARK: Registering

    /// Stops registering changes, until ``enableUndoRegistration()`` is called as often.
    open func disableUndoRegistration() {
        endEvents()
        disabled += 1
    }

    /// Registers changes again.
    open func enableUndoRegistration() {
        endEvents()
        disabled = max(0, disabled - 1)
    }

    /// Begins a group: all changes until its end are one step. Groups may be nested.
    open func beginUndoGrouping() {
        endEvents()
        change { $0.openGroup() }
    }

    /// Ends a group.
    open func endUndoGrouping() {
        endEvents()
        change { $0.closeGroup() }
    }

    /// Names the last step, or the group that is open.
    open func setActionName(_ actionName: String) {
        endEvents()
        change { $0.setName(actionName) }
    }

    open func registerUndo(_ reversal: @escaping () -> Void) {
        guard isUndoRegistrationEnabled else { return }
        change { $0.register(UndoStacks.Reversal(target: target, run: reversal)) }
    }

    /// Registers a closure that reverses a change of an object. The object is not retained: the closure is not called once it
    /// is deallocated.
    open func registerUndo<Target: AnyObject>(withTarget target: Target, handler: @escaping (Target) -> Void) {
        let outer = self.target
        self.target = target
        defer { self.target = outer }
        registerUndo { [weak target] in if let target { handler(target) } }
    }

    // MARK: Undoing

    open func undo() {
        guard stacks.work == .registering else { return }
        while groupingLevel > 0 { endUndoGrouping() }
        endEvents()
        if let step = change({ $0.takeUndoStep() }) { run(step, as: .undoing) }
    }

    open func redo() {
        guard stacks.work == .registering else { return }
        endEvents()
        guard stacks.groups.isEmpty, let step = change({ $0.takeRedoStep() }) else { return }
        run(step, as: .redoing)
    }

    open func removeAllActions() { change { $0.removeAll() } }

    open func removeAllActions(withTarget target: Any) {
        change { $0.removeAll(withTarget: target as AnyObject) }
    }

    /// Runs the reversals of a step, the last one first. Their registrations are one step in turn, with the same name unless
    /// they give it another one.
    private func run(_ step: UndoStacks.Step, as work: UndoStacks.Work) {
        stacks.work = work
        change { $0.openGroup(named: step.name) }
        for reversal in step.reversals.reversed() { reversal.run() }
        // The reversals of the application may have changed objects.
        endEvents()
        change { $0.closeGroup() }
        stacks.work = .registering
    }
}
