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
    /// What may not be written because the model was inferred; nil for a model of its own.
    let limits: InferredLimits?

    init(
        pool: ConnectionPool, model: CompiledModel, layout: StoreLayout, identifier: String, place: ReadingPlace?,
        path: String?, limits: InferredLimits? = nil
    ) {
        self.pool = pool
        self.layout = layout
        upkeep = DerivationUpkeep(model: model, layout: layout)
        self.place = place
        self.path = path
        self.limits = limits
        compiler = SQLCompiler(model: model, layout: layout, storeIdentifier: identifier)
        columns = model.entities.map { EntityColumns(entity: $0, model: model, layout: layout) }
    }

    /// Makes a connection fit to write. Called before a transaction; does its work once.
    func prepareWriting(_ connection: StoreConnection) throws {
        try connection.trustTrees()
        try upkeep.prepare(connection)
    }
}

extension StoreConnection {
    func write(_ metadata: StoreMetadata) throws {
        try run("UPDATE Z_METADATA SET Z_PLIST = ?", [.blob(metadata.propertyList)])
    }
}
