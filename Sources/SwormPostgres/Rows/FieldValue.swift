#if PostgreSQL
import Foundation
import SwormRows

/// The bytes of one value while it is read. Each conversion is nil for NULL, and for a value out of range.
///
/// The op of the field has compared the form of the column with the type that is asked for.
struct FieldValue {
    /// Nil for NULL, and for a value whose form does not fit.
    let start: UnsafeMutablePointer<CChar>?
    let length: Int32
    let form: ValueForm

    @inline(__always)
    private var raw: UnsafeRawPointer? { UnsafeRawPointer(start) }

    @inline(__always)
    var bool: Bool? { length == 1 ? start.map { $0.pointee != 0 } : nil }

    @inline(__always)
    var int64: Int64? {
        if form == .integer { return raw.flatMap { Wire.integer($0, length: length) } }
        return otherInteger
    }

    @inline(__always)
    func integer<Value: FixedWidthInteger>() -> Value? { int64.flatMap { Value(exactly: $0) } }

    @inline(__always)
    var double: Double? {
        if form == .real { return raw.flatMap { Wire.real($0, length: length) } }
        return otherNumber
    }

    @inline(__always)
    var float: Float? {
        guard let number = double else { return nil }
        let narrow = Float(number)
        return narrow.isFinite || !number.isFinite ? narrow : nil
    }

    @inline(__always)
    var date: Date? {
        let seconds =
            form == .timestamp
            ? raw.flatMap { Wire.timestamp($0, length: length) } : raw.flatMap { Wire.real($0, length: length) }
        return seconds.map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    @inline(__always)
    var string: String? {
        // The server has checked that it is UTF-8. Bytes that are not would be replaced.
        bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    @inline(__always)
    var uuid: UUID? {
        guard length == 16, let raw else { return nil }
        // A UUID consists of its 16 bytes if it is no larger. Its initializer is a call with 16 arguments.
        if MemoryLayout<UUID>.size == 16 { return raw.loadUnaligned(as: UUID.self) }
        return UUID(uuid: raw.loadUnaligned(as: uuid_t.self))
    }

    @inline(__always)
    var data: Data? { start.map { Data(bytes: $0, count: Int(length)) } }

    var url: URL? { string.flatMap { URL(string: $0, encodingInvalidCharacters: false) } }

    var decimal: Decimal? {
        switch form {
        case .numeric: raw.flatMap { NumericFormat.decimal(UnsafeRawBufferPointer(start: $0, count: Int(length))) }
        case .integer, .unsigned: int64.map { Decimal($0) }
        case .real: double.flatMap { DecimalText.decimal($0) }
        default: nil
        }
    }

    @inline(__always)
    private var bytes: UnsafeBufferPointer<UInt8>? {
        raw.map { UnsafeBufferPointer(start: $0.assumingMemoryBound(to: UInt8.self), count: Int(length)) }
    }

    /// A number without a sign, such as the number of an object.
    @inline(never)
    private var otherInteger: Int64? { raw.flatMap { Wire.integer($0, length: length, form: form) } }

    /// An integer or a `numeric` as a real number, such as a sum of integers.
    @inline(never)
    private var otherNumber: Double? {
        guard let raw else { return nil }
        if form == .numeric { return NumericFormat.double(UnsafeRawBufferPointer(start: raw, count: Int(length))) }
        return Wire.integer(raw, length: length, form: form).map { Double($0) }
    }
}
#endif
