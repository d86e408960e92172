import SwormPredicates

/// A request in the form that the engine receives.
struct EngineQuery {
    let entity: Engine.Entity
    let predicate: PredicateTree?
    var sorts: [SortKey]
    /// The maximum number of rows; zero for no limit, as in Core Data.
    var limit: Int
    var offset: Int
    /// Whether the result is known to be empty, so that the store need not be queried. The predicate is then false.
    private(set) var isEmpty = false
    /// The relations to prefetch, as paths of names.
    var prefetch: [[String]] = []
    /// The number of rows that are read at a time; zero for all.
    var batchSize = 0

    /// - Throws: A ``StoreError`` if the request is invalid.
    init(_ request: RequestContent, of entity: Engine.Entity) throws {
        self.entity = entity
        let predicate = try request.predicateTree()
        isEmpty = request.limit == 0
        self.predicate = isEmpty ? .constant(false) : predicate
        sorts = request.sorts
        limit = request.limit ?? 0
        offset = request.offset
    }

    /// Creates a query for objects that are handled one by one, and whose relations may be followed.
    ///
    /// - Throws: The errors of `init(_:of:)`, and a ``StoreError`` for a relation that the model does not have.
    init(handles request: RequestContent, of entity: Engine.Entity, in context: NSManagedObjectContext) throws {
        try self.init(request, of: entity)
        prefetch = request.prefetch
        batchSize = request.batchSize
        if !prefetch.isEmpty { try Engine.checkRelations(prefetch, of: Engine.name(entity), in: context) }
    }

    /// Creates a query for all objects that satisfy a predicate.
    init(entity: Engine.Entity, predicate: PredicateTree) {
        self.entity = entity
        self.predicate = predicate
        sorts = []
        limit = 0
        offset = 0
    }
}
