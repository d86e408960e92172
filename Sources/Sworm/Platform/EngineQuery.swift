import SwormPredicates

/// A request as the engine gets it.
struct EngineQuery {
    let entity: Engine.Entity
    let predicate: PredicateTree?
    var sorts: [SortKey]
    var limit: Int
    var offset: Int

    /// - Throws: The ``StoreError`` of what could not be understood.
    init(_ request: RequestContent, of entity: Engine.Entity) throws {
        self.entity = entity
        predicate = try request.predicateTree()
        sorts = request.sorts
        limit = request.limit
        offset = request.offset
    }
}
