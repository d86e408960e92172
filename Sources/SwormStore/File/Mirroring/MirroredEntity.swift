import SwormSQLite

/// An entity whose objects are mirrored, with the table of its rows.
struct MirroredEntity: Sendable {
    var number: Int64
    var name: String
    /// The number of the entity at the root of the hierarchy.
    var root: Int64
    /// The name of the table; nil if the file has no such table.
    var table: String?
    var isAbstract: Bool

    /// Returns the entities of a model.
    static func all(_ model: CompiledModel, layout: StoreLayout) -> [MirroredEntity] {
        model.entities.map {
            MirroredEntity(
                number: Int64($0.number), name: $0.name, root: Int64($0.root), table: layout.table(of: $0),
                isAbstract: $0.isAbstract)
        }
    }

    /// The first number that is not assigned to an entity of a model.
    static let modelEnd: Int64 = 16_000

    /// Returns the entities that a file lists, without a model.
    static func all(on connection: StoreConnection, columns: [String: [String]]) throws -> [MirroredEntity] {
        var records: [Int64: (name: String, superentity: Int64)] = [:]
        try connection.rows(
            "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN 1 AND \(modelEnd - 1)"
        ) { records[$0.int64(0)] = ($0.text(1) ?? "?", $0.int64(2)) }
        var entities: [MirroredEntity] = []
        var roots: [Int64: (number: Int64, table: String?)] = [:]
        for number in records.keys.sorted() {
            guard let record = records[number] else { continue }
            // Superentities have lower numbers, so their roots are known. A damaged file may list entities in a circle.
            let root =
                roots[record.superentity] ?? (number: number, table: table(of: record.name, columns: columns))
            roots[number] = root
            entities.append(
                MirroredEntity(
                    number: number, name: record.name, root: root.number, table: root.table, isAbstract: false))
        }
        return entities
    }

    /// Returns the table of a root entity; nil if the file has no such table.
    private static func table(of root: String, columns: [String: [String]]) -> String? {
        let table = "Z" + SQLName.uppercased(root)
        return Set(columns[table] ?? []).isSuperset(of: ["Z_PK", "Z_ENT"]) ? table : nil
    }
}
