#if PostgreSQL
/// A set of Unicode scalars, as a bracket expression of the server's regular expressions.
struct ScalarSet {
    /// The ranges, in order, with at least one scalar between two of them.
    private(set) var ranges: [ClosedRange<UInt32>] = []

    /// - Parameter gap: The number of other scalars between two ranges for which one range is used.
    init(_ scalars: some Sequence<UInt32>, joiningGapsOf gap: UInt32 = 0) {
        for scalar in scalars.sorted() {
            if let last = ranges.last, scalar <= last.upperBound + 1 + gap {
                ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, scalar)
            } else {
                ranges.append(scalar...scalar)
            }
        }
    }

    init(_ range: ClosedRange<UInt32>) { ranges = [range] }

    var isEmpty: Bool { ranges.isEmpty }

    /// The set in brackets, for a literal with escapes. No scalar of ASCII has a meaning in brackets if it is not one
    /// of the four that the sets do not begin or end with.
    var pattern: String { "[\(content)]" }

    /// The set without the brackets.
    var content: String {
        ranges.map { range in
            range.count == 1
                ? Self.escaped(range.lowerBound)
                : "\(Self.escaped(range.lowerBound))-\(Self.escaped(range.upperBound))"
        }.joined()
    }

    /// Returns a scalar in the form of a literal with escapes.
    static func escaped(_ scalar: UInt32) -> String {
        let digits = String(scalar, radix: 16)
        return scalar > 0xFFFF
            ? "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Returns a string as a literal with escapes.
    static func literal(_ scalars: some Sequence<UInt32>) -> String {
        "E'" + scalars.map(escaped).joined() + "'"
    }
}
#endif
