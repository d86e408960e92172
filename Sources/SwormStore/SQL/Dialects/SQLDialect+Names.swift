extension SQLDialect {
    /// The character before the number of a parameter.
    var parameterSign: UInt8 {
        switch self {
        case .sqlite: UInt8(ascii: "?")
        case .postgres: UInt8(ascii: "$")
        }
    }

    /// Returns the SQL of a parameter by its number, which starts at 1.
    func parameter(_ number: Int) -> String {
        switch self {
        case .sqlite: "?\(number)"
        case .postgres: "$\(number)"
        }
    }

    /// Returns the name of a column as SQL text writes it. A server converts names without quotes to lower case.
    func quoted(_ name: String) -> String {
        switch self {
        case .sqlite: SQLName.quoted(name)
        case .postgres: SQLName.alwaysQuoted(name)
        }
    }

    /// Returns a SELECT as a table of a FROM clause. PostgreSQL requires a name for it before version 16.
    func table(selecting sql: String) -> String {
        switch self {
        case .sqlite: "(\(sql))"
        case .postgres: "(\(sql)) AS s"
        }
    }
}
