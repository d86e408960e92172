/// The way in which the members of a set change.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// Objects are added.
    case union = 1
    /// Objects are removed.
    case minus = 2
    /// All objects that are not in another set are removed.
    case intersect = 3
    /// All objects are replaced.
    case set = 4
}

// Notes of accessors that change some members of a to-many relationship.
extension NSManagedObject {
    /// Called before members of a to-many relationship are changed. It has the effect of ``willChangeValue(forKey:)``.
    ///
    /// - Parameters:
    ///   - inKey: The name of the relationship.
    ///   - inMutationKind: The way in which the members change.
    ///   - inObjects: The objects that are added, removed, kept or set.
    public final func willChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        willChangeValue(forKey: inKey)
    }

    /// Called after members of a to-many relationship were changed. It has the effect of ``didChangeValue(forKey:)``.
    ///
    /// - Parameters:
    ///   - inKey: The name of the relationship.
    ///   - inMutationKind: The way in which the members have changed.
    ///   - inObjects: The objects that were added, removed, kept or set.
    public final func didChangeValue(
        forKey inKey: String, withSetMutation inMutationKind: NSKeyValueSetMutationKind,
        using inObjects: Set<AnyHashable>
    ) {
        didChangeValue(forKey: inKey)
    }
}
