import CSwormSQLite
package import SwormRows

/// The arguments of one call of a function.
///
/// A context is noncopyable, so that it cannot outlive the call. Arguments are numbered from 0; one that does not
/// exist is NULL.
package struct FunctionContext: ~Copyable {
    let context: OpaquePointer
    let arguments: UnsafeMutablePointer<OpaquePointer?>?
    package let argumentCount: Int

    private func value(_ index: Int) -> OpaquePointer? {
        index >= 0 && index < argumentCount ? arguments?[index] : nil
    }

    package func type(_ index: Int) -> StorageClass {
        value(index).map { StorageClass(code: sqlite3_value_type($0)) } ?? .null
    }

    package func isNull(_ index: Int) -> Bool { type(index) == .null }
    package func int64(_ index: Int) -> Int64 { value(index).map { sqlite3_value_int64($0) } ?? 0 }
    package func double(_ index: Int) -> Double { value(index).map { sqlite3_value_double($0) } ?? 0 }

    /// Returns the argument as a string, or nil for NULL.
    package func text(_ index: Int) -> String? {
        withText(index) { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    package func blob(_ index: Int) -> [UInt8]? { withBlob(index) { $0.map(Array.init) } }

    /// Calls the closure with the UTF-8 bytes of the argument, or nil for NULL, without a copy.
    package func withText<R>(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>?) throws -> R) rethrows -> R {
        guard let value = value(index), let start = sqlite3_value_text(value) else { return try body(nil) }
        return try body(UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    }

    /// Calls the closure with the bytes of the argument, or nil for NULL, without a copy.
    package func withBlob<R>(_ index: Int, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
        guard let value = value(index), sqlite3_value_type(value) != SQLITE_NULL else { return try body(nil) }
        guard let start = sqlite3_value_blob(value) else {
            return try body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    }

    /// Returns an object that is created from an argument. SQLite retains it while the statement runs if the argument
    /// is a constant or a bound value; otherwise it is created for each call.
    package func cached<Object: AnyObject>(
        forArgument index: Int, make: () throws -> Object
    ) rethrows -> Object {
        let slot = Int32(clamping: index)
        // The retained object was stored by the code below, and SQLite owns a reference until it releases it.
        if let kept = sqlite3_get_auxdata(context, slot),
            let object = Unmanaged<AnyObject>.fromOpaque(kept).takeUnretainedValue() as? Object
        {
            return object
        }
        let object = try make()
        // SQLite may release the object before this call returns; the local reference is separate.
        sqlite3_set_auxdata(context, slot, Unmanaged<AnyObject>.passRetained(object).toOpaque()) { kept in
            if let kept { Unmanaged<AnyObject>.fromOpaque(kept).release() }
        }
        return object
    }

    func setResult(_ result: FunctionResult) {
        switch result {
        case .null: sqlite3_result_null(context)
        case .bool(let value): sqlite3_result_int(context, value ? 1 : 0)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .text(var value):
            value.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { text in
                    if let start = text.baseAddress {
                        let encoding = UInt8(SQLITE_UTF8)
                        sqlite3_result_text64(context, start, UInt64(text.count), transient, encoding)
                    } else {
                        sqlite3_result_text(context, "", 0, transient)
                    }
                }
            }
        case .blob(let value):
            value.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress, bytes.count > 0 {
                    sqlite3_result_blob64(context, start, UInt64(bytes.count), transient)
                } else {
                    sqlite3_result_zeroblob(context, 0)
                }
            }
        }
    }

    func setError(_ error: any Error) {
        guard let error = error as? SQLiteError else {
            sqlite3_result_error(context, "\(error)", -1)
            return
        }
        sqlite3_result_error(context, error.message, -1)
        sqlite3_result_error_code(context, error.extendedCode)
    }
}
