import Foundation
import SwormPredicates

// Arithmetic. A server throws an error if a result is out of range, where SQLite continues with a real; the statement
// is then evaluated in memory.
extension SQLDialect {
    // MARK: Operands

    /// Returns the SQL of a column that computations and comparisons use.
    ///
    /// A decimal that SQLite's numbers cannot represent exactly is stored as text. Sums can read it, comparisons
    /// cannot.
    func value(ofColumn text: String, type: AttributeType) -> String {
        self == .sqlite && type == .decimal ? "(\(text) + 0)" : text
    }

    /// Whether the columns of a type have a type of their own on a server, instead of a number.
    func hasNativeForm(_ type: AttributeType) -> Bool {
        switch self {
        case .sqlite: false
        case .postgres: type == .boolean || type == .date
        }
    }

    /// Returns a value as a number for arithmetic: a date becomes its seconds, and a decimal becomes a real, because
    /// SQLite stores whole decimals as integers and would perform an integer division on them.
    func number(_ value: QueryScalar, in context: some StatementContext) -> String {
        switch self {
        case .sqlite:
            guard value.kind == .decimal || value.kind == .date && value.constant == nil else { return value.sql }
            return "CAST(\(value.column ?? value.sql) AS REAL)"
        case .postgres:
            switch value.constant {
            case .null: return "NULL::bigint"
            case .bool(let flag): return context.bind(.int64(flag ? 1 : 0))
            case .date(let date) where !date.timeIntervalSinceReferenceDate.isNaN:
                return context.bind(.double(ServerDate.seconds(date)))
            default: return value.kind == .decimal ? "(\(value.sql))::float8" : plain(value)
            }
        }
    }

    /// Returns a value of a server as an integer, a real or a decimal if it is a Boolean or a date.
    func plain(_ value: QueryScalar) -> String {
        guard value.form == .native, value.constant != .null else { return value.sql }
        return value.kind == .date ? ServerDate.seconds(ofColumn: value.sql) : "(\(value.sql))::int"
    }

    /// Gives one type to two values of which an expression yields either.
    func unify(_ one: inout QueryScalar, with other: inout QueryScalar) {
        guard self != .sqlite else { return }
        // NULL has the type of the other value.
        if one.constant == .null { return one.form = other.form }
        if other.constant == .null { return other.form = one.form }
        guard one.form != other.form || one.form == .native && one.kind != other.kind else { return }
        (one.sql, other.sql) = (plain(one), plain(other))
        // Of an integer with 64 bits and one with any number of digits, the server makes the latter.
        let form: QueryScalar.Form = one.kind == .integer && other.kind == .integer ? .total : .number
        (one.form, other.form) = (form, form)
    }

    private func requireOneType(_ values: QueryScalar...) throws {
        for value in values where value.kind == .number { throw NotExact(.mixedNumbers, of: value) }
    }

    /// Returns an integer of a server with 64 bits. A real is cut, as the bitwise operators do it.
    private func bigint(_ value: QueryScalar) -> String {
        if case .int? = value.constant { return value.sql }
        let isInteger = value.isInteger || value.constant == .null
        return cast(isInteger ? value.sql : "trunc(\(float8(value)))", to: "bigint")
    }

    private func float8(_ value: QueryScalar) -> String {
        if case .double? = value.constant { return value.sql }
        return cast(value.sql, to: "float8")
    }

    /// Returns a value with a type. SQL with operators has brackets, so that a type at the end is that of
    /// the whole text.
    private func cast(_ text: String, to type: String) -> String {
        text.hasSuffix("::" + type) ? text : "(\(text))::\(type)"
    }

    // MARK: Operators

    func arithmetic(_ sign: BinaryOperator, of one: QueryScalar, and other: QueryScalar) throws -> String {
        switch (self, sign) {
        case (.sqlite, .power): return "SwormPower(\(one.sql), \(other.sql))"
        case (.sqlite, .bitXor): return "SwormXor(\(one.sql), \(other.sql))"
        case (.sqlite, _): return "(\(one.sql) \(sign.rawValue) \(other.sql))"
        case (.postgres, .power): throw NotExact(.realFunction, of: one)
        case (.postgres, .bitAnd), (.postgres, .bitOr), (.postgres, .bitXor):
            try requireOneType(one, other)
            return "(\(bigint(one)) \(sign == .bitXor ? "#" : sign.rawValue) \(bigint(other)))"
        case (.postgres, .add), (.postgres, .subtract), (.postgres, .multiply), (.postgres, .divide):
            try requireOneType(one, other)
            let isInteger = one.isInteger && other.isInteger
            let (start, end) = isInteger ? (bigint(one), bigint(other)) : (float8(one), float8(other))
            let result = "(\(start) \(sign.rawValue) \(sign == .divide ? "nullif(\(end), 0)" : end))"
            return isInteger ? result : "nullif(\(result), 'NaN')"
        }
    }

