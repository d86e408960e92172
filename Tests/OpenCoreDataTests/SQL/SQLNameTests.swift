import Testing

@testable import SwormStore

/// Quotes in names. A server and a file read bytes, and know no characters of several scalars.
@Suite("Quotes in SQL")
struct SQLNameTests {
    /// Scalars that make one character of themselves and the one before: marks, the zero-width joiner, variation selectors.
    private static let marks = ["\u{301}", "\u{20DD}", "\u{200D}", "\u{FE0E}", "\u{FE0F}"]

    @Test(arguments: marks)
    func `a double quote is doubled also if a mark follows it`(mark: String) {
        let name = "a\"" + mark + "b\"c\"" + mark
        let expected = "\"a\"\"" + mark + "b\"\"c\"\"" + mark + "\""
        for quoted in [SQLName.alwaysQuoted(name), SQLName.quoted(name)] {
            #expect(Array(quoted.utf8) == Array(expected.utf8), "\(quoted.unicodeScalars.map(\.value))")
        }
    }

    @Test(arguments: marks)
    func `a single quote is doubled also if a mark follows it`(mark: String) {
        let literal = SQLName.literal("'" + mark + "a''" + mark)
        let expected = "'''" + mark + "a''''" + mark + "'"
        #expect(Array(literal.utf8) == Array(expected.utf8), "\(literal.unicodeScalars.map(\.value))")
    }

    @Test(arguments: marks)
    func `a mark at the start of a name stays behind the quote`(mark: String) {
        #expect(Array(SQLName.alwaysQuoted(mark).utf8) == Array(("\"" + mark + "\"").utf8))
        #expect(Array(SQLName.literal(mark).utf8) == Array(("'" + mark + "'").utf8))
    }

    #if PostgreSQL
    @Test(arguments: marks)
    func `a backslash is doubled also if a mark follows it`(mark: String) throws {
        let literal = try #require(ServerLiteral.quoted("a\\" + mark + "'" + mark))
        let expected = "E'a\\\\" + mark + "''" + mark + "'"
        #expect(Array(literal.utf8) == Array(expected.utf8), "\(literal.unicodeScalars.map(\.value))")
    }
    #endif
}
