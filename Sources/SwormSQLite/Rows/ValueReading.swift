import CSwormSQLite
import Foundation
import SwormRows

// Conversions of one SQLite value to one Swift value: nil for NULL, for another storage class, and for a value out of
// range. They use SQLite's unprotected values, which is valid because one thread at a time uses a connection.
//
// The caller passes the storage class, which it must query before any conversion.
enum ValueReading {
    @inline(__always)
    static func int64(_ value: OpaquePointer?, type: Int32) -> Int64? {
        type == SQLITE_INTEGER ? sqlite3_value_int64(value) : nil
    }

    @inline(__always)
    static func bool(_ value: OpaquePointer?, type: Int32) -> Bool? {
        int64(value, type: type).map { $0 != 0 }
    }

    @inline(__always)
    static func integer<Value: FixedWidthInteger>(_ value: OpaquePointer?, type: Int32) -> Value? {
        int64(value, type: type).flatMap { Value(exactly: $0) }
    }

    @inline(__always)
    static func double(_ value: OpaquePointer?, type: Int32) -> Double? {
        type == SQLITE_FLOAT || type == SQLITE_INTEGER ? sqlite3_value_double(value) : nil
    }

    @inline(__always)
    static func float(_ value: OpaquePointer?, type: Int32) -> Float? {
        guard let number = double(value, type: type) else { return nil }
        let narrow = Float(number)
        return narrow.isFinite || !number.isFinite ? narrow : nil
    }

    @inline(__always)
    static func date(_ value: OpaquePointer?, type: Int32) -> Date? {
        double(value, type: type).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    @inline(__always)
    static func string(_ value: OpaquePointer?, type: Int32) -> String? {
        guard type == SQLITE_TEXT, let start = sqlite3_value_text(value) else { return nil }
        return UTF8Check.string(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    @inline(__always)
    static func uuid(_ value: OpaquePointer?, type: Int32) -> UUID? {
        guard type == SQLITE_BLOB, let start = sqlite3_value_blob(value),
            sqlite3_value_bytes(value) == 16
        else { return nil }
        // A UUID consists of its 16 bytes if it is no larger. Its initializer is a call with 16 arguments.
        if MemoryLayout<UUID>.size == 16 { return start.loadUnaligned(as: UUID.self) }
        return UUID(uuid: start.loadUnaligned(as: uuid_t.self))
    }

    static func decimal(_ value: OpaquePointer?, type: Int32) -> Decimal? {
        switch type {
        case SQLITE_INTEGER: Decimal(sqlite3_value_int64(value))
        case SQLITE_FLOAT: DecimalText.decimal(sqlite3_value_double(value))
        case SQLITE_TEXT: string(value, type: type).flatMap { DecimalText.decimal($0) }
        default: nil
        }
    }

    static func url(_ value: OpaquePointer?, type: Int32) -> URL? {
        string(value, type: type).flatMap { URL(string: $0, encodingInvalidCharacters: false) }
    }

    static func bytes(_ value: OpaquePointer?, type: Int32) -> UnsafeRawBufferPointer? {
        guard type == SQLITE_BLOB else { return nil }
        // An empty blob has no address.
        guard let start = sqlite3_value_blob(value) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    static func data(_ value: OpaquePointer?, type: Int32) -> Data? { bytes(value, type: type).map { Data($0) } }
}
