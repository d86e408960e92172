import SwormStore

/// The settling of a save's conflicts that a custom merge policy requests. It ends when the policy returns.
final class ConflictResolution {
    typealias Settling = (
        _ rows: [NSMergeConflict], _ constraints: [NSConstraintConflict], _ type: NSMergePolicyType
    ) throws -> Void

    /// The context of the running save, and the settling; nil once the policy has returned. The conflicts hold this
    /// object, and a policy may keep them, while the context holds the policy.
    private var running: (context: NSManagedObjectContext, settling: Settling)?

    init(in context: NSManagedObjectContext, _ settling: @escaping Settling) { running = (context, settling) }

    func end() { running = nil }

    /// Settles conflicts in the way of a type, which is that of the policy that was called. The context's policy may
    /// call another one.
    func settle(
        _ rows: [NSMergeConflict], _ constraints: [NSConstraintConflict], by type: NSMergePolicyType
    ) throws {
        guard let running else {
            return try throwingCocoaErrors {
                throw CoreDataError(
                    NSManagedObjectMergeError,
                    "The save that had these conflicts is over. A merge policy can only resolve the conflicts of a running save."
                )
            }
        }
        try running.context.throwingCocoaErrors { try running.settling(rows, constraints, type) }
    }
}

extension NSManagedObjectContext {
    /// The merge policy, if it is of a class of the application.
    final var customMergePolicy: NSMergePolicy? {
        guard let policy = mergePolicy as? NSMergePolicy, type(of: policy) != NSMergePolicy.self else { return nil }
        return policy
    }
}
