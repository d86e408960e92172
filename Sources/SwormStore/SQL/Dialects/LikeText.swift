import SwormPredicates

/// A pattern of LIKE as a pattern of SQL's LIKE. It is read in the same way as in memory, by ``LikePattern``: the parts
/// between the wildcards are folded each for itself.
struct LikeText {
    enum Form: Equatable {
        /// The string that the pattern matches, if it has no wildcard.
        case literal(String)
        /// A string followed by stars.
        case prefix(String)
        /// Any other pattern, with the string at its start.
        case pattern(start: String)
    }

    let form: Form
    /// The pattern with `%` and `_`, in which a backslash makes the next character literal.
    let text: String

    /// Whether no index on the strings helps to find those that match.
    var readsAllRows: Bool {
        switch form {
        case .literal: false
        case .prefix(let start): start.isEmpty
        case .pattern: true
        }
    }

    init(_ pattern: String, options: ComparisonOptions) {
        var text = String.UnicodeScalarView()
        var start: String?
        var part = ""
        var hasOnlyStars = true
        var isAfterWildcard = false
        var scalars = pattern.unicodeScalars[...]
        func flush() {
            guard !part.isEmpty else { return }
            let folded = SwormPredicates.folded(part, options: options)
            if start == nil { start = folded } else { hasOnlyStars = false }
            for scalar in folded.unicodeScalars {
                if scalar == "%" || scalar == "_" || scalar == "\\" { text.append("\\") }
                text.append(scalar)
            }
            part = ""
        }
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "*", "?":
                flush()
                isAfterWildcard = true
                start = start ?? ""
                if scalar == "?" { hasOnlyStars = false }
                text.append(scalar == "?" ? "_" : "%")
            case "\\":
                // Only these three need an escape. Before any other character, the backslash is literal.
                if let next = scalars.first, next == "*" || next == "?" || next == "\\" {
                    scalars.removeFirst()
                    part.unicodeScalars.append(next)
                } else {
                    part.unicodeScalars.append(scalar)
                }
            default: part.unicodeScalars.append(scalar)
            }
        }
        flush()
        self.text = String(text)
        form =
            if !isAfterWildcard {
                .literal(start ?? "")
            } else if hasOnlyStars {
                .prefix(start ?? "")
            } else {
                .pattern(start: start ?? "")
            }
    }
}
