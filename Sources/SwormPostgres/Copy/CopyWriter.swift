#if PostgreSQL
import CSwormPQ
package import Foundation
package import SwormRows

/// A writer of rows into a table by COPY in its binary form.
///
/// Each row is begun with ``beginRow()`` and gets one value for each column, in their order. A method that returns false has
/// written nothing: the column cannot store the value unchanged.
package struct CopyWriter: ~Copyable {
    /// The number of bytes after which rows are sent.
    private static var portion: Int { 64 * 1024 }
    private static var longestMessage: Int { 16 * 1024 * 1024 }

    private let connection: PostgresConnection
    /// The types of the columns.
    private let types: [PostgresType]
    private var buffer = WireBuffer(capacity: 128 * 1024)
    private var rowStart = 0
    /// The number of values of the current row.
    private var column = 0
    private var isInRow = false
    /// The number of rows that were begun.
    package private(set) var rowCount = 0

    init(_ types: [PostgresType], on connection: PostgresConnection) {
        self.types = types
        self.connection = connection
        // The signature, flags of 32 bits, and the length of an extension of the header.
        let header = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)
        header.withUnsafeBytes { buffer.put($0) }
    }

    /// Begins a row.
    ///
    /// - Throws: ``ServerError`` if the row before it has too few values, or if the rows so far cannot be sent.
    @inline(__always)
    package mutating func beginRow() throws {
        try endRow()
        if buffer.count >= Self.portion { try send() }
        rowStart = buffer.count
        column = 0
        isInRow = true
        rowCount += 1
        buffer.put(Int16(truncatingIfNeeded: types.count))
    }

    /// Drops the values of the current row.
    package mutating func abandonRow() {
        guard isInRow else { return }
        buffer.removeAll(from: rowStart)
        isInRow = false
        rowCount -= 1
    }

    /// Writes stored properties of a struct up to the first one whose value its column cannot store unchanged. Write that
    /// value by another method, and continue with the next op.
    ///
    /// Unsafe: the address must be that of a value of the struct to which the ops belong.
    ///
    /// - Returns: The index of the op that was not written, or the number of ops if all were written.
    @inline(__always)
    package mutating func write(
        _ ops: UnsafeBufferPointer<BindOp>, from first: Int = 0, of row: UnsafeRawPointer
    ) -> Int {
        let types = types
        return types.withUnsafeBufferPointer { types in
            var index = first
            while index < ops.count, column < types.count, buffer.putField(ops[index], as: types[column], of: row) {
                index += 1
                column += 1
            }
            return index
        }
    }

    // MARK: Values

    /// Writes a value for a column of the type.
    @inline(__always)
    private mutating func write(_ type: PostgresType, body: (inout WireBuffer) -> Bool) -> Bool {
        guard column < types.count, types[column] == type, body(&buffer) else { return false }
        column += 1
        return true
    }

    package mutating func writeNull() -> Bool {
        guard column < types.count else { return false }
        buffer.putNull()
        column += 1
        return true
    }

    package mutating func write(_ value: Int64) -> Bool {
        guard column < types.count else { return false }
        switch types[column] {
        case .int8: buffer.putValue(value)
        case .int4:
            guard let narrow = Int32(exactly: value) else { return false }
            buffer.putValue(narrow)
        case .int2:
            guard let narrow = Int16(exactly: value) else { return false }
            buffer.putValue(narrow)
        default: return false
        }
        column += 1
        return true
    }

    package mutating func write(_ value: Double) -> Bool {
        write(.float8) { buffer in
            buffer.putValue(value)
            return true
        }
    }

    package mutating func write(_ value: Float) -> Bool {
        write(.float4) { buffer in
            buffer.putValue(value)
            return true
        }
    }

    package mutating func write(_ value: Bool) -> Bool {
        write(.bool) { buffer in
            buffer.putValue(value)
            return true
        }
    }

    package mutating func write(_ value: UUID) -> Bool {
        write(.uuid) { buffer in
            buffer.putValue(value)
            return true
        }
    }

    package mutating func write(_ value: String) -> Bool { write(.text) { $0.putValue(value) } }

    package mutating func write(_ value: Data) -> Bool {
        write(.bytea) { buffer in value.withUnsafeBytes { buffer.putValue($0) } }
    }

    package mutating func write(_ value: Date) -> Bool { write(.timestamptz) { $0.putTimestamp(value) } }

    package mutating func write(_ value: Decimal) -> Bool {
        write(.numeric) { buffer in buffer.putValue { NumericFormat.write(value, to: &$0) } }
    }

    /// Writes bytes that are already in the form of the column's type, such as those that COPY has read.
    package mutating func write(form bytes: UnsafeRawBufferPointer) -> Bool {
        guard column < types.count, buffer.putValue(bytes) else { return false }
        column += 1
        return true
    }

    // MARK: Sending

    private mutating func endRow() throws {
        guard isInRow else { return }
        guard column == types.count else {
            throw ServerError(.misuse, "row \(rowCount) of a COPY has \(column) of \(types.count) values")
        }
        isInRow = false
    }

    private mutating func send() throws {
        let bytes = buffer.bytes
        guard let start = bytes.baseAddress else { return }
        // A message may end anywhere in a row, and has a limit.
        for offset in stride(from: 0, to: bytes.count, by: Self.longestMessage) {
            let text = (start + offset).assumingMemoryBound(to: CChar.self)
            let count = Int32(min(Self.longestMessage, bytes.count - offset))
            guard PQputCopyData(connection.handle, text, count) == 1 else { throw connection.lost() }
            try connection.flush()
        }
        buffer.removeAll()
    }

    /// Sends the rest and the end of the rows.
    mutating func finish() throws {
        try endRow()
        buffer.put(-1 as Int16)
        try send()
    }
}
#endif
