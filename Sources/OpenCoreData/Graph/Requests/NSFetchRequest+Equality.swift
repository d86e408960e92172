import Foundation

extension NSFetchRequest: ComparableRequest {
    final func hasSettings(of other: NSPersistentStoreRequest) -> Bool {
        guard let other = other as? NSFetchRequest else { return false }
        return hasObjects(of: other) && hasReading(of: other) && hasProperties(of: other)
    }

    /// Whether the request finds the same objects in the same order as another one.
    private func hasObjects(of other: NSFetchRequest) -> Bool {
        entityName == other.entityName && includesSubentities == other.includesSubentities
            && fetchLimit == other.fetchLimit && fetchOffset == other.fetchOffset
            && areSame(predicate, other.predicate) && areSame(sortDescriptors, other.sortDescriptors)
            && affectedStores == other.affectedStores && includesPendingChanges == other.includesPendingChanges
    }

    /// Whether the request reads objects in the same way as another one.
    private func hasReading(of other: NSFetchRequest) -> Bool {
        resultType == other.resultType && fetchBatchSize == other.fetchBatchSize
            && includesPropertyValues == other.includesPropertyValues
            && returnsObjectsAsFaults == other.returnsObjectsAsFaults
            && shouldRefreshRefetchedObjects == other.shouldRefreshRefetchedObjects
            && relationshipKeyPathsForPrefetching == other.relationshipKeyPathsForPrefetching
    }

    /// Whether the request has the same dictionaries as another one.
    private func hasProperties(of other: NSFetchRequest) -> Bool {
        areSame(propertiesToFetch, other.propertiesToFetch) && returnsDistinctResults == other.returnsDistinctResults
            && areSame(propertiesToGroupBy, other.propertiesToGroupBy)
            && areSame(havingPredicate, other.havingPredicate)
    }
}

/// Returns whether two predicates are the same condition.
private func areSame(_ one: NSPredicate?, _ other: NSPredicate?) -> Bool {
    guard one !== other else { return true }
    // Foundation regards all predicates as equal that it did not make itself.
    guard let one = try? one?.tree(), let other = try? other?.tree() else { return false }
    return one == other
}

private func areSame(_ one: [NSSortDescriptor]?, _ other: [NSSortDescriptor]?) -> Bool {
    guard let one, let other else { return (one == nil) == (other == nil) }
    return one.elementsEqual(other) { one, other in
        one === other
            || one.key != nil && one.key == other.key && one.ascending == other.ascending
                && one.selector == other.selector
    }
}

/// Returns whether two lists of properties, by name or by description, are the same.
private func areSame(_ one: [Any]?, _ other: [Any]?) -> Bool {
    guard let one, let other else { return (one == nil) == (other == nil) }
    return one.elementsEqual(other) { one, other in
        guard let one = one as? String, let other = other as? String else {
            return (one as AnyObject) === (other as AnyObject)
        }
        return one == other
    }
}
