#if PostgreSQL
import Foundation
import SwormPredicates
import SwormSQLite

/// A writer of a copy into the empty tables of a file or of a store in memory.
struct FileCopyTarget {
    let connection: StoreConnection
    let model: CompiledModel
    let layout: StoreLayout
    let external: ExternalDataFolder

    /// Writes all rows and links of a store, in the transaction of the connection.
    ///
    /// - Parameter tables: The tables of the model.
    func write(_ source: any CopySource, tables: [CopiedTable], _ report: inout CopyReport) throws {
        // The derived values are copied like stored ones.
        let triggers = try removeTriggers()
        for table in tables { try write(table, from: source, &report) }
        for entity in model.entities {
            for slot in model.ownRelationships(of: entity) {
                try writeLinks(slot, of: entity, from: source, report: &report)
            }
        }
        for table in tables { try numberDestinations(in: table) }
        for (root, key) in try source.highestKeys() {
            try connection.run(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?", binding: [.integer(key), .integer(Int64(root))])
        }
        for sql in triggers { try connection.base.execute(sql) }
    }

    private func removeTriggers() throws -> [String] {
        var triggers: [(name: String, sql: String)] = []
        try connection.rows("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid") { row in
            triggers.append((row.text(0) ?? "", row.text(1) ?? ""))
        }
        for trigger in triggers { try connection.run("DROP TRIGGER \(SQLName.alwaysQuoted(trigger.name))") }
        return triggers.map(\.sql)
    }

    // MARK: Rows

    private func write(_ table: CopiedTable, from source: any CopySource, _ report: inout CopyReport) throws {
        var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
        var indexes: [Int] = []
        for (index, use) in table.uses.enumerated() {
            guard let column = layout.column(of: use, in: model) else { continue }
            columns.append(SQLName.quoted(column))
            indexes.append(index)
        }
        let parameters = columns.map { _ in "?" }.joined(separator: ", ")
        var statement = try connection.base.statement(
            "INSERT INTO \(SQLName.quoted(layout.table(of: table.root))) (\(columns.joined(separator: ", "))) VALUES (\(parameters))"
        )
        let isExternal = table.uses.map { table.attribute($0, in: model)?.allowsExternalStorage ?? false }
        var count = 0
        try source.rows(of: table, checked: [], &report) { record in
            try statement.bind(record.key, at: 1)
            try statement.bind(record.entity, at: 2)
            try statement.bind(record.version, at: 3)
            for (place, index) in indexes.enumerated() {
                guard let value = record.values[index] else {
                    try statement.bindNull(at: place + 4)
                    continue
                }
                guard isExternal[index], case .blob(let content) = value else {
                    try statement.bind(value, at: place + 4)
                    continue
                }
                try statement.bind(try column(of: content), at: place + 4)
            }
            while try statement.step() {}
            statement.reset()
            count += 1
        }
        report.objects += count
    }

    /// Returns the bytes of a column for external data, which are written into a file if they are long.
    private func column(of content: Data) throws -> Data {
        if external.keepsInFile(content), let file = try external.write(content) {
            return ExternalDataFolder.referenceColumn(file)
        }
        return ExternalDataFolder.inlineColumn(content)
    }

    /// Sets the columns with the entity numbers of the objects to which rows refer.
    private func numberDestinations(in table: CopiedTable) throws {
        let name = SQLName.quoted(layout.table(of: table.root))
        for use in table.uses {
            guard case .key(let slot) = use.role, let toOne = layout.toOne(slot, in: use.entity),
                let number = toOne.entityColumn
            else { continue }
            let target = SQLName.quoted(layout.table(of: model[model[use.entity].relationships[slot].destination]))
            let key = SQLName.quoted(toOne.column)
            try connection.run(
                "UPDATE \(name) SET \(SQLName.quoted(number)) = (SELECT t.Z_ENT FROM \(target) AS t WHERE t.Z_PK = \(name).\(key)) WHERE \(key) IS NOT NULL"
            )
        }
    }

    // MARK: Links

    private func writeLinks(
        _ slot: Int, of entity: CompiledEntity, from source: any CopySource, report: inout CopyReport
    ) throws {
        guard case .join(let join)? = layout.toMany(slot, in: entity.number), join.isOwner else { return }
        let orders = [join.orderColumn, join.inverseOrderColumn]
        let columns = ([join.ownColumn, join.otherColumn] + orders.compactMap(\.self)).map(SQLName.quoted)
        let parameters = columns.map { _ in "?" }.joined(separator: ", ")
        var statement = try connection.base.statement(
            "INSERT INTO \(SQLName.quoted(join.table)) (\(columns.joined(separator: ", "))) VALUES (\(parameters))")
        try source.links(of: PropertyLocation(entity: entity.number, slot: slot), &report) { link in
            try statement.bind(link.own, at: 1)
            try statement.bind(link.other, at: 2)
            var next = 3
            for (name, value) in zip(orders, [link.order, link.inverseOrder]) where name != nil {
                if let value { try statement.bind(value, at: next) } else { try statement.bindNull(at: next) }
                next += 1
            }
            while try statement.step() {}
            statement.reset()
        }
    }
}
#endif
