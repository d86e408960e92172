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
    ///
    /// - Parameter isSearched: Whether all rows are read because a part of the string is looked for, so that no index is used.
    func folded(
        _ text: QueryScalar, options: ComparisonOptions, isSearched: Bool = false, in context: some StatementContext
    ) throws -> String {
        let flags = options.foldingFlags
        if flags == 0 { return text.sql }
        if self == .sqlite { return Self.folded(text.sql, flags: flags) }
        guard !options.contains(.localeSensitive) else { throw NotExact(.locale, of: text) }
        guard let folding = TextFolding(rawValue: flags & ComparisonOptions.canonical.rawValue) else { return text.sql }
        if let constant = text.constant?.string {
            return context.bind(.text(SwormPredicates.folded(constant, options: options)))
        }
        // A value that is computed from the string has another text than the column.
        if let column = text.searchColumn, folding == .letterCaseAndDiacritics, text.sql == text.column,
            isSearched || !text.hasFoldedIndex
        {
            return column
        }
        return "\(context.schema)\(folding.functionName)(\(text.sql))"
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

extension TextFolding {
    /// The name of the function of a server that folds strings, without its schema. Another version of the tables has
    /// other functions.
    var functionName: String { Self.functionPrefix + letters }

    /// The start of the names of the functions of this version.
    static let functionPrefix = "_sworm_fold\(version)_"

    /// The options of a comparison that folds strings so, as letters.
    var letters: String { (foldsLetterCase ? "c" : "") + (foldsDiacritics ? "d" : "") }
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
