import Foundation
import SwormPredicates

extension NSFetchRequest {
    /// Creates a request with the settings that a model contains.
    convenience init(_ template: RequestTemplate) {
        if let name = template.entityName { self.init(entityName: name) } else { self.init() }
        predicate = template.predicate
        // Managed objects can only be evaluated by this kind of predicate.
        if let format = template.predicate as? FormatPredicate { predicate = ObjectPredicate(format.content) }
        sortDescriptors = template.sortDescriptors
        fetchLimit = template.fetchLimit
        fetchOffset = template.fetchOffset
        fetchBatchSize = template.fetchBatchSize
        resultType = NSFetchRequestResultType(rawValue: template.resultType)
        includesSubentities = template.includesSubentities
        includesPendingChanges = template.includesPendingChanges
        includesPropertyValues = template.includesPropertyValues
        returnsObjectsAsFaults = template.returnsObjectsAsFaults
        shouldRefreshRefetchedObjects = template.shouldRefreshRefetchedObjects
        returnsDistinctResults = template.returnsDistinctResults
        relationshipKeyPathsForPrefetching = template.relationshipKeyPathsForPrefetching
        propertiesToFetch = template.propertiesToFetch
        propertiesToGroupBy = template.propertiesToGroupBy
        havingPredicate = template.havingPredicate
    }

    /// The settings of the request, for a model.
    var template: RequestTemplate {
        var template = RequestTemplate()
        template.entityName = entityName
        template.predicate = predicate
        template.sortDescriptors = sortDescriptors
        template.fetchLimit = fetchLimit
        template.fetchOffset = fetchOffset
        template.fetchBatchSize = fetchBatchSize
        template.resultType = resultType.rawValue
        template.includesSubentities = includesSubentities
        template.includesPendingChanges = includesPendingChanges
        template.includesPropertyValues = includesPropertyValues
        template.returnsObjectsAsFaults = returnsObjectsAsFaults
        template.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
        template.returnsDistinctResults = returnsDistinctResults
        template.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching
        template.propertiesToFetch = propertiesToFetch
        template.propertiesToGroupBy = propertiesToGroupBy
        template.havingPredicate = havingPredicate
        return template
    }
}
