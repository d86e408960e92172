extension NSManagedObjectModel {
    /// Creates a model from the tables of types.
    ///
    /// Types that the relations of the given types refer to are included. A ``PersistentContainer`` creates its model by
    /// itself. Create the model yourself to compare or merge it, or to open its store through Core Data.
    ///
    /// - Parameters:
    ///   - type: A type with tables.
    ///   - others: Further types that no relation of the given types refers to.
    /// - Throws: A ``StoreError`` with the code `invalidTable` whose message lists every issue of all the tables.
    public convenience init(
        tables type: any ManagedObjectConvertible.Type, _ others: any ManagedObjectConvertible.Type...
    ) throws {
        let entities = try TableModel.entities(for: [type] + others)
        self.init()
        self.entities = entities
    }
}
