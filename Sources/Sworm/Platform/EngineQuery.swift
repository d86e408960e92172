import SwormPredicates

/// A request as the engine gets it.
struct EngineQuery {
    let entityName: String
    let predicate: PredicateTree?
    var sorts: [SortKey]
    var limit: Int
    var offset: Int

    init<T>(_ request: Request<T>) throws {
        if let failure = request.failure { throw failure }
        entityName = T.plan.entityName
        predicate = try request.predicateTree()
        sorts = request.sorts
        limit = request.limit ?? 0
        offset = request.offset ?? 0
    }
}
