import SwormPredicates
import Testing

@Suite("String patterns")
struct TextPatternTests {
    @Test(arguments: [
        ("", "", true), ("*", "", true), ("?", "", false), ("?", "a", true), ("?", "é", true), ("?", "😀", true),
        ("?", "e\u{301}", false), ("??", "e\u{301}", true), ("a*", "abc", true), ("*c", "abc", true),
        ("*b*", "abc", true),
        ("a**c", "abc", true), ("a?c", "abc", true), ("a?c", "abbc", false), ("*a*b*c", "xaybzc", true),
        ("*ab", "aab", true),
        ("a*?b", "ab", false), ("a*?b", "axb", true), ("lph", "alpha", false), ("A%", "Abc", false),
        ("A.*", "Abc", false),
        ("a\\*", "a*", true), ("a\\*", "ab", false), ("a\\?\\\\", "a?\\", true), ("a\\b", "a\\b", true),
        ("*\n*", "a\nb", true),
        ("*é?", "caféx", true), ("a\\", "a\\", true),
    ])
    func `LIKE knows stars and question marks only`(pattern: String, text: String, expected: Bool) {
        #expect(LikePattern(pattern).matches(text) == expected)
    }

    @Test func `LIKE folds string and pattern`() {
        #expect(LikePattern("ÉM?G*", options: [.caseInsensitive, .diacriticInsensitive]).matches("émigré"))
        #expect(!LikePattern("ÉM*", options: .diacriticInsensitive).matches("émigré"))
        #expect(!LikePattern("A*", options: [.caseInsensitive, .normalized]).matches("abc"))
        #expect(LikePattern("a\\*b").literal == "a*b")
        #expect(LikePattern("a*b").literal == nil)
        #expect(LikePattern("a\\?b*").prefix == "a?b")
        for pattern in ["a", "*a", "a*b", "a?*", "a\\*", "*a*"] { #expect(LikePattern(pattern).prefix == nil) }
        #expect(LikePattern("**").prefix?.isEmpty == true)
    }

    @Test func `many stars over a long string take no exponential time`() {
        let pattern = LikePattern(String(repeating: "a*", count: 30) + "b")
        let factor = growth(to: 20_000) { #expect(!pattern.matches(String(repeating: "a", count: $0))) }
        #expect(factor < 40)
    }

    @Test(arguments: [
        ("A.*a", "Alpha", true), ("lph", "Alpha", false), ("a|ab", "ab", true), ("", "", true), ("", "a", false),
        ("\\d+% .*", "100% true", true), ("a.c", "a\nc", false), ("a$", "a\n", false), ("(?x) a b # end", "ab", true),
    ])
    func `MATCHES matches the whole string`(pattern: String, text: String, expected: Bool) throws {
        #expect(try RegularExpressionPattern(pattern).matches(text) == expected)
    }

    @Test func `MATCHES folds case and marks`() throws {
        #expect(
            try RegularExpressionPattern("ÉMI.*", options: [.caseInsensitive, .diacriticInsensitive]).matches("émigré"))
        #expect(try !RegularExpressionPattern("ÉMI.*", options: .diacriticInsensitive).matches("émigré"))
        for pattern in ["(", "a)(b", "[", "*"] {
            let error = try #require(throws: QueryError.self) { _ = try RegularExpressionPattern(pattern) }
            #expect(error.code == .regularExpression)
            #expect(error.cause != nil)
        }
    }

    @Test(arguments: [
        (TextPattern.Position.beginning, "ab", "abc", true), (.beginning, "bc", "abc", false),
        (.end, "bc", "abc", true),
        (.end, "abc", "bc", false), (.anywhere, "b", "abc", true), (.anywhere, "aab", "aaab", true),
        (.anywhere, "", "abc", false),
        (.beginning, "", "", false), (.anywhere, "abc", "abc", true), (.anywhere, "e", "e\u{301}", true),
    ])
    func `searches compare bytes and find no empty string`(
        position: TextPattern.Position, needle: String, text: String, expected: Bool
    ) {
        #expect(TextPattern(needle, at: position).matches(text) == expected)
    }

    @Test func `folding removes the differences that its options name`() {
        #expect(folded("ÉßA", options: .caseInsensitive) == "éssa")
        #expect(folded("Éa", options: .diacriticInsensitive) == "Ea")
        #expect(folded("ABC", options: [.caseInsensitive, .normalized]) == "ABC")
        #expect(folded("ABC", options: []) == "ABC")
        #expect(Array(folded("e\u{301}", options: .localeSensitive).utf8) == Array("é".utf8))
    }
}
