import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import Testing

@Suite("SQL of relationships")
struct RelationshipSQLTests {
    private func sql(
        _ format: String, _ arguments: [PredicateArgument] = [], of entity: String = "Book"
    ) throws -> String { try LibraryQueries.sql(format, arguments, of: entity) }

    private let author = "LEFT JOIN ZAUTHOR t1 ON t1.Z_PK = t0.ZAUTHOR"

    @Test func `a path joins each object once`() throws {
        #expect(try sql("author.name == 'x' AND author.age > 3") == " \(author) WHERE t1.ZNAME = ?1 AND t1.ZAGE > ?2")
        #expect(
            try sql("author.name == 'x' OR editor.name == 'y'")
                == " \(author) LEFT JOIN ZAUTHOR t2 ON t2.Z_PK = t0.ZEDITOR WHERE t1.ZNAME = ?1 OR t2.ZNAME = ?2")
    }

    @Test func `a key alone needs no join`() throws {
        let object = LibraryQueries.object("Author", 4)
        #expect(try sql("author == %@", [object]) == "t0.ZAUTHOR = ?1")
        #expect(try sql("author.self == %@", [object]) == "t0.ZAUTHOR = ?1")
        #expect(try sql("author != nil AND author == editor") == "t0.ZAUTHOR IS NOT NULL AND t0.ZAUTHOR = t0.ZEDITOR")
        #expect(
            try sql("book.author == %@", [object], of: "Chapter")
                == " LEFT JOIN ZBOOK t1 ON t1.Z_PK = t0.ZBOOK WHERE t1.ZAUTHOR = ?1")
    }

    @Test func `an object is its key, and only where it can be one`() throws {
        #expect(try sql("SELF == %@", [LibraryQueries.object("Book", 4)]) == "t0.Z_PK = ?1")
        #expect(try sql("SELF == %@", [LibraryQueries.object("Novel", 4)]) == "t0.Z_PK = ?1")
        #expect(try sql("%@ == SELF", [LibraryQueries.object("Novel", 4)]) == "t0.Z_PK = ?1")
        let strangers = [
            LibraryQueries.object("Tag", 4), LibraryQueries.object("Book", 4, store: nil),
            LibraryQueries.object("Book", 4, store: "OTHER"), LibraryQueries.object("Gone", 4),
        ]
        for stranger in strangers {
            #expect(try sql("SELF == %@", [stranger]) == "0")
            #expect(try sql("SELF != %@", [stranger]) == "")
            #expect(try sql("author == %@", [stranger]) == "0")
            #expect(try sql("author != %@", [stranger]) == "t0.ZAUTHOR IS NOT NULL")
            #expect(try sql("NOT (author == %@)", [stranger]) == "NOT (t0.ZAUTHOR <> t0.ZAUTHOR)")
        }
    }

    @Test func `lists of objects leave out those that cannot be meant`() throws {
        let objects: [PredicateArgument] = [
            LibraryQueries.object("Book", 4), LibraryQueries.object("Tag", 5), LibraryQueries.object("Novel", 6),
        ]
        let statement = try LibraryQueries.condition("SELF IN %@", [.list(objects)])
        #expect(statement.sql == "t0.Z_PK IN (?1, ?2)" && statement.bindings == [.int64(4), .int64(6)])
        #expect(try sql("author IN %@", [.list(objects)]) == "0")
        #expect(try sql("NOT (author IN %@)", [.list(objects)]) == "NOT (t0.ZAUTHOR <> t0.ZAUTHOR)")
        #expect(
            try sql("author IN %@", [.list([LibraryQueries.object("Author", 1), .value(.null)])])
                == "t0.ZAUTHOR IN (?1) OR t0.ZAUTHOR IS NULL")
        let many = (1...300).map { LibraryQueries.object("Book", $0) }
        #expect(try sql("SELF IN %@", [.list(many)]) == "t0.Z_PK IN (SELECT value FROM json_each(?1))")
    }

    @Test(arguments: [
        ("ANY chapters.pages > 100", "EXISTS (SELECT 1 FROM ZCHAPTER t1 WHERE t1.ZBOOK = t0.Z_PK AND t1.ZPAGES > ?1)"),
        (
            "ALL chapters.pages > 100",
            "NOT EXISTS (SELECT 1 FROM ZCHAPTER t1 WHERE t1.ZBOOK = t0.Z_PK AND (t1.ZPAGES > ?1) IS NOT 1)"
        ),
        (
            "NONE chapters.pages > 100",
            "NOT EXISTS (SELECT 1 FROM ZCHAPTER t1 WHERE t1.ZBOOK = t0.Z_PK AND t1.ZPAGES > ?1)"
        ),
        (
            "ANY chapters.pages > rating",
            "EXISTS (SELECT 1 FROM ZCHAPTER t1 WHERE t1.ZBOOK = t0.Z_PK AND t1.ZPAGES > t0.ZRATING)"
        ),
        (
            "ANY chapters.title BEGINSWITH 'a'",
            "EXISTS (SELECT 1 FROM ZCHAPTER t1 WHERE t1.ZBOOK = t0.Z_PK AND t1.ZTITLE >= ?1 AND t1.ZTITLE < ?2)"
        ),
        (
            "ANY tags.name == 'x'",
            "EXISTS (SELECT 1 FROM Z_2TAGS t1 JOIN ZTAG t2 ON t2.Z_PK = t1.Z_6TAGS WHERE t1.Z_2BOOKS = t0.Z_PK AND t2.ZNAME = ?1)"
        ),
        ("ANY notes.text == 'x'", "EXISTS (SELECT 1 FROM ZNOTE t1 WHERE t1.Z2NOTES = t0.Z_PK AND t1.ZTEXT = ?1)"),
        (
            "ANY sequels.year > year",
            "EXISTS (SELECT 1 FROM Z_2SEQUELS t1 JOIN ZBOOK t2 ON t2.Z_PK = t1.Z_2SEQUELS WHERE t1.Z_2PREQUELS = t0.Z_PK AND t2.ZYEAR > t0.ZYEAR)"
        ),
        (
            "ANY prequels != nil",
            "EXISTS (SELECT 1 FROM Z_2SEQUELS t1 WHERE t1.Z_2SEQUELS = t0.Z_PK AND t1.Z_2PREQUELS IS NOT NULL)"
        ),
        (
            "ANY similar.year == 1",
            "EXISTS (SELECT 1 FROM (SELECT Z_2SIMILAR, REFLEXIVE FROM Z_2SIMILAR UNION SELECT REFLEXIVE, Z_2SIMILAR FROM Z_2SIMILAR) t1 JOIN ZBOOK t2 ON t2.Z_PK = t1.REFLEXIVE WHERE t1.Z_2SIMILAR = t0.Z_PK AND t2.ZYEAR = ?1)"
        ),
        (
            "ANY author.books.year == 1",
            "EXISTS (SELECT 1 FROM ZBOOK t1 WHERE t1.ZAUTHOR = t0.ZAUTHOR AND t1.ZYEAR = ?1)"
        ),
        (
            "ANY tags.books.year == 1",
            "EXISTS (SELECT 1 FROM Z_2TAGS t1 JOIN Z_2TAGS t2 ON t2.Z_6TAGS = t1.Z_6TAGS JOIN ZBOOK t3 ON t3.Z_PK = t2.Z_2BOOKS WHERE t1.Z_2BOOKS = t0.Z_PK AND t3.ZYEAR = ?1)"
        ),
        (
            "ANY chapters.book.author.name == 'x'",
            "EXISTS (SELECT 1 FROM ZCHAPTER t1 LEFT JOIN ZBOOK t2 ON t2.Z_PK = t1.ZBOOK LEFT JOIN ZAUTHOR t3 ON t3.Z_PK = t2.ZAUTHOR WHERE t1.ZBOOK = t0.Z_PK AND t3.ZNAME = ?1)"
        ),
        (
            "'x' IN tags.name",
            "EXISTS (SELECT 1 FROM Z_2TAGS t1 JOIN ZTAG t2 ON t2.Z_PK = t1.Z_6TAGS WHERE t1.Z_2BOOKS = t0.Z_PK AND t2.ZNAME = ?1)"
        ),
    ])
    func `each quantifier is a query of its own`(_ format: String, _ expected: String) throws {
        #expect(try sql(format) == expected)
    }

    @Test func `a member is looked for in the join table alone`() throws {
        let tag = LibraryQueries.object("Tag", 7)
        let expected = "EXISTS (SELECT 1 FROM Z_2TAGS t1 WHERE t1.Z_2BOOKS = t0.Z_PK AND t1.Z_6TAGS = ?1)"
        for format in ["ANY tags == %@", "tags CONTAINS %@", "%@ IN tags"] {
            #expect(try sql(format, [tag]) == expected)
        }
        #expect(
            try sql("ANY tags IN %@", [.list([tag])])
                == "EXISTS (SELECT 1 FROM Z_2TAGS t1 WHERE t1.Z_2BOOKS = t0.Z_PK AND t1.Z_6TAGS IN (?1))")
        #expect(try sql("tags CONTAINS %@", [LibraryQueries.object("Book", 7)]) == "0")
    }

    @Test(arguments: [
        ("chapters.@count > 2", "(SELECT COUNT(*) FROM ZCHAPTER t1 WHERE t1.ZBOOK = t0.Z_PK) > ?1"),
        ("tags.@count == 2", "(SELECT COUNT(*) FROM Z_2TAGS t1 WHERE t1.Z_2BOOKS = t0.Z_PK) = ?1"),
        ("tags.@count == 0", "NOT EXISTS (SELECT 1 FROM Z_2TAGS t1 WHERE t1.Z_2BOOKS = t0.Z_PK)"),
        ("0 < tags.@count", "EXISTS (SELECT 1 FROM Z_2TAGS t1 WHERE t1.Z_2BOOKS = t0.Z_PK)"),
        ("notes.@count >= 1", "EXISTS (SELECT 1 FROM ZNOTE t1 WHERE t1.Z2NOTES = t0.Z_PK)"),
        ("chapters[SIZE] < 1", "NOT EXISTS (SELECT 1 FROM ZCHAPTER t1 WHERE t1.ZBOOK = t0.Z_PK)"),
        ("author.books.@count != 0", "EXISTS (SELECT 1 FROM ZBOOK t1 WHERE t1.ZAUTHOR = t0.ZAUTHOR)"),
        (
            "chapters.@sum.pages == 40",
            "(SELECT COALESCE(SUM(t1.ZPAGES), 0) FROM ZCHAPTER t1 WHERE t1.ZBOOK = t0.Z_PK) = ?1"
        ),
        ("chapters.@min.pages < 10", "(SELECT MIN(t1.ZPAGES) FROM ZCHAPTER t1 WHERE t1.ZBOOK = t0.Z_PK) < ?1"),
        ("chapters.@max.title > 'a'", "(SELECT MAX(t1.ZTITLE) FROM ZCHAPTER t1 WHERE t1.ZBOOK = t0.Z_PK) > ?1"),
        (
            "chapters.@avg.pages == 2",
            "(SELECT COALESCE(SUM(t1.ZPAGES) * 1.0 / COUNT(*), 0.0) FROM ZCHAPTER t1 WHERE t1.ZBOOK = t0.Z_PK) = ?1"
        ),
        (
            "SUBQUERY(chapters, $c, $c.title == 'I' AND $c.pages > rating).@count == 2",
            "(SELECT COUNT(*) FROM ZCHAPTER t1 WHERE t1.ZBOOK = t0.Z_PK AND t1.ZTITLE = ?1 AND t1.ZPAGES > t0.ZRATING) = ?2"
        ),
        (
            "SUBQUERY(tags, $t, $t.name == 'I').@count > 0",
            "EXISTS (SELECT 1 FROM Z_2TAGS t1 JOIN ZTAG t2 ON t2.Z_PK = t1.Z_6TAGS WHERE t1.Z_2BOOKS = t0.Z_PK AND t2.ZNAME = ?1)"
        ),
        (
            "ANY SUBQUERY(chapters, $c, $c.pages > 1).title == 'I'",
            "EXISTS (SELECT 1 FROM ZCHAPTER t1 WHERE t1.ZBOOK = t0.Z_PK AND t1.ZPAGES > ?1 AND t1.ZTITLE = ?2)"
        ),
        (
            "SUBQUERY(chapters, $c, $c.pages > 1).@sum.size > 3",
            "(SELECT COALESCE(SUM(t1.ZSIZE), 0) FROM ZCHAPTER t1 WHERE t1.ZBOOK = t0.Z_PK AND t1.ZPAGES > ?1) > ?2"
        ),
    ])
    func `collections are counted and summed in queries of their own`(_ format: String, _ expected: String) throws {
        #expect(try sql(format) == expected)
    }

    @Test func `subqueries nest`() throws {
        #expect(
            try sql(
                "SUBQUERY(books, $b, SUBQUERY($b.chapters, $c, $c.title == 'M').@count > 0).@count > 0", of: "Author")
                == "EXISTS (SELECT 1 FROM ZBOOK t1 WHERE t1.ZAUTHOR = t0.Z_PK AND EXISTS (SELECT 1 FROM ZCHAPTER t2"
                + " WHERE t2.ZBOOK = t1.Z_PK AND t2.ZTITLE = ?1))")
    }

    @Test func `a count after further keys is rejected`() throws {
        #expect(try LibraryQueries.issue("chapters.title.@count == 1").code == .unsupported)
        var request = try LibraryQueries.request()
        request.predicate = .comparison(
            Comparison(.path(["chapters", "pages", "@sum"]), by: .equal, with: .value(.int(1))))
        let error = try #require(throws: QueryError.self) {
            _ = try LibraryQueries.compiler.count(request)
        }
        #expect(error.code == .unsupported && error.message.contains("misplaced operator"))
    }

    @Test func `small lists are bound, nil in them is tested`() throws {
        #expect(try sql("year IN {1, 2}") == "t0.ZYEAR IN (?1, ?2)")
        #expect(try sql("year IN {1, nil}") == "t0.ZYEAR IN (?1) OR t0.ZYEAR IS NULL")
        #expect(try sql("year IN {nil}") == "t0.ZYEAR IS NULL")
        #expect(
            try sql("NOT (year IN {1, nil}) AND rating == 1")
                == "NOT (t0.ZYEAR IN (?1) OR t0.ZYEAR IS NULL) AND t0.ZRATING = ?2")
        #expect(try sql("title IN[c] {'a'}") == "SwormFold(t0.ZTITLE, 1) IN (SwormFold(?1, 1))")
        #expect(try sql("year IN {rating, 3}") == "t0.ZYEAR IN (?1, t0.ZRATING)")
        #expect(try sql("{1, 2} CONTAINS year") == "t0.ZYEAR IN (?1, ?2)")
    }

    @Test func `a list of values through a relationship requires that the row exists, except under NOT`() throws {
        #expect(
            try sql("author.name IN {'x', 'y'}") == " \(author) WHERE t1.ZNAME IS NOT NULL AND t1.ZNAME IN (?1, ?2)")
        #expect(
            try sql("year == 1 OR author.name IN {'x'}")
                == " \(author) WHERE t0.ZYEAR = ?1 OR (t1.ZNAME IS NOT NULL AND t1.ZNAME IN (?2))")
        #expect(try sql("NOT (author.name IN {'x'})") == " \(author) WHERE NOT (t1.ZNAME IN (?1))")
        #expect(
            try sql("author.name IN {'x', nil}") == " \(author) WHERE t1.ZNAME IN (?1) OR t1.ZNAME IS NULL")
    }

    @Test func `alternatives that all need one row say that it must be there, except under NOT`() throws {
        let either = "t1.ZNAME = ?1 OR t1.ZAGE = ?2"
        #expect(
            try sql("author.name == 'x' OR author.age == 3") == " \(author) WHERE t1.Z_PK IS NOT NULL AND (\(either))")
        #expect(try sql("NOT (author.name == 'x' OR author.age == 3)") == " \(author) WHERE NOT (\(either))")
        #expect(
            try sql("NOT (NOT (author.name == 'x' OR author.age == 3))") == " \(author) WHERE NOT (NOT (\(either)))")
        #expect(
            try sql("(author.name == 'x' AND year == 1) OR author.age != nil")
                == " \(author) WHERE t1.Z_PK IS NOT NULL AND ((t1.ZNAME = ?1 AND t0.ZYEAR = ?2) OR t1.ZAGE IS NOT NULL)"
        )
        #expect(
            try sql("author.name BEGINSWITH 'x' OR author.age BETWEEN {1, 2}")
                == " \(author) WHERE t1.Z_PK IS NOT NULL AND ((t1.ZNAME >= ?1 AND t1.ZNAME < ?2) OR t1.ZAGE BETWEEN ?3 AND ?4)"
        )
    }

    @Test(arguments: [
        ("author == nil OR author.age == 3", "t0.ZAUTHOR IS NULL OR t1.ZAGE = ?1"),
        ("author.name == nil OR author.age == 3", "t1.ZNAME IS NULL OR t1.ZAGE = ?1"),
        ("author.name IN {'x', nil} OR author.age == 3", "t1.ZNAME IN (?1) OR t1.ZNAME IS NULL OR t1.ZAGE = ?2"),
        ("NOT (author.name == 'x') OR author.age == 3", "NOT (t1.ZNAME = ?1) OR t1.ZAGE = ?2"),
        ("year == 1 OR author.age == 3 OR author.age == 4", "t0.ZYEAR = ?1 OR t1.ZAGE = ?2 OR t1.ZAGE = ?3"),
        (
            "TERNARY(author.name == 'x', 1, 2) == 2 OR author.age == 3",
            "(CASE WHEN t1.ZNAME = ?1 THEN ?2 ELSE ?3 END) = ?4 OR t1.ZAGE = ?5"
        ),
    ])
    func `alternatives one of which can do without the row do not say so`(_ format: String, _ where: String) throws {
        #expect(try sql(format) == " \(author) WHERE \(`where`)")
    }

    @Test func `each row that is needed on the way is named`() throws {
        let joins = "LEFT JOIN ZBOOK t1 ON t1.Z_PK = t0.ZBOOK LEFT JOIN ZAUTHOR t2 ON t2.Z_PK = t1.ZAUTHOR"
        #expect(
            try sql("book.author.name == 'x' OR book.author.age == 3", of: "Chapter")
                == " \(joins) WHERE t1.Z_PK IS NOT NULL AND (t2.Z_PK IS NOT NULL AND (t2.ZNAME = ?1 OR t2.ZAGE = ?2))")
        #expect(
            try sql("book.author.name == 'x' OR book.year == 3", of: "Chapter")
                == " \(joins) WHERE t1.Z_PK IS NOT NULL AND (t2.ZNAME = ?1 OR t1.ZYEAR = ?2)")
    }

    @Test func `large lists travel in few parameters`() throws {
        func condition(_ key: String, _ values: [AttributeValue], _ options: String = "") throws -> CompiledStatement {
            try LibraryQueries.condition("\(key) IN\(options) %@", [.list(values.map { .value($0) })])
        }
        let json = "IN (SELECT value FROM json_each(?1))"
        let years = try condition("year", (0..<201).map { .int($0) })
        #expect(years.sql == "t0.ZYEAR \(json)" && years.bindings.count == 1)
        #expect(
            try condition("published", (0..<201).map { .date(Date(timeIntervalSinceReferenceDate: Double($0))) }).sql
                == "t0.ZPUBLISHED \(json)")
        #expect(
            try condition("title", (0..<201).map { .string("\($0)") }, "[c]").sql
                == "SwormFold(t0.ZTITLE, 1) IN (SELECT SwormFold(value, 1) FROM json_each(?1))")
        let halves = try condition("price", (0..<450).map { .double(Double($0) + 0.5) })
        #expect(halves.bindings.count == 450 && halves.sql.components(separatedBy: " OR ").count == 3)
        let isbns = try condition("isbn", (0..<201).map { _ in .uuid(UUID()) })
        guard case .blob(let bytes) = try #require(isbns.bindings.first) else {
            Issue.record("the identifiers are not packed")
            return
        }
        #expect(isbns.bindings.count == 1 && bytes.count == 201 * 16)
    }
}
