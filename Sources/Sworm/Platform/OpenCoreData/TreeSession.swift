#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates
import SwormRows
import SwormStore

/// One state of a store, from which the levels of trees are read.
struct TreeSession {
    fileprivate let session: any StoreSession
    let storeIdentifier: String
    let model: CompiledModel

    /// Returns the rows of a level.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - binding: The mapping of the type whose attributes are read.
    ///   - plan: The plan for the values.
    ///   - columns: Computed columns of the values.
    ///   - links: The relations to one whose keys are read.
    ///   - source: The part of the request's rows that is read.
    func rows<T, Value>(
        of request: RequestContent, in binding: EntityBinding<T>, plan: PlannedRows<Value>,
        columns: [ComputedColumn<Value>], links: [String], source: TreeSource = .request
    ) throws -> TreeRows<Value> {
        let level = try LevelPlan(
            request, of: binding, plan: plan, columns: columns, links: links, source: source, in: self)
        do {
            return try TreeRows(checking: session.rows(of: level.level, layout: level.integers.layout), of: level)
        } catch {
            throw binding.named(error)
        }
    }

    /// Calls a closure with the rows of a request, at most `size` at a time.
    func forEach<T>(
        of request: RequestContent, in binding: EntityBinding<T>, plan: PlannedRows<T>, columns: [ComputedColumn<T>],
        links: [String], size: Int, _ body: (TreeRows<T>) throws -> Void
    ) throws {
        let level = try LevelPlan(
            request, of: binding, plan: plan, columns: columns, links: links, source: .request, in: self)
        // Errors of the closure are rethrown unchanged.
        var failure: (any Error)?
        do {
            try session.forEach(of: level.level, layout: level.integers.layout, size: size) { memory in
                do {
                    try body(TreeRows(checking: memory, of: level))
                } catch {
                    failure = error
                    throw error
                }
            }
        } catch {
            throw failure ?? binding.named(error)
        }
    }
}

extension NSManagedObjectContext {
    /// Calls a closure with the state of the store that this context reads; returns nil if trees must be read through
    /// objects, because of unsaved changes or several stores.
    func withTreeSession<R>(
        reading entities: TreeEntities, for request: RequestContent, of entity: CompiledEntity,
        _ body: (TreeSession) throws -> R
    ) throws -> R? {
        guard let model = compiledModel else { return nil }
        let numbers = entities.names.compactMap { model.entity(named: $0)?.number }
        return try withSession(
            ofEntities: numbers, for: request.specification(of: entity), readingOthers: entities.readsOthers
        ) {
            try body(TreeSession(session: $0, storeIdentifier: $1, model: model))
        }
    }
}
#endif
