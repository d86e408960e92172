#if PostgreSQL
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: SQL of string operators")
struct PostgresStringSQLTests {
    private func condition(_ format: String) throws -> CompiledStatement { try ServerQueries.condition(format) }

    @Test(arguments: [
        ("title CONTAINS 'a'", #"strpos(t0."title", $1) > 0"#, ["a"]),
        ("title CONTAINS[c] 'Ä'", #"strpos("shop"._sworm_fold1_c(t0."title"), $1) > 0"#, ["ä"]),
        ("title CONTAINS[d] 'É'", #"strpos("shop"._sworm_fold1_d(t0."title"), $1) > 0"#, ["E"]),
        ("title CONTAINS[cd] 'É'", #"strpos("shop"._sworm_fold1_cd(t0."title"), $1) > 0"#, ["e"]),
        ("title CONTAINS[n] 'É'", #"strpos(t0."title", $1) > 0"#, ["É"]),
        ("'pha' IN title", #"strpos(t0."title", $1) > 0"#, ["pha"]),
        ("site CONTAINS 'example'", #"strpos(t0."site", $1) > 0"#, ["example"]),
        ("title BEGINSWITH 'Al'", #"t0."title" >= $1 AND t0."title" < $2"#, ["Al", "Am"]),
        (
            "title BEGINSWITH[cd] 'Él'",
            #""shop"._sworm_fold1_cd(t0."title") >= $1 AND "shop"._sworm_fold1_cd(t0."title") < $2"#, ["el", "em"]
        ),
        ("canonical(title) BEGINSWITH 'a'", #"starts_with("shop"._sworm_fold1_cd(t0."title"), $1)"#, ["a"]),
        ("title ENDSWITH 'a'", #"right(t0."title", length($1)) = $1"#, ["a"]),
        (
            "title ENDSWITH[c] 'A'",
            #"right("shop"._sworm_fold1_c(t0."title"), length($1)) = $1"#, ["a"]
        ),
        ("title ==[cd] 'É'", #""shop"._sworm_fold1_cd(t0."title") = $1"#, ["e"]),
        (
            "title <[c] subtitle",
            #""shop"._sworm_fold1_c(t0."title") < "shop"._sworm_fold1_c(t0."subtitle")"#, [String]()
        ),
    ])
    func `each operator has its form, and constants are folded before`(
        _ format: String, _ expected: String, _ texts: [String]
    ) throws {
        let statement = try condition(format)
        #expect(statement.sql == expected)
        #expect(statement.bindings == texts.map { SQLBinding.text($0) })
    }

    @Test func `lengths and numbers are not folded`() throws {
        #expect(try condition("title.length == 5").sql == #"length(t0."title") = $1"#)
        #expect(try condition("year ==[c] 3").sql == #"t0."year" = $1"#)
    }

    @Test(arguments: [
        ("title LIKE 'abc'", #"t0."title" = $1"#, ["abc"]), ("title LIKE ''", #"t0."title" = $1"#, [""]),
        ("title LIKE 'abc*'", #"t0."title" >= $1 AND t0."title" < $2"#, ["abc", "abd"]),
        ("title LIKE '*'", #"t0."title" LIKE $1"#, ["%"]),
        (
            "title LIKE 'a?c'", #"t0."title" >= $1 AND t0."title" < $2 AND t0."title" LIKE $3"#, ["a", "b", "a_c"]
        ),
        ("title LIKE '*b*'", #"t0."title" LIKE $1"#, ["%b%"]),
        ("title LIKE '*5%_\\\\\\\\*'", #"t0."title" LIKE $1"#, ["%5\\%\\_\\\\%"]),
        ("title LIKE[c] 'AB?'", #""shop"._sworm_fold1_c(t0."title") LIKE $1"#, ["ab_"]),
        (
            "title LIKE[c] 'AB*'",
            #""shop"._sworm_fold1_c(t0."title") >= $1 AND "shop"._sworm_fold1_c(t0."title") < $2"#, ["ab", "ac"]
        ),
        ("canonical(title) LIKE 'a*'", #""shop"._sworm_fold1_cd(t0."title") LIKE $1"#, ["a%"]),
    ])
    func `a pattern becomes one of SQL`(_ format: String, _ expected: String, _ texts: [String]) throws {
        let statement = try condition(format)
        #expect(statement.sql == expected && statement.bindings == texts.map { SQLBinding.text($0) }, "\(statement)")
    }

    @Test func `wildcards are distinguished from characters that look like them`() {
        func text(_ pattern: String, _ options: ComparisonOptions = []) -> LikeText {
            LikeText(pattern, options: options)
        }
        #expect(text("a%_").form == .literal("a%_") && text("a%_").text == "a\\%\\_")
        #expect(text("a\\*b\\?c\\\\").form == .literal("a*b?c\\"))
        #expect(text("a\\n").form == .literal("a\\n") && text("a\\").form == .literal("a\\"))
        #expect(text("[x]**").form == .prefix("[x]") && text("[x]**").text == "[x]%%")
        #expect(text("a[\\*?b").form == .pattern(start: "a[*") && text("a[\\*?b").text == "a[*_b")
        #expect(text("*a").form == .pattern(start: "") && text("?").form == .pattern(start: ""))
        #expect(text("*").form == .prefix(""))
        #expect(text("É*Ü?ß", .canonical).text == "e%u_ss")
    }

    @Test func `an empty string is found nowhere, and nil stays undecided under NOT`() throws {
        for word in ["CONTAINS", "BEGINSWITH", "ENDSWITH"] {
            #expect(try condition("title \(word) ''").sql == "FALSE")
            #expect(try condition("NOT (title \(word) '')").sql == #"NOT ((t0."title" IS NULL AND NULL))"#)
        }
    }

    @Test(arguments: [
        (
            "title CONTAINS subtitle",
            #"(CASE WHEN t0."subtitle" = '' THEN t0."title" <> t0."title" ELSE strpos(t0."title", t0."subtitle") > 0 END)"#
        ),
        (
            "title BEGINSWITH subtitle",
            #"(CASE WHEN t0."subtitle" = '' THEN t0."title" <> t0."title" ELSE starts_with(t0."title", t0."subtitle") END)"#
        ),
        (
            "title ENDSWITH subtitle",
            #"(CASE WHEN t0."subtitle" = '' THEN t0."title" <> t0."title" ELSE right(t0."title", length(t0."subtitle")) = t0."subtitle" END)"#
        ),
        (
            "'Abc' CONTAINS[c] title",
            #"(CASE WHEN "shop"._sworm_fold1_c(t0."title") = '' THEN $1 <> $1 ELSE strpos($1, "shop"._sworm_fold1_c(t0."title")) > 0 END)"#
        ),
    ])
    func `a part that each row computes may be empty`(_ format: String, _ expected: String) throws {
        #expect(try condition(format).sql == expected)
    }

    @Test func `operators without an exact form are left to memory`() throws {
        let formats: [NotExact.Reason: [String]] = [
            .locale: ["title ==[l] 'a'", "title <[l] 'a'", "title CONTAINS[cdl] 'a'", "title IN[l] {'a', 'b'}"],
            .regularExpression: ["title MATCHES 'a.*'", "title MATCHES subtitle"],
            .computedPattern: ["title LIKE subtitle"],
            .letterCase: ["uppercase(title) == 'A'", "lowercase(title) BEGINSWITH 'a'"],
        ]
        for (reason, formats) in formats {
            for format in formats { #expect(try ServerQueries.reason(format) == reason, "\(format)") }
        }
    }

    @Test func `a pattern that is not a regular expression is rejected`() throws {
        let issue = try #require(throws: QueryError.self) { _ = try condition("title MATCHES '(a'") }
        #expect(issue.code == .regularExpression)
    }

    @Test func `an error of the dialect names the path and the entity`() throws {
        let error = try #require(throws: NotExact.self) { _ = try condition("author.name MATCHES 'a.*'") }
        #expect(error.description.hasPrefix("author.name of Author is evaluated in memory, because MATCHES"))
    }
}
#endif
