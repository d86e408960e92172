import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import Testing

@Suite("SQL of comparisons")
struct ComparisonSQLTests {
    private func sql(_ format: String, _ arguments: PredicateArgument...) throws -> String {
        try LibraryQueries.sql(format, arguments)
    }

    private func bindings(_ format: String, _ arguments: PredicateArgument...) throws -> [SQLBinding] {
        try LibraryQueries.condition(format, arguments).bindings
    }

    @Test(arguments: [
        ("year == 3", "t0.ZYEAR = ?1"), ("year != 3", "t0.ZYEAR <> ?1"), ("year < 3", "t0.ZYEAR < ?1"),
        ("year <= 3", "t0.ZYEAR <= ?1"), ("year > 3", "t0.ZYEAR > ?1"), ("year >= 3", "t0.ZYEAR >= ?1"),
        ("3 < year", "t0.ZYEAR > ?1"), ("year == rating", "t0.ZYEAR = t0.ZRATING"),
        ("year BETWEEN {1, 2}", "t0.ZYEAR BETWEEN ?1 AND ?2"),
        ("rating BETWEEN {price, 10}", "t0.ZRATING BETWEEN t0.ZPRICE AND ?1"),
        ("size.width == 3", "t0.ZWIDTH = ?1"), ("cost > 3", "(t0.ZCOST + 0) > ?1"),
    ])
    func `a comparison is one with a bound value`(_ format: String, _ expected: String) throws {
        #expect(try sql(format) == expected)
    }

    @Test(arguments: [
        ("year == nil", "t0.ZYEAR IS NULL"), ("year != nil", "t0.ZYEAR IS NOT NULL"),
        ("nil == year", "t0.ZYEAR IS NULL"),
        ("cost == nil", "t0.ZCOST IS NULL"), ("cover == nil", "t0.ZCOVER IS NULL"),
        ("scan != nil", "t0.ZSCAN IS NOT NULL"),
        ("author == nil", "t0.ZAUTHOR IS NULL"), ("year > nil", "0"), ("NOT (year > nil)", ""), ("SELF == nil", "0"),
        ("SELF != nil", ""), ("title CONTAINS nil", "0"), ("NOT (title CONTAINS nil)", "NOT (NULL)"),
    ])
    func `nil is tested, never bound`(_ format: String, _ expected: String) throws {
        let statement = try LibraryQueries.condition(format)
        #expect(statement.sql == expected && statement.bindings == [])
    }

