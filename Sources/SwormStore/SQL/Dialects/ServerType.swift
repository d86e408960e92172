import SwormPredicates

/// The types of a PostgreSQL server.
enum ServerType {
    /// Returns the type of an attribute's column without its collation, or nil for an attribute that has none.
    ///
    /// - Parameter storesSeconds: Whether a date is stored as seconds since 2001, with all digits of a double.
    static func name(of type: AttributeType, storesSeconds: Bool) -> String? {
        switch type {
        case .integer16: "smallint"
        case .integer32: "integer"
        case .integer64: "bigint"
        case .boolean: "boolean"
        case .double: "float8"
        case .float: "real"
        case .decimal: "numeric"
        case .date: storesSeconds ? "float8" : "timestamptz"
        case .string, .uri: "text"
        case .uuid: "uuid"
        case .binaryData, .transformable: "bytea"
        case .undefined, .objectID, .composite: nil
        }
    }

    /// Returns the type of NULL instead of a constant that is not a number; nil for nil, which has no type.
    static func name(ofMissing value: AttributeValue) -> String? {
        switch value {
        // The form of a date without a column is the number of its seconds.
        case .double, .date: "float8"
        case .decimal: "numeric"
        default: nil
        }
    }
}
