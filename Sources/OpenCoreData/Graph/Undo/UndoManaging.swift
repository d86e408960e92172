/// An undo manager of a context: a ``UndoManager``, or a type of the application.
public protocol UndoManaging: AnyObject {
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
}
