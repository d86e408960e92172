#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import SwormSQLite

/// One state of a store in a file or in memory that is copied.
struct FileCopySource: CopySource {
    let session: SQLiteSession
    private var layout: StoreLayout { session.open.layout }
    private var model: CompiledModel { session.store.model }

    func highestKeys() throws -> [Int: Int64] {
        try session.read { connection in
            var result: [Int: Int64] = [:]
            for root in model.entities where root.root == root.number {
                let highest = try connection.integer("SELECT max(Z_PK) FROM \(SQLName.quoted(layout.table(of: root)))")
                let given = try connection.integer(
                    "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", binding: [.integer(Int64(root.number))])
                result[root.number] = max(0, highest ?? 0, given ?? 0)
            }
            return result
        }
    }

    /// Returns the condition that a row of a hierarchy is an object.
    private func isObject(_ root: CompiledEntity, alias: String) -> String {
        "\(alias).Z_PK > 0 AND \(alias).Z_ENT BETWEEN \(root.family.lowerBound) AND \(root.family.upperBound)"
    }

    /// Returns the condition that a key is that of an object of a hierarchy.
    private func exists(_ column: String, in root: Int) -> String {
        let table = SQLName.quoted(layout.table(of: model[root]))
        return
            "EXISTS (SELECT 1 FROM \(table) AS t WHERE t.Z_PK = \(column) AND \(isObject(model[root], alias: "t")))"
    }

    // MARK: Rows

    func rows(
        of table: CopiedTable, checked: Set<Int>, _ report: inout CopyReport, _ body: (CopiedRecord) throws -> Void
    ) throws {
        let name = SQLName.quoted(layout.table(of: table.root))
        var columns: [String] = []
        var tests: [String] = []
        var cells: [Int: Int] = [:]
        for (index, use) in table.uses.enumerated() {
            let column = layout.column(of: use, in: model).map { "s." + SQLName.quoted($0) } ?? "NULL"
            columns.append(column)
            guard checked.contains(index), let target = table.target(use, in: model) else { continue }
            cells[index] = 3 + table.uses.count + tests.count
            tests.append("\(column) IS NULL OR \(exists(column, in: target))")
        }
        let list = (["s.Z_PK", "s.Z_ENT", "s.Z_OPT"] + columns + tests).joined(separator: ", ")
        try session.read { connection in
            let all = try connection.integer("SELECT count(*) FROM \(name)") ?? 0
            var count: Int64 = 0
            try connection.rows(
                "SELECT \(list) FROM \(name) AS s WHERE \(isObject(table.root, alias: "s")) ORDER BY s.Z_PK"
            ) { row in
                count += 1
                var record = CopiedRecord(
                    key: row.int64(0), entity: Int(row.int64(1)), version: max(1, row.int64(2)), values: [])
                record.values.reserveCapacity(table.uses.count)
                for (index, use) in table.uses.enumerated() {
                    if let cell = cells[index], row.int64(cell) == 0 {
                        report.droppedLinks[property(use, table: table, record: record), default: 0] += 1
                        record.values.append(nil)
                        continue
                    }
                    record.values.append(
                        try value(of: use, table: table, row: row, cell: 3 + index, record: record, report: &report))
                }
                try body(record)
            }
            report.ignoredRows += Int(all - count)
        }
    }

    private func property(_ use: ColumnUse, table: CopiedTable, record: CopiedRecord) -> CopyReport.Property {
        .init(entity: model[record.entity].name, name: table.property(use, in: model))
    }

    private func value(
        of use: ColumnUse, table: CopiedTable, row: borrowing Statement, cell: Int, record: CopiedRecord,
        report: inout CopyReport
    ) throws -> ExactValue? {
        guard let value = ExactValue(row, column: cell) else { return nil }
        guard case .blob(let bytes) = value, table.attribute(use, in: model)?.allowsExternalStorage ?? false else {
            return value
        }
        do {
            return .blob(try bytes.withUnsafeBytes { try session.store.external.data(of: $0) })
        } catch let error as CoreDataError where error.isOfMissingFile {
            report.missingFiles[property(use, table: table, record: record), default: 0] += 1
            return nil
        }
    }

    // MARK: Links

    func links(
        of place: PropertyLocation, _ report: inout CopyReport, _ body: (CopiedLink) throws -> Void
    ) throws {
        guard case .join(let join)? = layout.toMany(place.slot, in: place.entity) else { return }
        let relationship = model[place.entity].relationships[place.slot]
        let (own, other) = ("s.\(SQLName.quoted(join.ownColumn))", "s.\(SQLName.quoted(join.otherColumn))")
        let orders = [join.orderColumn, join.inverseOrderColumn].map { $0.map { "s." + SQLName.quoted($0) } ?? "NULL" }
        let ends =
            "\(exists(own, in: model[place.entity].root)) AND \(exists(other, in: model[relationship.destination].root))"
        let property = CopyReport.Property(entity: model[place.entity].name, name: relationship.name)
        try session.read { connection in
            try connection.rows(
                "SELECT \(own), \(other), \(orders[0]), \(orders[1]), \(ends) FROM \(SQLName.quoted(join.table)) AS s ORDER BY 1, 2"
            ) { row in
                guard row.int64(4) == 1 else {
                    report.droppedLinks[property, default: 0] += 1
                    return
                }
                try body(
                    CopiedLink(
                        own: row.int64(0), other: row.int64(1), order: row.isNull(2) ? nil : row.int64(2),
                        inverseOrder: row.isNull(3) ? nil : row.int64(3)))
            }
        }
    }
}

extension ExactValue {
    /// Creates the content of a column of the current row of a statement; nil for NULL.
    init?(_ row: borrowing Statement, column: Int) {
        switch row.type(column) {
        case .null: return nil
        case .integer: self = .integer(row.int64(column))
        case .real: self = .real(row.double(column))
        case .text: self = .text(row.withText(column) { $0.map { Data($0) } ?? Data() })
        case .blob: self = .blob(row.data(column) ?? Data())
        }
    }
}
#endif