    @Test func `compounds have brackets only where they need them`() throws {
        #expect(
            try sql("year == 1 AND (rating == 2 OR title == 'a') AND NOT (price > 1 AND inStock == YES)")
                == "t0.ZYEAR = ?1 AND (t0.ZRATING = ?2 OR t0.ZTITLE = ?3) AND NOT (t0.ZPRICE > ?4 AND t0.ZINSTOCK = ?5)"
        )
        #expect(
            try sql("(year == 1 AND rating == 2) OR title == 'a'")
                == "(t0.ZYEAR = ?1 AND t0.ZRATING = ?2) OR t0.ZTITLE = ?3")
    }

    @Test func `constants are folded, and parameters that become unnecessary are removed`() throws {
        #expect(try sql("TRUEPREDICATE AND year == 1") == "t0.ZYEAR = ?1")
        let folded = try LibraryQueries.condition("(FALSEPREDICATE AND year == 1) OR rating == 2")
        #expect(folded.sql == "t0.ZRATING = ?1" && folded.bindings == [.int64(2)])
        #expect(try sql("FALSEPREDICATE OR TRUEPREDICATE OR year == 1") == "")
        #expect(try sql("NOT (FALSEPREDICATE)") == "")
        #expect(try sql("year IN {}") == "0")
        #expect(try sql("TERNARY(TRUEPREDICATE, year, rating) == 1") == "t0.ZYEAR = ?1")
        #expect(try sql("nil == nil") == "")
    }

    @Test func `values are bound as the store keeps them`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 12.5)
        let uuid = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
        #expect(try bindings("year == 2000.0") == [.double(2000)])
        #expect(try bindings("inStock == YES") == [.int64(1)])
        #expect(try bindings("price == %@", .value(.double(.nan))) == [.null])
        #expect(try bindings("cost == %@", .value(.decimal(7))) == [.int64(7)])
        #expect(
            try bindings("cost == %@", .value(.decimal(Decimal(sign: .plus, exponent: -1, significand: 1)))) == [
                .double(0.1)
            ])
        #expect(try bindings("published == %@", .value(.date(date))) == [.double(12.5)])
        #expect(try bindings("isbn == %@", .value(.uuid(uuid))) == [.blob(Data(0...15))])
        let url = try #require(URL(string: "https://a.example/b"))
        #expect(try bindings("site == %@", .value(.url(url))) == [.text("https://a.example/b")])
        #expect(try bindings("digest == %@", .value(.data(Data([1, 2])))) == [.blob(Data([1, 2]))])
    }

    @Test func `no value is part of the SQL string`() throws {
        let hostile = "'; DROP TABLE ZBOOK; --?1\""
        let statement = try LibraryQueries.condition(
            "title == %@ OR title CONTAINS %@", [.value(.string(hostile)), .value(.string(hostile))])
        #expect(statement.sql == "t0.ZTITLE = ?1 OR instr(t0.ZTITLE, ?2) > 0")
        #expect(statement.bindings == [.text(hostile), .text(hostile)])
    }

    @Test func `options fold both sides`() throws {
        #expect(try sql("title ==[c] 'a'") == "SwormFold(t0.ZTITLE, 1) = SwormFold(?1, 1)")
        #expect(try sql("title <[cd] subtitle") == "SwormFold(t0.ZTITLE, 3) < SwormFold(t0.ZSUBTITLE, 3)")
        #expect(try sql("title ==[n] 'a'") == "t0.ZTITLE = ?1")
        #expect(try sql("year ==[c] 3") == "t0.ZYEAR = ?1")
    }

    @Test func `identity counts nil as a value`() throws {
        func identity(_ comparator: SwormPredicates.Comparator, _ right: ExpressionTree) throws -> String {
            var request = try LibraryQueries.request()
            request.predicate = .comparison(Comparison(.path(["rating"]), by: comparator, with: right))
            let sql = try LibraryQueries.compiler.count(request).sql
            return sql.replacingOccurrences(of: "SELECT COUNT(*) FROM ZBOOK t0 WHERE ", with: "")
        }
        #expect(try identity(.identical, .path(["year"])) == "t0.ZRATING IS t0.ZYEAR")
        #expect(try identity(.notIdentical, .value(.int(1))) == "t0.ZRATING IS NOT ?1")
        #expect(try identity(.identical, .value(.null)) == "t0.ZRATING IS NULL")
    }

    @Test(arguments: [
        ("year + 1 == 2", "(t0.ZYEAR + ?1) = ?2"), ("year / 2 == 2", "(t0.ZYEAR / ?1) = ?2"),
        ("cost / 2 == 2", "(CAST(t0.ZCOST AS REAL) / ?1) = ?2"), ("price ** 2 > 2", "SwormPower(t0.ZPRICE, ?1) > ?2"),
        ("(year & 1) == 1", "(t0.ZYEAR & ?1) = ?2"), ("(year | 1) == 1", "(t0.ZYEAR | ?1) = ?2"),
        ("(year ^ 1) == 1", "SwormXor(t0.ZYEAR, ?1) = ?2"), ("-price == 5", "(-t0.ZPRICE) = ?1"),
        ("-5 == year", "t0.ZYEAR = ?1"), ("title.length == 5", "length(t0.ZTITLE) = ?1"),
        ("abs(year) == 5", "abs(t0.ZYEAR) = ?1"),
        ("noindex(year) == 5", "+t0.ZYEAR = ?1"), ("modulus:by:(year, 2) == 1", "(t0.ZYEAR % ?1) = ?2"),
        (
            "TERNARY(rating != nil, rating, 9) > 4",
            "(CASE WHEN t0.ZRATING IS NOT NULL THEN t0.ZRATING ELSE ?1 END) > ?2"
        ),
        ("published + 60 > published", "(CAST(t0.ZPUBLISHED AS REAL) + ?1) > t0.ZPUBLISHED"),
        ("CAST(price, 'NSDate') > published", "t0.ZPRICE > t0.ZPUBLISHED"),
        ("floor(year) == 1", "t0.ZYEAR = ?1"), ("sqrt(price) == 1", "SwormSqrt(t0.ZPRICE) = ?1"),
        ("floor(price) == 1", "SwormFloor(t0.ZPRICE) = ?1"), ("ln(year) > 1", "SwormLn(t0.ZYEAR) > ?1"),
        ("modulus:by:(price, 2) == 1", "(CAST(t0.ZPRICE AS INTEGER) % ?1) = ?2"),
    ])
    func `numbers are computed with`(_ format: String, _ expected: String) throws {
        #expect(try sql(format) == expected)
    }

    @Test func `a cast of a constant is a constant`() throws {
        #expect(try bindings("published == CAST(1000.5, 'NSDate')") == [.double(1000.5)])
    }

    @Test func `the time is the same everywhere in a statement`() throws {
        let bindings = try bindings("published > now() OR published < now()")
        #expect(bindings.count == 2 && bindings[0] == bindings[1])
    }

    @Test func `a long chain is not deeper than SQLite allows`() throws {
        let parts = (0..<5000).map {
            PredicateTree.comparison(Comparison(.path(["year"]), by: .equal, with: .value(.int($0))))
        }
        let nested = parts.dropFirst().reduce(parts[0]) { .or([$0, $1]) }
        var request = try LibraryQueries.request()
        request.predicate = nested
        let statement = try LibraryQueries.compiler.count(request)
        #expect(statement.bindings.count == 5000)
        let connection = try QueryRunner.connection(for: .library)
        #expect(try QueryRunner.rows(statement, on: connection) == [["0"]])
    }

    @Test func `a tree that is too deep is rejected`() throws {
        var tree = PredicateTree.comparison(Comparison(.path(["year"]), by: .equal, with: .value(.int(1))))
        for _ in 0..<2000 { tree = .not(tree) }
        var request = try LibraryQueries.request()
        request.predicate = tree
        let error = try #require(throws: QueryError.self) {
            _ = try LibraryQueries.compiler.count(request)
        }
        #expect(error.code == .limit)
    }
}

