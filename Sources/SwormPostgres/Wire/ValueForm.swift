#if PostgreSQL
/// The form in which the values of a type are sent, for types that are read in the same way.
enum ValueForm: UInt8, Sendable {
    /// One byte.
    case bool
    /// Two, four or eight bytes.
    case integer
    /// Four or eight bytes of a number that has no sign.
    case unsigned
    /// Four or eight bytes.
    case real
    /// Digits to the base 10,000.
    case numeric
    /// Microseconds since the year 2000.
    case timestamp
    /// UTF-8, which the server has checked.
    case text
    case bytes
    case uuid
    /// A type that the driver does not read as one value.
    case unknown

    init(_ type: PostgresType) {
        self =
            switch type {
            case .bool: .bool
            case .int2, .int4, .int8: .integer
            case .oid, .xid8: .unsigned
            case .float4, .float8: .real
            case .numeric: .numeric
            case .timestamptz: .timestamp
            case .text, .varchar, .bpchar, .name, .char, .json: .text
            case .bytea: .bytes
            case .uuid: .uuid
            default: .unknown
            }
    }
}
#endif
