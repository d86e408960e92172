public import Foundation

/// The ways in which a merge policy resolves conflicts.
public enum NSMergePolicyType: UInt, Sendable {
    /// The save throws an error that lists the conflicts.
    case errorMergePolicyType = 0
    /// Conflicts are merged property by property. Changes in the store win.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// Conflicts are merged property by property. Changes in the context win.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// The context's object replaces the whole row.
    case overwriteMergePolicyType = 3
    /// The context's changes to the object are discarded.
    case rollbackMergePolicyType = 4
}

/// A policy that resolves conflicts with rows that changed in the store after they were read, and with unique values
/// that already exist.
///
/// If an inserted object has unique values that belong to a row of the store, the two are united: the object takes over
/// the row's identity, and the policy decides whose values are kept. Inserted objects with the same unique values are
/// united as if they had been saved one after the other. An update that would use another row's unique values is an
/// error under every policy.
open class NSMergePolicy: NSObject, @unchecked Sendable {
    // An open class cannot have a checked conformance. It is safe because the only state is immutable.

    /// The way in which the policy resolves conflicts.
    public let mergeType: NSMergePolicyType

    /// Creates a merge policy.
    ///
    /// - Parameter ty: The way in which the policy resolves conflicts.
    public init(merge ty: NSMergePolicyType) { mergeType = ty }

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
