extension NSManagedObjectModel {
    /// Makes a model from the tables of types.
    ///
    /// The types that the relations of the given ones lead to are found. A container does this by itself (see
    /// ``PersistentContainer/init(for:_:at:logError:strict:timeout:mergePolicy:)``); make the model yourself to compare or
    /// merge it, or to open its store through Core Data.
    ///
    /// - Parameters:
    ///   - type: A type with tables.
    ///   - others: Types that no relation of the others leads to.
    /// - Throws: A ``StoreError`` with the code `invalidTable` whose message lists every fault of all the tables.
    public convenience init(
        tables type: any ManagedObjectConvertible.Type, _ others: any ManagedObjectConvertible.Type...
    ) throws {
        let entities = try TableModel.entities(for: [type] + others)
        self.init()
        self.entities = entities
    }
}
