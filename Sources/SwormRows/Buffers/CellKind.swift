/// The kind of values that a column of a fetch may hold.
@frozen @usableFromInline
package enum CellKind: UInt8, Sendable, Hashable {
    case integer
    /// A real number. SQLite sometimes returns one without a fraction as an integer.
    case real
    /// A decimal: an integer, a finite real, or a number stored as text.
    case number
    case text
    case blob
    /// A blob of 16 bytes.
    case uuid
    /// Any stored value.
    case any

    package var expectation: String {
        switch self {
        case .integer: "integer"
        case .real: "number"
        case .number: "decimal number"
        case .text: "text"
        case .blob: "blob"
        case .uuid: "blob of 16 bytes"
        case .any: "any value"
        }
    }

    // These are inlined switches, because a fetch checks every value that it reads.

    /// Whether a column of the kind may hold an integer.
    @inlinable @inline(__always)
    package var takesIntegers: Bool {
        switch self {
        case .integer, .real, .number, .any: true
        case .text, .blob, .uuid: false
        }
    }

    /// Whether a column of the kind may hold a real number.
    @inlinable @inline(__always)
    package func takes(_ real: Double) -> Bool {
        switch self {
        case .real, .any: true
        case .number: DecimalText.isRepresentable(real)
        case .integer, .text, .blob, .uuid: false
        }
    }

    /// Whether a column of the kind may hold a string of valid UTF-8.
    @inlinable @inline(__always)
    package func takes(text: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .text, .any: true
        case .number: DecimalText.isNumber(text)
        case .integer, .real, .blob, .uuid: false
        }
    }

    /// Whether a column of the kind may hold strings, depending on their content.
    @inlinable @inline(__always)
    package var takesStrings: Bool {
        switch self {
        case .text, .number, .any: true
        case .integer, .real, .blob, .uuid: false
        }
    }

    /// Whether a column of the kind may hold a blob of the given length in bytes.
    @inlinable @inline(__always)
    package func takesBlob(ofLength length: Int) -> Bool {
        switch self {
        case .blob, .any: true
        case .uuid: length == 16
        case .integer, .real, .number, .text: false
        }
    }
}

/// A column's kind, and whether it may be NULL.
package struct CellRule: Sendable, Hashable {
    package var kind: CellKind
    package var allowsNull: Bool

    package init(_ kind: CellKind, allowsNull: Bool = true) {
        self.kind = kind
        self.allowsNull = allowsNull
    }
}
