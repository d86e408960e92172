#if PostgreSQL
import Foundation
import SwormPredicates
import Testing

@testable import SwormStore

@Suite("Functions that fold strings on a server")
struct FoldingFunctionTests {
    private let statements = FoldingFunctions.statements(schema: "my \"shop\"")

    @Test func `have names with the version of the tables`() {
        #expect(
            TextFolding.allCases.map(FoldingFunctions.name) == ["_sworm_fold1_c", "_sworm_fold1_d", "_sworm_fold1_cd"])
        let beginnings = statements.map { $0.prefix { $0 != "(" } }
        #expect(
            beginnings
                == ["marks", "c", "d", "cd"].map {
                    "CREATE OR REPLACE FUNCTION \"my \"\"shop\"\"\".\"_sworm_fold1_\($0)\""
                })
    }

    /// A server restores indexes with an empty search path.
    @Test func `call functions and operators by their schema only`() {
        let keywords: Set<Substring> = ["OPERATOR", "RETURN", "CASE", "IF", "BY", "ELSE", "mark", "part"]
        for statement in statements {
            #expect(statement.contains("IMMUTABLE STRICT PARALLEL SAFE"))
            let code = statement.split(separator: "'", omittingEmptySubsequences: false).enumerated()
                .compactMap { $0 % 2 == 0 ? $1 : nil }.joined(separator: "''")
            for call in code.matches(of: #/([\w".$]+) *\(/#) where !keywords.contains(call.1) {
                #expect(
                    call.1.hasPrefix("pg_catalog.") || call.1.hasPrefix("\"") || call.1.hasSuffix("\""), "\(call.1)")
            }
            #expect(!code.contains(#/[A-Za-z0-9_)\]] +(\|\||~|=|<|>) /#))
        }
    }

    /// These letters are decomposed by the server, in its version of Unicode.
    @Test func `decompose only letters whose base letters are those of the tables`() {
        let mappings = FoldingMappings()
        for scalar in FoldingSQL.stableLetters.joined() {
            let text = Unicode.Scalar(scalar).map(String.init) ?? ""
            let parts = text.decomposedStringWithCanonicalMapping.unicodeScalars.map(\.value)
            #expect(parts.first == mappings.baseLetters[scalar] ?? scalar && mappings.marks[scalar] == nil)
            #expect(parts.dropFirst().allSatisfy(FoldingSQL.decomposedMarks.contains))
        }
    }

    /// A server keeps the 32 regular expressions that a connection has used last.
    @Test func `have fewer regular expressions than a server keeps`() {
        let used = #/(?:(?:~|!~)\) |regexp_\w+\([^']*, )(E'[^']*')/#
        let expressions = Set(statements.flatMap { $0.matches(of: used).map(\.1) })
        #expect((20...30).contains(expressions.count), "\(expressions.count)")
    }

    /// The setting of the server for backslashes changes no literal.
    @Test func `have literals of ASCII, whose escapes are marked`() {
        for statement in statements {
            #expect(statement.utf8.allSatisfy { $0 < 0x80 })
            #expect(statement.matches(of: /(\w?)'([^']*\\[^']*)'/).allSatisfy { $0.1 == "E" })
        }
    }
}
#endif
