/// A pattern of LIKE. `*` matches any run of characters, `?` matches one character, and a backslash makes the next
/// character literal.
struct WildcardPattern {
    enum Form: Equatable {
        case literal(String)
        /// A literal followed by a single `*`.
        case prefix(String)
        /// A pattern for SQLite's GLOB, and the literal at its start.
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
                // Only these three need an escape. Before any other character, the backslash is literal.
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
