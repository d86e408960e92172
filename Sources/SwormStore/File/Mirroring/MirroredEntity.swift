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
        return records.keys.sorted().compactMap { number in
            guard let record = records[number] else { return nil }
            var root = number
            // A damaged file may list entities in a circle. Superentities have lower numbers.
            while let above = records[root]?.superentity, above > 0, above < root, records[above] != nil {
                root = above
            }
            let table = "Z" + SQLName.uppercased(records[root]?.name ?? "")
            let isTable = Set(columns[table] ?? []).isSuperset(of: ["Z_PK", "Z_ENT"])
            return MirroredEntity(
                number: number, name: record.name, root: root, table: isTable ? table : nil, isAbstract: false)
        }
    }
}
