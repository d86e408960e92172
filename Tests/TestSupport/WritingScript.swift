import Testing

/// The letters of a script and the marks that are written with them, for random strings.
package struct WritingScript: CustomTestStringConvertible, Sendable {
    package let testDescription: String
    package let letters: [UInt32]
    package var marks: [UInt32] = []

    /// Returns scripts with marks of all kinds. The last one has all letters.
    ///
    /// - Parameter marks: The marks of all scripts.
    package static func all(marks: [UInt32]) -> [WritingScript] {
        [
            WritingScript("Latin", range(0x20, 0x24F) + range(0x1E00, 0x1EFF), marks: range(0x300, 0x36F)),
            WritingScript("Greek", range(0x370, 0x3FF) + range(0x1F00, 0x1FFF), marks: range(0x300, 0x345)),
            WritingScript("Cyrillic", range(0x400, 0x52F), marks: range(0x300, 0x30F) + range(0x483, 0x489)),
            WritingScript("Hebrew", range(0x5D0, 0x5EA) + range(0xFB1D, 0xFB4F), marks: range(0x591, 0x5C7)),
            WritingScript("Arabic", range(0x620, 0x64A) + range(0x671, 0x6D3), marks: range(0x64B, 0x670)),
            WritingScript("Devanagari", range(0x904, 0x961), marks: range(0x900, 0x903) + range(0x93A, 0x957)),
            WritingScript("Thai", range(0xE01, 0xE5B), marks: range(0xE31, 0xE4E)),
            WritingScript("Tibetan", range(0xF40, 0xF6C), marks: range(0xF71, 0xFBC)),
            WritingScript("Balinese", range(0x1B05, 0x1B4B), marks: range(0x1B34, 0x1B44)),
            WritingScript(
                "East Asia", range(0x3041, 0x30FF) + range(0x4E00, 0x4EFF) + range(0xAC00, 0xACFF),
                marks: [0x3099, 0x309A]),
            WritingScript(
                "emoji", range(0x1F466, 0x1F469) + [0x2764, 0x31],
                marks: [0x200D, 0xFE0F, 0x20E3] + range(0x1F3FB, 0x1F3FF)),
            WritingScript(
                "Deseret and Cherokee", range(0x10400, 0x1044F) + range(0x13A0, 0x13FD), marks: [0x301, 0x327, 0x5B7]),
            WritingScript("all letters", range(0x20, 0x2FFF) + range(0x10000, 0x1FFFF), marks: marks),
        ]
    }

    private init(_ name: String, _ letters: [UInt32], marks: [UInt32]) {
        testDescription = name
        self.letters = letters
        self.marks = marks
    }

    private static func range(_ first: UInt32, _ last: UInt32) -> [UInt32] { Array(first...last) }

    /// Returns the code points of a random string of at most seven letters and marks.
    ///
    /// - Parameter others: Marks of which the string has some as well.
    package func string(others: [UInt32], _ random: inout SeededRandom) -> [UInt32] {
        (0..<random.pick(8)).compactMap { _ in
            random.chance(40) ? random.pick(random.chance(90) ? marks : others) : random.pick(letters)
        }
    }
}
