package import SwormPredicates

/// An update that sets attributes of all rows that a request finds.
package struct BatchUpdate {
    var specification: FetchSpecification
    /// The values of stored attributes, each in the form in which the attribute holds it.
    var values: [(slot: Int, value: AttributeValue)]
    /// The stored attributes whose values each row computes for itself, from its values before the update.
    package var computed: [(slot: Int, expression: ExpressionTree)] = []
    /// The author of the change, for the history.
    package var author: String?
    package var contextName: String?
    /// Whether rows that already have the values are left unchanged: they get no new version, and no change is
    /// reported.
    package var leavesEqualRows = false
    /// Whether the result lists the changed rows.
    package var namesRows = false

    package init(_ specification: FetchSpecification, values: [(slot: Int, value: AttributeValue)]) {
        self.specification = specification
        self.values = values
    }
}

/// The deletion of rows, by the delete rules of their relationships.
package struct BatchDeletion {
    /// The choice of the rows to delete.
    package enum Choice {
        case found(FetchSpecification)
        case listed([RowID])
    }

    var choice: Choice
    /// The author of the change, for the history.
    package var author: String?
    package var contextName: String?
    /// Whether the result lists the deleted rows.
    package var namesRows = false

    package init(_ choice: Choice) { self.choice = choice }
}

/// The result of statements that bypass a context's objects.
package struct BatchResult {
    /// The number of rows that the request found.
    package var count = 0
    /// Whether rows were changed or deleted.
    package var hasChanged = true
    /// The rows, if they were requested, including those that were deleted by delete rules.
    package var rows: [RowID] = []
}
