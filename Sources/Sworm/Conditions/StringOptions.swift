import SwormPredicates

/// Options for comparisons of strings.
public struct StringOptions: OptionSet, Sendable, Hashable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Treats `A` and `a` as equal: `[c]` in the predicate language.
    public static let caseInsensitive = StringOptions(rawValue: 1)

    /// Treats `e` and `é` as equal: `[d]` in the predicate language.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)

    /// Ignores case and diacritics, as users expect of a search: `[cd]` in the predicate language.
    public static let search: StringOptions = [.caseInsensitive, .diacriticInsensitive]

    var comparison: ComparisonOptions {
        // An array literal is avoided, because it would allocate an array for every comparison of a condition.
        var options = ComparisonOptions(rawValue: 0)
        if rawValue == 0 { return options }
        if contains(.caseInsensitive) { options.insert(.caseInsensitive) }
        if contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
        return options
    }
}
