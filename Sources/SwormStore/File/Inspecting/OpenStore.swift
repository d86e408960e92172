import SwormSQLite

/// The open files of a store: its connections, and the layout of its tables.
final class OpenStore: Sendable {
    let pool: ConnectionPool
    let layout: StoreLayout
    let compiler: SQLCompiler
    let columns: [EntityColumns]
    /// The location from which a store that must not be changed is read; nil for a store that is written.
    let place: ReadOnlyAccess?
    let path: String?
    let history: HistoryCache
    let upkeep: DerivationUpkeep
    /// The tables whose changes listeners hear of, by their names.
    let changedTables: [String: ChangedTable]
    /// Whether the store is written even if Core Data mirrors it to CloudKit.
    let writesMirroredStores: Bool
    /// The restrictions on writing because the model was inferred; nil for a model that was not inferred.
    let limits: InferredLimits?

    init(
        pool: ConnectionPool, model: CompiledModel, layout: StoreLayout, identifier: String, place: ReadOnlyAccess?,
        path: String?, isMirrored: Bool = false, writesMirroredStores: Bool = false, limits: InferredLimits? = nil
    ) {
        self.pool = pool
        self.layout = layout
        upkeep = DerivationUpkeep(model: model, layout: layout)
        changedTables = ChangedTable.all(layout, model: model)
        self.place = place
        self.path = path
        history = HistoryCache(isMirrored: isMirrored)
        self.writesMirroredStores = writesMirroredStores
        self.limits = limits
        compiler = SQLCompiler(model: model, layout: layout, storeIdentifier: identifier)
        columns = model.entities.map { EntityColumns(entity: $0, model: model, layout: layout) }
    }

    /// Whether Core Data mirrors the store to CloudKit, according to the schema that was read last.
    var isMirrored: Bool { history.isMirrored }

    /// Prepares a connection for writing. It is called before every transaction, and does its work once.
    func prepareWriting(_ connection: StoreConnection) throws {
        try connection.trustTrees()
        try connection.findForeignTriggers()
        try upkeep.prepare(connection)
    }
}
