import CSwormSQLite
import Foundation
import SwormRows

/// A builder that grows the memory of a row buffer while a statement is read.
struct RowBufferBuilder: ~Copyable {
    private let stride: Int
    private var rows = 0
    private var capacity = 0
    /// The number of allocated cells.
    private var cellCapacity = 0
    private var payloads: UnsafeMutablePointer<UInt64>?
    private var tags: UnsafeMutablePointer<UInt8>?
    private var bytes: UnsafeMutableRawPointer?
    private var byteCount = 0
    private var byteCapacity = 0

    init(stride: Int) { self.stride = stride }

    deinit {
        Block.free(payloads, size: cellCapacity * MemoryLayout<UInt64>.size)
        Block.free(tags, size: cellCapacity)
        Block.free(bytes, size: byteCapacity)
    }

    var count: Int { rows }

    /// Appends the statement's current row.
    mutating func append(_ statement: OpaquePointer, rules: UnsafeBufferPointer<CellRule>) throws {
        if rows == capacity { try growRows() }
        guard let payloads, let tags else { throw Self.outOfMemory }
        let base = rows * stride
        for column in 0..<stride {
            // Reads the column through its value, with one checked call for each column. This is valid because one
            // thread uses the connection.
            let value = sqlite3_column_value(statement, Int32(truncatingIfNeeded: column))
            let type = sqlite3_value_type(value)
            let rule = rules[column]
            let payload: UInt64
            switch type {
            case SQLITE_INTEGER:
                guard rule.kind.takesIntegers else { throw issue(reading: statement, at: column, expected: rule) }
                payload = UInt64(bitPattern: sqlite3_value_int64(value))
            case SQLITE_FLOAT:
                let real = sqlite3_value_double(value)
                guard rule.kind.takes(real) else { throw issue(reading: statement, at: column, expected: rule) }
                payload = real.bitPattern
            case SQLITE_TEXT:
                guard rule.kind.takesStrings else { throw issue(reading: statement, at: column, expected: rule) }
                // An empty string has an address. A missing one means that there was no memory for the conversion.
                guard let start = sqlite3_value_text(value) else { throw Self.outOfMemory }
                let text = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
                guard UTF8Check.isValid(text), rule.kind.takes(text: text) else {
                    throw issue(reading: statement, at: column, expected: rule)
                }
                payload = try put(text)
            case SQLITE_BLOB:
                let start = sqlite3_value_blob(value)
                let blob = UnsafeRawBufferPointer(
                    start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
                guard rule.kind.takesBlob(ofLength: blob.count) else {
                    throw issue(reading: statement, at: column, expected: rule)
                }
                payload = try put(blob)
            default:
                guard rule.allowsNull else { throw issue(reading: statement, at: column, expected: rule) }
                payload = 0
            }
            payloads[base + column] = payload
            tags[base + column] = UInt8(truncatingIfNeeded: type)
        }
        rows += 1
    }

    /// Returns the memory as a buffer, cut to the used size.
    consuming func finish() throws -> RowBuffer {
        try resizeRows(to: rows)
        try resizeBytes(to: max(1, byteCount))
        guard let payloads, let tags, let bytes else { throw Self.outOfMemory }
        // Ownership has been transferred, so the deinitializer must not free the memory.
        self.payloads = nil
        self.tags = nil
        self.bytes = nil
        return RowBuffer(
            count: rows, stride: stride, payloads: UnsafePointer(payloads), tags: UnsafePointer(tags),
            bytes: UnsafeRawPointer(bytes), byteCount: byteCount)
    }

    @inline(__always)
    private mutating func put(_ source: UnsafeRawBufferPointer) throws -> UInt64 {
        let offset = byteCount
        let end = offset + source.count
        if end > byteCapacity { try growBytes(to: end) }
        // The space was just allocated, or was already sufficient.
        if let start = source.baseAddress, let bytes { memcpy(bytes + offset, start, source.count) }
        byteCount = end
        return UInt64(offset) << 32 | UInt64(source.count)
    }

    private mutating func growBytes(to needed: Int) throws {
        // Offsets use 32 bits.
        guard needed <= Int(UInt32.max) else {
            throw SQLiteError(
                code: SQLITE_TOOBIG,
                message: "the strings and blobs of one fetch exceed 4 GiB; fetch in batches with a limit")
        }
        let capacity = max(needed, min(max(16 * 1024, byteCapacity * 2), Int(UInt32.max)))
        try resizeBytes(to: capacity)
    }

    private mutating func resizeBytes(to capacity: Int) throws {
        guard let moved = Block.resize(bytes, from: byteCapacity, to: capacity) else { throw Self.outOfMemory }
        bytes = moved
        byteCapacity = capacity
    }

    private mutating func growRows() throws { try resizeRows(to: capacity == 0 ? 8 : capacity * 2) }

    private mutating func resizeRows(to capacity: Int) throws {
        // The elements are plain numbers, so the memory may be moved as bytes, and needs no type until it is read.
        let cells = max(1, capacity * stride)
        let size = MemoryLayout<UInt64>.size
        guard let payloads = Block.resize(payloads, from: cellCapacity * size, to: cells * size) else {
            throw Self.outOfMemory
        }
        self.payloads = payloads.assumingMemoryBound(to: UInt64.self)
        guard let tags = Block.resize(tags, from: cellCapacity, to: cells) else {
            // Back to the size that both allocations are known to have.
            let old = Block.resize(payloads, from: cells * size, to: cellCapacity * size)
            self.payloads = old?.assumingMemoryBound(to: UInt64.self)
            throw Self.outOfMemory
        }
        self.tags = tags.assumingMemoryBound(to: UInt8.self)
        cellCapacity = cells
        self.capacity = capacity
    }

    private static var outOfMemory: SQLiteError {
        SQLiteError(code: SQLITE_NOMEM, message: "out of memory for the rows of a fetch; fetch in batches with a limit")
    }

    private func issue(reading statement: OpaquePointer, at column: Int, expected rule: CellRule) -> DecodingFailure {
        DecodingFailure(
            statement: statement, column: Int32(truncatingIfNeeded: column),
            expected: rule.allowsNull ? "\(rule.kind.expectation) or NULL" : rule.kind.expectation)
    }
}
