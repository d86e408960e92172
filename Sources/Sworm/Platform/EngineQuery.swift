import SwormPredicates

/// A request as the engine gets it.
struct EngineQuery {
    let entityName: String
    let predicate: PredicateTree?
    let sorts: [SortKey]
    let limit: Int
    let offset: Int

    init<T>(_ request: Request<T>) throws {
        if let failure = request.failure { throw failure }
        entityName = T.plan.entityName
        predicate = try request.predicateTree()
        sorts = request.sorts
        limit = request.limit ?? 0
        offset = request.offset ?? 0
    }
}
