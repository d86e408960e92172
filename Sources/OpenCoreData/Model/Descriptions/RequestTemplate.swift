package import Foundation
import SwormPredicates

/// The settings of a fetch request, in the form in which a model contains them.
package struct RequestTemplate {
    /// The name of the entity whose objects the request finds.
    package var entityName: String?
    package var sortDescriptors: [NSSortDescriptor]?
    package var fetchLimit = 0
    package var fetchOffset = 0
    package var fetchBatchSize = 0
    /// The raw value of the result type.
    package var resultType: UInt = 0
    package var includesSubentities = true
    package var includesPendingChanges = true
    package var includesPropertyValues = true
    package var returnsObjectsAsFaults = true
    package var shouldRefreshRefetchedObjects = false
    package var returnsDistinctResults = false
    package var relationshipKeyPathsForPrefetching: [String]?
    package var propertiesToFetch: [Any]?
    package var propertiesToGroupBy: [Any]?
    package var havingPredicate: NSPredicate?

    private var format: String?
    private var given: NSPredicate?

    package init() {}

    /// The format of the predicate. Setting it sets the predicate, which has the error if the format is invalid.
    package var predicateText: String? {
        get { format ?? given.map { (try? $0.tree().format) ?? $0.description } }
        set { (format, given) = (newValue, nil) }
    }

    /// The format of the predicate as this library writes it, so that equal predicates have equal formats. One that is
    /// invalid is as it was given.
    package var canonicalPredicateText: String? {
        predicate.flatMap { try? $0.tree().format } ?? predicateText
    }

    /// The predicate. A format is only parsed when the predicate is used.
    package var predicate: NSPredicate? {
        get { given ?? format.map { format in FormatPredicate(Result { try parsePredicate(format) }) } }
        set { (format, given) = (nil, newValue) }
    }
}
