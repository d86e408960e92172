#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows

extension PostgresSession {
    func members(ofRelationship slot: Int, entity: Int, owners: [Int64]) throws -> [StoreMember] {
        let destination = store.model[entity].relationships[slot].destination
        let compiled = try compiler.members(ofRelationship: slot, in: entity, owners: owners)
        return try read { connection in
            let result = try connection.run(SQLStatement(compiled))
            return try (0..<result.rowCount).map { row in
                StoreMember(
                    owner: try result.int64(row, column: 0) ?? 0,
                    destination: try identity(result, row: row, column: 1, of: destination),
                    orderKey: try result.int64(row, column: 3))
            }
        }
    }

    func strayMembers(ofRelationship slot: Int, entity: Int) throws -> [(owner: Int64, key: Int64)] {
        guard let sql = compiler.strayMembers(ofRelationship: slot, in: entity) else { return [] }
        return try read { connection in
            let result = try connection.run(sql)
            return try (0..<result.rowCount).map { row in
                (try result.int64(row, column: 0) ?? 0, try result.int64(row, column: 1) ?? 0)
            }
        }
    }

    func memberRows(
        ofRelationship slot: Int, entity: Int, owners: [Int64], shape: RowShape, limit: Int
    ) throws -> RowBuffer {
        func statement(isSorted: Bool) throws -> SQLStatement {
            try SQLStatement(
                compiler.memberRows(
                    ofRelationship: slot, in: entity, owners: owners, shape: shape, limit: limit, isSorted: isSorted))
        }
        let rules = [CellRule(.integer), CellRule(.integer)]
        // All rows are sorted here, which takes a server longer. Of more rows than the limit, the first ones count.
        let isSorted = owners.count == 1 || !shape.startsWithKey
        return try read { connection in
            let result = try connection.run(statement(isSorted: isSorted))
            if isSorted { return try buffer([result], shape: shape, more: rules) }
            guard result.rowCount < limit else {
                return try buffer([connection.run(statement(isSorted: true))], shape: shape, more: rules)
            }
            let owner = shape.cells.count
            let order = try result.order(byColumns: [owner, owner + 1, 0])
            return try buffer([result], shape: shape, more: rules, order: order)
        }
    }

    // A server decides itself whether to scan a table.
    func memberRows(
        ofRelationship slot: Int, entity: Int, ownersBetween owners: ClosedRange<Int64>, shape: RowShape,
        expecting count: Int
    ) throws -> RowBuffer? { nil }

    func externalData(_ column: UnsafeRawBufferPointer) throws -> Data { Data(column) }

    func externalData(ofRow row: RowID, version: Int64, slot: Int) throws -> Data {
        let entity = store.model[row.entity]
        guard let column = schema.layout.column(ofAttribute: slot, in: row.entity) else { return Data() }
        return try read { connection in
            let system = compiler.system
            let parameters = Parameters()
            parameters.append(row.key)
            let result = try connection.run(
                "SELECT \(system.version), \(compiler.quoted(column)) FROM \(compiler.table(of: row.entity)) WHERE \(system.key) = $1",
                with: parameters)
            guard result.rowCount == 1, try result.int64(0, column: 0) == version else {
                throw CoreDataError(
                    CocoaError.Code.fileReadNoSuchFile.rawValue,
                    "The row \(row.key) of \(entity.name) was changed or deleted since it was read. Read it again to see its external data.",
                    entity: entity.name)
            }
            return try naming(entity: row.entity, attributes: [slot]) { try result.data(0, column: 1) } ?? Data()
        }
    }
}

extension RowShape {
    /// Whether the primary key is the first cell.
    fileprivate var startsWithKey: Bool { if case .primaryKey? = cells.first { true } else { false } }
}

extension PostgresResult {
    /// Returns the numbers of the rows, sorted by columns of integers, of which NULL is the smallest; nil if the rows have
    /// this order.
    fileprivate func order(byColumns columns: [Int]) throws -> [Int32]? {
        let values = try columns.map { column in
            try (0..<rowCount).map { try int64($0, column: column) ?? .min }
        }
        func isBefore(_ row: Int, _ other: Int) -> Bool {
            for list in values where list[row] != list[other] { return list[row] < list[other] }
            return false
        }
        guard (1..<max(1, rowCount)).contains(where: { isBefore($0, $0 - 1) }) else { return nil }
        return (0..<Int32(rowCount)).sorted { isBefore(Int($0), Int($1)) }
    }
}
#endif
