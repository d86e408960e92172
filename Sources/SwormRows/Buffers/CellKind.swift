/// The kind of values that a column of a fetch may hold.
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
