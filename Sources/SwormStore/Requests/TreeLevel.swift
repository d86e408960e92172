package import SwormPredicates

/// A request for the rows of one level of trees, as a value.
package struct TreeLevel: Sendable {
    /// The rows of a level.
    package enum Source: Sendable {
        /// The rows that the request finds.
        case request
        /// Of these rows, those with the given keys, in the order of the keys.
        case keys([Int64])
        /// Of these rows, the members of a to-many relationship of owners, by the number of its entity and its slot. A
        /// limit and an offset count for each owner.
        ///
        /// The owners are sorted by their keys, and different. The members are sorted by owner, then by the order of the
        /// request, or that of the relationship if the request has none, then by key. With `anyOrder`, they may also be
        /// sorted by key alone.
        case members(of: Int, relationship: Int, owners: [Int64], anyOrder: Bool)
    }

    package var fetch: FetchSpecification
    package var source: Source
    /// The slots of the columns behind the primary key; see ``PseudoSlot``.
    package var columns: [Int]
    /// Computed columns, which follow the slots. The last column is the owner's key, for members.
    package var expressions: [ExpressionTree]

    package init(
        _ fetch: FetchSpecification, source: Source = .request, columns: [Int], expressions: [ExpressionTree] = []
    ) {
        self.fetch = fetch
        self.source = source
        self.columns = columns
        self.expressions = expressions
    }

    /// The column of the owner's key, for members.
    package static func ownerColumn(after columns: [Int], expressions: Int) -> Int32 {
        Int32(1 + columns.count + expressions)
    }
}
