import SwormPredicates

/// What is disregarded when text is compared.
public struct StringOptions: OptionSet, Sendable, Hashable {
    /// The bits of the options.
    public let rawValue: Int

    /// Makes options from bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `A` and `a` are the same: `[c]` in the predicate language.
    public static let caseInsensitive = StringOptions(rawValue: 1)

    /// `e` and `é` are the same: `[d]` in the predicate language.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)

    /// Neither case nor diacritics count, as people expect of a search: `[cd]`.
    public static let search: StringOptions = [.caseInsensitive, .diacriticInsensitive]

    var comparison: ComparisonOptions {
        // Not a literal: that would go through an array, for every comparison of a condition.
        var options = ComparisonOptions(rawValue: 0)
        if rawValue == 0 { return options }
        if contains(.caseInsensitive) { options.insert(.caseInsensitive) }
        if contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
        return options
    }
}
