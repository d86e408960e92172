import SwormPredicates

/// A plain value in a query.
struct QueryScalar {
    /// The SQL type of a value, where a kind of values has several types. SQLite has only numbers.
    enum Form: UInt8, Sendable {
        /// A Boolean as 0 or 1, and a date as its seconds since 2001.
        case number
        /// The type of the attribute's column: `boolean`, `timestamptz`.
        case native
        /// An integer with any number of digits: `numeric`.
        case total
    }

    var sql: String
    /// The bare column, if the value is computed from one.
    var column: String?
    /// The aliases of the rows that may be missing, and must exist for the column to have a value: the rows of to-one
    /// relationships.
    var optionalRows: Set<String> = []
    /// The kind of the value, or nil if the value can only be tested for NULL.
    var kind: ValueKind?
    /// Whether its integers can be so large that arithmetic on them can overflow.
    var isWide = false
    /// The type of `sql`.
    var form = Form.number
    var path: String
    var entity: String
    /// The name of the attribute's type, if `kind` is nil.
    var opaqueName = ""
    /// The value, if it is a literal constant.
    var constant: AttributeValue?
    /// The column with the strings as `[cd]` compares them, if a server has one.
    var searchColumn: String?
    /// Whether a server has indexes of the folded strings.
    var hasFoldedIndex = false
    /// Whether the column can hold a file name instead of the data.
    var isExternal = false

    /// The value as the type checker sees it.
    var typed: TypedValue { TypedValue(kind: kind, path: path, entity: entity, constant: constant) }

    var isInteger: Bool { kind == .integer || kind == .boolean }

    /// The rows that must exist for a comparison of the value to be true. Empty for a computed value, because a
    /// function may turn NULL into a value.
    var neededRows: Set<String> { column == nil ? [] : optionalRows }
}

/// The collection operators that use a value of each member.
enum QueryAggregate: String {
    case sum = "@sum"
    case minimum = "@min"
    case maximum = "@max"
    case average = "@avg"
}