    func negated(_ value: QueryScalar) throws -> String {
        guard self != .sqlite else { return "(-\(value.sql))" }
        try requireOneType(value)
        // As in SQLite, the negative of zero is a positive zero.
        return value.isInteger ? "(-\(bigint(value)))" : "(0 - \(float8(value)))"
    }

    /// Returns the result of `%`, `<<` or `>>`.
    func combined(_ one: QueryScalar, by sign: String, with other: QueryScalar) throws -> String {
        switch self {
        case .sqlite:
            // The remainder of a real would be a real. The bitwise operators cut a real to an integer themselves.
            func operand(_ value: QueryScalar) -> String {
                sign == "%" && !value.isInteger ? "CAST(\(value.sql) AS INTEGER)" : value.sql
            }
            return "(\(operand(one)) \(sign) \(operand(other)))"
        case .postgres:
            try requireOneType(one, other)
            if sign == "%" { return "(\(bigint(one)) % nullif(\(bigint(other)), 0))" }
            // The server shifts by the distance modulo 64.
            guard case .int(let distance)? = other.constant, 0..<64 ~= distance else {
                throw NotExact(.shift, of: one)
            }
            return "(\(bigint(one)) \(sign) (\(other.sql))::int)"
        }
    }

    func complement(of value: QueryScalar) throws -> String {
        guard self != .sqlite else { return "(~\(value.sql))" }
        try requireOneType(value)
        return "(~\(bigint(value)))"
    }

    // MARK: Functions of one number

    /// Returns the SQL name of a function of one number that SQLite's connections define, such as `SwormSqrt`.
    static func name(of function: PredicateFunction) -> String {
        "Sworm" + function.rawValue.prefix(1).uppercased() + function.rawValue.dropFirst()
    }

    func absolute(_ value: QueryScalar) throws -> String {
        guard self != .sqlite else {
            // SQLite's `abs` fails for the smallest integer.
            let isDefined = value.kind == .integer && value.isWide || value.kind == .number
            return "\(isDefined ? "SwormAbs" : "abs")(\(value.sql))"
        }
        try requireOneType(value)
        return "abs(\(value.isInteger ? bigint(value) : float8(value)))"
    }

    /// Returns a value that does not change, for which SQLite does not use an index.
    func withoutIndex(_ text: String) -> String {
        switch self {
        case .sqlite: "+\(text)"
        case .postgres: "(\(text))"
        }
    }

    /// Returns the result of a function that keeps integers as they are, or nil if the value is one.
    func rounded(_ value: QueryScalar, by function: PredicateFunction) throws -> String? {
        switch self {
        case .sqlite:
            return value.isInteger && !value.isWide ? nil : "\(Self.name(of: function))(\(value.sql))"
        case .postgres:
            try requireOneType(value)
            if value.isInteger { return nil }
            let name = function == .ceiling ? "ceil" : function == .floor ? "floor" : "trunc"
            return "\(name)(\(float8(value)))"
        }
    }

    /// Returns the result of a function of a real.
    func real(_ function: PredicateFunction, of value: QueryScalar) throws -> String {
        guard self != .sqlite else { return "\(Self.name(of: function))(\(value.sql))" }
        guard function == .float else { throw NotExact(.realFunction, of: value) }
        return "(\(float8(value))::real)::float8"
    }

    // MARK: Casts

    /// Changes a number to a date, whose seconds it is.
    func setDate(of value: inout QueryScalar) {
        if self != .sqlite {
            value.sql = cast(plain(value), to: "float8")
            (value.form, value.column) = (.number, nil)
        }
        value.kind = .date
    }

    /// Changes a number to a decimal.
    ///
    /// - Parameter isExact: Whether the decimal has to have all digits, as in a column of a projection.
    func decimal(_ value: inout QueryScalar, isExact: Bool) throws {
        guard self != .sqlite else {
            value.kind = .decimal
            return
        }
        switch value.kind {
        case .integer, .boolean:
            value.sql = "(\(plain(value)))::numeric"
            (value.kind, value.form, value.column, value.isWide) = (.decimal, .number, nil, false)
        case .real, .number:
            if isExact { throw NotExact(.realAsDecimal, of: value) }
        default: break
        }
    }
}
