#if PostgreSQL
import Foundation

/// A change of the statements of the dialect that makes some of them wrong, as a mistake in the compiler would.
struct DialectMutant: Sendable {
    let name: String
    let change: @Sendable (String) -> String

    private init(_ name: String, _ change: @escaping @Sendable (String) -> String) {
        self.name = name
        self.change = change
    }

    /// Replaces a part of each statement that has it.
    private init(_ name: String, replacing part: String, with other: String) {
        self.init(name) { $0.replacingOccurrences(of: part, with: other) }
    }

    /// Replaces what a regular expression matches.
    private init(_ name: String, matching expression: String, with other: String) {
        self.init(name) { $0.replacingOccurrences(of: expression, with: other, options: .regularExpression) }
    }

    static let all: [DialectMutant] = [
        DialectMutant("NULL is sorted last", replacing: " NULLS FIRST", with: " NULLS LAST"),
        DialectMutant(
            "NULL is sorted first in a descending order", replacing: " DESC NULLS LAST", with: " DESC NULLS FIRST"),
        DialectMutant("a descending order ascends", replacing: " DESC NULLS LAST", with: " NULLS LAST"),
        DialectMutant(
            "equal rows are in the opposite order", matching: #"(ORDER BY .*)(t0\."?_key"?)( LIMIT| OFFSET|$)"#,
            with: "$1$2 DESC$3"),
        DialectMutant("unknown is not false", replacing: " IS NOT TRUE", with: " IS FALSE"),
        DialectMutant("NULL differs from itself", replacing: " IS NOT DISTINCT FROM ", with: " = "),
        DialectMutant("NULL differs from nothing", replacing: " IS DISTINCT FROM ", with: " <> "),
        DialectMutant("[cd] keeps diacritics", replacing: "._sworm_fold1_cd(", with: "._sworm_fold1_c("),
        DialectMutant("[c] is lower case", matching: #""[^"]+"\._sworm_fold1_c\("#, with: "pg_catalog.lower("),
        DialectMutant("[d] is ignored", matching: #""[^"]+"\._sworm_fold1_d\("#, with: "("),
        DialectMutant("BETWEEN exchanges its bounds", replacing: " BETWEEN ", with: " BETWEEN SYMMETRIC "),
        DialectMutant(">= excludes the bound", replacing: " >= ", with: " > "),
        DialectMutant("<= excludes the bound", replacing: " <= ", with: " < "),
        DialectMutant("< includes the bound", replacing: " < ", with: " <= "),
        DialectMutant("a limit is one too large", matching: #"LIMIT (\$\d+)"#, with: "LIMIT $1 + 1"),
        DialectMutant("an offset is one too large", matching: #"OFFSET (\$\d+)"#, with: "OFFSET $1 + 1"),
        DialectMutant("a part at the start is not found", replacing: " > 0", with: " > 1"),
        DialectMutant("ENDSWITH looks at the start", replacing: "right(", with: "left("),
        DialectMutant("LIKE ignores case", replacing: " LIKE ", with: " ILIKE "),
        DialectMutant(
            "a total of nothing is NULL", matching: #"COALESCE\((SUM|COUNT)(.*?), 0\)"#, with: "COALESCE($1$2, NULL)"),
        DialectMutant("reals are integers", replacing: "::float8", with: "::int"),
        DialectMutant("dates begin a second later", replacing: "978307200", with: "978307201"),
        DialectMutant("rows without a destination are lost", replacing: "LEFT JOIN", with: "JOIN"),
        DialectMutant("an empty string is found", replacing: " = '' THEN", with: " IS NULL THEN"),
        DialectMutant("all members are those of a first owner", replacing: "NOT EXISTS", with: "EXISTS"),
        DialectMutant("computed strings have the order of a language", replacing: " COLLATE \"C\"", with: ""),
    ]
}
#endif
