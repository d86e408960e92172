public import Foundation

/// How a merge policy resolves conflicts.
public enum NSMergePolicyType: UInt, Sendable {
    /// The save throws an error that names the conflicts.
    case errorMergePolicyType = 0
    /// Property by property: what was changed in the store wins.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// Property by property: what was changed in the context wins.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// The context's object replaces the row as a whole.
    case overwriteMergePolicyType = 3
    /// The context's changes of the object are dropped.
    case rollbackMergePolicyType = 4
}

/// What a save does about rows that were changed in the store since they were read, and about unique values that are taken.
///
/// When an inserted object has unique values that a row of the store holds already, the two become one: the object takes the
/// row's identity, and the policy says whose values stay. An update that would take another row's unique values is an
/// error under every policy.
open class NSMergePolicy: NSObject, @unchecked Sendable {
    // The only state is immutable; hence the unchecked conformance, which an open class needs.

    /// How the policy resolves conflicts.
    public let mergeType: NSMergePolicyType

    /// Makes a policy.
    ///
    /// - Parameter ty: How it resolves conflicts.
    public init(merge ty: NSMergePolicyType) { mergeType = ty }

    /// A conflict is an error. What a context does by default.
    public static let error = NSMergePolicy(merge: .errorMergePolicyType)
    /// The context's changes of the object are dropped.
    public static let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)
    /// The context's object replaces the row as a whole.
    public static let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
    /// Property by property: what was changed in the context wins.
    public static let mergeByPropertyObjectTrump = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    /// Property by property: what was changed in the store wins.
    public static let mergeByPropertyStoreTrump = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
}

/// A conflict is an error. What a context does by default.
public let NSErrorMergePolicy: NSMergePolicy = .error
/// The context's changes of the object are dropped.
public let NSRollbackMergePolicy: NSMergePolicy = .rollback
/// The context's object replaces the row as a whole.
public let NSOverwriteMergePolicy: NSMergePolicy = .overwrite
/// Property by property: what was changed in the context wins.
public let NSMergeByPropertyObjectTrumpMergePolicy: NSMergePolicy = .mergeByPropertyObjectTrump
/// Property by property: what was changed in the store wins.
public let NSMergeByPropertyStoreTrumpMergePolicy: NSMergePolicy = .mergeByPropertyStoreTrump
