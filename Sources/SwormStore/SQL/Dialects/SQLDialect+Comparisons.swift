import SwormPredicates

// Comparisons of two values. The compiler has checked that their kinds can be compared.
extension SQLDialect {
    /// Returns the comparison of two values by an operator with a sign.
    ///
    /// - Parameters:
    ///   - options: The options of the operator, for strings only.
    ///   - exact: Whether NULL must be distinguished from false.
    func compare(
        _ first: QueryScalar, by comparator: QueryComparator, sign: String, with second: QueryScalar,
        options: ComparisonOptions, exact: Bool, in context: some StatementContext
    ) throws -> QueryCondition {
        let needs = comparator.isIdentity ? [] : first.neededRows.union(second.neededRows)
        switch self {
        case .sqlite:
            let start = try folded(first, options: options, in: context)
            let end = try folded(second, options: options, in: context)
            if comparator.isOrdering, options.followsLocale {
                // Calls a function instead of using a collation: a collation that is named inside an operand also
                // applies to the comparisons outside of it.
                return .atom("SwormOrder(\(start), \(end)) \(sign) 0")
            }
            return .atom("\(start) \(sign) \(end)", needs: needs)
        case .postgres:
            let (text, end) = try operands(first, and: second, options: options, in: context)
            let start = comparator.isOrdering ? collated(text, comparing: first, with: second) : text
            if comparator == .identical, first.column != nil, let constant = second.constant,
                try binding(constant) != .null
            {
                // IS NOT DISTINCT FROM does not use an index.
                let equal = QueryCondition.atom("\(start) = \(end)", needs: needs)
                return exact ? .and([.atom("\(start) IS NOT NULL"), equal]) : equal
            }
            return .atom("\(start) \(sign) \(end)", needs: needs)
        }
    }

    /// Returns the comparison of a value with a constant that the database cannot have, or nil for a comparison by
    /// order.
    func difference(of value: QueryScalar, by comparator: QueryComparator, exact: Bool) -> QueryCondition? {
        switch comparator {
        case .equal: nothing(in: value, exact: exact)
        case .notEqual:
            .atom(
                exact ? "(\(value.sql) IS NOT NULL OR NULL)" : "\(value.sql) IS NOT NULL",
                needs: exact ? [] : value.neededRows)
        case .identical: .constant(false)
        case .notIdentical: .constant(true)
        default: nil
        }
    }

    /// Returns the condition that something is found in a value in which it cannot be: false, or unknown for NULL.
    func nothing(in value: QueryScalar, exact: Bool) -> QueryCondition {
        exact ? .atom("(\(value.sql) IS NULL AND NULL)") : .constant(false)
    }

    /// Returns the comparison of an object with a constant one, by their keys.
    ///
    /// - Parameters:
    ///   - isOptional: Whether the key can be NULL.
    ///   - needs: The aliases of the rows that must exist for the key to have a value.
    func compare(
        key: String, isOptional: Bool, needs: Set<String>, by comparator: QueryComparator, sign: String,
        with constant: String, exact: Bool
    ) -> QueryCondition {
        if self != .sqlite, comparator == .identical {
            let equal = QueryCondition.atom("\(key) = \(constant)")
            return exact && isOptional ? .and([.atom("\(key) IS NOT NULL"), equal]) : equal
        }
        return .atom("\(key) \(sign) \(constant)", needs: comparator.isIdentity ? [] : needs)
    }

    /// Returns the condition that a value lies between two bounds or is equal to one of them.
    func between(
        _ value: QueryScalar, lower: QueryScalar, upper: QueryScalar, in context: some StatementContext
    ) throws -> QueryCondition {
        switch self {
        case .sqlite:
            return .atom("\(value.sql) BETWEEN \(lower.sql) AND \(upper.sql)", needs: value.neededRows)
        case .postgres:
            let (first, least) = try operands(value, and: lower, options: [], in: context)
            let (second, most) = try operands(value, and: upper, options: [], in: context)
            let start = collated(first, comparing: value, with: lower)
            let end = collated(second, comparing: value, with: upper)
            // The SQL of a value that is compared as two types differs.
            if start != end { return .atom("(\(start) >= \(least) AND \(end) <= \(most))") }
            return .atom("\(start) BETWEEN \(least) AND \(most)", needs: value.neededRows)
        }
    }

    /// Returns two strings, folded by options, or two other values in types that a server compares exactly.
    ///
    /// - Throws: ``NotExact`` if there are no such types.
    func operands(
        _ first: QueryScalar, and second: QueryScalar, options: ComparisonOptions, in context: some StatementContext
    ) throws -> (first: String, second: String) {
        if first.kind?.isText == true || second.kind?.isText == true {
            return (
                try folded(first, options: options, in: context), try folded(second, options: options, in: context)
            )
        }
        if let constant = second.constant {
            let (text, binding) = try compared(first, with: constant)
            return (text, context.bind(binding))
        }
        if let constant = first.constant {
            let (text, binding) = try compared(second, with: constant)
            return (context.bind(binding), text)
        }
        return try columns(first, and: second)
    }

    /// Returns two values that are not constants in types that a server compares exactly.
    private func columns(_ first: QueryScalar, and second: QueryScalar) throws -> (String, String) {
        guard let one = first.kind, let other = second.kind else { return (first.sql, second.sql) }
        if one == other, first.form == second.form, one != .number { return (first.sql, second.sql) }
        for value in [first, second] where value.kind == .number && value.isWide {
            throw NotExact(.mixedNumbers, of: value)
        }
        let (start, end) = (plain(first), plain(second))
        switch (one, other) {
        case (.real, .integer), (.real, .boolean), (.number, .integer), (.number, .boolean):
            return (start, try real(second, text: end))
        case (.integer, .real), (.boolean, .real), (.integer, .number), (.boolean, .number):
            return (try real(first, text: start), end)
        case (.real, .decimal), (.number, .decimal): throw NotExact(.decimalAndReal, of: second)
        case (.decimal, .real), (.decimal, .number): throw NotExact(.decimalAndReal, of: first)
        default: return (start, end)
        }
    }

    /// Returns an integer as a real with the same value.
    private func real(_ value: QueryScalar, text: String) throws -> String {
        guard !value.isWide else { throw NotExact(.largeInteger, of: value) }
        return "(\(text))::float8"
    }

    /// Returns a string with the order of its bytes. Columns have this order; computed strings have that of the
    /// database.
    private func collated(_ text: String, comparing first: QueryScalar, with second: QueryScalar) -> String {
        guard first.kind?.isText == true, first.column == nil, second.column == nil else { return text }
        return "\(text) COLLATE \"C\""
    }
}
