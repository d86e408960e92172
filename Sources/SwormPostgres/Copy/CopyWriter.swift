#if PostgreSQL
package import Foundation
package import SwormRows

/// A writer of rows in the binary form of COPY, which sends them to a table or collects them.
///
/// Each row is begun with ``beginRow()`` and gets one value for each column, in their order. A method that returns false has
/// written nothing: the column cannot store the value unchanged, or there is no column for it.
package struct CopyWriter: ~Copyable {
    /// The number of bytes after which rows are sent.
    private static var portion: Int { 64 * 1024 }

    /// The connection to which rows are sent; nil if they are collected.
    private let connection: PostgresConnection?
    /// The types of the columns.
    package let types: [PostgresType]
    private var buffer = WireBuffer(capacity: 128 * 1024)
    private var rowStart = 0
    /// The offsets of collected rows.
    private var starts: [Int] = []
    /// The number of values of the current row. Outside of a row it is that of all columns, so that no value can be written.
    private var column: Int
    private var isInRow = false
    /// The number of rows that were begun.
    package private(set) var rowCount = 0

    init(_ types: [PostgresType], on connection: PostgresConnection) {
        self.types = types
        self.connection = connection
        column = types.count
        Self.header.withUnsafeBytes { buffer.put($0) }
    }

    /// Creates a writer that collects rows. See ``PostgresConnection/beginCopyIn(into:)`` and
    /// ``Parameters/append(_:of:offsets:at:)``.
    package init(collecting types: [PostgresType]) {
        self.types = types
        connection = nil
        column = types.count
    }

    /// The signature, flags of 32 bits, and the length of an extension of the header.
    static let header = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)
    /// The number of columns of a row that is the end of all rows.
    static var end: Int16 { -1 }

    /// Begins a row.
    ///
    /// - Throws: ``ServerError`` if the row before it has too few values, or if the rows so far cannot be sent.
    @inline(__always)
    package mutating func beginRow() throws {
        try endRow()
        if connection == nil {
            starts.append(buffer.count)
        } else if buffer.count >= Self.portion {
            try send()
        }
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
        endOfRow()
        rowCount -= 1
        _ = starts.popLast()
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

    /// Writes the next columns, whose values are in the form that ``collectedFields`` returned.
    package mutating func write(fields bytes: [UInt8], count: Int) -> Bool {
        guard count >= 0, count <= types.count - column else { return false }
        bytes.withUnsafeBytes { buffer.put($0) }
        column += count
        return true
    }

    // MARK: Collected rows

    /// The number of bytes of all rows.
    package var byteCount: Int { buffer.count }

    /// The bytes of all rows. They are valid until the writer is changed.
    package var bytes: UnsafeRawBufferPointer { buffer.bytes }

    /// The values of the last row, with their lengths.
    package var collectedFields: [UInt8] { Array(buffer.bytes.dropFirst(rowStart + MemoryLayout<Int16>.size)) }

    /// Removes all rows, and keeps their memory for other ones.
    package mutating func removeAll() {
        buffer.removeAll()
        starts.removeAll(keepingCapacity: true)
        endOfRow()
        rowCount = 0
    }

    /// The offsets of the fields of collected rows, by row and column. Each field begins with its length.
    package var fieldOffsets: [Int] {
        var offsets: [Int] = []
        offsets.reserveCapacity(starts.count * types.count)
        let bytes = bytes
        for start in starts {
            // The number of columns comes first.
            var offset = start + MemoryLayout<Int16>.size
            for _ in types {
                offsets.append(offset)
                offset += Self.length(ofField: offset, in: bytes)
            }
        }
        return offsets
    }

    /// Returns the number of bytes of a field with its length.
    static func length(ofField offset: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        4 + max(0, Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))))
    }

    /// Returns the bytes of a field at one of ``fieldOffsets``; nil for NULL. They are valid until the writer is changed.
    package func field(at offset: Int) -> UnsafeRawBufferPointer? {
        let length = Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        return length < 0 ? nil : UnsafeRawBufferPointer(rebasing: bytes[offset + 4..<offset + 4 + Int(length)])
    }

    // MARK: Sending

    /// Ends the last row.
    ///
    /// - Throws: ``ServerError`` if it has too few values.
    package mutating func endRow() throws {
        guard isInRow else { return }
        guard column == types.count else {
            throw ServerError(.misuse, "row \(rowCount) of a COPY has \(column) of \(types.count) values")
        }
        endOfRow()
    }

    private mutating func endOfRow() {
        isInRow = false
        column = types.count
    }

    private mutating func send() throws {
        try connection?.put(buffer.bytes)
        buffer.removeAll()
    }

    /// Sends the rest and the end of the rows.
    mutating func finish() throws {
        try endRow()
        buffer.put(Self.end)
        try send()
    }
}
#endif
