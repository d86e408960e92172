import Foundation
import SwormPredicates

extension QueryBuilder {
    /// The longest string, in bytes, that SQLite's own functions search for. They compare byte by byte and cannot be
    /// interrupted, so longer strings are searched for by functions that can.
    private static let longestOwnSearch = 64

    /// Compiles CONTAINS, BEGINSWITH, ENDSWITH, LIKE and MATCHES.
    func search(
        _ left: QueryOperand, by comparator: QueryComparator, for right: QueryOperand, options: ComparisonOptions,
        exact: Bool
    ) throws -> QueryCondition {
        if left.isNull || right.isNull { return unknown(exact: exact) }
        let text = try scalar(left)
        try requireText(text)
        if case .constant(let value) = right {
            try text.typed.checkText(searchedFor: TypedValue(value))
            if case .string(let string) = value {
                return try search(text, by: comparator, for: string, options: options, exact: exact)
            }
            if case .url(let url) = value {
                return try search(text, by: comparator, for: url.absoluteString, options: options, exact: exact)
            }
        }
        let pattern = try scalar(right)
        try requireText(pattern)
        return .atom(general(text.sql, by: comparator, for: pattern.sql, options: options))
    }

    private func requireText(_ scalar: QueryScalar) throws {
        _ = try kind(of: scalar)
        try scalar.typed.checkText()
    }

    private func search(
        _ text: QueryScalar, by comparator: QueryComparator, for string: String, options: ComparisonOptions, exact: Bool
    ) throws -> QueryCondition {
        let isPlain = foldingFlags(options) == 0
        switch comparator {
        // The short forms repeat the string's SQL, which is too expensive for a computed string.
        case .like where isPlain && text.column != nil && string.utf8.count <= Self.longestOwnSearch:
            return like(text, pattern: WildcardPattern(string))
        case .like: return .atom(general(text.sql, by: .like, for: bind(.text(string)), options: options))
        case .matches:
            try checkRegularExpression(string, options: options, for: text)
            return .atom(general(text.sql, by: .matches, for: bind(.text(string)), options: options))
        default: break
        }
        // Foundation does not find an empty string in any string.
        guard !string.isEmpty else { return exact ? .atom("(\(text.sql) IS NULL AND NULL)") : .constant(false) }
        guard isPlain else {
            return .atom(general(text.sql, by: comparator, for: bind(.text(string)), options: options))
        }
        switch comparator {
        case .beginsWith where text.column != nil: return prefix(of: text, equals: string)
        case .contains where string.utf8.count <= Self.longestOwnSearch:
            return .atom("instr(\(text.sql), \(bind(.text(string)))) > 0")
        case .endsWith:
            let part = bind(.text(string))
            return .atom("substr(\(text.sql), -length(\(part))) = \(part)")
        default: return .atom(general(text.sql, by: comparator, for: bind(.text(string)), options: options))
        }
    }

    /// Returns a range condition, for which SQLite can use an index on the column.
    private func prefix(of text: QueryScalar, equals prefix: String) -> QueryCondition {
        let lower = "\(text.sql) >= \(bind(.text(prefix)))"
        guard let next = PrefixRange.upperBound(of: prefix) else { return .atom(lower, needs: text.neededRows) }
        return .text("\(lower) AND \(text.sql) < \(bind(.text(next)))", .and, needs: text.neededRows)
    }

    private func like(_ text: QueryScalar, pattern: WildcardPattern) -> QueryCondition {
        switch pattern.form {
        case .literal(let string): return .atom("\(text.sql) = \(bind(.text(string)))", needs: text.neededRows)
        case .prefix(""): return .atom("\(text.sql) = \(text.sql)", needs: text.neededRows)
        case .prefix(let string): return prefix(of: text, equals: string)
        case .glob(let glob, let literal):
            let test = QueryCondition.atom("\(text.sql) GLOB \(bind(.text(glob)))", needs: text.neededRows)
            return literal.isEmpty ? test : .and([prefix(of: text, equals: literal), test])
        }
    }

    /// Returns a call of a function of the connection, which folds the string and the pattern, never finds an empty
    /// pattern, and caches a constant pattern.
    private func general(
        _ text: String, by comparator: QueryComparator, for pattern: String, options: ComparisonOptions
    ) -> String {
        let flags = foldingFlags(options)
        return switch comparator {
        case .like: "SwormLike(\(pattern), \(text), \(flags))"
        case .matches: "SwormMatches(\(pattern), \(text), \(flags))"
        case .beginsWith: "SwormSearch(\(pattern), \(text), 0, \(flags))"
        case .endsWith: "SwormSearch(\(pattern), \(text), 1, \(flags))"
        default: "SwormSearch(\(pattern), \(text), 2, \(flags))"
        }
    }

    private func checkRegularExpression(
        _ pattern: String, options: ComparisonOptions, for text: QueryScalar
    ) throws {
        do {
            _ = try RegularExpressionPattern(pattern, options: options)
        } catch {
            throw QueryError(
                .regularExpression,
                "\(text.path) of \(text.entity): '\(pattern.prefix(200))' is not a regular expression", cause: error)
        }
    }
}

/// The range of strings that start with a prefix, in byte order.
enum PrefixRange {
    /// Returns the smallest string that is greater than every string with the prefix, or nil if no such string exists.
    static func upperBound(of prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are not Unicode scalars: U+E000 follows U+D7FF.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                var result = String.UnicodeScalarView()
                result.append(contentsOf: scalars)
                return String(result)
            }
        }
        return nil
    }
}

/// A pattern of LIKE. `*` matches any run of characters, `?` matches one character, and a backslash makes the next
/// character literal.
struct WildcardPattern {
    enum Form: Equatable {
        case literal(String)
        /// A literal followed by a single `*`.
        case prefix(String)
        /// A pattern for SQLite's GLOB, and the literal at its start.
        case glob(String, prefix: String)
    }

    let form: Form

    init(_ pattern: String) {
        var glob = String.UnicodeScalarView()
        var literal = String.UnicodeScalarView()
        var wildcards: [Unicode.Scalar] = []
        var literalPrefix: String?
        var scalars = pattern.unicodeScalars.makeIterator()
        var endsInWildcard = false
        while let scalar = scalars.next() {
            var plain = scalar
            endsInWildcard = false
            if scalar == "*" || scalar == "?" {
                if literalPrefix == nil { literalPrefix = String(literal) }
                wildcards.append(scalar)
                glob.append(scalar)
                endsInWildcard = true
                continue
            }
            if scalar == "\\", let escaped = scalars.next() {
                // Only these three need an escape. Before any other character, the backslash is literal.
                if escaped == "*" || escaped == "?" || escaped == "\\" {
                    plain = escaped
                } else {
                    literal.append("\\")
                    glob.append("\\")
                    plain = escaped
                }
            }
            literal.append(plain)
            if plain == "*" || plain == "?" || plain == "[" {
                glob.append(contentsOf: ["[", plain, "]"])
            } else {
                glob.append(plain)
            }
        }
        if wildcards.isEmpty {
            form = .literal(String(literal))
        } else if wildcards == ["*"], endsInWildcard {
            form = .prefix(String(literal))
        } else {
            form = .glob(String(glob), prefix: literalPrefix ?? "")
        }
    }
}
