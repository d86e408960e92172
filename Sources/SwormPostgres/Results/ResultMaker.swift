#if PostgreSQL
import CSwormPQ
package import Foundation

/// A builder of a result from values that were computed in memory, so that they are decoded like those of a server.
package struct ResultMaker: ~Copyable {
    /// A value of a computed column.
    package enum Value {
        case null
        case bool(Bool)
        case integer(Int64)
        /// A real number, or a date as its seconds since 2001.
        case real(Double)
        case decimal(Decimal)
        case text(String)
        case bytes(Data)
        case uuid(UUID)
    }

    private let types: [PostgresType]
    private var result: OpaquePointer?
    private var buffer = WireBuffer()
    private var row: Int32 = 0
    private var column = 0

    /// Creates a builder of a result with columns of the given types.
    package init(_ types: [PostgresType]) throws(ServerError) {
        self.types = types
        guard let result = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else { throw Self.outOfMemory }
        self.result = result
        var descriptions = types.map { type in
            PGresAttDesc(name: nil, tableid: 0, columnid: 0, format: 1, typid: type.rawValue, typlen: -1, atttypmod: -1)
        }
        guard PQsetResultAttrs(result, Int32(clamping: types.count), &descriptions) == 1 else {
            throw Self.outOfMemory
        }
    }

    deinit { if let result { PQclear(result) } }

    /// Appends the value of the next column. The value after the last column is the first one of the next row.
    ///
    /// - Throws: ``ServerError`` for a value that does not have the column's type.
    package mutating func append(_ value: Value) throws(ServerError) {
        buffer.removeAll()
        guard types.indices.contains(column), write(value, as: types[column]) else {
            throw ServerError(.misuse, "a computed value does not have the type of its column")
        }
        let length = Int32(bigEndian: buffer.start.loadUnaligned(as: Int32.self))
        try set(length < 0 ? nil : buffer.start + MemoryLayout<Int32>.size, length: length)
    }

    /// Appends columns of a row of another result, which have the same types.
    package mutating func append(
        row: Int, columns: Range<Int>, of other: PostgresResult
    ) throws(ServerError) {
        for column in columns {
            let (row, column) = (Int32(clamping: row), Int32(clamping: column))
            let isNull = PQgetisnull(other.pointer, row, column) == 1
            try set(
                isNull ? nil : PQgetvalue(other.pointer, row, column).map { UnsafeMutableRawPointer($0) },
                length: isNull ? -1 : PQgetlength(other.pointer, row, column))
        }
    }

    /// Returns the rows.
    package consuming func finish() throws(ServerError) -> PostgresResult {
        guard column == 0, let made = result.take() else {
            throw ServerError(.misuse, "a computed row has too few values")
        }
        return PostgresResult(made)
    }

    private mutating func set(_ value: UnsafeMutableRawPointer?, length: Int32) throws(ServerError) {
        let start = value?.assumingMemoryBound(to: CChar.self)
        guard PQsetvalue(result, row, Int32(clamping: column), start, length) == 1 else { throw Self.outOfMemory }
        column += 1
        if column == types.count { (row, column) = (row + 1, 0) }
    }

    /// Writes a value with its length.
    private mutating func write(_ value: Value, as type: PostgresType) -> Bool {
        switch (value, type) {
        case (.null, _): buffer.putNull()
        case (.bool(let flag), .bool): buffer.putValue(flag)
        case (.bool(let flag), .int8): buffer.putValue(flag ? 1 : 0 as Int64)
        case (.bool(let flag), .float8): buffer.putValue(flag ? 1.0 : 0.0)
        case (.bool(let flag), .numeric): return write(flag ? 1 : 0)
        case (.integer(let number), .int8): buffer.putValue(number)
        case (.integer(let number), .float8): buffer.putValue(Double(number))
        case (.integer(let number), .numeric): return write(Decimal(number))
        case (.real(let number), .float8): buffer.putValue(number)
        case (.decimal(let number), .numeric): return write(number)
        case (.text(var text), .text): return text.withUTF8 { buffer.putValue(UnsafeRawBufferPointer($0)) }
        case (.bytes(let data), .bytea): return data.withUnsafeBytes { buffer.putValue($0) }
        case (.uuid(let uuid), .uuid): buffer.putValue(uuid)
        default: return false
        }
        return true
    }

    private mutating func write(_ number: Decimal) -> Bool {
        buffer.putValue { NumericFormat.write(number, to: &$0) }
    }

    private static var outOfMemory: ServerError { ServerError(.limit, "out of memory for computed rows") }
}
#endif
