import Sworm

/// Of two ratings of the same recipe, keeps the better one. Other conflicting values are those of the context.
final class BestRatingPolicy: NSMergePolicy, @unchecked Sendable {
    init() {
        super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    }

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        let stored = list.map { $0.persistedSnapshot?["rating"] as? Double ?? 0 }
        try super.resolve(optimisticLockingConflicts: list)
        for (conflict, rating) in zip(list, stored) {
            guard let recipe = conflict.sourceObject as? Recipe else { continue }
            recipe.rating = max(recipe.rating, rating)
        }
    }
}
