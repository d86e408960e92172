package import SwormPredicates

/// A fetch request to a store, as a value.
package struct FetchSpecification: Sendable, Hashable {
    /// A sort key: a path of to-one relationships that ends in an attribute, in a relationship, or in the object
    /// itself.
    package struct Sort: Sendable, Hashable {
        package var path: [String]
        package var ascending: Bool
        package var options: ComparisonOptions

        package init(path: [String], ascending: Bool = true, options: ComparisonOptions = []) {
            self.path = path
            self.ascending = ascending
            self.options = options
        }
    }

    /// The number of the entity.
    package var entity: Int
    package var includesSubentities = true
    package var predicate: PredicateTree?
    package var sorts: [Sort] = []
    /// The maximum number of rows; 0 for all.
    package var limit = 0
    /// The number of rows to skip.
    package var offset = 0

    package init(entity: Int) { self.entity = entity }
}
