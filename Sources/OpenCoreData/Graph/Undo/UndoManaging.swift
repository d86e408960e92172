/// An undo manager of a context: a ``UndoManager``, or a type of the application.
///
/// The members have the names and the meaning of those of Foundation's class on Apple platforms.
public protocol UndoManaging: AnyObject {
    // MARK: Changes

    /// Registers a closure that reverses a change.
    ///
    /// While ``undo()`` or ``redo()`` runs, the closure is one that does the change again, or undoes it again.
    func registerUndo(_ reversal: @escaping () -> Void)

    /// Registers a closure that reverses a change of an object. By default, it is registered without the object.
    ///
    /// - Parameters:
    ///   - target: The object; the context for its own changes. It is not retained: the closure is not called once it is
    ///     deallocated.
    ///   - handler: A closure that receives the object.
    func registerUndo<Target: AnyObject>(withTarget target: Target, handler: @escaping (Target) -> Void)

    /// Reverses the last change.
    ///
    /// A ``UndoManager`` first lets its contexts end their events, so that changes which were just made are reversed. With
    /// a type of the application, call ``NSManagedObjectContext/undo()`` instead, which also ends the event.
    func undo()

    /// Does the change again that was undone last.
    func redo()

    /// Forgets all changes that can be undone or done again.
    func removeAllActions()

    /// Forgets the changes that were registered with an object. By default, all changes.
    ///
    /// - Parameter target: The object; a context for its own changes.
    func removeAllActions(withTarget target: Any)

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

    /// The title of a menu command that calls ``undo()``. By default, "Undo" and the name of the change.
    var undoMenuItemTitle: String { get }

    /// The title of a menu command that calls ``redo()``. By default, "Redo" and the name of the change.
    var redoMenuItemTitle: String { get }
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

    /// Forgets all changes.
    public func removeAllActions(withTarget target: Any) { removeAllActions() }

    /// "Undo" and the name of the change.
    public var undoMenuItemTitle: String { undoActionName.isEmpty ? "Undo" : "Undo \(undoActionName)" }

    /// "Redo" and the name of the change.
    public var redoMenuItemTitle: String { redoActionName.isEmpty ? "Redo" : "Redo \(redoActionName)" }
}
