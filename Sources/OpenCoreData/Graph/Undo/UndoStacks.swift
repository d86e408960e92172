/// The steps of an undo manager.
struct UndoStacks {
    /// A closure that reverses a change.
    struct Reversal {
        /// The object whose change is reversed; nil if it is unknown or deallocated.
        weak var target: AnyObject?
        let run: () -> Void
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

        func without(_ target: AnyObject) -> Step {
            Step(reversals: reversals.filter { $0.target !== target }, name: name)
        }
    }

    enum Work { case registering, undoing, redoing }

    private(set) var undoSteps: [Step] = []
    private(set) var redoSteps: [Step] = []
    /// The groups that are open, the outermost first.
    private(set) var groups: [Step] = []
    var work = Work.registering
    /// The maximum number of steps; 0 for no limit.
    var limit = 0 { didSet { dropOldest() } }

    /// The step that would be undone, after closing the groups that are open.
    var undoStep: Step? {
        guard work == .registering else { return undoSteps.last }
        var closed = Step()
        for group in groups.reversed() {
            var outer = group
            outer.add(closed)
            closed = outer
        }
        return closed.reversals.isEmpty ? undoSteps.last : closed
    }

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
        guard let group = groups.popLast(), !group.reversals.isEmpty else { return }
        guard let outer = groups.indices.last else { return add(group) }
        groups[outer].add(group)
    }

    /// Names the last step, or the group that is open.
    mutating func setName(_ name: String) {
        if let group = groups.indices.last {
            groups[group].name = name
        } else if let last = undoSteps.indices.last {
            undoSteps[last].name = name
        }
    }

    mutating func takeUndoStep() -> Step? { undoSteps.popLast() }

    mutating func takeRedoStep() -> Step? { redoSteps.popLast() }

    mutating func removeAll() {
        undoSteps.removeAll()
        redoSteps.removeAll()
        groups = groups.map { _ in Step() }
    }

    /// Removes the reversals of an object's changes.
    mutating func removeAll(withTarget target: AnyObject) {
        undoSteps = undoSteps.map { $0.without(target) }.filter { !$0.reversals.isEmpty }
        redoSteps = redoSteps.map { $0.without(target) }.filter { !$0.reversals.isEmpty }
        groups = groups.map { $0.without(target) }
    }

    private mutating func add(_ step: Step) {
        switch work {
        case .registering:
            redoSteps.removeAll()
            undoSteps.append(step)
        case .undoing: redoSteps.append(step)
        case .redoing: undoSteps.append(step)
        }
        dropOldest()
    }

    private mutating func dropOldest() {
        guard limit > 0 else { return }
        undoSteps.removeFirst(max(0, undoSteps.count - limit))
        redoSteps.removeFirst(max(0, redoSteps.count - limit))
    }
}
