#if PostgreSQL
import CSwormPQ
import Foundation
import SwormRows

/// A builder that grows the memory of a row buffer by the rows of results.
struct ResultBufferBuilder: ~Copyable {
    private let stride: Int
    private var rows = 0
    /// The number of allocated cells.
    private var cells = 0
    private var payloads: UnsafeMutablePointer<UInt64>?
    private var tags: UnsafeMutablePointer<UInt8>?
    private var bytes: UnsafeMutableRawPointer?
    private var byteCount = 0
    private var byteCapacity = 0

    init(stride: Int) { self.stride = stride }

    deinit {
        Block.free(payloads, size: cells * MemoryLayout<UInt64>.size)
        Block.free(tags, size: cells)
        Block.free(bytes, size: byteCapacity)
    }

    /// Appends all rows of a result, which has as many columns as there are rules.
    mutating func append(
        _ result: PostgresResult, rules: UnsafeBufferPointer<CellRule>, order: [Int32]? = nil
    ) throws {
        try resizeRows(to: rows + result.rowCount)
        guard let payloads, let tags else { throw Self.outOfMemory }
        let forms = (0..<stride).map { column in
            let form = result.form(ofColumn: Int32(truncatingIfNeeded: column))
            return Self.fits(form, in: rules[column].kind) ? form : .unknown
        }
        try forms.withUnsafeBufferPointer { forms in
            var cell = rows * stride
            for position in 0..<result.rowCount {
                let row = order.map { $0[position] } ?? Int32(truncatingIfNeeded: position)
                for column in 0..<stride {
                    let rule = rules[column]
                    guard
                        let tag = try write(
                            result, row: row, column: Int32(truncatingIfNeeded: column), as: forms[column], rule: rule,
                            to: &payloads[cell])
                    else { throw Self.failure(result, row: row, column: column, rule: rule) }
                    tags[cell] = tag.rawValue
                    cell += 1
                }
                rows += 1
            }
        }
    }

    /// Writes a value, and returns its class; nil if it does not fit.
    @inline(__always)
    private mutating func write(
        _ result: PostgresResult, row: Int32, column: Int32, as form: ValueForm, rule: CellRule,
        to payload: inout UInt64
    ) throws -> StorageClass? {
        let length = PQgetlength(result.pointer, row, column)
        guard length > 0 || PQgetisnull(result.pointer, row, column) == 0 else {
            payload = 0
            return rule.allowsNull ? .null : nil
        }
        guard let start = UnsafeRawPointer(PQgetvalue(result.pointer, row, column)) else { return nil }
        switch form {
        case .integer, .unsigned:
            guard let value = Wire.integer(start, length: length, form: form) else { return nil }
            payload = UInt64(bitPattern: value)
            return .integer
        case .bool:
            guard length == 1 else { return nil }
            payload = start.load(as: UInt8.self) == 0 ? 0 : 1
            return .integer
        case .real, .timestamp:
            let value = form == .real ? Wire.real(start, length: length) : Wire.timestamp(start, length: length)
            guard let value, rule.kind.takes(value) else { return nil }
            payload = value.bitPattern
            return .real
        case .text:
            let text = UnsafeRawBufferPointer(start: start, count: Int(length))
            guard rule.kind.takes(text: text) else { return nil }
            payload = try put(text)
            return .text
        case .bytes, .uuid:
            guard rule.kind.takesBlob(ofLength: Int(length)) else { return nil }
            payload = try put(UnsafeRawBufferPointer(start: start, count: Int(length)))
            return .blob
        case .numeric:
            return try writeNumber(UnsafeRawBufferPointer(start: start, count: Int(length)), rule: rule, to: &payload)
        case .unknown: return nil
        }
    }

    @inline(never)
    private mutating func writeNumber(
        _ bytes: UnsafeRawBufferPointer, rule: CellRule, to payload: inout UInt64
    ) throws -> StorageClass? {
        guard var text = NumericFormat.text(bytes) else { return nil }
        if let value = Int64(text) {
            payload = UInt64(bitPattern: value)
            return .integer
        }
        if rule.kind == .real {
            guard let value = NumericFormat.double(bytes) else { return nil }
            payload = value.bitPattern
            return .real
        }
        // A number that a decimal cannot hold exactly does not fit.
        guard rule.kind == .any || rule.kind == .number && NumericFormat.decimal(bytes) != nil else { return nil }
        payload = try text.withUTF8 { try put(UnsafeRawBufferPointer($0)) }
        return .text
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

    // MARK: Rules

    private static func fits(_ form: ValueForm, in kind: CellKind) -> Bool {
        switch form {
        case .bool: kind == .integer || kind == .any
        case .integer, .unsigned, .numeric: kind.takesIntegers
        case .real: kind == .real || kind == .number || kind == .any
        case .timestamp: kind == .real || kind == .any
        case .text: kind.takesStrings
        case .bytes: kind == .blob || kind == .any
        case .uuid: kind == .uuid || kind == .blob || kind == .any
        case .unknown: false
        }
    }

    private static func failure(
        _ result: PostgresResult, row: Int32, column: Int, rule: CellRule
    ) -> DecodingFailure {
        result.failure(
            row: row, column: Int32(truncatingIfNeeded: column),
            expected: rule.allowsNull ? "\(rule.kind.expectation) or NULL" : rule.kind.expectation)
    }

    // MARK: Memory

    @inline(__always)
    private mutating func put(_ source: UnsafeRawBufferPointer) throws -> UInt64 {
        let offset = byteCount
        let end = offset + source.count
        if end > byteCapacity { try growBytes(to: end) }
        if let start = source.baseAddress, let bytes { memcpy(bytes + offset, start, source.count) }
        byteCount = end
        return UInt64(offset) << 32 | UInt64(source.count)
    }

    private mutating func growBytes(to needed: Int) throws {
        // Offsets use 32 bits.
        guard needed <= Int(UInt32.max) else {
            throw ServerError(
                .limit, "the strings and blobs of one fetch exceed 4 GiB; fetch in batches with a limit")
        }
        try resizeBytes(to: max(needed, min(max(16 * 1024, byteCapacity * 2), Int(UInt32.max))))
    }

    private mutating func resizeBytes(to capacity: Int) throws {
        guard let moved = Block.resize(bytes, from: byteCapacity, to: capacity) else { throw Self.outOfMemory }
        bytes = moved
        byteCapacity = capacity
    }

    private mutating func resizeRows(to rows: Int) throws {
        // The elements are plain numbers, so the memory may be moved as bytes, and needs no type until it is read.
        let (new, size) = (max(1, rows * stride), MemoryLayout<UInt64>.size)
        guard let payloads = Block.resize(payloads, from: cells * size, to: new * size) else { throw Self.outOfMemory }
        self.payloads = payloads.assumingMemoryBound(to: UInt64.self)
        guard let tags = Block.resize(tags, from: cells, to: new) else {
            // Back to the size that both allocations are known to have.
            let old = Block.resize(payloads, from: new * size, to: cells * size)
            self.payloads = old?.assumingMemoryBound(to: UInt64.self)
            throw Self.outOfMemory
        }
        self.tags = tags.assumingMemoryBound(to: UInt8.self)
        cells = new
    }

    private static var outOfMemory: ServerError {
        ServerError(.limit, "out of memory for the rows of a fetch; fetch in batches with a limit")
    }
}
#endif
