#if PostgreSQL
import CSwormPQ
import Foundation
import SwormRows

/// A writer of a row's columns into the memory of a struct. It is not generic: one body serves all types.
struct ResultFiller {
    let result: PostgresResult
    let pointer: OpaquePointer
    let ops: UnsafeBufferPointer<FieldOp>
    /// Whether the memory holds plain bytes, so that fields are initialized, not assigned.
    let initializes: Bool
    /// The error that stopped the row, if it was not filled.
    var failure: (any Error)?

    init(_ result: PostgresResult, ops: UnsafeBufferPointer<FieldOp>, initializes: Bool) {
        self.result = result
        pointer = result.pointer
        self.ops = ops
        self.initializes = initializes
    }

    /// Fills the memory from a row. Returns false and sets `failure` if a value does not fit. Fields that were initialized
    /// are then deinitialized.
    ///
    /// Unsafe: the address must be that of memory for the struct to which the offsets belong. If the filler initializes
    /// fields, the memory must hold plain bytes, otherwise a value. Every op is inside the struct, which
    /// `RowLayout.mistake` checks, and has the property's own type. The row must be one of the result.
    @inline(__always)
    mutating func fill(_ base: UnsafeMutableRawPointer, row: Int32) -> Bool {
        let stop = write(base, row: row)
        if stop == ops.count { return true }
        stopped(at: stop, base, row: row)
        return false
    }

    /// Writes the fields, and returns the number of written fields.
    private func write(_ base: UnsafeMutableRawPointer, row: Int32) -> Int {
        let initializes = initializes
        let ops = ops
        let pointer = pointer

        @inline(__always)
        func store<Value>(_ value: Value, in field: UnsafeMutableRawPointer) {
            if initializes {
                field.initializeMemory(as: Value.self, to: value)
            } else {
                field.assumingMemoryBound(to: Value.self).pointee = value
            }
        }
        @inline(__always)
        func require<Value>(_ value: Value?, in field: UnsafeMutableRawPointer) -> Bool {
            guard let value else { return false }
            store(value, in: field)
            return true
        }
        @inline(__always)
        func allow<Value>(_ value: Value?, in field: UnsafeMutableRawPointer, isNull: Bool) -> Bool {
            if value == nil, !isNull { return false }
            store(value, in: field)
            return true
        }

        var index = 0
        while index < ops.count {
            let op = ops[index]
            let field = base + op.offset
            let length = PQgetlength(pointer, row, op.column)
            let isNull = length == 0 && PQgetisnull(pointer, row, op.column) == 1
            let value = FieldValue(
                start: isNull || !op.fits ? nil : PQgetvalue(pointer, row, op.column), length: length, form: op.form)
            let isWritten: Bool
            switch op.kind {
            case .bool: isWritten = require(value.bool, in: field)
            case .int: isWritten = require(value.integer() as Int?, in: field)
            case .int16: isWritten = require(value.integer() as Int16?, in: field)
            case .int32: isWritten = require(value.integer() as Int32?, in: field)
            case .int64: isWritten = require(value.int64, in: field)
            case .float: isWritten = require(value.float, in: field)
            case .double: isWritten = require(value.double, in: field)
            case .decimal: isWritten = require(value.decimal, in: field)
            case .date: isWritten = require(value.date, in: field)
            case .string: isWritten = require(value.string, in: field)
            case .data: isWritten = require(value.data, in: field)
            case .uuid: isWritten = require(value.uuid, in: field)
            case .url: isWritten = require(value.url, in: field)
            case .optionalBool: isWritten = allow(value.bool, in: field, isNull: isNull)
            case .optionalInt: isWritten = allow(value.integer() as Int?, in: field, isNull: isNull)
            case .optionalInt16: isWritten = allow(value.integer() as Int16?, in: field, isNull: isNull)
            case .optionalInt32: isWritten = allow(value.integer() as Int32?, in: field, isNull: isNull)
            case .optionalInt64: isWritten = allow(value.int64, in: field, isNull: isNull)
            case .optionalFloat: isWritten = allow(value.float, in: field, isNull: isNull)
            case .optionalDouble: isWritten = allow(value.double, in: field, isNull: isNull)
            case .optionalDecimal: isWritten = allow(value.decimal, in: field, isNull: isNull)
            case .optionalDate: isWritten = allow(value.date, in: field, isNull: isNull)
            case .optionalString: isWritten = allow(value.string, in: field, isNull: isNull)
            case .optionalData: isWritten = allow(value.data, in: field, isNull: isNull)
            case .optionalUUID: isWritten = allow(value.uuid, in: field, isNull: isNull)
            case .optionalURL: isWritten = allow(value.url, in: field, isNull: isNull)
            case .custom: isWritten = true
            }
            guard isWritten else { return index }
            index += 1
        }
        return index
    }

    @inline(never)
    private mutating func stopped(at index: Int, _ base: UnsafeMutableRawPointer, row: Int32) {
        failure = result.failure(row: row, column: ops[index].column, expected: ops[index].kind.expectation)
        guard initializes else { return }
        for written in ops[..<index] {
            let field = base + written.offset
            switch written.kind {
            case .string: field.assumingMemoryBound(to: String.self).deinitialize(count: 1)
            case .data: field.assumingMemoryBound(to: Data.self).deinitialize(count: 1)
            case .url: field.assumingMemoryBound(to: URL.self).deinitialize(count: 1)
            case .optionalString: field.assumingMemoryBound(to: String?.self).deinitialize(count: 1)
            case .optionalData: field.assumingMemoryBound(to: Data?.self).deinitialize(count: 1)
            case .optionalURL: field.assumingMemoryBound(to: URL?.self).deinitialize(count: 1)
            // The other kinds are plain bytes.
            default: break
            }
        }
    }
}
#endif
