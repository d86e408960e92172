import SwormSQLite
package import SwormRows

/// The statement that answers a request, and how SQLite works it out.
package struct StatementExplanation: Sendable, Hashable {
    package var statement: CompiledStatement
    package var steps: [QueryPlanStep]
    package var findings: [PlanFinding]
    /// Whether unsaved changes of the context have a part in the answer, so that it is not made by the statement alone.
    package var hasUnsavedChanges = false
}

/// What in a plan takes time that grows with the number of rows.
package enum PlanFinding: Sendable, Hashable {
    /// An attribute of an entity, by name.
    package struct Attribute: Sendable, Hashable {
        package var entity: String
        package var name: String

        package init(entity: String, name: String) {
            self.entity = entity
            self.name = name
        }
    }

    /// All rows of an entity are looked at to find some.
    ///
    /// - indexes: The sets of attributes any of which would do, if all of its attributes were indexed. None where an index
    ///   cannot help.
    case scan(entity: String, indexes: [[Attribute]])
    /// SQLite makes an index for this one statement.
    case automaticIndex(entity: String)
    /// The rows are sorted after they were found.
    ///
    /// - index: The attribute whose index would have the order; nil where no index of one attribute has it.
    case sort(entity: String, paths: [String], index: Attribute?)
    /// Rows that say the same are found by a tree that is made for this one statement.
    case grouping(entity: String)
}

/// What is looked at when a request is explained.
package enum ExplainedForm: Sendable {
    case objects, count
}
