#if canImport(ObjectiveC)
public import Foundation

/// A connection from an ``EditingContext`` to an `UndoManager`, so that the menu commands Undo and Redo work.
///
/// ```swift
/// .onAppear { editor.register(with: undoManager.map(UndoManagerAdapter.init)) }
/// ```
@MainActor
public final class UndoManagerAdapter: UndoRegistering {
    /// The object by which the undo manager identifies the steps of the adapter.
    private final class Target: Sendable {}

    // Unsafe: it is used on the main actor only, also by `deinit`.
    private nonisolated(unsafe) weak var manager: UndoManager?
    private let target = Target()

    /// Creates a connection. The undo manager is not retained.
    ///
    /// - Parameter manager: The undo manager, for example that of the environment of a view.
    public init(_ manager: UndoManager) { self.manager = manager }

    deinit {
        // The undo manager does not retain the target of its steps.
        nonisolated(unsafe) let manager = manager
        let target = target
        Task { @MainActor in manager?.removeAllActions(withTarget: target) }
    }

    /// Registers the reversal of a step.
    public func registerUndo(_ name: String, handler: @escaping @MainActor () -> Void) {
        manager?.registerUndo(withTarget: target) { _ in MainActor.assumeIsolated { handler() } }
        manager?.setActionName(name)
    }

    /// Forgets all steps of the adapter.
    public func removeAllSteps() { manager?.removeAllActions(withTarget: target) }
}
#endif
