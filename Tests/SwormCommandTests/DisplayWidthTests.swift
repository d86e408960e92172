import Testing

@testable import SwormCommand

@Suite("Columns of a terminal")
struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("plain", 5), ("日本", 4), ("e\u{301}", 1), ("한글", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("👩‍👩‍👧", 2),
        ("🇩🇪", 2), ("❤️", 2), ("👍🏽", 2), ("ｱ", 1), ("Ａ", 2), ("a\u{200B}b", 2), ("क्षि", 2), ("…", 1),
    ]) func `the width of a string is the number of its terminal columns`(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test func `a truncated string fits in its column`() {
        #expect(DisplayWidth.fit("日本語", to: 5) == "日本…")
        #expect(DisplayWidth.fit("日本語", to: 4) == "日… ")
        #expect(DisplayWidth.fit("abc", to: 5, right: true) == "  abc")
        #expect(DisplayWidth.cut("abcdef", to: 1) == "…")
        #expect(DisplayWidth.cut("abcdef", to: 0) == "")
        for width in 0...12 { #expect(DisplayWidth.of(DisplayWidth.cut("a日b本c語👩‍👩‍👧", to: width)) <= width) }
    }

    @Test func `control characters do not move the cursor`() {
        #expect(TextTable.oneLine("a\nb\tc\u{1B}[2Jd") == "a↵b c·[2Jd")
    }

    @Test func `a table longer than its sample keeps its widths`() {
        let sink = ByteSink()
        let table = TextTable(["key", "text"], right: [true, false], width: 30, to: sink)
        for number in 0..<2000 { table.add(["\(number)", String(repeating: "x", count: number % 60)]) }
        table.end()
        let lines = sink.text.split(separator: "\n")
        #expect(lines.count == 2002)
        #expect(lines.allSatisfy { DisplayWidth.of(String($0)) <= 30 })
    }
}
