package import SwormPredicates

/// What a store is asked for when not objects but values are wanted.
package struct ProjectionSpecification: Sendable, Hashable {
    /// Which rows. A limit and an offset count what the projection gives; with ``ProjectionTree/Form/total``, the rows that
    /// it is made of.
    package var fetch: FetchSpecification
    package var tree: ProjectionTree
    /// Expressions by the names under which the condition on groups refers to them.
    package var variables: [String: ExpressionTree] = [:]

    package init(fetch: FetchSpecification, tree: ProjectionTree) {
        self.fetch = fetch
        self.tree = tree
    }
}

/// What is known of a column of a projection. Columns come in their order.
package struct ProjectedColumn: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// A value that is converted to the given type where its reader does not know a better one.
        case value(AttributeType)
        /// Binary data that can lie outside; the column begins with a marker.
        case externalData
        /// An object of the given entity or of one of its descendants: its key, and in the next column the number of its entity.
        case object(Int)
    }

    package var content: Content
    /// What the column shows, for messages.
    package var path: String
}
