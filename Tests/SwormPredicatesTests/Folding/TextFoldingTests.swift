import SwormPredicates
import Testing

@Suite("Folding of strings")
struct TextFoldingTests {
    /// The code points of a folded string, because Swift compares canonically equivalent strings as equal.
    private func folded(_ scalars: [UInt32], _ folding: TextFolding) -> [UInt32] {
        folding.folded(String(scalars: scalars)).unicodeScalars.map(\.value)
    }

    @Test(arguments: [
        ("ÉCOLE", "école"), ("Straße", "strasse"), ("ŒUVRE", "œuvre"), ("ﬀ", "ff"), ("ΣΑΣ", "σασ"), ("ς", "σ"),
        ("Й", "й"),
        ("K", "k"), ("İ", "i\u{307}"), ("ΐ", "ι\u{308}\u{301}"), ("Ꭰ", "ꭰ"), ("𐐀", "𐐨"), ("漢字", "漢字"),
    ])
    func `letter case is folded, also to several letters`(text: String, expected: String) {
        #expect(Array(TextFolding.letterCase.folded(text).utf8) == Array(expected.utf8))
    }

    @Test(arguments: [
        ("École", "Ecole"), ("e\u{301}\u{308}", "e"), ("ṩ", "s"), ("Й", "И"), ("ά", "α"), ("Ø", "Ø"), ("Œ", "Œ"),
        ("K", "K"),
        ("≠", "="), ("1\u{20E3}", "1"), ("ガ", "ガ"),
    ])
    func `Latin, Greek and Cyrillic letters lose their diacritics`(text: String, expected: String) {
        #expect(Array(TextFolding.diacritics.folded(text).utf8) == Array(expected.utf8))
    }

    @Test func `both are folded at once`() {
        #expect(
            TextFolding.letterCaseAndDiacritics.folded("ÉMIGRÉ, Straße, ΆΛΦΑ, Ёлка") == "emigre, strasse, αλφα, елка")
        #expect(folded([0x130, 0x345, 0x1E9E], .letterCaseAndDiacritics) == [0x69, 0x73, 0x73])
    }

    @Test func `a letter of another script loses only a first mark that is Latin`() {
        #expect(folded([0x5D0, 0x301, 0x301], .diacritics) == [0x5D0, 0x301])
        #expect(folded([0x5D0, 0x5B7, 0x301], .diacritics) == [0x5D0, 0x5B7, 0x301])
        #expect(folded([0x915, 0x93F, 0x301], .diacritics) == [0x915, 0x93F])
        // A letter with a case loses no mark if its case is folded as well.
        #expect(folded([0x10400, 0x301], .diacritics) == [0x10400])
        #expect(folded([0x10400, 0x301], .letterCaseAndDiacritics) == [0x10428, 0x301])
    }

    @Test func `marks that remain are decomposed and sorted by their combining class`() {
        // Dagesh has class 21, patah 17.
        #expect(folded([0x5D1, 0x5BC, 0x5B7], .diacritics) == [0x5D1, 0x5B7, 0x5BC])
        #expect(folded([0x5D1, 0x5B7, 0x5BC], .diacritics) == [0x5D1, 0x5B7, 0x5BC])
        #expect(folded([0xF40, 0xF73], .diacritics) == [0xF40, 0xF71, 0xF72])
        #expect(folded([0x5D0, 0x5B7, 0x344], .diacritics) == [0x5D0, 0x5B7, 0x308, 0x301])
        // A Balinese vowel killer has a class, and is sorted behind a mark with a lower one.
        #expect(folded([0x1B44, 0x1B34, 0x5D0], .diacritics) == [0x1B34, 0x1B44, 0x5D0])
    }

    @Test func `a mark without a letter is folded as a letter`() {
        #expect(folded([0x301, 0x308, 0x5B7], .diacritics) == [0x301])
        #expect(folded([0x344], .diacritics) == [0x308])
        #expect(folded([0x345], .letterCaseAndDiacritics) == [0x3B9])
        #expect(folded([0x61, 0, 0x301, 0x308], .diacritics) == [0x61, 0, 0x301])
        #expect(folded([0x5B7, 0x5B4], .diacritics) == [0x5B4, 0x5B7])
    }

    @Test func `a string that folds to itself keeps its bytes`() {
        for text in ["", "title 7", "漢字とかな", "👩‍👩‍👧‍👦", "שלום", "\u{10FFFF}\u{FFFF}"] {
            for folding in TextFolding.allCases { #expect(Array(folding.folded(text).utf8) == Array(text.utf8)) }
        }
    }

    @Test(arguments: TextFolding.allCases)
    func `a search in the bytes of a folded string is the same as one in the string`(folding: TextFolding) {
        for text in ["", "Title", "title", "Émigré Straße", "בְּרֵאשִׁית", "\u{390}\u{FB03}"] {
            let bytes = folding.withFoldedUTF8(text) { Array($0) }
            #expect(bytes == Array(folding.folded(text).utf8))
        }
    }

    /// The longest foldings: two and three times the length of their letters.
    @Test(arguments: TextFolding.allCases)
    func `a long string of letters that grow is folded completely`(folding: TextFolding) {
        let model = FoldingModel()
        for scalar: UInt32 in [0x390, 0x3B0, 0x1FB7, 0xFB03, 0x149, 0x344, 0xF73, 0x1112E] {
            for count in [1, 2, 7, 500] {
                let scalars = [0x5D0, 0xFE0F] + Array(repeating: scalar, count: count)
                #expect(folded(scalars, folding) == model.folded(scalars, folding))
            }
        }
    }

    @Test func `a very long run of marks takes no quadratic time`() {
        let factor = growth(to: 20_000) { count in
            let marks = (0..<count).map { UInt32($0 % 2 == 0 ? 0x5BC : 0x5B0) }
            let result = folded([0x5D1] + marks, .diacritics)
            #expect(result.count == count + 1)
            #expect(result[1...count / 2].allSatisfy { $0 == 0x5B0 })
        }
        #expect(factor < 40)
    }

    @Test func `options of a comparison choose the folding`() {
        #expect(SwormPredicates.folded("ÉA", options: .caseInsensitive) == "éa")
        #expect(SwormPredicates.folded("ÉA", options: .diacriticInsensitive) == "EA")
        #expect(SwormPredicates.folded("ÉA", options: [.caseInsensitive, .diacriticInsensitive]) == "ea")
        #expect(SwormPredicates.folded("ÉA", options: [.caseInsensitive, .normalized]) == "ÉA")
        #expect(SwormPredicates.folded("ÉA", options: .numeric) == "ÉA")
        #expect(
            Array(SwormPredicates.folded("E\u{301}", options: [.caseInsensitive, .localeSensitive]).utf8) == [
                0xC3, 0xA9,
            ])
        #expect(canonicalForm(of: "ÉA Straße") == "ea strasse")
    }
}
