import Foundation
import SwormPredicates

extension ComparisonOptions {
    /// The options that need a function. `[n]` states that comparing bytes is sufficient.
    var foldingFlags: UInt8 { contains(.normalized) ? 0 : rawValue }

    /// Whether strings are ordered by the root collation.
    var followsLocale: Bool { contains(.localeSensitive) && foldingFlags != 0 }
}

extension SQLDialect {
    /// Returns a string folded by the options of a comparison. A server receives constants in their folded form.
    func folded(_ text: QueryScalar, options: ComparisonOptions, in context: some StatementContext) throws -> String {
        let flags = options.foldingFlags
        if flags == 0 { return text.sql }
        if self == .sqlite { return Self.folded(text.sql, flags: flags) }
        guard !options.contains(.localeSensitive) else { throw NotExact(.locale, of: text) }
        let name: String
        switch flags & ComparisonOptions.canonical.rawValue {
        case 0: return text.sql
        case ComparisonOptions.caseInsensitive.rawValue: name = "c"
        case ComparisonOptions.diacriticInsensitive.rawValue: name = "d"
        default: name = "cd"
        }
        if let constant = text.constant?.string {
            return context.bind(.text(SwormPredicates.folded(constant, options: options)))
        }
        return "\(context.schema)_sworm_fold1_\(name)(\(text.sql))"
    }

    /// Returns a call of the function that folds strings on SQLite's connections.
    static func folded(_ text: String, flags: UInt8) -> String {
        flags == 0 ? text : "SwormFold(\(text), \(flags))"
    }

    /// Returns the SQL by which strings are sorted: in byte order, or with `[l]` by the root collation.
    func sortKey(of text: QueryScalar, options: ComparisonOptions, in context: some StatementContext) throws -> String {
        let result = try folded(text, options: options, in: context)
        switch self {
        case .sqlite:
            guard options.followsLocale else { return result }
            return result + (options.contains(.numeric) ? " COLLATE SwormStandard" : " COLLATE SwormLocale")
        case .postgres: return text.column == nil ? "\(result) COLLATE \"C\"" : result
        }
    }
}

extension AttributeValue {
    /// The string of a string or a URL.
    var string: String? {
        switch self {
        case .string(let text): text
        case .url(let url): url.absoluteString
        default: nil
        }
    }
}
