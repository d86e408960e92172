/// The range of strings that start with a prefix, in byte order.
enum PrefixRange {
    /// Returns the smallest string that is greater than every string with the prefix, or nil if no such string exists.
    static func upperBound(of prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are not Unicode scalars: U+E000 follows U+D7FF.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                var result = String.UnicodeScalarView()
                result.append(contentsOf: scalars)
                return String(result)
            }
        }
        return nil
    }
}
