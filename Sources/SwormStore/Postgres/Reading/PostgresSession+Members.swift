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
        let compiled = try compiler.memberRows(
            ofRelationship: slot, in: entity, owners: owners, shape: shape, limit: limit)
        return try read { connection in
            let result = try connection.run(SQLStatement(compiled))
            return try buffer([result], shape: shape, more: [CellRule(.integer), CellRule(.integer)])
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
#endif
