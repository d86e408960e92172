#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// The values of rows by column, to be sent as arrays or one row at a time.
struct WrittenColumns {
    struct Column {
        /// The name as SQL text writes it; nil for a value that is only compared.
        var name: String?
        var type: PostgresType
        var values: [ServerValue] = []
    }

    private(set) var columns: [Column]
    private(set) var rowCount = 0
    /// The number of bytes that the values take, roughly.
    private(set) var byteCount = 0

    init(_ columns: [Column]) { self.columns = columns }

    mutating func append(_ row: [ServerValue]) {
        for (index, value) in row.enumerated() {
            columns[index].values.append(value)
            byteCount += value.byteCount
        }
        rowCount += 1
    }

    /// Whether more rows would make the message too long.
    var isFull: Bool { rowCount >= ServerSave.longestList || byteCount >= ServerSave.longestMessage }

    mutating func removeAll() {
        for index in columns.indices { columns[index].values.removeAll(keepingCapacity: true) }
        (rowCount, byteCount) = (0, 0)
    }

    /// The SQL of the value of a column: a parameter for a single row, else a column of ``source``.
    func value(_ index: Int) -> String { rowCount == 1 ? "$\(index + 1)" : "u.c\(index + 1)" }

    /// The rows as a table of a FROM clause.
    var source: String {
        let arrays = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let names = columns.indices.map { "c\($0 + 1)" }.joined(separator: ", ")
        return "unnest(\(arrays)) AS u(\(names))"
    }

    /// Returns the parameters: the values of a single row, or the arrays.
    ///
    /// - Throws: ``CoreDataError`` for values that are too long for a message.
    func parameters(of entity: CompiledEntity) throws -> Parameters {
        let parameters = Parameters()
        for column in columns {
            let isWritten =
                rowCount == 1
                ? parameters.append(column.values[0], as: column.type)
                : parameters.append(column.values, as: column.type)
            guard isWritten else {
                throw CoreDataError(
                    NSManagedObjectValidationError,
                    "A value of the column \(column.name ?? "") of \(entity.name) is too long: a message to the server takes less than a gibibyte. Nothing was saved.",
                    entity: entity.name)
            }
        }
        return parameters
    }
}
#endif
