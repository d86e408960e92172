package import SwormPredicates

/// A request to a store for values instead of objects.
package struct ProjectionSpecification: Sendable, Hashable {
    /// The rows to read. A limit and an offset apply to the rows of the projection; with
    /// ``ProjectionTree/Form/total``, to the rows that are aggregated.
    package var fetch: FetchSpecification
    package var tree: ProjectionTree
    /// The expressions, by the names under which the condition on groups refers to them.
    package var variables: [String: ExpressionTree] = [:]

    package init(fetch: FetchSpecification, tree: ProjectionTree) {
        self.fetch = fetch
        self.tree = tree
    }
}

/// A description of a column of a projection. Columns have the order of the projection.
package struct ProjectedColumn: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// A value that is converted to the given type unless its reader knows a better one.
        case value(AttributeType)
        /// Binary data that can be stored externally. The column starts with a marker.
        case externalData
        /// An object of the given entity or of one of its descendants: its key, and its entity number in the next
        /// column.
        case object(Int)
    }

    package var content: Content
    /// The path or expression of the column, for messages.
    var path: String
}
