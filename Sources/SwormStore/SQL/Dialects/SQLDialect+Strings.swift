import SwormPredicates

// CONTAINS, BEGINSWITH, ENDSWITH, LIKE and MATCHES.
extension SQLDialect {
    /// The longest string, in bytes, that SQLite's own functions search for. They compare byte by byte and cannot be
    /// interrupted, so longer strings are searched for by functions that can.
    private static let longestOwnSearch = 64

    /// Returns the condition that a string has a constant part, or matches a constant pattern.
    func search(
        _ text: QueryScalar, by comparator: QueryComparator, forConstant string: String, options: ComparisonOptions,
        exact: Bool, in context: some StatementContext
    ) throws -> QueryCondition {
        switch self {
        case .sqlite:
            return searchInFile(text, by: comparator, forConstant: string, options: options, exact: exact, in: context)
        case .postgres:
            return try searchOnServer(
                text, by: comparator, forConstant: string, options: options, exact: exact, in: context)
        }
    }

    /// Returns the condition that a string has a part, or matches a pattern, that is computed for each row.
    func search(
        _ text: QueryScalar, by comparator: QueryComparator, for pattern: QueryScalar, options: ComparisonOptions,
        in context: some StatementContext
    ) throws -> String {
        switch self {
        case .sqlite: return call(text.sql, by: comparator, for: pattern.sql, options: options)
        case .postgres:
            if comparator == .like { throw NotExact(.computedPattern, of: text) }
            if comparator == .matches { throw NotExact(.regularExpression, of: text) }
            let whole = try folded(text, options: options, in: context)
            let part = try folded(pattern, options: options, in: context)
            let test =
                switch comparator {
                case .beginsWith: "starts_with(\(whole), \(part))"
                case .endsWith: "right(\(whole), length(\(part))) = \(part)"
                default: "strpos(\(whole), \(part)) > 0"
                }
            // An empty string is found nowhere, and NULL is unknown.
            return "(CASE WHEN \(part) = '' THEN \(whole) <> \(whole) ELSE \(test) END)"
        }
    }

    /// Returns a string in upper case or in lower case.
    func cased(_ text: QueryScalar, isUpper: Bool) throws -> String {
        guard self == .sqlite else { throw NotExact(.letterCase, of: text) }
        return "\(isUpper ? "SwormUpper" : "SwormLower")(\(text.sql))"
    }

    /// Returns a range condition, for which an index on the string can be used.
    ///
    /// - Parameter folded: The SQL of the string, folded by the options of the comparison.
    private func prefix(
        of text: QueryScalar, folded: String, equals prefix: String, in context: some StatementContext
    ) -> QueryCondition {
        let lower = "\(folded) >= \(context.bind(.text(prefix)))"
        guard let next = PrefixRange.upperBound(of: prefix) else { return .atom(lower, needs: text.neededRows) }
        return .text("\(lower) AND \(folded) < \(context.bind(.text(next)))", .and, needs: text.neededRows)
    }

    // MARK: SQLite

    private func searchInFile(
        _ text: QueryScalar, by comparator: QueryComparator, forConstant string: String, options: ComparisonOptions,
        exact: Bool, in context: some StatementContext
    ) -> QueryCondition {
        let isPlain = options.foldingFlags == 0
        switch comparator {
        // The short forms repeat the string's SQL, which is too expensive for a computed string.
        case .like where isPlain && text.column != nil && string.utf8.count <= Self.longestOwnSearch:
            return like(text, pattern: WildcardPattern(string), in: context)
        case .like, .matches:
            return .atom(call(text.sql, by: comparator, for: context.bind(.text(string)), options: options))
        default: break
        }
        // Foundation does not find an empty string in any string.
        guard !string.isEmpty else { return nothing(in: text, exact: exact) }
        guard isPlain else {
            return .atom(call(text.sql, by: comparator, for: context.bind(.text(string)), options: options))
        }
        switch comparator {
        case .beginsWith where text.column != nil:
            return prefix(of: text, folded: text.sql, equals: string, in: context)
        case .contains where string.utf8.count <= Self.longestOwnSearch:
            return .atom("instr(\(text.sql), \(context.bind(.text(string)))) > 0")
        case .endsWith:
            let part = context.bind(.text(string))
            return .atom("substr(\(text.sql), -length(\(part))) = \(part)")
        default: return .atom(call(text.sql, by: comparator, for: context.bind(.text(string)), options: options))
        }
    }

