import SwormSQLite

/// A store's files while they are open: connections, and where everything stands in the tables.
final class OpenStore: Sendable {
    let pool: ConnectionPool
    let layout: StoreLayout
    let compiler: SQLCompiler
    let columns: [EntityColumns]
    /// How a store is read that is not to be changed; nil for one that is written.
    let place: ReadingPlace?
    let path: String?
    let history = HistoryCache()
    let upkeep: DerivationUpkeep

    init(
        pool: ConnectionPool, model: CompiledModel, layout: StoreLayout, identifier: String, place: ReadingPlace?,
        path: String?
    ) {
        self.pool = pool
        self.layout = layout
        upkeep = DerivationUpkeep(model: model, layout: layout)
        self.place = place
        self.path = path
        compiler = SQLCompiler(model: model, layout: layout, storeIdentifier: identifier)
        columns = model.entities.map { EntityColumns(entity: $0, model: model, layout: layout) }
    }
}
