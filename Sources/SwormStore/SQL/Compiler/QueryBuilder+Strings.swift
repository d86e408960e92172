import Foundation
import SwormPredicates

extension QueryBuilder {
    /// SQLite's own searches compare a string with a text byte by byte, and cannot be stopped. Longer strings are
    /// looked for by functions that can.
    private static let longestOwnSearch = 64

    /// CONTAINS, BEGINSWITH, ENDSWITH, LIKE and MATCHES.
    func search(
        _ left: QueryOperand, _ comparator: QueryComparator, for right: QueryOperand, options: ComparisonOptions,
        exact: Bool
    ) throws -> QueryCondition {
        if left.isNull || right.isNull { return unknown(exact: exact) }
        let text = try scalar(left)
        try requireText(text)
        if case .constant(let value) = right {
            try text.typed.checkText(searchedFor: TypedValue(value))
            if case .string(let string) = value {
                return try search(text, comparator, for: string, options: options, exact: exact)
            }
            if case .url(let url) = value {
                return try search(text, comparator, for: url.absoluteString, options: options, exact: exact)
            }
        }
        let pattern = try scalar(right)
        try requireText(pattern)
        return .atom(general(text.sql, comparator, pattern.sql, options))
    }

    private func requireText(_ scalar: QueryScalar) throws {
        _ = try kind(of: scalar)
        try scalar.typed.checkText()
    }

    private func search(
        _ text: QueryScalar, _ comparator: QueryComparator, for string: String, options: ComparisonOptions, exact: Bool
    ) throws -> QueryCondition {
        let isPlain = foldingFlags(options) == 0
        switch comparator {
        // The short forms name the text more than once, which is no good for a text that is computed.
        case .like where isPlain && text.column != nil && string.utf8.count <= Self.longestOwnSearch:
            return like(text, WildcardPattern(string))
        case .like: return .atom(general(text.sql, .like, bind(.text(string)), options))
        case .matches:
            try checkRegularExpression(string, options, for: text)
            return .atom(general(text.sql, .matches, bind(.text(string)), options))
        default: break
        }
        // Foundation finds an empty string nowhere.
        guard !string.isEmpty else { return exact ? .atom("(\(text.sql) IS NULL AND NULL)") : .constant(false) }
        guard isPlain else { return .atom(general(text.sql, comparator, bind(.text(string)), options)) }
        switch comparator {
        case .beginsWith where text.column != nil: return prefix(text, string)
        case .contains where string.utf8.count <= Self.longestOwnSearch:
            return .atom("instr(\(text.sql), \(bind(.text(string)))) > 0")
        case .endsWith:
            let part = bind(.text(string))
            return .atom("substr(\(text.sql), -length(\(part))) = \(part)")
        default: return .atom(general(text.sql, comparator, bind(.text(string)), options))
        }
    }

    /// A range, which an index on the column can serve.
    private func prefix(_ text: QueryScalar, _ prefix: String) -> QueryCondition {
        let lower = "\(text.sql) >= \(bind(.text(prefix)))"
        guard let next = PrefixRange.upperBound(of: prefix) else { return .atom(lower, needs: text.neededRows) }
        return .text("\(lower) AND \(text.sql) < \(bind(.text(next)))", .and, needs: text.neededRows)
    }

    private func like(_ text: QueryScalar, _ pattern: WildcardPattern) -> QueryCondition {
        switch pattern.form {
        case .literal(let string): return .atom("\(text.sql) = \(bind(.text(string)))", needs: text.neededRows)
        case .prefix(""): return .atom("\(text.sql) = \(text.sql)", needs: text.neededRows)
        case .prefix(let string): return prefix(text, string)
        case .glob(let glob, let literal):
            let test = QueryCondition.atom("\(text.sql) GLOB \(bind(.text(glob)))", needs: text.neededRows)
            return literal.isEmpty ? test : .and([prefix(text, literal), test])
        }
    }

    /// A function of the connection. It folds text and pattern, finds an empty pattern nowhere, and keeps a constant one.
    private func general(
        _ text: String, _ comparator: QueryComparator, _ pattern: String, _ options: ComparisonOptions
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
        _ pattern: String, _ options: ComparisonOptions, for text: QueryScalar
    ) throws {
        do {
            _ = try RegularExpressionPattern(pattern, options: options)
        } catch {
            throw QueryError(
                .regularExpression,
                "\(text.path) of \(text.entity): `\(pattern.prefix(200))` is no regular expression", cause: error)
        }
    }
}

/// The range of strings that begin with a prefix, in the order of their bytes.
enum PrefixRange {
    /// The smallest string that is greater than every string with the prefix; nil where there is none.
    static func upperBound(of prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are no scalars: behind U+D7FF comes U+E000.
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

/// A pattern of LIKE: `*` is any run of characters, `?` one character, a backslash takes the meaning from what follows.
struct WildcardPattern {
    enum Form: Equatable {
        case literal(String)
        /// A literal with one `*` at its end.
        case prefix(String)
        /// A pattern for SQLite's GLOB, with the literal that it begins with.
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
                // Only these three need it; before anything else the backslash stands for itself.
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
