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

    /// A query for all objects that satisfy a predicate.
    init(entity: Engine.Entity, predicate: PredicateTree) {
        self.entity = entity
        self.predicate = predicate
        sorts = []
        limit = 0
        offset = 0
    }
}
