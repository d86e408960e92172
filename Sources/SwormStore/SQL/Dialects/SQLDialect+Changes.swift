import SwormPredicates

// Statements that change rows, and values in the form in which columns store them.
extension SQLDialect {
    /// Returns the condition that two values are not the same, which is never unknown.
    func differs(_ one: String, from other: String) -> String {
        "\(one) \(self == .sqlite ? "IS NOT" : "IS DISTINCT FROM") \(other)"
    }

    /// Returns the columns of a statement that counts rows, and those of them for which `differs` is true.
    var countsOfDifferences: String {
        switch self {
        case .sqlite: "COUNT(*), SUM(differs)"
        case .postgres: "COUNT(*), COUNT(*) FILTER (WHERE differs)"
        }
    }

    /// Returns a value as a column of a result: in the type of an attribute of its kind. A computed date is the number
    /// of its seconds, with all digits.
    func column(_ value: QueryScalar) throws -> String {
        guard self != .sqlite else { return value.column ?? value.sql }
        var value = value
        try makeColumn(&value)
        return value.sql
    }

    /// Changes a value of a server to the type of an attribute of its kind.
    func makeColumn(_ value: inout QueryScalar) throws {
        switch (value.kind, value.form) {
        case (.boolean, .number): (value.sql, value.form) = ("((\(value.sql)) <> 0)", .native)
        case (.integer, .total): (value.sql, value.form) = ("(\(value.sql))::bigint", .number)
        case (.number, _) where value.isWide: throw NotExact(.mixedNumbers, of: value)
        // NULL without a type is a constant, by which rows can be neither sorted nor grouped.
        case (nil, _) where value.constant == .null: value.sql = "NULL::text"
        default: break
        }
    }

    /// Returns a computed value in the form in which the column of an attribute stores it.
    ///
    /// - Parameters:
    ///   - name: The SQL of the value, which a statement computes as ``column(_:)``.
    ///   - value: The value itself.
    ///   - storesSeconds: Whether the attribute's dates are stored as doubles on a server.
    func stored(
        _ name: String, of value: QueryScalar, as type: AttributeType, storesSeconds: Bool
    ) throws -> String {
        guard self != .sqlite else { return Self.storedInFile(name, as: type) }
        if value.constant == .null {
            return "NULL::\(ServerType.name(of: type, storesSeconds: storesSeconds) ?? "text")"
        }
        switch (type, value.kind) {
        case (.integer16, .boolean), (.integer32, .boolean), (.integer64, .boolean): return "(\(name))::int"
        case (.integer16, .integer), (.integer32, .integer), (.integer64, .integer): return name
        case (.integer16, _), (.integer32, _), (.integer64, _): return "trunc(\(name))::bigint"
        case (.boolean, .boolean): return name
        case (.boolean, _): return "(\(name) <> 0)"
        case (.double, .boolean), (.float, .boolean): return "(\(name))::int::\(type == .float ? "real" : "float8")"
        case (.double, _): return "(\(name))::float8"
        case (.float, _): return "(\(name))::float8::real"
        case (.date, _):
            if value.form == .native {
                return storesSeconds ? ServerDate.seconds(ofColumn: name) : name
            }
            return storesSeconds ? "(\(name))::float8" : ServerDate.timestamp(ofSeconds: name)
        case (.decimal, .boolean): return "(\(name))::int::numeric"
        case (.decimal, .integer): return "(\(name))::numeric"
        case (.decimal, .real), (.decimal, .number): throw NotExact(.realAsDecimal, of: value)
        default: return name
        }
    }

    /// The lowest number that is rounded to an infinity as a Float: half a step above the largest one.
    private static let endOfFloats = 3.4028235677973366e38

    private static func storedInFile(_ value: String, as type: AttributeType) -> String {
        switch type {
        case .integer16, .integer32, .integer64:
            // A larger number would become the largest integer.
            "CASE WHEN typeof(\(value)) = 'real' AND abs(\(value)) < 9.2e18 THEN CAST(\(value) AS INTEGER) ELSE \(value) END"
        case .boolean: "(\(value) <> 0)"
        case .double, .date: "CAST(\(value) AS REAL)"
        case .float:
            // A number beyond the range of a Float would become an infinity, and would not be rejected.
            "CASE WHEN abs(CAST(\(value) AS REAL)) < \(endOfFloats) THEN \(name(of: .float))(CAST(\(value) AS REAL)) ELSE CAST(\(value) AS REAL) END"
        default: value
        }
    }
}