    private func like(_ text: QueryScalar, pattern: WildcardPattern, in context: some StatementContext)
        -> QueryCondition
    {
        switch pattern.form {
        case .literal(let string): return .atom("\(text.sql) = \(context.bind(.text(string)))", needs: text.neededRows)
        case .prefix(""): return .atom("\(text.sql) = \(text.sql)", needs: text.neededRows)
        case .prefix(let string): return prefix(of: text, folded: text.sql, equals: string, in: context)
        case .glob(let glob, let literal):
            let test = QueryCondition.atom("\(text.sql) GLOB \(context.bind(.text(glob)))", needs: text.neededRows)
            if literal.isEmpty { return test }
            return .and([prefix(of: text, folded: text.sql, equals: literal, in: context), test])
        }
    }

    /// Returns a call of a function of the connection, which folds the string and the pattern, never finds an empty
    /// pattern, and caches a constant pattern.
    private func call(
        _ text: String, by comparator: QueryComparator, for pattern: String, options: ComparisonOptions
    ) -> String {
        let flags = options.foldingFlags
        return switch comparator {
        case .like: "SwormLike(\(pattern), \(text), \(flags))"
        case .matches: "SwormMatches(\(pattern), \(text), \(flags))"
        case .beginsWith: "SwormSearch(\(pattern), \(text), 0, \(flags))"
        case .endsWith: "SwormSearch(\(pattern), \(text), 1, \(flags))"
        default: "SwormSearch(\(pattern), \(text), 2, \(flags))"
        }
    }

    // MARK: PostgreSQL

    private func searchOnServer(
        _ text: QueryScalar, by comparator: QueryComparator, forConstant string: String, options: ComparisonOptions,
        exact: Bool, in context: some StatementContext
    ) throws -> QueryCondition {
        if comparator == .matches { throw NotExact(.regularExpression, of: text) }
        // No string of a server has this character.
        if string.utf8.contains(0) { return nothing(in: text, exact: exact) }
        let pattern = comparator == .like ? LikeText(string, options: options) : nil
        let whole = try folded(
            text, options: options, isSearched: pattern?.readsAllRows ?? (comparator != .beginsWith), in: context)
        if let pattern { return like(text, folded: whole, pattern: pattern, options: options, in: context) }
        let part = SwormPredicates.folded(string, options: options)
        // A string of nothing but marks is empty without them.
        guard !part.isEmpty else { return nothing(in: text, exact: exact) }
        switch comparator {
        case .beginsWith where text.column != nil: return prefix(of: text, folded: whole, equals: part, in: context)
        case .beginsWith: return .atom("starts_with(\(whole), \(context.bind(.text(part))))")
        case .endsWith:
            let part = context.bind(.text(part))
            return .atom("right(\(whole), length(\(part))) = \(part)")
        default: return .atom("strpos(\(whole), \(context.bind(.text(part)))) > 0")
        }
    }

    private func like(
        _ text: QueryScalar, folded whole: String, pattern: LikeText, options: ComparisonOptions,
        in context: some StatementContext
    ) -> QueryCondition {
        let needs = text.neededRows
        switch pattern.form {
        case .literal(let string): return .atom("\(whole) = \(context.bind(.text(string)))", needs: needs)
        case .prefix(let string) where text.column != nil && !string.isEmpty:
            return prefix(of: text, folded: whole, equals: string, in: context)
        case .prefix: return .atom("\(whole) LIKE \(context.bind(.text(pattern.text)))", needs: needs)
        case .pattern(let start):
            let test = QueryCondition.atom("\(whole) LIKE \(context.bind(.text(pattern.text)))", needs: needs)
            // The range allows for the use of an index. Folding a string once more would cost more than it saves.
            guard text.column != nil, options.foldingFlags == 0, !start.isEmpty else { return test }
            return .and([prefix(of: text, folded: whole, equals: start, in: context), test])
        }
    }
}