@Suite("Errors in predicates")
struct PredicateErrorTests {
    @Test(arguments: [
        ("nope == 1", "nope", "Book"), ("author.nope == 1", "author.nope", "Author"), ("genre == 'x'", "genre", "Book"),
        ("size.depth == 1", "size.depth", "Book"), ("ANY chapters.nope == 1", "chapters.nope", "Chapter"),
    ])
    func `an unknown key is named with its path and entity`(_ format: String, _ path: String, _ entity: String) throws {
        let issue = try LibraryQueries.issue(format)
        #expect(issue.code == .unknownKey)
        #expect(issue.message.contains("keypath \(path) not found in entity \(entity)"))
        if path.hasSuffix("nope") { #expect(!issue.message.contains("Did you mean"), "\(issue.message)") }
    }

    @Test(arguments: [
        ("titel == 'x'", "title"), ("Title == 'x'", "title"), ("autor.name == 'x'", "author"),
        ("author.nam == 'x'", "name"), ("ANY chapter.pages == 1", "chapters"), ("ANY chapters.page == 1", "pages"),
        ("siz.width == 1", "size"), ("size.widht == 1", "size.width"),
    ])
    func `a misspelt key comes with the nearest one`(_ format: String, _ nearest: String) throws {
        let message = try LibraryQueries.issue(format).message
        #expect(message.hasSuffix(". Did you mean '\(nearest)'?"), "\(message)")
    }

    @Test(arguments: [
        "chapters.title == 'x'", "chapters == nil", "author.books.title == 'x'", "chapters.pages + 1 == 2",
        "chapters.pages IN {1}",
    ])
    func `a to-many path needs a quantifier`(_ format: String) throws {
        let issue = try LibraryQueries.issue(format)
        #expect(issue.message.contains("to-many key not allowed here"))
        #expect(issue.message.contains("of Book") || issue.message.contains("of Author"))
    }

    @Test(arguments: ["ANY year == 1", "ALL author.age > 3", "NONE author == nil"])
    func `a quantifier needs a to-many path`(_ format: String) throws {
        #expect(try LibraryQueries.issue(format).message.contains("need a to-many relationship"))
    }

    @Test(arguments: [
        ("year == 'abc'", "year of Book"), ("title == 5", "title of Book"), ("inStock == 'YES'", "inStock of Book"),
        ("published > 5", "published of Book"), ("isbn == 'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'", "isbn of Book"),
        ("author == 5", "author of Author"), ("author == 'Ann'", "author of Author"),
        ("title == year", "title of Book"),
        ("year CONTAINS 'x'", "year of Book"), ("title CONTAINS 5", "title of Book"),
        ("year IN {1, 'x'}", "year of Book"),
        ("title BETWEEN {1, 2}", "title of Book"), ("title + 1 == 2", "title of Book"),
        ("chapters.@sum.title == 1", "chapters"),
        ("author > editor", "author of Author"), ("isbn < isbn", "isbn of Book"), ("digest > digest", "digest of Book"),
        ("site == 5", "site of Book"),
    ])
    func `a comparison of incomparable values names its path`(_ format: String, _ text: String) throws {
        let issue = try LibraryQueries.issue(format)
        #expect(issue.code == .typeMismatch)
        #expect(issue.message.contains(text), "\(issue.message)")
    }

    @Test(arguments: [
        ("mood == 'x'", "transient"), ("mood == nil", "transient"), ("cover == 'x'", "transformable"),
        ("scan == nil OR scan == digest", "stored externally"), ("title ==[c] cover", "transformable"),
    ])
    func `comparisons that the store does not support are rejected`(_ format: String, _ word: String) throws {
        let issue = try LibraryQueries.issue(format)
        #expect(issue.code == .unsupported && issue.message.contains(word), "\(issue.message)")
    }

    @Test func `a pattern that is not a regular expression is rejected before the fetch`() throws {
        #expect(try LibraryQueries.issue("title MATCHES '(a'").code == .regularExpression)
    }

    @Test func `a variable without a value is rejected`() throws {
        #expect(try LibraryQueries.issue("title == $x").code == .variable)
    }

    @Test(arguments: [
        "stddev(year) == 1", "median(year) == 1", "chapters[0] == nil", "notes[-1] == nil", "title.size == 1",
    ])
    func `constructs that a fetch does not support are rejected`(_ format: String) throws {
        #expect(try LibraryQueries.issue(format).code == .unsupported)
    }
}
