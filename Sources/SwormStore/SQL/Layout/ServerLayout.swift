/// The properties of the layout of a store on a server, which a file does not have.
///
/// This type is a class, so that it adds a single reference to the layouts of files.
package final class ServerLayout: Sendable {
    /// The schema of all tables and functions of the store.
    package let schema: String
    /// The numbers of the entities in the store, by entity number of the model (index `number - 1`).
    package let entityNumbers: [Int]
    /// The attributes whose dates are stored as seconds since 2001, in columns of doubles.
    let secondsColumns: Set<PropertyLocation>
    /// The columns with the folded strings of attributes.
    let searchColumns: [PropertyLocation: String]

    init(
        schema: String, entityNumbers: [Int], secondsColumns: Set<PropertyLocation>,
        searchColumns: [PropertyLocation: String] = [:]
    ) {
        self.searchColumns = searchColumns
        self.schema = schema
        self.entityNumbers = entityNumbers
        self.secondsColumns = secondsColumns
    }
}

extension StoreLayout {
    /// The names of the columns that are not the model's.
    package var system: SystemColumns { server == nil ? .coreData : .postgres }

    /// Whether a table has the column of entity numbers even if it has the rows of one entity only.
    var numbersAllTables: Bool { server == nil }

    /// Returns the number that an entity of the model has in the store.
    package func storedNumber(of entity: Int) -> Int { server?.entityNumbers[entity - 1] ?? entity }

    /// Returns whether the dates of an attribute are stored as seconds since 2001 on a server.
    func storesSeconds(_ slot: Int, of owner: Int) -> Bool {
        server?.secondsColumns.contains(PropertyLocation(entity: owner, slot: slot)) ?? false
    }

    /// Returns the column with the folded strings of an attribute on a server; nil if it has none.
    func searchColumn(_ slot: Int, of owner: Int) -> String? {
        server?.searchColumns[PropertyLocation(entity: owner, slot: slot)]
    }
}
