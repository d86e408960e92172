import SwormPredicates

extension SQLDialect {
    // MARK: Truth

    /// Returns a condition that is the same for all rows.
    func constant(_ value: Bool) -> String {
        switch self {
        case .sqlite: value ? "1" : "0"
        case .postgres: value ? "TRUE" : "FALSE"
        }
    }

    /// Returns the condition that another one is false or unknown.
    func isNotTrue(_ condition: String) -> String {
        switch self {
        case .sqlite: "(\(condition)) IS NOT 1"
        case .postgres: "(\(condition)) IS NOT TRUE"
        }
    }

    /// Whether an outer join becomes an inner one by itself if all alternatives of an OR, or a list of values, need its
    /// row. SQLite needs an explicit test for the row.
    var infersRows: Bool { self != .sqlite }

    /// Whether two expressions are the same only if their text is. An expression by which rows are grouped must then
    /// have the same text wherever it occurs, including the numbers of its parameters.
    var comparesExpressionsByText: Bool { self != .sqlite }

    // MARK: Order and limits

    /// Returns a sort key, for which NULL is the smallest value.
    ///
    /// - Parameter key: The SQL of the primary key, which is never NULL and has an index without an order of NULL.
    func ordering(_ text: String, ascending: Bool = true, key: String = "") -> String {
        switch self {
        case .sqlite: ascending ? text : text + " DESC"
        case .postgres where text == key: ascending ? text : text + " DESC"
        case .postgres: text + (ascending ? " NULLS FIRST" : " DESC NULLS LAST")
        }
    }

    /// Returns the SQL by which values that are not strings are sorted.
    func sortKey(ofNumber value: QueryScalar) throws -> String {
        if self != .sqlite, value.kind == .number, value.isWide { throw NotExact(.mixedNumbers, of: value) }
        return value.sql
    }

    /// Returns the limit of a statement that has an offset only.
    func unlimited(in context: some StatementContext) -> String {
        switch self {
        case .sqlite: context.bind(.int64(-1))
        case .postgres: "ALL"
        }
    }

    // MARK: Values

    /// Whether NULL is bound like other values. A server knows the type of NULL from its position in the text, but not
    /// that of a parameter without a type that occurs twice.
    var bindsNull: Bool {
        switch self {
        case .sqlite: true
        case .postgres: false
        }
    }

    /// Returns an integer, or 0 for NULL.
    func orZero(_ text: String) -> String {
        switch self {
        case .sqlite: "IFNULL(\(text), 0)"
        case .postgres: "COALESCE(\(text), 0)"
        }
    }

    /// Returns the number of the only entity of a table.
    func entityNumber(_ number: Int) -> String {
        switch self {
        case .sqlite: "\(number)"
        case .postgres: "\(number)::smallint"
        }
    }

    /// Whether the cell of external data in a row has their length, which a server knows without reading them, instead
    /// of the bytes of the column.
    var hasLengthsOfExternalData: Bool { self == .postgres }

    /// A column of order keys for a relationship that has none.
    var noOrderKey: String {
        switch self {
        case .sqlite: "NULL"
        case .postgres: "NULL::bigint"
        }
    }

    /// Returns the condition that a row belongs to one of some entities with consecutive numbers in the model.
    ///
    /// - Parameters:
    ///   - column: The column of entity numbers.
    ///   - number: Returns the number of an entity in the store. A file has the numbers of the model; a server keeps
    ///     the numbers that it once gave.
    func isEntity(_ column: String, among family: ClosedRange<Int>, numberedBy number: (Int) -> Int) -> String {
        if family.count == 1 { return "\(column) = \(number(family.lowerBound))" }
        switch self {
        case .sqlite: return "\(column) BETWEEN \(family.lowerBound) AND \(family.upperBound)"
        case .postgres:
            return "\(column) IN (\(family.map { String(number($0)) }.joined(separator: ", ")))"
        }
    }
}
