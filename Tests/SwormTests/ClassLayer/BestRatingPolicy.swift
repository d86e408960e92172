import Sworm

/// Of two ratings of the same recipe, keeps the better one. Other conflicting values are those of the context.
///
/// @unchecked: it adds no properties to its superclass, whose own do not change.
final class BestRatingPolicy: NSMergePolicy, @unchecked Sendable {
    init() {
        super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    }

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        // Before the conflicts are resolved: an own rating that has not changed since it was read is then replaced.
        let ratings = list.map { conflict in
            [conflict.objectSnapshot, conflict.persistedSnapshot].map { $0?["rating"] as? Double ?? 0 }.max() ?? 0
        }
        try super.resolve(optimisticLockingConflicts: list)
        for (conflict, rating) in zip(list, ratings) { (conflict.sourceObject as? Recipe)?.rating = rating }
    }
}
