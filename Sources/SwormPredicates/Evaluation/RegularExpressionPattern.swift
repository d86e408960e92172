import Foundation

/// A pattern of MATCHES: an ICU regular expression that must match the whole string.
package struct RegularExpressionPattern: Sendable {
    private let expression: NSRegularExpression
    private let options: ComparisonOptions

    /// Creates a pattern.
    ///
    /// - Throws: A ``QueryError`` if the string is not a regular expression.
    package init(_ pattern: String, options: ComparisonOptions = []) throws {
        let given = options.contains(.normalized) ? [] : options
        // Marks are removed from the string and the pattern; letter case is handled by the regular expression.
        self.options = given.intersection(.diacriticInsensitive)
        let source = folded(pattern, options: self.options)
        do {
            // The source is compiled alone first, so that a bracket that is closed too early cannot pair with those
            // added below.
            if !source.isEmpty { _ = try NSRegularExpression(pattern: source) }
            let flags: NSRegularExpression.Options = given.contains(.caseInsensitive) ? [.caseInsensitive] : []
            if let whole = try? NSRegularExpression(pattern: "(?:\(source))\\z", options: flags) {
                expression = whole
            } else {
                // A comment at the end of an extended pattern ends with the line.
                expression = try NSRegularExpression(pattern: "(?:\(source)\n)\\z", options: flags)
            }
        } catch {
            throw QueryError(
                .regularExpression, "'\(pattern.prefix(200))' is not a regular expression", cause: error)
        }
    }

    package func matches(_ text: String) -> Bool {
        let text = folded(text, options: options)
        let range = NSRange(location: 0, length: text.utf16.count)
        guard LongWork.check != nil else {
            return expression.firstMatch(in: text, options: [.anchored], range: range) != nil
        }
        var isFound = false
        expression.enumerateMatches(in: text, options: [.anchored, .reportProgress], range: range) { result, _, stop in
            isFound = isFound || result != nil
            if result != nil || LongWork.stops { stop.pointee = true }
        }
        return isFound
    }
}
