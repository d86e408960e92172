import CSwormSQLite
package import Foundation

// Parameters are numbered from 1. A call throws only if SQLite rejects it: because there is no such parameter, the
// statement was not reset, or a value exceeds SQLite's length limit. SQLite copies the bytes, except in the calls with
// an arena.
extension Statement {
    package func bindNull(at index: Int) throws {
        try check(sqlite3_bind_null(pointer, Int32(clamping: index)))
    }

    package func bind(_ value: Int64, at index: Int) throws {
        try check(sqlite3_bind_int64(pointer, Int32(clamping: index), value))
    }

    package func bind(_ value: Int, at index: Int) throws { try bind(Int64(value), at: index) }

    package func bind(_ value: Bool, at index: Int) throws { try bind(value ? 1 : 0 as Int64, at: index) }

    /// Binds a number. Throws an error for NaN, which SQLite would store as NULL.
    package func bind(_ value: Double, at index: Int) throws {
        if value.isNaN { throw notANumber(at: index) }
        try check(sqlite3_bind_double(pointer, Int32(clamping: index), value))
    }

    package func bind(_ value: String, at index: Int) throws {
        var value = value
        try value.withUTF8 { try bindText(UnsafeRawBufferPointer($0), at: index) }
    }

    /// Binds UTF-8 bytes as text.
    package func bindText(_ bytes: UnsafeRawBufferPointer, at index: Int) throws {
        try bindText(bytes, at: index, destructor: transient)
    }

    func bind(_ bytes: UnsafeRawBufferPointer, at index: Int) throws {
        try bindBlob(bytes, at: index, destructor: transient)
    }

    package func bind(_ bytes: [UInt8], at index: Int) throws {
        try bytes.withUnsafeBytes { try bind($0, at: index) }
    }

    package func bind(_ data: Data, at index: Int) throws {
        try data.withUnsafeBytes { try bind($0, at: index) }
    }

    /// Binds the 16 bytes of a UUID.
    package func bind(_ uuid: UUID, at index: Int) throws {
        try withUnsafeBytes(of: uuid.uuid) { try bind($0, at: index) }
    }

    /// Sets every parameter to NULL.
    func clearBindings() { sqlite3_clear_bindings(pointer) }

    /// Returns the number of a named parameter, including its sign (`:id`).
    package func parameterIndex(_ name: String) -> Int? {
        let index = sqlite3_bind_parameter_index(pointer, name)
        return index > 0 ? Int(index) : nil
    }

    func check(_ code: Int32) throws {
        if code != SQLITE_OK { throw failure(code) }
    }

    func notANumber(at index: Int) -> SQLiteError {
        SQLiteError(
            code: SQLITE_MISMATCH,
            message: "NaN cannot be stored: parameter \(index) would become NULL; store an optional instead", sql: sql)
    }

    func bindText(
        _ bytes: UnsafeRawBufferPointer, at index: Int, destructor: sqlite3_destructor_type?
    ) throws {
        let index = Int32(clamping: index)
        // A null address would bind NULL.
        guard let base = bytes.baseAddress, bytes.count > 0 else {
            return try check(sqlite3_bind_text(pointer, index, "", 0, transient))
        }
        let text = base.assumingMemoryBound(to: CChar.self)
        try check(
            sqlite3_bind_text64(pointer, index, text, UInt64(bytes.count), destructor, UInt8(SQLITE_UTF8)))
    }

    func bindBlob(
        _ bytes: UnsafeRawBufferPointer, at index: Int, destructor: sqlite3_destructor_type?
    ) throws {
        let index = Int32(clamping: index)
        guard let base = bytes.baseAddress, bytes.count > 0 else {
            return try check(sqlite3_bind_zeroblob(pointer, index, 0))
        }
        try check(sqlite3_bind_blob64(pointer, index, base, UInt64(bytes.count), destructor))
    }
}

/// A destructor that makes SQLite copy the bytes before the call returns. The C header defines it as a cast of -1.
var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
