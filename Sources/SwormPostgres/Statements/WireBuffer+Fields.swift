#if PostgreSQL
import Foundation
import SwormRows

extension WireBuffer {
    /// Appends a stored property of a struct as a value with its length. Returns false and appends nothing if the column
    /// cannot store the value unchanged.
    ///
    /// Unsafe: the address must be that of a value of the struct to which the op belongs. The kind of the op is the
    /// property's own type.
    @inline(__always)
    mutating func putField(_ op: BindOp, as type: PostgresType, of row: UnsafeRawPointer) -> Bool {
        let field = row + op.offset
        @inline(__always)
        func load<Value>(_ type: Value.Type) -> Value { field.assumingMemoryBound(to: Value.self).pointee }
        switch op.kind {
        case .bool: return put(load(Bool.self), as: type)
        case .int: return put(Int64(load(Int.self)), as: type)
        case .int16: return put(Int64(load(Int16.self)), as: type)
        case .int32: return put(Int64(load(Int32.self)), as: type)
        case .int64: return put(load(Int64.self), as: type)
        case .float: return put(Double(load(Float.self)), as: type)
        case .double: return put(load(Double.self), as: type)
        case .date: return put(load(Date.self), as: type)
        case .string: return put(load(String.self), as: type)
        case .data: return put(load(Data.self), as: type)
        case .uuid: return put(load(UUID.self), as: type)
        case .optionalBool: if let value = load(Bool?.self) { return put(value, as: type) }
        case .optionalInt: if let value = load(Int?.self) { return put(Int64(value), as: type) }
        case .optionalInt16: if let value = load(Int16?.self) { return put(Int64(value), as: type) }
        case .optionalInt32: if let value = load(Int32?.self) { return put(Int64(value), as: type) }
        case .optionalInt64: if let value = load(Int64?.self) { return put(value, as: type) }
        case .optionalFloat: if let value = load(Float?.self) { return put(Double(value), as: type) }
        case .optionalDouble: if let value = load(Double?.self) { return put(value, as: type) }
        case .optionalDate: if let value = load(Date?.self) { return put(value, as: type) }
        case .optionalString: if let value = load(String?.self) { return put(value, as: type) }
        case .optionalData: if let value = load(Data?.self) { return put(value, as: type) }
        case .optionalUUID: if let value = load(UUID?.self) { return put(value, as: type) }
        case .decimal, .url, .optionalDecimal, .optionalURL, .custom: return false
        }
        guard !op.isRequired else { return false }
        putNull()
        return true
    }

    @inline(__always)
    private mutating func put(_ value: Bool, as type: PostgresType) -> Bool {
        guard type == .bool else { return false }
        putValue(value)
        return true
    }

    @inline(__always)
    private mutating func put(_ value: Int64, as type: PostgresType) -> Bool {
        switch type {
        case .int8: putValue(value)
        case .int4:
            guard let narrow = Int32(exactly: value) else { return false }
            putValue(narrow)
        case .int2:
            guard let narrow = Int16(exactly: value) else { return false }
            putValue(narrow)
        default: return false
        }
        return true
    }

    @inline(__always)
    private mutating func put(_ value: Double, as type: PostgresType) -> Bool {
        // NaN is rejected, because no other store keeps it.
        guard !value.isNaN else { return false }
        switch type {
        case .float8: putValue(value)
        case .float4:
            let narrow = Float(value)
            guard narrow.isFinite || value.isInfinite else { return false }
            putValue(narrow)
        default: return false
        }
        return true
    }

    @inline(__always)
    private mutating func put(_ value: Date, as type: PostgresType) -> Bool {
        type == .timestamptz ? putTimestamp(value) : put(value.timeIntervalSinceReferenceDate, as: type)
    }

    @inline(__always)
    private mutating func put(_ value: String, as type: PostgresType) -> Bool {
        guard type == .text else { return false }
        // A string without contiguous bytes comes from another language's runtime.
        return value.utf8.withContiguousStorageIfAvailable { putValue(text: UnsafeRawBufferPointer($0)) }
            ?? putValue(value)
    }

    @inline(__always)
    private mutating func put(_ value: Data, as type: PostgresType) -> Bool {
        guard type == .bytea else { return false }
        return value.withUnsafeBytes { putValue($0) }
    }

    @inline(__always)
    private mutating func put(_ value: UUID, as type: PostgresType) -> Bool {
        guard type == .uuid else { return false }
        putValue(value)
        return true
    }
}
#endif
