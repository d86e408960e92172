#if PostgreSQL
extension StoreLayout {
    /// Creates the layout of a store on a server: tables and columns have the names of the model.
    ///
    /// - Parameters:
    ///   - schema: The schema of all tables and functions of the store.
    ///   - names: The names and numbers that the store has given; the layout adds those that are missing.
    ///   - storesSeconds: Returns whether the dates of an attribute are stored as seconds since 2001.
    package init(
        postgres model: CompiledModel, schema: String, names: inout PostgresNames,
        storesSeconds: (CompiledAttribute) -> Bool = { _ in false }
    ) {
        var builder = PostgresLayoutBuilder(model: model, names: names)
        builder.build(schema: schema, storesSeconds: storesSeconds)
        names = builder.names
        self = builder.layout
    }

    /// Creates the layout of a new store on a server.
    package init(postgres model: CompiledModel, schema: String) {
        var names = PostgresNames()
        self.init(postgres: model, schema: schema, names: &names)
    }
}
#endif
