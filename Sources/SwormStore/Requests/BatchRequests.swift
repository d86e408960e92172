package import SwormPredicates

/// Values for attributes of all rows that a request finds.
package struct BatchUpdate {
    package var specification: FetchSpecification
    /// Of stored attributes, each in the form in which the attribute holds it.
    package var values: [(slot: Int, value: AttributeValue)]
    /// Who writes, for the history.
    package var author: String?
    package var contextName: String?
    /// Whether rows that have the values already are left as they are: no new version, and no change for anybody.
    package var leavesEqualRows = false
    /// Whether the changed rows are to be named.
    package var namesRows = false

    package init(_ specification: FetchSpecification, _ values: [(slot: Int, value: AttributeValue)]) {
        self.specification = specification
        self.values = values
    }
}

/// The deletion of rows, by the delete rules of their relationships.
package struct BatchDeletion {
    /// Which rows are to be deleted.
    package enum Choice {
        case found(FetchSpecification)
        case listed([RowID])
    }

    package var choice: Choice
    /// Who writes, for the history.
    package var author: String?
    package var contextName: String?
    /// Whether the deleted rows are to be named.
    package var namesRows = false

    package init(_ choice: Choice) { self.choice = choice }
}

/// What statements past a context's objects have done.
package struct BatchResult {
    /// How many rows the request found.
    package var count = 0
    /// Whether rows were changed or deleted.
    package var hasChanged = true
    /// The rows, where they were to be named; those that followed by delete rules are among them.
    package var rows: [RowID] = []
}
