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
