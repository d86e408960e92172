/// A word or symbol of a format string.
struct PredicateToken: Sendable {
    enum Kind: Sendable, Hashable {
        case word(String, PredicateKeyword?)
        /// A name that is never a keyword: `#size`.
        case escaped(String)
        /// `@count`; the text includes the sign.
        case collectionOperator(String)
        /// A function name with colons before its bracket: `modulus:by:`.
        case selector(String)
        /// The magnitude of an integer, which is unsigned to allow for a minus sign before it.
        case integer(UInt64)
        case real(Double)
        case string(String)
        case variable(String)
        case argument(ArgumentMark)
        case symbol(PredicateSymbol)
        case end
    }

    /// The character after a percent sign.
    enum ArgumentMark: Sendable, Hashable {
        case value, key, number, text, character
    }

    let kind: Kind
    /// Byte offsets in the format string.
    let start: Int
    let end: Int
}

enum PredicateSymbol: String, Sendable, Hashable {
    case equal = "="
    case doubleEqual = "=="
    case notEqual = "!="
    case lessGreater = "<>"
    case less = "<"
    case lessEqual = "<="
    case equalLess = "=<"
    case greater = ">"
    case greaterEqual = ">="
    case equalGreater = "=>"
    case and = "&&"
    case or = "||"
    case not = "!"
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divide = "/"
    case power = "**"
    case bitAnd = "&"
    case bitOr = "|"
    case bitXor = "^"
    case assign = ":="
    case openRound = "("
    case closeRound = ")"
    case openCurly = "{"
    case closeCurly = "}"
    case openSquare = "["
    case closeSquare = "]"
    case comma = ","
    case dot = "."
}

/// The reserved words, in any letter case.
enum PredicateKeyword: String, Sendable, Hashable, CaseIterable {
    case and, or, not, any, all
    // Not named `some` and `none`, because these are cases of Optional, which a pattern would match instead.
    case someOf = "some"
    case noneOf = "none"
    case `in`, like, matches, contains, beginsWith, endsWith, between
    case utiConformsTo = "uti-conforms-to"
    case utiEquals = "uti-equals"
    case null, `nil`, `self`, `true`, yes, `false`, no
    case truePredicate, falsePredicate
    case subquery, cast, ternary, function, fetch
    case union, intersect, minus
    case first, last, size
    case anyKey, ci, caseInsensitive

    /// Whether a name that is spelled like this word can start a key path without an escape.
    ///
    /// This is only possible for words that have a meaning after an operator, in brackets or before a bracket.
    var mayBeginKeyPath: Bool {
        switch self {
        case .first, .last, .size, .fetch, .ci, .caseInsensitive, .anyKey, .union, .intersect, .minus, .ternary,
            .function:
            true
        default: false
        }
    }

    static func named(_ word: String) -> PredicateKeyword? {
        guard word.utf8.count <= 15 else { return nil }
        return table[word.lowercased()]
    }

    private static let table = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0.rawValue.lowercased(), $0) })
}

/// Returns whether a key must be escaped, because the bare word is reserved.
func isReservedWord(_ key: String) -> Bool {
    PredicateKeyword.named(key) != nil
}
