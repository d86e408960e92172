package import Foundation

/// Returns the string without the differences that the options name.
///
/// `[c]` removes letter case and `[d]` removes diacritical marks, both as ``TextFolding`` does. `[l]` composes marks,
/// and folds with Foundation's version of Unicode. `[n]` states that the string is already normalized, and supersedes
/// the other options.
package func folded(_ text: String, options: ComparisonOptions) -> String {
    guard !options.isEmpty, !options.contains(.normalized) else { return text }
    if options.contains(.localeSensitive) { return foundationFolded(text, options: options) }
    return options.folding?.folded(text) ?? text
}

/// Calls the closure with the UTF-8 bytes of a folded string.
@inline(__always)
func withFoldedUTF8<Result>(
    _ text: String, options: ComparisonOptions, _ body: (UnsafeBufferPointer<UInt8>) -> Result
) -> Result {
    if let folding = options.folding, !options.contains(.normalized), !options.contains(.localeSensitive) {
        return folding.withFoldedUTF8(text, body)
    }
    var text = folded(text, options: options)
    return text.withUTF8(body)
}

/// Returns the value of a derived attribute `canonical:(text)`.
///
/// Stores contain such values, which other programs compute with their version of Foundation. It differs from
/// ``TextFolding`` in unusual sequences of marks, and may know more letters.
package func canonicalForm(of text: String) -> String { foundationFolded(text, options: .canonical) }

private func foundationFolded(_ text: String, options: ComparisonOptions) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
        return options.contains(.caseInsensitive) ? text.lowercased() : text
    }
    var folding: String.CompareOptions = []
    if options.contains(.caseInsensitive) { folding.insert(.caseInsensitive) }
    if options.contains(.diacriticInsensitive) { folding.insert(.diacriticInsensitive) }
    let result = folding.isEmpty ? text : text.folding(options: folding, locale: nil)
    return options.contains(.localeSensitive) ? result.precomposedStringWithCanonicalMapping : result
}

extension ComparisonOptions {
    /// The folding of letter case and diacritics; nil if the options have neither.
    fileprivate var folding: TextFolding? {
        TextFolding(rawValue: intersection([.caseInsensitive, .diacriticInsensitive]).rawValue)
    }
}

/// Returns the order of two strings: by UTF-8 bytes after folding, or by the root collation with `[l]`, which can order
/// digits as numbers.
package func compareTexts(_ left: String, _ right: String, options: ComparisonOptions) -> ComparisonResult {
    guard !options.isEmpty, !options.contains(.normalized) else { return compareBytes(left, right) }
    let left = folded(left, options: options)
    let right = folded(right, options: options)
    guard options.contains(.localeSensitive) else { return compareBytes(left, right) }
    let digits: String.CompareOptions = options.contains(.numeric) ? [.numeric] : []
    return left.compare(right, options: digits, range: nil, locale: Locale(identifier: ""))
}

/// Returns the order of two strings by their UTF-8 bytes, as SQLite compares them. Swift's own order is different.
package func compareBytes(_ left: String, _ right: String) -> ComparisonResult {
    var left = left
    var right = right
    return left.withUTF8 { left in right.withUTF8 { right in compareBytes(UnsafeRawBufferPointer(left), .init(right)) }
    }
}

/// Returns the order of two byte strings, in which a prefix comes first.
func compareBytes(_ left: Data, _ right: Data) -> ComparisonResult {
    left.withUnsafeBytes { left in right.withUnsafeBytes { right in compareBytes(left, right) } }
}

private func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> ComparisonResult {
    for (left, right) in zip(left, right) where left != right {
        return left < right ? .orderedAscending : .orderedDescending
    }
    if left.count == right.count { return .orderedSame }
    return left.count < right.count ? .orderedAscending : .orderedDescending
}

/// Returns the length of a string in Unicode scalars, as SQLite's `length` does.
package func textLength(_ text: String) -> Int { text.unicodeScalars.count }
