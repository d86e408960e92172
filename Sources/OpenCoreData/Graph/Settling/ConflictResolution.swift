import SwormStore

/// The settling of a save's conflicts that a custom merge policy requests. It ends when the policy returns.
final class ConflictResolution {
    typealias Settling = (_ rows: [NSMergeConflict], _ constraints: [NSConstraintConflict]) throws -> Void

    private let context: NSManagedObjectContext
    private var settling: Settling?

    init(in context: NSManagedObjectContext, _ settling: @escaping Settling) {
        self.context = context
        self.settling = settling
    }

    func end() { settling = nil }

    /// Settles conflicts in the way of the policy's type.
    func settle(_ rows: [NSMergeConflict], _ constraints: [NSConstraintConflict]) throws {
        try context.throwingCocoaErrors {
            guard let settling else {
                throw CoreDataError(
                    NSManagedObjectMergeError,
                    "The save that had these conflicts is over. A merge policy can only resolve the conflicts of a running save."
                )
            }
            try settling(rows, constraints)
        }
    }
}

extension NSManagedObjectContext {
    /// The merge policy, if it is of a class of the application.
    final var customMergePolicy: NSMergePolicy? {
        guard let policy = mergePolicy as? NSMergePolicy, type(of: policy) != NSMergePolicy.self else { return nil }
        return policy
    }
}
