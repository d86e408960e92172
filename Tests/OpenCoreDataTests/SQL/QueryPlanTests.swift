import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import SwormSQLite
import Testing

@Suite("The indexes that queries use")
struct QueryPlanTests {
    private let model: CompiledModel
    private let compiler: SQLCompiler
    private let connection: Connection

    init() throws {
        let names = ["title", "year", "price", "isbn", "when"]
        model = ModelSketch([
            .init(
                name: "Author", attributes: ["name": .string, "age": .integer32],
                relationships: ["books ->> Book.author"],
                indexes: ["name", "age"].map {
                    .init(kind: .flag, name: $0, elements: [.property($0, ascending: true)])
                }),
            .init(
                name: "Book",
                attributes: ["title": .string, "year": .integer32, "price": .double, "isbn": .uuid, "when": .date],
                relationships: ["author -> Author.books", "chapters ->> Chapter.book", "tags ->> Tag.books"],
                indexes: names.map { .init(kind: .flag, name: $0, elements: [.property($0, ascending: true)]) }),
            .init(name: "Chapter", attributes: ["pages": .integer32], relationships: ["book -> Book.chapters"]),
            .init(name: "Tag", attributes: ["name": .string], relationships: ["books ->> Book.tags"]),
        ]).compiled()
        compiler = SQLCompiler(model: model, layout: StoreLayout(model: model), storeIdentifier: "")
        connection = try QueryRunner.connection(for: model)
    }

    private func plan(_ format: String, _ arguments: [PredicateArgument] = [], of entity: Int = 2) throws -> [String] {
        var request = FetchSpecification(entity: entity)
        request.predicate = try parsePredicate(format, arguments: arguments)
        return try QueryRunner.plan(try compiler.identities(request), on: connection)
    }

    /// The plan of a count, which needs no order of its own.
    private func countPlan(_ format: String) throws -> [String] {
        var request = FetchSpecification(entity: 2)
        request.predicate = try parsePredicate(format)
        return try QueryRunner.plan(try compiler.count(request), on: connection)
    }

    @Test(arguments: [
        ("title == 'a'", "Z_Book_title (ZTITLE=?)"), ("title BEGINSWITH 'a'", "Z_Book_title (ZTITLE>? AND ZTITLE<?)"),
        ("title LIKE 'a*b'", "Z_Book_title (ZTITLE>? AND ZTITLE<?)"),
        ("year BETWEEN {1, 2}", "Z_Book_year (ZYEAR>? AND ZYEAR<?)"),
        ("year > 3", "Z_Book_year (ZYEAR>?)"), ("year == nil", "Z_Book_year (ZYEAR=?)"),
        ("year IN {1, 2, 3}", "Z_Book_year (ZYEAR=?)"),
        ("when > CAST(5, 'NSDate')", "Z_Book_when (ZWHEN>?)"),
    ])
    func `a plain condition uses the attribute's index`(_ format: String, _ index: String) throws {
        let plan = try countPlan(format)
        #expect(plan.contains { $0.hasPrefix("SEARCH t0 USING") && $0.hasSuffix(index) }, "\(plan)")
    }

