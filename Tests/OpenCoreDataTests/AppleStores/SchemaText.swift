import Foundation

/// The statements of a schema without what the model does not determine.
///
/// Apple's framework writes the triggers and the join tables of an entity in any order, and either of two relationships
/// of one entity may name their join table.
struct SchemaText {
    /// The join tables of two relationships of one entity: the name that the first of them gives, and the other's.
    private let twins: [(name: String, other: String)]

    init(_ model: PlainModel) {
        twins = model.entities.flatMap { entity in
            entity.relationships.compactMap { relationship in
                guard let inverse = model.inverse(of: relationship), relationship.declaring == entity.name,
                    inverse.declaring == entity.name, relationship.isToMany, inverse.isToMany,
                    relationship.name < inverse.name
                else { return nil }
                return (
                    "Z_\(entity.number)\(PlainModel.upper(relationship.name))",
                    "Z_\(entity.number)\(PlainModel.upper(inverse.name))"
                )
            }
        }
    }

    /// A statement without the quotes that a migration puts around names. Of a join table of one entity it has the columns in
    /// alphabetical order, and the table is named after the first.
    func plain(_ sql: String) -> String {
        let sql = sql.replacingOccurrences(of: "\"", with: "")
        guard let table = Self.table(of: sql), let open = sql.firstIndex(of: "("),
            let name = twins.first(where: { $0.name == table || $0.other == table })?.name
        else { return sql }
        let columns = sql[open...].split { "(), ".contains($0) }.sorted().joined(separator: ", ")
        return sql.hasPrefix("CREATE TABLE")
            ? "CREATE TABLE \(name) ( \(columns) )" : "CREATE INDEX \(name)_INDEX ON \(name) (\(columns))"
    }

    static func table(of sql: String) -> String? {
        let words = sql.split(separator: " ")
        let place = words.firstIndex(of: "ON") ?? words.firstIndex(of: "TABLE")
        return place.flatMap { words.indices.contains($0 + 1) ? String(words[$0 + 1]) : nil }
    }

    /// Statements in an order of their own wherever the model determines none.
    func ordered(_ statements: [String]) -> [String] {
        var result: [String] = []
        var run: [String] = []
        var kind: String?
        for sql in statements.map(plain) {
            let own = Self.unordered(sql)
            if own == nil || own != kind {
                result += run.sorted()
                run = []
            }
            kind = own
            if own == nil { result.append(sql) } else { run.append(sql) }
        }
        return result + run.sorted()
    }

    /// What a statement is one of, if the order among its like is not determined.
    private static func unordered(_ sql: String) -> String? {
        if sql.hasPrefix("CREATE TRIGGER") { return "trigger" }
        let owner = table(of: sql).flatMap { $0.dropFirst(2).first?.isNumber == true ? $0 : nil }?
            .dropFirst(2).prefix { $0.isNumber }
        return owner.map { "\(sql.hasPrefix("CREATE TABLE") ? "table" : "index") \($0)" }
    }
}

extension PlainStore {
    /// Whether a migration has changed the store in place: then tables of the system come before some of the model's, or a
    /// renamed table is quoted.
    var wasMigrated: Bool {
        let system = schema.firstIndex { $0.name == "Z_METADATA" } ?? 0
        return schema.contains { $0.sql.contains("TABLE \"") }
            || schema[system...].contains { $0.name.hasPrefix("Z") && $0.sql.contains("( Z_PK INTEGER PRIMARY KEY") }
    }
}
