/// The numbers of objects that a save of trees has written.
public struct TreeSaveResult: Sendable, Hashable {
    /// The number of objects that were inserted.
    public var inserted = 0
    /// The number of objects of which attributes, or the order of an ordered relation, were changed.
    public var updated = 0
    /// The number of objects that were deleted because they are no longer in a tree. Objects that delete rules delete with
    /// them are not counted.
    public var deleted = 0
    /// The number of existing objects that were linked to an existing owner, or moved to another one.
    public var linked = 0
    /// The number of objects that were unlinked from their owner.
    public var unlinked = 0
    /// The number of objects that already had the values of the trees.
    public var unchanged = 0

    /// Creates a result.
    public init(
        inserted: Int = 0, updated: Int = 0, deleted: Int = 0, linked: Int = 0, unlinked: Int = 0, unchanged: Int = 0
    ) {
        (self.inserted, self.updated, self.deleted) = (inserted, updated, deleted)
        (self.linked, self.unlinked, self.unchanged) = (linked, unlinked, unchanged)
    }

    /// Whether nothing was written.
    public var isEmpty: Bool { inserted + updated + deleted + linked + unlinked == 0 }

    /// Adds the numbers of another result.
    public static func += (left: inout TreeSaveResult, right: TreeSaveResult) {
        left.inserted += right.inserted
        left.updated += right.updated
        left.deleted += right.deleted
        left.linked += right.linked
        left.unlinked += right.unlinked
        left.unchanged += right.unchanged
    }
}

/// The policy for an object that is in the saved trees more than once.
public struct RepeatPolicy: Sendable, Hashable {
    let takesLast: Bool

    /// The values must be equal; different ones are an error that names both positions.
    public static let equal = RepeatPolicy(takesLast: false)
    /// The last values are saved.
    public static let last = RepeatPolicy(takesLast: true)
}
