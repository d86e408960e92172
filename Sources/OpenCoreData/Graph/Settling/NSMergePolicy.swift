public import Foundation
import SwormStore

/// A policy that resolves conflicts with rows that changed in the store after they were read, and with unique values
/// that already exist.
///
/// If an inserted object has unique values that belong to a row of the store, the two are united: the object takes over
/// the row's identity, and the policy decides whose values are kept. Inserted objects with the same unique values are
/// united as if they had been saved one after the other. An update that would use another row's unique values is an
/// error under every policy.
///
/// A subclass overrides ``resolve(optimisticLockingConflicts:)`` or ``resolve(constraintConflicts:)`` to change objects
/// before or after the conflicts are resolved:
///
/// ```swift
/// final class LatestWins: NSMergePolicy, @unchecked Sendable {
///     override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
///         let stored = list.map { $0.persistedSnapshot?["changedAt"] as? Date }
///         try super.resolve(optimisticLockingConflicts: list)
///         for (conflict, date) in zip(list, stored) {
///             let own = conflict.sourceObject.value(forKey: "changedAt") as? Date
///             conflict.sourceObject.setValue([own, date].compactMap(\.self).max(), forKey: "changedAt")
///         }
///     }
/// }
/// ```
open class NSMergePolicy: NSObject, @unchecked Sendable {
    // An open class cannot have a checked conformance. It is safe because the only state is immutable.

    /// The way in which the policy resolves conflicts.
    public let mergeType: NSMergePolicyType

    /// Creates a merge policy.
    ///
    /// - Parameter ty: The way in which the policy resolves conflicts.
    public init(merge ty: NSMergePolicyType) { mergeType = ty }

    /// Resolves conflicts in the way of the policy's type, and changes the objects accordingly.
    ///
    /// The other two methods call this method unless they are overridden. A conflict that is neither passed to this
    /// implementation nor removed by changing or refreshing its object makes the save fail.
    ///
    /// - Parameter list: Conflicts of the running save, `NSMergeConflict` or `NSConstraintConflict`.
    /// - Throws: The error of the save, if the type is ``NSMergePolicyType/errorMergePolicyType`` or the conflicts cannot
    ///   be resolved; an error for conflicts that do not belong to a running save.
    open func resolve(mergeConflicts list: [Any]) throws {
        guard !list.isEmpty else { return }
        let changes = list.compactMap { $0 as? NSMergeConflict }
        let constraints = list.compactMap { $0 as? NSConstraintConflict }
        guard let resolution = changes.first?.resolution ?? constraints.first?.resolution else {
            return try throwingCocoaErrors {
                throw CoreDataError(
                    NSManagedObjectMergeError,
                    "A merge policy can only resolve the conflicts that a save passes to it, while it runs.")
            }
        }
        try resolution.settle(changes, constraints, by: mergeType)
    }

    /// Resolves conflicts between objects and their rows, which were changed or deleted in the store after they were
    /// read. A save calls this method under its write lock.
    ///
    /// - Parameter list: The conflicts of the running save.
    /// - Throws: The error of the save, or any other error, with which the save then fails.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws { try resolve(mergeConflicts: list) }

    /// Resolves conflicts between objects with the same unique values. A save calls this method under its write lock.
    ///
    /// - Parameter list: The conflicts of the running save.
    /// - Throws: The error of the save, or any other error, with which the save then fails.
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws { try resolve(mergeConflicts: list) }

    /// A policy that treats conflicts as errors. This is the default of a context.
    public static let error = NSMergePolicy(merge: .errorMergePolicyType)
    /// A policy that discards the context's changes to the object.
    public static let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)
    /// A policy that replaces the whole row with the context's object.
    public static let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
    /// A policy that merges property by property. Changes in the context win.
    public static let mergeByPropertyObjectTrump = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    /// A policy that merges property by property. Changes in the store win.
    public static let mergeByPropertyStoreTrump = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
}

/// A policy that treats conflicts as errors. This is the default of a context.
public let NSErrorMergePolicy: NSMergePolicy = .error
/// A policy that discards the context's changes to the object.
public let NSRollbackMergePolicy: NSMergePolicy = .rollback
/// A policy that replaces the whole row with the context's object.
public let NSOverwriteMergePolicy: NSMergePolicy = .overwrite
/// A policy that merges property by property. Changes in the context win.
public let NSMergeByPropertyObjectTrumpMergePolicy: NSMergePolicy = .mergeByPropertyObjectTrump
/// A policy that merges property by property. Changes in the store win.
public let NSMergeByPropertyStoreTrumpMergePolicy: NSMergePolicy = .mergeByPropertyStoreTrump
