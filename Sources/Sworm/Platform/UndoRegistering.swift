/// A receiver of the steps of an ``EditingContext``, for example the undo manager of a window.
///
/// On Apple's platforms, `UndoManagerAdapter` connects an `UndoManager`, so that the menu commands Undo and Redo work.
/// ``EditingContext/register(with:)`` registers it.
@MainActor
public protocol UndoRegistering: AnyObject {
    /// Registers the reversal of a step.
    ///
    /// It is called for each new step, and for the opposite step while the handler of another one runs.
    ///
    /// - Parameters:
    ///   - name: The name of the step.
    ///   - handler: A closure that undoes the step, or does it again.
    func registerUndo(_ name: String, handler: @escaping @MainActor () -> Void)

    /// Forgets all registered steps, because they can no longer be undone.
    func removeAllSteps()
}
