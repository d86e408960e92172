#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// One state of a store on a server that is copied, read by cursors.
struct ServerCopySource: CopySource {
    let session: PostgresSession
    private var layout: StoreLayout { session.schema.layout }
    private var model: CompiledModel { session.store.model }
    private var prefix: String { session.schema.prefix }

    /// The largest number of bytes of external data that is read along with its row.
    private static let longestContent = 64 * 1024

    private func quoted(_ name: String) -> String { SQLName.alwaysQuoted(name) }

    func highestKeys() throws -> [Int: Int64] {
        try session.read { connection in
            var result: [Int: Int64] = [:]
            for root in model.entities where root.root == root.number {
                let table = session.schema.columns[root.number - 1].table
                let sequence =
                    "pg_catalog.pg_get_serial_sequence(\(SQLName.literal(table)), '_key')::pg_catalog.regclass"
                let found = try connection.run(
                    .command(
                        "SELECT (SELECT pg_catalog.max(\(SystemColumns.postgres.key)) FROM \(table)), pg_catalog.pg_sequence_last_value(\(sequence))"
                    ))
                // A number of the sequence is the first of a block. The keys of one that would not be whole are not used.
                let given = try found.int64(0, column: 1).map { start in
                    let (last, overflow) = start.addingReportingOverflow(ServerKeys.blockSize - 1)
                    return overflow ? start - 1 : last
                }
                result[root.number] = max(0, try found.int64(0, column: 0) ?? 0, given ?? 0)
            }
            return result
        }
    }

    // MARK: Rows

    func rows(
        of table: CopiedTable, checked: Set<Int>, _ report: inout CopyReport, _ body: (CopiedRecord) throws -> Void
    ) throws {
        let number = table.root.number
        let name = session.schema.columns[number - 1].table
        let system = SystemColumns.postgres
        // Long contents are read one at a time, when a row has one.
        var lengths: [Int: Int] = [:]
        var columns = [system.key, table.root.hasDescendants ? system.entity : "NULL::smallint", system.version]
        for use in table.uses {
            guard let column = layout.column(of: use, in: model).map(quoted) else {
                columns.append("NULL")
                continue
            }
            guard table.attribute(use, in: model)?.allowsExternalStorage ?? false else {
                columns.append(column)
                continue
            }
            columns.append("CASE WHEN pg_catalog.octet_length(\(column)) <= \(Self.longestContent) THEN \(column) END")
        }
        for (index, use) in table.uses.enumerated()
        where table.attribute(use, in: model)?.allowsExternalStorage ?? false {
            guard let column = layout.column(of: use, in: model).map(quoted) else { continue }
            lengths[index] = columns.count
            columns.append("pg_catalog.octet_length(\(column))")
        }
        let sql = "SELECT \(columns.joined(separator: ", ")) FROM \(name) ORDER BY \(system.key)"
        try session.read { connection in
            let cursor = try connection.cursor(.command(sql), portion: 1000)
            defer { cursor.close() }
            while let portion = try cursor.next() {
                for row in 0..<portion.rowCount {
                    let stored = try portion.int64(row, column: 1)
                    let entity = session.schema.entity(stored: stored, in: number)
                    guard stored.map({ session.schema.entityNumbers[$0] == entity }) ?? true else {
                        report.ignoredRows += 1
                        continue
                    }
                    var record = CopiedRecord(
                        key: try portion.int64(row, column: 0) ?? 0, entity: entity,
                        version: try portion.int64(row, column: 2) ?? 1, values: [])
                    record.values.reserveCapacity(table.uses.count)
                    for (index, use) in table.uses.enumerated() {
                        let isLong =
                            try lengths[index].flatMap { try portion.int64(row, column: $0) }
                            .map { $0 > Self.longestContent } ?? false
                        record.values.append(
                            isLong
                                ? try content(of: use, key: record.key, in: name, connection: connection)
                                : ExactValue(try portion.storedValue(row, column: 3 + index)))
                    }
                    try body(record)
                }
            }
        }
    }

    private func content(
        of use: ColumnUse, key: Int64, in table: String, connection: PostgresConnection
    ) throws -> ExactValue? {
        guard let column = layout.column(of: use, in: model).map(quoted) else { return nil }
        let parameters = Parameters()
        parameters.append(key)
        return try connection.run(
            SQLStatement(
                "SELECT \(column) FROM \(table) WHERE \(SystemColumns.postgres.key) = $1", with: parameters)
        ).data(0, column: 0).map { .blob($0) }
    }

    // MARK: Links

    func links(
        of place: PropertyLocation, _ report: inout CopyReport, _ body: (CopiedLink) throws -> Void
    ) throws {
        guard case .join(let join)? = layout.toMany(place.slot, in: place.entity) else { return }
        let (own, other) = (quoted(join.ownColumn), quoted(join.otherColumn))
        let orders = [join.orderColumn, join.inverseOrderColumn].map { $0.map(quoted) ?? "NULL::bigint" }
        let sql =
            "SELECT \(own), \(other), \(orders[0]), \(orders[1]) FROM \(prefix)\(quoted(join.table)) ORDER BY \(own), \(other)"
        try session.read { connection in
            let cursor = try connection.cursor(.command(sql), portion: 5000)
            defer { cursor.close() }
            while let portion = try cursor.next() {
                for row in 0..<portion.rowCount {
                    try body(
                        CopiedLink(
                            own: try portion.int64(row, column: 0) ?? 0, other: try portion.int64(row, column: 1) ?? 0,
                            order: try portion.int64(row, column: 2), inverseOrder: try portion.int64(row, column: 3)))
                }
            }
        }
    }
}

extension ExactValue {
    /// Creates the content of a column from a value; nil for NULL.
    init?(_ value: StoredValue) {
        switch value {
        case .null: return nil
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .real(number)
        case .text(let text): self = .text(Data(text.utf8))
        case .blob(let data): self = .blob(data)
        case .uuid(let uuid): self = .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        }
    }
}
#endif
