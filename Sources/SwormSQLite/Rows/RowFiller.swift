import CSwormSQLite
import Foundation
import SwormRows

/// A writer of a row's columns into the memory of a struct. It is not generic: one body serves all types.
struct RowFiller {
    let statement: OpaquePointer
    let ops: UnsafeBufferPointer<RowOp>
    /// Whether the memory holds plain bytes, so that fields are initialized, not assigned.
    let initialises: Bool
    let external: ((UnsafeRawBufferPointer) throws -> Data)?
    /// The error that stopped the row, if it was not filled.
    var failure: (any Error)?

    /// Fills the memory from the current row. Returns false and sets `failure` if a value does not fit. Fields that
    /// were initialized are then deinitialized.
    ///
    /// Unsafe: the address must be that of memory for the struct to which the offsets belong. If the filler
    /// initializes fields, the memory must hold plain bytes, otherwise a value. Every op is inside the struct, which
    /// `RowLayout.mistake` checks, and has the property's own type. If the filler initializes fields, no two ops
    /// overlap and no reference is outside of them (`RowLayout.covers`).
    @inline(__always)
    mutating func fill(_ base: UnsafeMutableRawPointer) -> Bool {
        let stop = write(base)
        if stop == ops.count { return true }
        stopped(at: stop, base)
        return false
    }

    /// Writes the fields, and returns the number of written fields.
    private mutating func write(_ base: UnsafeMutableRawPointer) -> Int {
        let initialises = initialises
        let ops = ops
        let statement = statement

        @inline(__always)
        func store<Value>(_ value: Value, _ place: UnsafeMutableRawPointer) {
            if initialises {
                place.initializeMemory(as: Value.self, to: value)
            } else {
                place.assumingMemoryBound(to: Value.self).pointee = value
            }
        }
        @inline(__always)
        func require<Value>(_ value: Value?, _ place: UnsafeMutableRawPointer) -> Bool {
            guard let value else { return false }
            store(value, place)
            return true
        }
        @inline(__always)
        func allow<Value>(_ value: Value?, _ place: UnsafeMutableRawPointer, type: Int32) -> Bool {
            if value == nil, type != SQLITE_NULL { return false }
            store(value, place)
            return true
        }

        var index = 0
        while index < ops.count {
            let op = ops[index]
            let place = base + op.offset
            // The value is unprotected, which is sufficient for one thread, and is not used after the next step.
            let value = sqlite3_column_value(statement, op.column)
            let type = sqlite3_value_type(value)
            let isWritten: Bool
            switch op.kind {
            case .bool: isWritten = require(ValueReading.bool(value, type: type), place)
            case .int: isWritten = require(ValueReading.integer(value, type: type) as Int?, place)
            case .int16: isWritten = require(ValueReading.integer(value, type: type) as Int16?, place)
            case .int32: isWritten = require(ValueReading.integer(value, type: type) as Int32?, place)
            case .int64: isWritten = require(ValueReading.int64(value, type: type), place)
            case .float: isWritten = require(ValueReading.float(value, type: type), place)
            case .double: isWritten = require(ValueReading.double(value, type: type), place)
            case .decimal: isWritten = require(ValueReading.decimal(value, type: type), place)
            case .date: isWritten = require(ValueReading.date(value, type: type), place)
            case .string: isWritten = require(ValueReading.string(value, type: type), place)
            case .data: isWritten = require(data(value, type: type, for: op), place)
            case .uuid: isWritten = require(ValueReading.uuid(value, type: type), place)
            case .url: isWritten = require(ValueReading.url(value, type: type), place)
            case .optionalBool: isWritten = allow(ValueReading.bool(value, type: type), place, type: type)
            case .optionalInt: isWritten = allow(ValueReading.integer(value, type: type) as Int?, place, type: type)
            case .optionalInt16: isWritten = allow(ValueReading.integer(value, type: type) as Int16?, place, type: type)
            case .optionalInt32: isWritten = allow(ValueReading.integer(value, type: type) as Int32?, place, type: type)
            case .optionalInt64: isWritten = allow(ValueReading.int64(value, type: type), place, type: type)
            case .optionalFloat: isWritten = allow(ValueReading.float(value, type: type), place, type: type)
            case .optionalDouble: isWritten = allow(ValueReading.double(value, type: type), place, type: type)
            case .optionalDecimal: isWritten = allow(ValueReading.decimal(value, type: type), place, type: type)
            case .optionalDate: isWritten = allow(ValueReading.date(value, type: type), place, type: type)
            case .optionalString: isWritten = allow(ValueReading.string(value, type: type), place, type: type)
            case .optionalData: isWritten = allow(data(value, type: type, for: op), place, type: type)
            case .optionalUUID: isWritten = allow(ValueReading.uuid(value, type: type), place, type: type)
            case .optionalURL: isWritten = allow(ValueReading.url(value, type: type), place, type: type)
            case .custom: isWritten = true
            }
            guard isWritten else { return index }
            index += 1
        }
        return index
    }

    @inline(never)
    private mutating func data(_ value: OpaquePointer?, type: Int32, for op: RowOp) -> Data? {
        guard op.isExternal else { return ValueReading.data(value, type: type) }
        guard let bytes = ValueReading.bytes(value, type: type) else { return nil }
        if bytes.first == ExternalMarker.inline { return Data(bytes.dropFirst()) }
        guard let external else { return nil }
        do {
            return try external(bytes)
        } catch {
            let rowID = sqlite3_value_int64(sqlite3_column_value(statement, 0))
            failure = ExternalDataFailure(column: Int(op.column), rowID: rowID, cause: error)
            return nil
        }
    }

    @inline(never)
    private mutating func stopped(at index: Int, _ base: UnsafeMutableRawPointer) {
        let op = ops[index]
        if failure == nil {
            let expected = op.isExternal ? "blob with a marker of inline data" : op.kind.expectation
            failure = DecodingFailure(statement: statement, column: op.column, expected: expected)
        }
        guard initialises else { return }
        for written in ops[..<index] {
            let place = base + written.offset
            switch written.kind {
            case .string: place.assumingMemoryBound(to: String.self).deinitialize(count: 1)
            case .data: place.assumingMemoryBound(to: Data.self).deinitialize(count: 1)
            case .url: place.assumingMemoryBound(to: URL.self).deinitialize(count: 1)
            case .optionalString: place.assumingMemoryBound(to: String?.self).deinitialize(count: 1)
            case .optionalData: place.assumingMemoryBound(to: Data?.self).deinitialize(count: 1)
            case .optionalURL: place.assumingMemoryBound(to: URL?.self).deinitialize(count: 1)
            // The other kinds are plain bytes.
            default: break
            }
        }
    }
}

/// The first byte of a binary column that allows external storage.
enum ExternalMarker {
    static let inline: UInt8 = 1
    static let reference: UInt8 = 2
}
