import SwormSQLite

extension MigrationSource {
    /// Reads the parts of the store that the planner needs.
    init(
        _ connection: StoreConnection, inspection: StoreInspection, model: CompiledModel, layout: StoreLayout
    ) throws {
        self.layout = layout
        types = inspection.types
        objects = []
        highestKeys = [:]
        var objects: [SchemaObject] = []
        try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_master") { row in
            guard let kind = row.text(0).flatMap(SchemaObject.Kind.init), let name = row.text(1),
                let table = row.text(2)
            else { return }
            objects.append(SchemaObject(kind: kind, name: name, table: table, sql: row.text(3)))
        }
        self.objects = objects
        for root in MigrationPlanner.roots(of: model) {
            let recorded = try connection.integer(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", binding: [.integer(Int64(root.number))])
            let present = try connection.integer("SELECT max(Z_PK) FROM \(SQLName.quoted(layout.table(of: root)))")
            highestKeys[root.number] = max(recorded ?? 0, present ?? 0, 0)
        }
        for (number, name) in inspection.entityNames where number > Int64(model.entities.count) {
            otherRecords[name] = number
        }
        let history = Set(HistoryTables.Kind.allCases.compactMap { otherRecords[$0.rawValue] })
        var records: [Int64: String?] = [:]
        try connection.rows(
            "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT > ?", binding: [.integer(Int64(model.entities.count))]
        ) { row in
            if !history.contains(row.int64(0)) { records.updateValue(row.text(1), forKey: row.int64(0)) }
        }
        foreignRecords = records
        try readForeign(connection, model: model)
    }
}
