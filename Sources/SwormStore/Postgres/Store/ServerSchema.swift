#if PostgreSQL
import SwormPredicates

/// The tables of an open store on a server.
final class ServerSchema: Sendable {
    let layout: StoreLayout
    /// The names and numbers that the store has given to the parts of its model.
    let names: PostgresNames
    let compiler: SQLCompiler
    /// The name of the schema, quoted and with a period, as SQL text writes it before the name of a table.
    let prefix: String
    let reading: ReadingCaches
    /// The constraints that a unique index is known to enforce, by ``UniqueConstraint/probe(key:)``.
    let enforcedConstraints = Locked<Set<String>>([])
    /// The columns of the entities, by entity number (index `number - 1`).
    let columns: [ServerColumns]
    /// The numbers of the entities in the model by those in the store.
    let entityNumbers: [Int64: Int]
    let derivations: ServerDerivations
    /// Whether triggers raise the versions of rows in transactions that do not say that they are this library's.
    let raisesVersions: Bool

    init(
        model: CompiledModel, layout: StoreLayout, names: PostgresNames, identifier: String,
        raisesVersions: Bool = false
    ) {
        self.raisesVersions = raisesVersions
        self.layout = layout
        self.names = names
        compiler = SQLCompiler(model: model, layout: layout, storeIdentifier: identifier, dialect: .postgres)
        prefix = compiler.schema
        reading = ReadingCaches(compiler)
        columns = model.entities.map { ServerColumns(entity: $0, model: model, layout: layout) }
        entityNumbers = Dictionary(
            model.entities.map { (Int64(layout.storedNumber(of: $0.number)), $0.number) },
            uniquingKeysWith: { first, _ in first })
        derivations = ServerDerivations(model: model, layout: layout)
    }
}
#endif
