#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// A writer of a copy into the empty tables of a store on a server, by COPY.
struct ServerCopyTarget {
    let connection: PostgresConnection
    let model: CompiledModel
    let layout: StoreLayout
    let tables: ServerTables
    let prefix: String

    /// A column to which values are written.
    private struct Target {
        /// The index of the column in the copied table.
        var index: Int
        var name: String
        var type: PostgresType
        /// The column as that of an attribute; nil for a key or an order key.
        var attribute: ServerColumns.Attribute?
        var entity: CompiledEntity
        var isRequired: Bool
    }

    /// Writes all rows and links of a store, in the transaction of the connection. The tables have neither foreign keys nor
    /// required columns of the model yet.
    func write(_ source: any CopySource, _ report: inout CopyReport) throws {
        let copied = CopiedTable.tables(of: model, layout)
        for table in copied { try write(table, from: source, &report) }
        for entity in model.entities {
            for slot in model.ownRelationships(of: entity) {
                try writeLinks(slot, of: entity, from: source, report: &report)
            }
        }
        for (root, key) in try source.highestKeys().sorted(by: { $0.key < $1.key }) where key > 0 {
            let parameters = Parameters()
            parameters.append(key)
            let table = SQLName.literal(ServerColumns.table(of: model[root], layout))
            // The last number of a sequence is the first of a block, so that the next one is behind the key.
            try connection.run(
                .command(
                    "SELECT pg_catalog.setval(pg_catalog.pg_get_serial_sequence(\(table), '_key')::pg_catalog.regclass, $1)",
                    with: parameters))
        }
    }

    // MARK: Rows

    private func write(_ table: CopiedTable, from source: any CopySource, _ report: inout CopyReport) throws {
        let name = layout.table(of: table.root)
        guard let declared = tables.tables.first(where: { $0.name == name }) else { return }
        let targets = table.uses.enumerated().compactMap { target($0, use: $1, table: table, declared: declared) }
        let checked = Set(
            targets.filter { target in declared.columns.contains { $0.name == target.name && $0.reference != nil } }
                .map(\.index))
        let hasNumbers = table.root.hasDescendants
        let system = SystemColumns.postgres
        let names =
            [system.key, system.version] + (hasNumbers ? [system.entity] : [])
            + targets.map { SQLName.alwaysQuoted($0.name) }
        let types: [PostgresType] = [.int8, .int8] + (hasNumbers ? [.int2] : []) + targets.map(\.type)
        var missing: [Int: CopyReport.Property] = [:]
        var counts = report
        var missingCounts: [Int: Int] = [:]
        let destination = "\(prefix)\(SQLName.alwaysQuoted(name)) (\(names.joined(separator: ", ")))"
        let count = try connection.copyIn(into: destination, types: types) { writer in
            var rounded = CopyReport()
            try source.rows(of: table, checked: checked, &counts) { record in
                try writer.beginRow()
                _ = writer.write(record.key)
                _ = writer.write(record.version)
                if hasNumbers { _ = writer.write(Int64(layout.storedNumber(of: record.entity))) }
                for (place, target) in targets.enumerated() {
                    let value = try value(record.values[target.index], for: target, of: record, report: &rounded)
                    if case .null = value, target.isRequired {
                        missing[place] = .init(
                            entity: target.entity.name, name: table.property(table.uses[target.index], in: model))
                        missingCounts[place, default: 0] += 1
                    }
                    guard writer.write(value, as: target.type) else {
                        throw CoreDataError(
                            NSManagedObjectValidationError,
                            "A value of '\(table.property(table.uses[target.index], in: model))' of \(target.entity.name)/p\(record.key) is too long: a message to the server takes less than a gibibyte. Nothing was copied.",
                            entity: target.entity.name)
                    }
                }
            }
            counts.roundedDates.merge(rounded.roundedDates) { $0 + $1 }
        }
        report = counts
        report.objects += count
        for (place, property) in missing { report.missingValues[property, default: 0] += missingCounts[place] ?? 0 }
        let required = targets.indices.filter { targets[$0].isRequired && missing[$0] == nil }.map {
            "ALTER COLUMN \(SQLName.alwaysQuoted(targets[$0].name)) SET NOT NULL"
        }
        guard !required.isEmpty else { return }
        try connection.run(
            .command("ALTER TABLE \(prefix)\(SQLName.alwaysQuoted(name)) \(required.joined(separator: ", "))"))
    }

    private func target(
        _ index: Int, use: ColumnUse, table: CopiedTable, declared: ServerTable
    ) -> Target? {
        guard let name = layout.column(of: use, in: model) else { return nil }
        let entity = model[use.entity]
        let isRequired = declared.columns.first { $0.name == name }?.isRequired ?? false
        guard case .attribute(let slot) = use.role else {
            return Target(index: index, name: name, type: .int8, attribute: nil, entity: entity, isRequired: false)
        }
        guard let attribute = ServerColumns.Attribute(slot, of: entity, layout: layout) else { return nil }
        return Target(
            index: index, name: name, type: attribute.type, attribute: attribute, entity: entity,
            isRequired: isRequired)
    }

    private func value(
        _ exact: ExactValue?, for target: Target, of record: CopiedRecord, report: inout CopyReport
    ) throws -> ServerValue {
        guard let exact else { return .null }
        guard let attribute = target.attribute else {
            guard case .integer(let key) = exact else { return .null }
            return .integer(key)
        }
        do {
            switch (attribute.type, exact) {
            case (.bool, .integer(let number)): return .boolean(number != 0)
            // Reading an attribute of this type rounds its value.
            case (.float4, .real(let number)): return .real(Double(Float(number)))
            case (.timestamptz, .real(let seconds)):
                let value = try ServerValue(exact, for: attribute, of: target.entity)
                if case .date(let date) = value, date.timeIntervalSinceReferenceDate != seconds {
                    let property = CopyReport.Property(entity: target.entity.name, name: attribute.attribute.name)
                    report.roundedDates[property, default: 0] += 1
                }
                return value
            default: return try ServerValue(exact, for: attribute, of: target.entity)
            }
        } catch let error as CoreDataError {
            throw CoreDataError(
                error.errorCode, "\(target.entity.name)/p\(record.key) cannot be copied: \(error.message)",
                entity: target.entity.name, key: attribute.attribute.name, cause: error)
        }
    }

    // MARK: Links

    private func writeLinks(
        _ slot: Int, of entity: CompiledEntity, from source: any CopySource, report: inout CopyReport
    ) throws {
        guard case .join(let join)? = layout.toMany(slot, in: entity.number), join.isOwner else { return }
        let orders = [join.orderColumn, join.inverseOrderColumn]
        let columns = ([join.ownColumn, join.otherColumn] + orders.compactMap(\.self)).map(SQLName.alwaysQuoted)
        let destination = "\(prefix)\(SQLName.alwaysQuoted(join.table)) (\(columns.joined(separator: ", ")))"
        var counts = report
        try connection.copyIn(into: destination, types: columns.map { _ in .int8 }) { writer in
            try source.links(of: PropertyLocation(entity: entity.number, slot: slot), &counts) { link in
                try writer.beginRow()
                _ = writer.write(link.own)
                _ = writer.write(link.other)
                for (name, value) in zip(orders, [link.order, link.inverseOrder]) where name != nil {
                    _ = value.map { writer.write($0) } ?? writer.writeNull()
                }
            }
        }
        report = counts
    }
}
#endif