    @Test func `lists of every size use the index`() throws {
        let integers = (0..<500).map { PredicateArgument.value(.int($0)) }
        #expect(
            try plan("year IN %@", [.list(integers)]).contains {
                $0.contains("SEARCH t0 USING COVERING INDEX Z_Book_year")
                    || $0.contains("SEARCH t0 USING INDEX Z_Book_year")
            })
        let identifiers = (0..<500).map { _ in PredicateArgument.value(.uuid(.init())) }
        #expect(
            try plan("isbn IN %@", [.list(identifiers)]).contains {
                $0.contains("SEARCH t0 USING") && $0.contains("Z_Book_isbn")
            })
    }

    @Test func `members are found by the key of their owner`() throws {
        #expect(
            try plan("ANY chapters.pages > 1").contains {
                $0.contains("SEARCH t1 USING INDEX ZCHAPTER_ZBOOK_INDEX (ZBOOK=?)")
            })
        #expect(
            try plan("chapters.@count > 1").contains {
                $0.contains("SEARCH t1 USING COVERING INDEX ZCHAPTER_ZBOOK_INDEX (ZBOOK=?)")
            })
        // From either side of the join table.
        for (format, entity) in [("ANY tags.name == 'x'", 2), ("ANY books.year == 1", 4)] {
            let plan = try plan(format, of: entity)
            #expect(!plan.contains { $0.hasPrefix("SCAN t1") || $0.hasPrefix("SCAN t2") }, "\(plan)")
        }
    }

    @Test(arguments: [
        "ALL chapters.pages > 1", "NONE chapters.pages > 1", "chapters.@count == 0", "chapters.@max.pages > 1",
        "SUBQUERY(chapters, $c, $c.pages > 1).@count > 2", "ANY author.books.price != 1",
    ])
    func `members are found by the key of their owner, whatever is asked of them`(_ format: String) throws {
        let plan = try plan(format)
        #expect(plan.contains { $0.hasPrefix("SEARCH t1 USING") && $0.contains("_INDEX (Z") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN t1") }, "\(plan)")
    }

    @Test func `a to-one path uses the index of its attribute and then the key of the rows`() throws {
        let formats = [
            "author.name == 'x'", "author.name BEGINSWITH 'x'", "author.name IN {'x', 'y'}",
            "author.name IN {'x', 'y'} AND price > 1", "title != 'q' AND author.name IN {'x', 'y'}",
        ]
        for format in formats {
            let plan = try countPlan(format)
            #expect(plan.contains { $0.hasPrefix("SEARCH t1 USING") && $0.contains("Z_Author_name (ZNAME") }, "\(plan)")
            #expect(plan.contains { $0.hasPrefix("SEARCH t0 USING") && $0.hasSuffix("(ZAUTHOR=?)") }, "\(plan)")
        }
    }

    @Test(arguments: [
        "author.name == 'x' OR author.age == 3", "author.name == 'x' OR author.name IN {'y', 'z'}",
        "author.name == 'x' OR author.name BEGINSWITH 'y'", "author.name LIKE 'x*' OR author.age BETWEEN {3, 5}",
        "title != 'q' AND (author.name == 'x' OR (author.age == 3 AND title != 'y'))",
    ])
    func `alternatives through one object use its indexes and then the key of the rows`(_ format: String) throws {
        let plan = try countPlan(format)
        #expect(plan.contains("MULTI-INDEX OR"), "\(plan)")
        #expect(plan.contains { $0.hasPrefix("SEARCH t1 USING") && $0.contains("Z_Author_name (ZNAME") }, "\(plan)")
        #expect(plan.contains { $0.hasPrefix("SEARCH t0 USING") && $0.hasSuffix("(ZAUTHOR=?)") }, "\(plan)")
    }

    @Test func `a path to one object looks it up by its primary key where the row is known first`() throws {
        for format in ["year == 3 AND author.name != 'x'", "year == 3 OR author.name == 'x'", "author.name == nil"] {
            let plan = try plan(format)
            #expect(plan.contains { $0.hasPrefix("SEARCH t1 USING INTEGER PRIMARY KEY") }, "\(plan)")
        }
        #expect(try countPlan("author == nil").contains { $0.hasSuffix("(ZAUTHOR=?)") })
    }

    @Test func `an object is found by its key, and the objects that point to it by their index`() throws {
        let author = PredicateArgument.value(
            .object(ObjectReference(storeIdentifier: "", entityName: "Author", key: 7)))
        let book = PredicateArgument.value(.object(ObjectReference(storeIdentifier: "", entityName: "Book", key: 7)))
        for (format, argument, end) in [
            ("author == %@", author, "(ZAUTHOR=?)"), ("author IN %@", .list([author]), "(ZAUTHOR=?)"),
            ("SELF == %@", book, "INTEGER PRIMARY KEY (rowid=?)"),
            ("SELF IN %@", .list([book, book]), "INTEGER PRIMARY KEY (rowid=?)"),
        ] {
            let plan = try plan(format, [argument])
            #expect(plan.contains { $0.hasPrefix("SEARCH t0 USING") && $0.hasSuffix(end) }, "\(format): \(plan)")
        }
    }

    @Test func `the values of a wide condition use the index too`() throws {
        let texts = (0..<500).map { PredicateArgument.value(.string("\($0)")) }
        for (format, index) in [
            ("title IN %@", "Z_Book_title (ZTITLE=?)"), ("author.name IN %@", "Z_Author_name (ZNAME=?)"),
        ] {
            let plan = try plan(format, [.list(texts)])
            #expect(plan.contains { $0.hasPrefix("SEARCH") && $0.hasSuffix(index) }, "\(plan)")
        }
        #expect(try countPlan("title == 'a' AND year > 3").contains { $0.hasPrefix("SEARCH t0 USING") })
        #expect(try countPlan("title == 'a' OR title == 'b'").contains { $0.contains("Z_Book_title") })
        #expect(try countPlan("title == 'a' OR year == 3").contains { $0 == "MULTI-INDEX OR" })
    }

    @Test func `rows and members by keys are looked up`() throws {
        let shape = RowShape(model: model, entity: 2)
        let rows = try QueryRunner.plan(compiler.rows(withKeys: [1, 2, 3], shape: shape), on: connection)
        #expect(rows.contains { $0.contains("SEARCH t0 USING INTEGER PRIMARY KEY") }, "\(rows)")
        for slot in model[2].relationships.indices where model[2].relationships[slot].isToMany {
            let plan = try QueryRunner.plan(
                try compiler.members(ofRelationship: slot, in: 2, owners: [1, 2]), on: connection)
            #expect(!plan.contains { $0.hasPrefix("SCAN t0") || $0.hasPrefix("SCAN t1") }, "\(plan)")
        }
    }

    @Test func `a sort with a limit reads no more than it must`() throws {
        var request = FetchSpecification(entity: 2)
        request.sorts = [.init(path: ["when"])]
        request.limit = 10
        let plan = try QueryRunner.plan(try compiler.identities(request), on: connection)
        #expect(
            plan.contains { $0.contains("Z_Book_when") } && !plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }
}
