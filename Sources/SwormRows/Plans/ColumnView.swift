package import Foundation

/// A column of the row that is being read, for closures that set a property of their own type.
///
/// Each read checks the storage class and throws ``DecodingFailure`` for NULL and for a value that does not fit; check
/// ``isNull`` first if NULL is allowed. A view is noncopyable and only borrowed, so that the bytes of its row remain
/// valid.
@frozen @usableFromInline
package struct ColumnView: ~Copyable {
    /// The index of the column in the row.
    @usableFromInline let column: Int32
    @usableFromInline package let type: StorageClass
    /// The bits of an integer or of a real number.
    @usableFromInline let bits: UInt64
    /// The bytes of a string or a blob.
    @usableFromInline let bytes: UnsafeRawBufferPointer

    /// Creates a view of a column that is NULL.
    @inlinable
    package init(null column: Int32) {
        self.init(column, type: .null)
    }

    @inlinable
    package init(_ column: Int32, integer value: Int64) {
        self.init(column, type: .integer, bits: UInt64(bitPattern: value))
    }

    @inlinable
    package init(_ column: Int32, real value: Double) {
        self.init(column, type: .real, bits: value.bitPattern)
    }

    /// Creates a view of a string in UTF-8, which may be invalid. Bytes without an address represent a string that
    /// could not be read.
    @inlinable
    package init(_ column: Int32, text bytes: UnsafeRawBufferPointer) { self.init(column, type: .text, bytes: bytes) }

    @inlinable
    package init(_ column: Int32, blob bytes: UnsafeRawBufferPointer) { self.init(column, type: .blob, bytes: bytes) }

    @inlinable
    init(
        _ column: Int32, type: StorageClass, bits: UInt64 = 0,
        bytes: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        self.column = column
        self.type = type
        self.bits = bits
        self.bytes = bytes
    }

    package var isNull: Bool { type == .null }

    private var storedInteger: Int64? { type == .integer ? Int64(bitPattern: bits) : nil }

    private var storedNumber: Double? {
        switch type {
        case .real: Double(bitPattern: bits)
        case .integer: Double(Int64(bitPattern: bits))
        case .text, .blob, .null: nil
        }
    }

    private var storedString: String? {
        guard type == .text, let start = bytes.baseAddress else { return nil }
        return UTF8Check.string(start: start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    }

    private var storedDecimal: Decimal? {
        switch type {
        case .integer: Decimal(Int64(bitPattern: bits))
        case .real: DecimalText.decimal(Double(bitPattern: bits))
        case .text: storedString.flatMap { DecimalText.decimal($0) }
        case .blob, .null: nil
        }
    }

    package func bool() throws(DecodingFailure) -> Bool { try checked(storedInteger.map { $0 != 0 }, as: .bool) }
    package func int() throws(DecodingFailure) -> Int { try integer(.int) }
    package func int16() throws(DecodingFailure) -> Int16 { try integer(.int16) }
    package func int32() throws(DecodingFailure) -> Int32 { try integer(.int32) }
    package func int64() throws(DecodingFailure) -> Int64 { try integer(.int64) }
    package func double() throws(DecodingFailure) -> Double { try checked(storedNumber, as: .double) }

    package func float() throws(DecodingFailure) -> Float {
        let number = try checked(storedNumber, as: .float)
        let narrow = Float(number)
        return try checked(narrow.isFinite || !number.isFinite ? narrow : nil, as: .float)
    }

    package func decimal() throws(DecodingFailure) -> Decimal { try checked(storedDecimal, as: .decimal) }

    package func date() throws(DecodingFailure) -> Date {
        Date(timeIntervalSinceReferenceDate: try checked(storedNumber, as: .date))
    }

    package func string() throws(DecodingFailure) -> String { try checked(storedString, as: .string) }
    package func data() throws(DecodingFailure) -> Data { try checked(type == .blob ? Data(bytes) : nil, as: .data) }

    package func uuid() throws(DecodingFailure) -> UUID {
        try checked(type == .blob ? UUID(bytes: bytes) : nil, as: .uuid)
    }

    package func url() throws(DecodingFailure) -> URL {
        try checked(storedString.flatMap { URL(string: $0, encodingInvalidCharacters: false) }, as: .url)
    }

    /// Calls the closure with the bytes of a blob, which are valid for its duration.
    package func withBlob<R>(_ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
        try body(checked(type == .blob ? bytes : nil, as: .data))
    }

    /// Returns the error for a value that does not fit, for readers that check more than the storage class.
    package func issue(expected: String) -> DecodingFailure { DecodingFailure(self, expected: expected) }

    @inline(__always)
    private func integer<Value: FixedWidthInteger>(_ kind: FieldKind) throws(DecodingFailure) -> Value {
        try checked(storedInteger.flatMap { Value(exactly: $0) }, as: kind)
    }

    @inline(__always)
    private func checked<Value>(_ value: Value?, as kind: FieldKind) throws(DecodingFailure) -> Value {
        guard let value else { throw issue(expected: kind.expectation) }
        return value
    }
}
