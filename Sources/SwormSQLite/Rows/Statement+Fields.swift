import CSwormSQLite
import Foundation
package import SwormRows

extension Statement {
    /// Binds stored properties of a struct up to the first one whose value cannot be stored unchanged: nil where it is
    /// not allowed, NaN, a number out of range, or very long bytes.
    ///
    /// Unsafe: the address must be that of a value of the struct to which the offsets belong, which must live until
    /// the statement has run or is bound again. SQLite reads its bytes there or in the arena.
    ///
    /// - Returns: The index of the op that was not bound, or the number of ops if all were bound.
    package mutating func bind(
        _ ops: UnsafeBufferPointer<BindOp>, from first: Int, of row: UnsafeRawPointer, in arena: BindingArena
    ) -> Int {
        hold(arena)
        let binder = FieldBinder(statement: pointer, row: row, arena: arena)
        var index = first
        while index < ops.count, binder.bind(ops[index]) { index += 1 }
        return index
    }
}

/// A binder of properties from the memory of one struct. It is not generic: one body serves all types.
private struct FieldBinder {
    let statement: OpaquePointer
    let row: UnsafeRawPointer
    let arena: BindingArena

    /// Binds one property. Returns false and binds nothing if its column cannot store the value unchanged.
    @inline(__always)
    func bind(_ op: BindOp) -> Bool {
        switch op.kind {
        case .bool: integer(load(op, as: Bool.self) ? 1 : 0, for: op)
        case .int: integer(Int64(load(op, as: Int.self)), for: op)
        case .int16: integer(Int64(load(op, as: Int16.self)), for: op)
        case .int32: integer(Int64(load(op, as: Int32.self)), for: op)
        case .int64: integer(load(op, as: Int64.self), for: op)
        case .float: real(Double(load(op, as: Float.self)), for: op)
        case .double: real(load(op, as: Double.self), for: op)
        case .date: real(load(op, as: Date.self).timeIntervalSinceReferenceDate, for: op)
        case .string: text(load(op, as: String.self), for: op)
        case .data: blob(load(op, as: Data.self), for: op)
        case .uuid: uuid(op)
        case .optionalBool: load(op, as: Bool?.self).map { integer($0 ? 1 : 0, for: op) } ?? null(op)
        case .optionalInt: load(op, as: Int?.self).map { integer(Int64($0), for: op) } ?? null(op)
        case .optionalInt16: load(op, as: Int16?.self).map { integer(Int64($0), for: op) } ?? null(op)
        case .optionalInt32: load(op, as: Int32?.self).map { integer(Int64($0), for: op) } ?? null(op)
        case .optionalInt64: load(op, as: Int64?.self).map { integer($0, for: op) } ?? null(op)
        case .optionalFloat: load(op, as: Float?.self).map { real(Double($0), for: op) } ?? null(op)
        case .optionalDouble: load(op, as: Double?.self).map { real($0, for: op) } ?? null(op)
        case .optionalDate:
            load(op, as: Date?.self).map { real($0.timeIntervalSinceReferenceDate, for: op) } ?? null(op)
        case .optionalString: load(op, as: String?.self).map { text($0, for: op) } ?? null(op)
        case .optionalData: load(op, as: Data?.self).map { blob($0, for: op) } ?? null(op)
        case .optionalUUID: load(op, as: UUID?.self) == nil ? null(op) : uuid(op)
        case .decimal, .url, .optionalDecimal, .optionalURL, .custom: false
        }
    }

    /// Loads the property. The kind matches the property's own type, and therefore the memory.
    @inline(__always)
    private func load<Value>(_ op: BindOp, as type: Value.Type) -> Value {
        (row + op.offset).assumingMemoryBound(to: Value.self).pointee
    }

    @inline(__always)
    private func null(_ op: BindOp) -> Bool {
        !op.isRequired && sqlite3_bind_null(statement, op.parameter) == SQLITE_OK
    }

    @inline(__always)
    private func integer(_ value: Int64, for op: BindOp) -> Bool {
        switch op.width {
        case .integer16: if Int16(exactly: value) == nil { return false }
        case .integer32: if Int32(exactly: value) == nil { return false }
        case .full, .float: break
        }
        return sqlite3_bind_int64(statement, op.parameter, value) == SQLITE_OK
    }

    @inline(__always)
    private func real(_ value: Double, for op: BindOp) -> Bool {
        guard !value.isNaN else { return false }
        guard op.width == .float else { return sqlite3_bind_double(statement, op.parameter, value) == SQLITE_OK }
        let narrow = Float(value)
        guard narrow.isFinite || value.isInfinite else { return false }
        return sqlite3_bind_double(statement, op.parameter, Double(narrow)) == SQLITE_OK
    }

    @inline(__always)
    private func text(_ value: String, for op: BindOp) -> Bool {
        value.utf8.withContiguousStorageIfAvailable { utf8 in
            // A null address would bind NULL.
            guard utf8.count > 0 else {
                return sqlite3_bind_text(statement, op.parameter, "", 0, transient) == SQLITE_OK
            }
            guard let copy = arena.copy(UnsafeRawBufferPointer(utf8)) else { return false }
            return sqlite3_bind_text64(
                statement, op.parameter, copy.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(copy.count), nil,
                UInt8(SQLITE_UTF8)) == SQLITE_OK
        } ?? false
    }

    @inline(__always)
    private func blob(_ value: Data, for op: BindOp) -> Bool {
        value.withUnsafeBytes { bytes in
            guard bytes.count > 0 else { return sqlite3_bind_zeroblob(statement, op.parameter, 0) == SQLITE_OK }
            guard let copy = arena.copy(bytes) else { return false }
            return sqlite3_bind_blob64(statement, op.parameter, copy.baseAddress, UInt64(copy.count), nil) == SQLITE_OK
        }
    }

    /// Binds a UUID in place: it consists of its 16 bytes, which do not move while the statement runs. An optional
    /// starts with them.
    @inline(__always)
    private func uuid(_ op: BindOp) -> Bool {
        MemoryLayout<UUID>.size == 16
            && sqlite3_bind_blob(statement, op.parameter, row + op.offset, 16, nil) == SQLITE_OK
    }
}
