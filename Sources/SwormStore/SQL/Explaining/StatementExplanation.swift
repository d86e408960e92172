import SwormSQLite
package import SwormRows

/// The statement of a request, and the database's plan for it.
package struct StatementExplanation: Sendable, Hashable {
    package var statement: CompiledStatement
    package var steps: [QueryPlanStep]
    package var findings: [PlanFinding]
    /// Whether the statement is one of a server.
    package var isOnServer = false
    /// Whether unsaved changes of the context affect the result, so that the statement alone does not determine it.
    package var hasUnsavedChanges = false
    /// The parts of the condition on a server, all of which must be true. Empty for a file, which evaluates whole
    /// conditions.
    package var conditions: [ExplainedCondition] = []
    /// The reason why the rows are sorted in memory, or nil if the statement sorts them.
    package var sortReason: String?
    /// The reason why the columns of a projection are computed in memory, or nil if the statement computes them.
    package var columnReason: String?
}

/// A part of a condition.
package struct ExplainedCondition: Sendable, Hashable {
    package var text: String
    /// The reason why the part is tested in memory, or nil if the statement tests it.
    package var reason: String?
}

/// A part of a plan whose time grows with the number of rows.
package enum PlanFinding: Sendable, Hashable {
    /// An attribute of an entity, by name.
    package struct Attribute: Sendable, Hashable {
        package var entity: String
        package var name: String
        /// Whether the index is one of strings without their case or their diacritics.
        package var isFolded: Bool

        init(entity: String, name: String, isFolded: Bool = false) {
            self.entity = entity
            self.name = name
            self.isFolded = isFolded
        }
    }

    /// All rows of an entity are read to find some of them.
    ///
    /// - indexes: The sets of attributes any of which would serve the condition if all of its attributes were indexed.
    ///   Empty if an index cannot help.
    case scan(entity: String, indexes: [[Attribute]])
    /// SQLite creates an index for this statement only.
    case automaticIndex(entity: String)
    /// The rows are sorted after they are found.
    ///
    /// - index: The attribute whose index would provide the order, or nil if no index of a single attribute does.
    case sort(entity: String, paths: [String], index: Attribute?)
    /// Equal rows are detected with a temporary tree, which SQLite builds for this statement only.
    case grouping(entity: String)
}

/// The form of a request's result that is explained.
package enum ExplainedForm: Sendable {
    case objects, count
}
