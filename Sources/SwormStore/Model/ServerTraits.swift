/// The traits that an attribute has in a store on a server only. They are not a part of the model's version.
package struct ServerTraits: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Dates are stored with all their digits.
    package static let exactDate = ServerTraits(rawValue: 1)
    /// Strings have indexes for comparisons that ignore case or diacritics.
    package static let foldedIndex = ServerTraits(rawValue: 2)
    /// Strings have a column with their folded forms.
    package static let searchColumn = ServerTraits(rawValue: 4)
}
