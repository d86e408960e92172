#if PostgreSQL
import SwormPredicates

/// A table of entities in the form that all kinds of stores share: its columns by their purposes.
struct CopiedTable {
    let root: CompiledEntity
    let uses: [ColumnUse]

    /// Returns the tables of a model.
    ///
    /// - Parameter layout: A layout on a server, in which every purpose has a column.
    static func tables(of model: CompiledModel, _ layout: StoreLayout) -> [CopiedTable] {
        model.entities.filter { $0.root == $0.number }.map { root in
            CopiedTable(
                root: root,
                uses: layout.uses(of: root, in: model).filter { if case .entity = $0.role { false } else { true } })
        }
    }

    /// Returns the attribute that a column stores; nil for any other column.
    func attribute(_ use: ColumnUse, in model: CompiledModel) -> CompiledAttribute? {
        guard case .attribute(let slot) = use.role else { return nil }
        return model[use.entity].attributes[slot]
    }

    /// Returns the root of the rows to which the keys in a column belong; nil for any other column.
    func target(_ use: ColumnUse, in model: CompiledModel) -> Int? {
        switch use.role {
        case .key(let slot): model[model[use.entity].relationships[slot].destination].root
        case .ownerKey(let place): model[place.entity].root
        case .attribute, .entity, .order, .ownerOrder: nil
        }
    }

    /// Returns the name of the property for which a column exists.
    func property(_ use: ColumnUse, in model: CompiledModel) -> String {
        switch use.role {
        case .attribute(let slot): model[use.entity].attributes[slot].name
        case .key(let slot), .entity(let slot), .order(let slot): model[use.entity].relationships[slot].name
        case .ownerKey(let place), .ownerOrder(let place): model[place.entity].relationships[place.slot].name
        }
    }
}

/// A row on its way from one store to another. The values have the forms in which a file stores them, without the marker
/// of external data.
struct CopiedRecord {
    var key: Int64
    /// The number of the entity in the model.
    var entity: Int
    var version: Int64
    /// The values, by column of the table; nil for none.
    var values: [ExactValue?]
}

/// A pair of a join table on its way from one store to another.
struct CopiedLink {
    var own: Int64
    var other: Int64
    /// The positions of the other object among those of the own one, and of the own object among those of the other one.
    var order: Int64?
    var inverseOrder: Int64?
}

/// One state of a store that is copied.
protocol CopySource {
    /// The highest key that was ever given to a row of each hierarchy, by root.
    func highestKeys() throws -> [Int: Int64]

    /// Calls a closure with each row of a table, in the order of the keys.
    ///
    /// - Parameters:
    ///   - checked: The indexes of columns whose keys are left out if there is no such row.
    ///   - report: Notes what is left out.
    func rows(
        of table: CopiedTable, checked: Set<Int>, _ report: inout CopyReport, _ body: (CopiedRecord) throws -> Void
    ) throws

    /// Calls a closure with each pair of the join table of a relationship.
    func links(
        of place: PropertyLocation, _ report: inout CopyReport, _ body: (CopiedLink) throws -> Void
    ) throws
}

/// The counts of a copy, and the values that could not be copied unchanged.
package struct CopyReport: Sendable, Hashable {
    /// A property of an entity.
    package struct Property: Sendable, Hashable {
        package var entity: String
        package var name: String
    }

    /// The number of objects.
    package var objects = 0
    /// The dates that were rounded to the microsecond, by attribute.
    package var roundedDates: [Property: Int] = [:]
    /// The links to objects that do not exist, by relationship. A server stores none.
    package var droppedLinks: [Property: Int] = [:]
    /// The objects that have no value of a required attribute, by attribute.
    package var missingValues: [Property: Int] = [:]
    /// The external data files that do not exist, by attribute.
    package var missingFiles: [Property: Int] = [:]
    /// The number of rows that are no objects of the model.
    package var ignoredRows = 0

    package init() {}
}
#endif
