/// The steps of an undo manager.
struct UndoStacks {
    /// A closure that reverses a change.
    struct Reversal {
        /// The object whose change is reversed; nil if it is unknown or deallocated.
        weak var target: AnyObject?
        let run: () -> Void
        private let hasTarget: Bool

        init(target: AnyObject?, run: @escaping () -> Void) {
            self.target = target
            self.run = run
            hasTarget = target != nil
        }

        /// Whether there is something to reverse: a deallocated object has no changes any more.
        var isLive: Bool { !hasTarget || target != nil }
    }

    /// Changes that are reversed together.
    struct Step {
        var reversals: [Reversal] = []
        var name = ""

        /// Adds the reversals of a group inside this one.
        mutating func add(_ inner: Step) {
            if inner.reversals.isEmpty { return }
            reversals += inner.reversals
            if !inner.name.isEmpty { name = inner.name }
        }

        /// Whether there is something to reverse.
        var isLive: Bool { reversals.contains { $0.isLive } }

        func filtered(_ isKept: (Reversal) -> Bool) -> Step {
            Step(reversals: reversals.filter(isKept), name: name)
        }
    }

    enum Work { case registering, undoing, redoing }

    private(set) var undoSteps: [Step] = []
    private(set) var redoSteps: [Step] = []
    /// The groups that are open, the outermost first.
    private(set) var groups: [Step] = []
    var work = Work.registering
    /// The number of steps at which all of them are checked for deallocated targets: twice as many as the last check
    /// has left, so that a step is checked a few times only.
    private var nextCheck = 16
    /// Removed steps. Whoever changes the stacks releases them afterwards: an object that only they hold may use the undo
    /// manager when it is deallocated.
    private var removed: [Step] = []
    /// The maximum number of steps; 0 for no limit.
    var limit = 0 { didSet { dropOldest() } }

    /// The step that would be undone, after closing the groups that are open.
    var undoStep: Step? {
        guard work == .registering else { return undoSteps.last { $0.isLive } }
        var closed = Step()
        for group in groups.reversed() {
            var outer = group
            outer.add(closed)
            closed = outer
        }
        return closed.isLive ? closed : undoSteps.last { $0.isLive }
    }

    /// The step that would be done again.
    var redoStep: Step? { redoSteps.last { $0.isLive } }

    // MARK: Changes

    mutating func register(_ reversal: Reversal) {
        if let group = groups.indices.last {
            groups[group].reversals.append(reversal)
        } else {
            add(Step(reversals: [reversal]))
        }
    }

    mutating func openGroup(named name: String = "") { groups.append(Step(name: name)) }

    mutating func closeGroup() {
        guard let group = groups.popLast() else { return }
        guard group.isLive else { return removed.append(group) }
        guard let outer = groups.indices.last else { return add(group) }
        groups[outer].add(group)
    }

    /// Names the last step, or the group that is open.
    mutating func setName(_ name: String) {
        if let group = groups.indices.last {
            groups[group].name = name
        } else if let last = undoSteps.lastIndex(where: { $0.isLive }) {
            undoSteps[last].name = name
        }
    }

    mutating func takeUndoStep() -> Step? {
        removeLastDead()
        return undoSteps.popLast()
    }

    mutating func takeRedoStep() -> Step? {
        while let step = redoSteps.popLast() {
            if step.isLive { return step }
            removed.append(step)
        }
        return nil
    }

    /// Removes the steps at the end that reverse nothing.
    private mutating func removeLastDead() {
        while let step = undoSteps.last, !step.isLive { removed.append(undoSteps.removeLast()) }
    }

    /// Takes the steps that were removed.
    mutating func takeRemoved() -> [Step] {
        let steps = removed
        removed = []
        return steps
    }

    mutating func removeAll() {
        removed += undoSteps + redoSteps + groups
        undoSteps.removeAll()
        redoSteps.removeAll()
        groups = groups.map { _ in Step() }
    }

    /// Removes the reversals of an object's changes.
    mutating func removeAll(withTarget target: AnyObject) { keep { $0.target !== target } }

    /// Removes the reversals of the changes of deallocated objects.
    mutating func removeDead() { keep { $0.isLive } }

    private mutating func keep(_ isKept: (Reversal) -> Bool) {
        removed += undoSteps + redoSteps + groups
        undoSteps = undoSteps.map { $0.filtered(isKept) }.filter { !$0.reversals.isEmpty }
        redoSteps = redoSteps.map { $0.filtered(isKept) }.filter { !$0.reversals.isEmpty }
        groups = groups.map { $0.filtered(isKept) }
    }

    private mutating func add(_ step: Step) {
        // The closures of a step hold objects as long as it stays.
        removeLastDead()
        if undoSteps.count + redoSteps.count >= nextCheck {
            removeDead()
            nextCheck = max(16, 2 * (undoSteps.count + redoSteps.count))
        }
        switch work {
        case .registering:
            removed += redoSteps
            redoSteps = []
            undoSteps.append(step)
        case .undoing: redoSteps.append(step)
        case .redoing: undoSteps.append(step)
        }
        dropOldest()
    }

    private mutating func dropOldest() {
        guard limit > 0 else { return }
        let (undone, redone) = (max(0, undoSteps.count - limit), max(0, redoSteps.count - limit))
        removed += undoSteps.prefix(undone) + redoSteps.prefix(redone)
        undoSteps.removeFirst(undone)
        redoSteps.removeFirst(redone)
    }
}
