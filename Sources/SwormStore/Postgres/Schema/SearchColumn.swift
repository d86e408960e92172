#if PostgreSQL
import SwormPredicates

/// A column with the strings of another column as `[cd]` compares them. The server computes it when a row is written.
struct SearchColumn: Sendable, Hashable {
    /// The attribute that declares the column.
    var attribute: PropertyLocation
    var table: String
    /// The column of the attribute.
    var source: String
    var name: String
    var subject: ServerSubject

    /// The way in which the strings are folded.
    static let folding = TextFolding.letterCaseAndDiacritics

    /// Returns the usual name.
    static func name(ofColumn source: String) -> String {
        PostgresNames.shortened("_search\(TextFolding.version)_\(source)")
    }

    /// The action of an ALTER TABLE that adds the column. The server writes all rows of the table anew.
    ///
    /// - Parameter prefix: The schema with a period.
    func addition(in prefix: String) -> String {
        "ALTER TABLE \(prefix)\(SQLName.alwaysQuoted(table)) ADD COLUMN \(SQLName.alwaysQuoted(name)) text COLLATE \"C\" GENERATED ALWAYS AS (\(prefix)\(Self.folding.functionName)(\(SQLName.alwaysQuoted(source)))) STORED"
    }
}

extension ServerTables {
    /// The columns for searches that the model asks for, with their usual names.
    var searchColumns: [SearchColumn] {
        model.entities.flatMap { entity -> [SearchColumn] in
            guard let table = layout.tables[entity.root]?.name else { return [] }
            return model.ownAttributes(of: entity).compactMap { slot in
                let attribute = entity.attributes[slot]
                guard attribute.type == .string, attribute.serverTraits.contains(.searchColumn),
                    let source = layout.column(ofAttribute: slot, in: entity.number)
                else { return nil }
                return SearchColumn(
                    attribute: PropertyLocation(entity: entity.number, slot: slot), table: table, source: source,
                    name: SearchColumn.name(ofColumn: source),
                    subject: ServerSubject(entity: entity.name, properties: [attribute.name]))
            }
        }
    }
}

extension StoreLayout {
    /// Adds the columns for searches that a store has.
    mutating func add(_ columns: [SearchColumn]) {
        guard let server, !columns.isEmpty else { return }
        self.server = ServerLayout(
            schema: server.schema, entityNumbers: server.entityNumbers, secondsColumns: server.secondsColumns,
            searchColumns: Dictionary(columns.map { ($0.attribute, $0.name) }, uniquingKeysWith: { first, _ in first }))
    }
}
#endif
