import SwormPredicates

/// A request as the engine gets it.
struct EngineQuery {
    let entity: Engine.Entity
    let predicate: PredicateTree?
    var sorts: [SortKey]
    /// The largest number of rows; zero for all, as in Core Data.
    var limit: Int
    var offset: Int
    /// Whether nothing is to be found, so that the store need not be asked. The predicate says so, too.
    private(set) var isEmpty = false
    /// The relations that are read along: paths of names.
    var prefetch: [[String]] = []
    /// How many rows are read at a time; zero for all.
    var batchSize = 0

    /// - Throws: The ``StoreError`` of what could not be understood.
    init(_ request: RequestContent, of entity: Engine.Entity) throws {
        self.entity = entity
        let predicate = try request.predicateTree()
        isEmpty = request.limit == 0
        self.predicate = isEmpty ? .constant(false) : predicate
        sorts = request.sorts
        limit = request.limit ?? 0
        offset = request.offset
    }

    /// A query for objects that will be handled one by one, and whose relations may be followed.
    ///
    /// - Throws: As `init(_:of:)`, and the ``StoreError`` of a relation that the model does not have.
    init(handles request: RequestContent, of entity: Engine.Entity, in context: NSManagedObjectContext) throws {
        try self.init(request, of: entity)
        prefetch = request.prefetch
        batchSize = request.batchSize
        if !prefetch.isEmpty { try Engine.checkRelations(prefetch, of: Engine.name(entity), in: context) }
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
