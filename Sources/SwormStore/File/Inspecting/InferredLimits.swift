import SwormSQLite

/// The limits of a model that was inferred from the tables of a store: columns whose meaning the tables leave open.
///
/// A save with such a model is restricted to what is certain. A change that might violate a rule of the real model is
/// rejected.
struct InferredLimits: Sendable {
    /// A column that holds, or may hold, keys of rows.
    struct Reference: Sendable {
        /// The name of the table, quoted for SQL.
        var table: String
        var column: String
        /// The root entity of the rows that the column refers to; nil if it is unknown.
        var destination: Int?
    }

    /// All columns that refer, or may refer, from row to row.
    let references: [Reference]
    /// The to-one columns, by quoted table and column, whose rows have a position in an order that the model does not
    /// know.
    let ordered: Set<[String]>
    /// The to-one columns, by quoted table and column, whose destination was inferred from names and values.
    let guessed: Set<[String]>

    init(_ inspection: StoreInspection, model: CompiledModel, layout: StoreLayout) {
        var known: [[String]: Int?] = [:]
        var ordered: Set<[String]> = []
        var guessed: Set<[String]> = []
        var joins: Set<String> = []
        for entity in model.entities {
            let table = layout.table(of: entity)
            for (slot, relationship) in entity.relationships.enumerated() {
                let destination = model[relationship.destination]
                if let toOne = layout.toOne(slot, in: entity.number) {
                    let isProven = toOne.entityColumn != nil
                    // An inferred destination does not determine which rows must not be deleted.
                    known[[table, toOne.column]] = isProven ? destination.root : .some(nil)
                    if !isProven { guessed.insert([SQLName.quoted(table), SQLName.quoted(toOne.column)]) }
                    if inspection.columns[table]?.contains("Z_FOK_" + toOne.column.dropFirst()) ?? false {
                        ordered.insert([SQLName.quoted(table), SQLName.quoted(toOne.column)])
                    }
                }
                switch layout.toMany(slot, in: entity.number) {
                case .join(let join)?: joins.insert(join.table)
                case .oneWay(let column, _)?: known[[layout.table(of: destination), column]] = entity.root
                case .inverse?, nil: continue
                }
            }
        }
        let tables = Set(layout.tables.values.map(\.name))
        var references: [Reference] = []
        for (table, columns) in inspection.columns.sorted(by: { $0.key < $1.key }) {
            for column in columns where inspection.types[table]?[column]?.uppercased() == "INTEGER" {
                let entry = known[[table, column]]
                let destination = entry ?? nil
                let mayLead =
                    tables.contains(table)
                    ? entry != nil || inspection.indexes.contains("\(table)_\(column)_INDEX")
                    : NumberedName(table)?.prefix == "Z_" && !joins.contains(table) && !column.hasPrefix("Z_FOK_")
                guard mayLead else { continue }
                references.append(
                    Reference(
                        table: SQLName.quoted(table), column: SQLName.quoted(column), destination: destination))
            }
        }
        self.references = references
        self.ordered = ordered
        self.guessed = guessed
    }
}
