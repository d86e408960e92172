/// The folding of strings for `[c]`, `[d]` and `[cd]`, by version 1 of this library's own tables.
///
/// The result is the same on all platforms, whichever version of Unicode their Foundation and standard library have.
/// The tables contain the results of Foundation's `folding(options:locale:)` on Linux. A string is folded in clusters,
/// each of which is a letter with the marks behind it:
///
/// - `[c]` replaces each letter by its case folding, which has up to three letters. It has no clusters.
/// - `[d]` replaces a letter with diacritics by its base letter. A letter whose folding is below U+0510, which is a
///   letter of the Latin, Greek or Cyrillic script, loses all marks behind it. Another letter loses the first one if
///   that is below U+0510. The marks that remain are decomposed, and sorted by their canonical combining class.
/// - `[cd]` folds the base letter's case. A letter of another script with a case loses no mark.
///
/// A mark at the start of a string, or behind a NUL, is folded as a letter.
///
/// Folding is not a homomorphism: the folded parts of a string may differ from the folded string, because marks at the
/// start of a part have lost their letter.
package enum TextFolding: UInt8, Sendable, CaseIterable {
    // The raw values are those of the options of a comparison.
    case letterCase = 1
    case diacritics = 2
    case letterCaseAndDiacritics = 3

    /// The version of the tables.
    package static let version = 1

    /// The first code point behind those of the Latin, Greek and Cyrillic scripts and their marks.
    static let scriptsEnd: UInt32 = 0x510

    package var foldsLetterCase: Bool { rawValue & 1 != 0 }
    package var foldsDiacritics: Bool { rawValue & 2 != 0 }

    /// Returns the folded string.
    package func folded(_ text: String) -> String {
        var copy = text
        return copy.withUTF8 { bytes in
            if bytes.isASCII { return foldsLetterCase && bytes.hasUppercaseASCII ? text.lowercased() : text }
            return withFolded(nonASCII: bytes) { folded in
                folded.hasEqualBytes(bytes) ? text : String(decoding: folded, as: UTF8.self)
            }
        }
    }

    /// Calls the closure with the UTF-8 bytes of the folded string, without creating that string.
    @inline(__always)
    package func withFoldedUTF8<Result>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.isASCII else { return withFolded(nonASCII: bytes, body) }
            guard foldsLetterCase else { return body(bytes) }
            return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { lowercase in
                for index in 0..<bytes.count { lowercase[index] = bytes[index].lowercasedASCII }
                return body(UnsafeBufferPointer(lowercase))
            }
        }
    }

    /// - Parameter bytes: A string in valid UTF-8.
    private func withFolded<Result>(
        nonASCII bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        let capacity = FoldingTable.capacity(forBytes: bytes.count)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { output in
            let count = table.fold(bytes, into: output)
            return body(UnsafeBufferPointer(rebasing: output[..<count]))
        }
    }

    private var table: FoldingTable {
        switch self {
        case .letterCase: .letterCase
        case .diacritics: .diacritics
        case .letterCaseAndDiacritics: .letterCaseAndDiacritics
        }
    }
}

extension UInt8 {
    /// The lower-case letter of an upper-case letter of ASCII. Every other byte is itself.
    var lowercasedASCII: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension UnsafeBufferPointer<UInt8> {
    // The loops have no early exit, so that the compiler uses vector instructions.
    fileprivate var isASCII: Bool {
        var bits: UInt8 = 0
        for index in 0..<count { bits |= self[index] }
        return bits < 0x80
    }

    fileprivate var hasUppercaseASCII: Bool {
        var bits: UInt8 = 0
        for index in 0..<count { bits |= self[index] ^ self[index].lowercasedASCII }
        return bits != 0
    }

    fileprivate func hasEqualBytes(_ other: Self) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count where self[index] != other[index] { return false }
        return true
    }
}
