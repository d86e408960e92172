@testable import OpenCoreData
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("SQL of string operators")
struct StringSQLTests {
    private func condition(_ format: String) throws -> CompiledStatement { try LibraryQueries.condition(format) }

    @Test func `a prefix is a range`() throws {
        let plain = try condition("title BEGINSWITH 'Al'")
        #expect(plain.sql == "t0.ZTITLE >= ?1 AND t0.ZTITLE < ?2")
        #expect(plain.bindings == [.text("Al"), .text("Am")])
    }

    @Test func `the range of a prefix ends after its last string`() {
        #expect(PrefixRange.upperBound(of: "a") == "b")
        #expect(PrefixRange.upperBound(of: "\u{7F}") == "\u{80}")
        #expect(PrefixRange.upperBound(of: "x\u{D7FF}") == "x\u{E000}")
        #expect(PrefixRange.upperBound(of: "a\u{10FFFF}") == "b")
        #expect(PrefixRange.upperBound(of: "\u{10FFFF}\u{10FFFF}") == nil)
        #expect(PrefixRange.upperBound(of: "") == nil)
    }

    @Test func `a prefix under NOT keeps its brackets`() throws {
        #expect(
            try condition("NOT title BEGINSWITH 'a' AND year == 1 OR title BEGINSWITH 'b'").sql
                == "(NOT (t0.ZTITLE >= ?1 AND t0.ZTITLE < ?2) AND t0.ZYEAR = ?3) OR (t0.ZTITLE >= ?4 AND t0.ZTITLE < ?5)"
        )
    }

    @Test(arguments: [
        ("title CONTAINS 'a'", "instr(t0.ZTITLE, ?1) > 0"),
        ("title CONTAINS[c] 'a'", "SwormSearch(?1, t0.ZTITLE, 2, 1)"),
        ("title CONTAINS[cd] 'a'", "SwormSearch(?1, t0.ZTITLE, 2, 3)"),
        ("title CONTAINS subtitle", "SwormSearch(t0.ZSUBTITLE, t0.ZTITLE, 2, 0)"),
        ("title ENDSWITH 'a'", "substr(t0.ZTITLE, -length(?1)) = ?1"),
        ("title BEGINSWITH[c] 'a'", "SwormSearch(?1, t0.ZTITLE, 0, 1)"),
        ("'pha' IN title", "instr(t0.ZTITLE, ?1) > 0"), ("title LIKE 'abc'", "t0.ZTITLE = ?1"),
        ("title LIKE 'abc*'", "t0.ZTITLE >= ?1 AND t0.ZTITLE < ?2"), ("title LIKE '*'", "t0.ZTITLE = t0.ZTITLE"),
        ("title LIKE 'a?c'", "t0.ZTITLE >= ?1 AND t0.ZTITLE < ?2 AND t0.ZTITLE GLOB ?3"),
        ("title LIKE '*b*'", "t0.ZTITLE GLOB ?1"), ("title LIKE[c] 'a*'", "SwormLike(?1, t0.ZTITLE, 1)"),
        ("title LIKE subtitle", "SwormLike(t0.ZSUBTITLE, t0.ZTITLE, 0)"),
        ("title MATCHES 'a.*'", "SwormMatches(?1, t0.ZTITLE, 0)"),
        ("title MATCHES[cd] 'a.*'", "SwormMatches(?1, t0.ZTITLE, 3)"),
        ("site CONTAINS 'example'", "instr(t0.ZSITE, ?1) > 0"),
        ("lowercase(title) BEGINSWITH 'a'", "SwormSearch(?1, SwormLower(t0.ZTITLE), 0, 0)"),
        ("uppercase(title) LIKE 'A?C'", "SwormLike(?1, SwormUpper(t0.ZTITLE), 0)"),
        ("title <[l] 'a'", "SwormOrder(SwormFold(t0.ZTITLE, 8), SwormFold(?1, 8)) < 0"),
        ("title ==[l] 'a'", "SwormFold(t0.ZTITLE, 8) = SwormFold(?1, 8)"),
    ])
    func `each operator has its form`(_ format: String, _ expected: String) throws {
        #expect(try condition(format).sql == expected)
    }

    @Test func `an empty string is found nowhere, and nil stays undecided under NOT`() throws {
        for word in ["CONTAINS", "BEGINSWITH", "ENDSWITH"] {
            #expect(try condition("title \(word) ''").sql == "0")
            #expect(try condition("NOT (title \(word) '')").sql == "NOT ((t0.ZTITLE IS NULL AND NULL))")
        }
        #expect(try condition("title LIKE ''").sql == "t0.ZTITLE = ?1")
    }

    @Test func `wildcards are distinguished from characters that look like them`() {
        #expect(WildcardPattern("a%_[b]").form == .literal("a%_[b]"))
        #expect(WildcardPattern("a\\*b\\?c\\\\").form == .literal("a*b?c\\"))
        #expect(WildcardPattern("a\\n").form == .literal("a\\n"))
        #expect(WildcardPattern("a\\").form == .literal("a\\"))
        #expect(WildcardPattern("[x]*").form == .prefix("[x]"))
        #expect(WildcardPattern("a[\\**").form == .prefix("a[*"))
        #expect(WildcardPattern("a[\\*?b").form == .glob("a[[][*]?b", prefix: "a[*"))
        #expect(WildcardPattern("*a*").form == .glob("*a*", prefix: ""))
    }
}
