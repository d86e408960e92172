#if PostgreSQL
package import Foundation
package import SwormRows

/// The parameters of a statement, in binary form, with the types that the server assigns to `$1`, `$2` and so on.
///
/// The types are never written into the statement. Parameters are appended in their order. A method that returns false
/// has appended nothing: the value cannot be stored unchanged.
package final class Parameters {
    var buffer = WireBuffer()
    package private(set) var types: [PostgresType] = []
    /// The offsets of the parameters' lengths.
    private var offsets: [Int] = []

    package init() {}

    package var count: Int { types.count }

    /// Appends a parameter that the body writes with its length.
    private func append(_ type: PostgresType, write: (inout WireBuffer) -> Bool) -> Bool {
        let offset = buffer.count
        guard write(&buffer) else {
            buffer.removeAll(from: offset)
            return false
        }
        offsets.append(offset)
        types.append(type)
        return true
    }

    private func always(_ type: PostgresType, write: (inout WireBuffer) -> Void) {
        _ = append(type) { buffer in
            write(&buffer)
            return true
        }
    }

    package func appendNull(_ type: PostgresType) { always(type) { $0.putNull() } }
    package func append(_ value: Bool) { always(.bool) { $0.putValue(value) } }
    package func append(_ value: Int16) { always(.int2) { $0.putValue(value) } }
    package func append(_ value: Int32) { always(.int4) { $0.putValue(value) } }
    package func append(_ value: Int64) { always(.int8) { $0.putValue(value) } }
    package func append(_ value: Int) { append(Int64(value)) }
    package func append(_ value: Float) { always(.float4) { $0.putValue(value) } }
    package func append(_ value: Double) { always(.float8) { $0.putValue(value) } }
    package func append(_ value: UUID) { always(.uuid) { $0.putValue(value) } }

    /// Appends a transaction's number as an `xid8`.
    package func append(transactionID value: UInt64) { always(.xid8) { $0.putValue(value) } }

    /// Appends a string. Returns false for one that contains NUL.
    package func append(_ value: String) -> Bool { append(.text) { $0.putValue(value) } }

    /// Appends data. Returns false if they are too long for a message.
    package func append(_ value: Data) -> Bool {
        append(.bytea) { buffer in value.withUnsafeBytes { buffer.putValue($0) } }
    }

    /// Appends a date as a `timestamptz`, rounded to the microsecond. Returns false for one out of range.
    package func append(_ value: Date) -> Bool { append(.timestamptz) { $0.putTimestamp(value) } }

    /// Appends a decimal. Returns false for NaN.
    package func append(_ value: Decimal) -> Bool {
        append(.numeric) { buffer in buffer.putValue { NumericFormat.write(value, to: &$0) } }
    }

    /// Appends JSON as a `jsonb`. Returns false if it contains NUL.
    package func append(json value: String) -> Bool {
        guard !value.utf8.contains(0) else { return false }
        return append(.jsonb) { buffer in
            buffer.putValue { buffer in
                buffer.put(1 as UInt8)
                var value = value
                value.withUTF8 { buffer.put(UnsafeRawBufferPointer($0)) }
                return true
            }
        }
    }

    // MARK: Arrays

    /// Appends an array. Returns false if the body cannot write an element.
    ///
    /// - Parameters:
    ///   - elements: The elements; nil for NULL.
    ///   - type: The type of the elements.
    ///   - write: Writes an element with its length.
    private func append<Element>(
        array elements: some Collection<Element?>, of type: PostgresType,
        write: (inout WireBuffer, Element) -> Bool
    ) -> Bool {
        guard let arrayType = type.array else { return false }
        return append(arrayType) { buffer in
            buffer.putValue { buffer in
                WireArray.write(elements, of: type, to: &buffer) { buffer, element in
                    if let element { return write(&buffer, element) }
                    buffer.putNull()
                    return true
                }
            }
        }
    }

    /// Appends an array whose elements the body writes with their lengths. Returns false if it cannot write one.
    func append(arrayOf type: PostgresType, count: Int, write: (inout WireBuffer) -> Bool) -> Bool {
        guard let arrayType = type.array else { return false }
        return append(arrayType) { buffer in
            buffer.putValue { buffer in
                WireArray.writeHeader(count: count, of: type, to: &buffer)
                return write(&buffer)
            }
        }
    }

    package func append(_ values: [Int64?]) -> Bool {
        append(array: values, of: .int8) { buffer, value in
            buffer.putValue(value)
            return true
        }
    }

    package func append(_ values: [Double?]) -> Bool {
        append(array: values, of: .float8) { buffer, value in
            buffer.putValue(value)
            return true
        }
    }

    package func append(_ values: [Bool?]) -> Bool {
        append(array: values, of: .bool) { buffer, value in
            buffer.putValue(value)
            return true
        }
    }

    package func append(_ values: [String?]) -> Bool { append(array: values, of: .text) { $0.putValue($1) } }

    package func append(_ values: [Date?]) -> Bool { append(array: values, of: .timestamptz) { $0.putTimestamp($1) } }

    package func append(_ values: [UUID?]) -> Bool {
        append(array: values, of: .uuid) { buffer, value in
            buffer.putValue(value)
            return true
        }
    }

    package func append(_ values: [Data?]) -> Bool {
        append(array: values, of: .bytea) { buffer, value in value.withUnsafeBytes { buffer.putValue($0) } }
    }

    package func append(_ values: [Decimal?]) -> Bool {
        append(array: values, of: .numeric) { buffer, value in
            buffer.putValue { NumericFormat.write(value, to: &$0) }
        }
    }

    // MARK: Properties

    /// Appends a stored property of a struct. Returns false for a value that the type cannot store unchanged: nil where it
    /// is not allowed, NaN, a number out of range, or a string that contains NUL.
    ///
    /// Unsafe: the address must be that of a value of the struct to which the op belongs.
    package func append(_ op: BindOp, as type: PostgresType, of row: UnsafeRawPointer) -> Bool {
        append(type) { $0.putField(op, as: type, of: row) }
    }

    /// Appends a stored property of all structs of an array as an array, for `unnest`.
    ///
    /// Unsafe: the memory must hold `count` values of the struct to which the op belongs.
    ///
    /// - Returns: The index of the first struct whose value cannot be stored unchanged, or nil if all were appended.
    package func append(
        _ op: BindOp, as type: PostgresType, ofRows rows: UnsafeRawPointer, count: Int, stride: Int
    ) -> Int? {
        guard let arrayType = type.array else { return 0 }
        var index = 0
        let isWritten = append(arrayType) { buffer in
            buffer.putValue { buffer in
                WireArray.writeHeader(count: count, of: type, to: &buffer)
                while index < count, buffer.putField(op, as: type, of: rows + index * stride) { index += 1 }
                return index == count
            }
        }
        return isWritten ? nil : min(index, max(0, count - 1))
    }

    // MARK: Sending

    /// The parameters in the form of libpq's calls.
    struct Arrays {
        var types: [UInt32] = []
        /// The addresses of the values, which are valid as long as the parameters are not changed; nil for NULL.
        var values: [UnsafePointer<CChar>?] = []
        var lengths: [Int32] = []
        var formats: [Int32] = []
    }

    var arrays: Arrays {
        var arrays = Arrays()
        arrays.types = types.map(\.rawValue)
        arrays.formats = [Int32](repeating: 1, count: count)
        for offset in offsets {
            let length = Int32(bigEndian: buffer.start.loadUnaligned(fromByteOffset: offset, as: Int32.self))
            let value = UnsafePointer((buffer.start + offset + 4).assumingMemoryBound(to: CChar.self))
            arrays.values.append(length < 0 ? nil : value)
            arrays.lengths.append(max(0, length))
        }
        return arrays
    }
}
#endif
