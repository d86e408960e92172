import CSwormSQLite
package import Foundation

/// One column of the row that a statement stands on, for closures that set a property of their own type.
///
/// Each read checks the storage class and throws `CellFault` for NULL and for a value that does not fit; ask `isNull`
/// first where NULL is allowed.
package struct ColumnView: ~Copyable {
    let statement: OpaquePointer
    let column: Int32

    // Unprotected, which is enough for the one thread that uses the connection. The view is noncopyable and only lent, so that
    // the row is still there.
    private var value: OpaquePointer? { sqlite3_column_value(statement, column) }
    private var code: Int32 { sqlite3_value_type(value) }

    package var isNull: Bool { code == SQLITE_NULL }
    package var type: StorageClass { StorageClass(code: code) }

    package func bool() throws(CellFault) -> Bool { try checked(ValueReading.bool(value, code), .bool) }
    package func int() throws(CellFault) -> Int { try checked(ValueReading.integer(value, code), .int) }
    package func int16() throws(CellFault) -> Int16 { try checked(ValueReading.integer(value, code), .int16) }
    package func int32() throws(CellFault) -> Int32 { try checked(ValueReading.integer(value, code), .int32) }
    package func int64() throws(CellFault) -> Int64 { try checked(ValueReading.int64(value, code), .int64) }
    package func float() throws(CellFault) -> Float { try checked(ValueReading.float(value, code), .float) }
    package func double() throws(CellFault) -> Double { try checked(ValueReading.double(value, code), .double) }
    package func decimal() throws(CellFault) -> Decimal { try checked(ValueReading.decimal(value, code), .decimal) }
    package func date() throws(CellFault) -> Date { try checked(ValueReading.date(value, code), .date) }
    package func string() throws(CellFault) -> String { try checked(ValueReading.string(value, code), .string) }
    package func data() throws(CellFault) -> Data { try checked(ValueReading.data(value, code), .data) }
    package func uuid() throws(CellFault) -> UUID { try checked(ValueReading.uuid(value, code), .uuid) }
    package func url() throws(CellFault) -> URL { try checked(ValueReading.url(value, code), .url) }

    /// The bytes of a blob, for the time of the closure.
    package func withBlob<R>(_ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
        try body(checked(ValueReading.bytes(value, code), .data))
    }

    /// Says that the value does not fit, for a reader that needs more than the storage class.
    package func fault(expected: String) -> CellFault {
        CellFault(statement: statement, column: column, expected: expected)
    }

    @inline(__always)
    private func checked<Value>(_ value: Value?, _ kind: FieldKind) throws(CellFault) -> Value {
        guard let value else { throw fault(expected: kind.expectation) }
        return value
    }
}
