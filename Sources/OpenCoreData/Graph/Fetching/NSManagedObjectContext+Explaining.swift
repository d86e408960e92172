import SwormPredicates
import SwormStore

extension NSManagedObjectContext {
    /// Returns the statement that a fetch or a count runs, and SQLite's query plan for it.
    package final func explain(
        _ specification: FetchSpecification, as form: ExplainedForm
    ) throws -> StatementExplanation {
        let origin = try explainedOrigin(of: specification)
        var explanation = try withSession(of: origin) { try $0.explain(specification, as: form) }
        explanation.hasUnsavedChanges = pendingEffect(on: specification) != .none
        return explanation
    }

    /// Returns the statement that a projection runs, and SQLite's query plan for it.
    package final func explain(_ projection: ProjectionSpecification) throws -> StatementExplanation {
        let origin = try explainedOrigin(of: projection.fetch)
        var explanation = try withSession(of: origin) { try $0.explain(projection) }
        let tree = projection.tree
        let read = tree.columns + tree.groups + tree.sorts.map(\.expression)
        explanation.hasUnsavedChanges = pendingEffect(on: projection.fetch, reading: read) != .none
        return explanation
    }

    /// Returns the origin of the first store that is queried: the statement is the same for all stores.
    private func explainedOrigin(of specification: FetchSpecification) throws -> ObjectOrigin {
        try throwReadError()
        guard let origin = try requireCoordinator().origins(of: specification.entity).first else {
            throw CoreDataError.storeIsClosed
        }
        return origin
    }
}
