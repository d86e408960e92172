/// An undo manager of a context: a ``UndoManager``, or a type of the application.
///
/// The members have the names and the meaning of those of Foundation's class on Apple platforms.
public protocol UndoManaging: AnyObject {
    // MARK: Changes

    /// Registers a closure that reverses a change.
    ///
    /// While ``undo()`` or ``redo()`` runs, the closure is one that does the change again, or undoes it again.
    func registerUndo(_ reversal: @escaping () -> Void)

    /// Reverses the last change.
    func undo()

    /// Does the change again that was undone last.
    func redo()

    /// Forgets all changes that can be undone or done again.
    func removeAllActions()

    // MARK: State

    /// Whether there is a change to undo.
    var canUndo: Bool { get }

    /// Whether there is a change to do again.
    var canRedo: Bool { get }

    /// Whether ``undo()`` runs.
    var isUndoing: Bool { get }

    /// Whether ``redo()`` runs.
    var isRedoing: Bool { get }

    /// The maximum number of changes that can be undone; 0 for no limit.
    var levelsOfUndo: Int { get set }

    // MARK: Registration

    /// Whether changes are registered.
    var isUndoRegistrationEnabled: Bool { get }

    /// Stops registering changes, until ``enableUndoRegistration()`` is called as often.
    func disableUndoRegistration()

    /// Registers changes again.
    func enableUndoRegistration()

    // MARK: Groups

    /// The number of groups that are open.
    var groupingLevel: Int { get }

    /// Begins a group: all changes until its end are undone together.
    func beginUndoGrouping()

    /// Ends a group.
    func endUndoGrouping()

    // MARK: Names

    /// The name of the change that ``undo()`` reverses; empty if it has no name.
    var undoActionName: String { get }

    /// The name of the change that ``redo()`` does again; empty if it has no name.
    var redoActionName: String { get }

    /// Names the last change, or the group that is open.
    func setActionName(_ actionName: String)
}

extension UndoManaging {
    /// Registers a closure that reverses a change of an object.
    ///
    /// - Parameters:
    ///   - target: The object. It is not retained: the closure is not called once it is deallocated.
    ///   - handler: A closure that receives the object.
    public func registerUndo<Target: AnyObject>(withTarget target: Target, handler: @escaping (Target) -> Void) {
        registerUndo { [weak target] in if let target { handler(target) } }
    }
}
