#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite(
    "PostgreSQL: indexes of folded strings, columns for searches, exact dates", .enabled(if: PostgresServer.isEnabled))
struct ServerTraitTests {
    private let server: PostgresOptions

    init() throws { server = try PostgresStores.migrationServer() }

    private static func shop(_ traits: ServerTraits) -> NSManagedObjectModel {
        VersionedShop.version { $0.attribute("title").serverTraits = traits }
    }

    private func run(_ sql: String) throws -> [String?] {
        try PostgresStores.runMigrated(sql.replacing("@", with: "\(server.schema)."))
    }

    private func fill(_ count: Int = 3000) throws {
        _ = try run(
            "INSERT INTO @\"Book\" (title, year) SELECT 'Títle ' || n || CASE WHEN n % 2 = 0 THEN ' ODD' ELSE '' END, n FROM generate_series(1, \(count)) n"
        )
        _ = try run("ANALYZE @\"Book\"")
    }

    private func request(
        _ store: PostgresStore, _ format: String? = nil, sorts: [FetchSpecification.Sort] = [], limit: Int = 0
    ) throws -> FetchSpecification {
        var request = FetchSpecification(entity: try #require(store.model.entity(named: "Book")).number)
        request.predicate = try format.map { try parsePredicate($0, arguments: []) }
        (request.sorts, request.limit) = (sorts, limit)
        return request
    }

    private func explain(_ store: PostgresStore, _ request: FetchSpecification) throws -> StatementExplanation {
        let session = try store.beginSession()
        defer { session.end() }
        return try session.explain(request, as: .objects)
    }

    private func plan(_ store: PostgresStore, _ format: String) throws -> String {
        try explain(store, request(store, format)).steps.map(\.detail).joined(separator: "\n")
    }

    private func count(_ store: PostgresStore, _ format: String) throws -> Int {
        let session = try store.beginSession()
        defer { session.end() }
        return try session.count(request(store, format))
    }

    private func columns() throws -> Set<String> {
        Set(
            try run(
                "SELECT attname::text FROM pg_attribute WHERE attrelid = '@\"Book\"'::regclass AND attnum > 0 AND NOT attisdropped"
            ).compactMap(\.self))
    }

    // MARK: Folded indexes

    @Test func `comparisons that fold strings use the indexes`() throws {
        let store = try PostgresStores.store(Self.shop(.foldedIndex), at: server)
        try fill()
        for (options, index) in [("[c]", "Book_title_c"), ("[d]", "Book_title_d"), ("[cd]", "Book_title_cd")] {
            for format in [
                "title ==\(options) 'Títle 17'", "title BEGINSWITH\(options) 'Títle 17 O'",
                "title IN\(options) {'Títle 17', 'Títle 18 ODD'}", "title LIKE\(options) 'Títle 171*'",
            ] {
                let plan = try plan(store, format)
                #expect(plan.contains(index), "\(format): \(plan)")
                #expect(!plan.contains("Seq Scan"), "\(format): \(plan)")
            }
        }
        let sorted = try explain(
            store, request(store, sorts: [.init(path: ["title"], options: [.caseInsensitive])], limit: 5))
        #expect(sorted.steps.contains { $0.detail.contains("Book_title_c") }, "\(sorted.steps)")
        #expect(try count(store, "title ==[cd] 'TITLE 17'") == 1)
        #expect(try count(store, "title BEGINSWITH[cd] 'title 17'") == 111)
        #expect(try count(store, "title ==[c] 'TITLE 17'") == 0)
        // A comparison of bytes has no use for them.
        #expect(try plan(store, "title == 'x'").contains("Seq Scan"))
    }

    @Test func `a missing index is in the advice, and one that is there is not`() throws {
        let store = try PostgresStores.store(Self.shop([]), at: server)
        try fill()
        let found = try explain(store, request(store, "title ==[c] 'x'")).findings
        #expect(
            found == [.scan(entity: "Book", indexes: [[.init(entity: "Book", name: "title", isFolded: true)]])])
        store.close()
        let indexed = try PostgresStores.store(Self.shop(.foldedIndex), at: server)
        try indexed.migrate()
        #expect(try explain(indexed, request(indexed, "title ==[c] 'x'")).findings == [])
        #expect(try count(indexed, "title ==[cd] 'TITLE 17'") == 1)
    }

    @Test func `the indexes of an attribute without the option are removed on request`() throws {
        try PostgresStores.store(Self.shop(.foldedIndex), at: server).close()
        let plain = try PostgresStores.store(Self.shop([]), at: server)
        try plain.migrate()
        plain.close()
        let dropped = try PostgresMigrations.contract(server, options: StoreOptions())
        #expect(dropped.count == 1 && dropped[0].contains("Book_title_cd"), "\(dropped)")
    }

    // MARK: Columns for searches

    @Test func `searches for parts of strings use the column`() throws {
        let store = try PostgresStores.store(Self.shop(.searchColumn), at: server)
        #expect(try columns().contains("_search1_title"))
        try fill(50)
        let book = try #require(store.model.entity(named: "Book")).number
        try store.insert(book, ["title": .string("ÄRGER"), "year": .int(1)])
        for (format, found, usesColumn) in [
            ("title CONTAINS[cd] 'TLE 1'", 11, true), ("title ENDSWITH[cd] 'ödd'", 25, true),
            ("title LIKE[cd] '*le ?7*'", 4, true), ("title ==[cd] 'arger'", 1, true),
            ("title BEGINSWITH[cd] 'arg'", 1, true), ("title CONTAINS[c] 'TLE 1'", 11, false),
            ("title CONTAINS 'tle 1'", 11, false),
        ] {
            let sql = try explain(store, request(store, format)).statement.sql
            #expect(sql.contains("t0.\"_search1_title\"") == usesColumn, "\(format): \(sql)")
            #expect(try count(store, format) == found, "\(format)")
        }
        // The column follows the value.
        _ = try run("UPDATE @\"Book\" SET title = 'NEÜ' WHERE title = 'ÄRGER'")
        #expect(try count(store, "title CONTAINS[cd] 'neu'") == 1)
        #expect(try count(store, "title CONTAINS[cd] 'arger'") == 0)
        // A store without the option has the same results by the function.
        let plain = try PostgresStores.store(Self.shop([]), at: server)
        #expect(try count(plain, "title CONTAINS[cd] 'neu'") == 1)
    }

    @Test func `with both options, an index is used where one can be`() throws {
        let store = try PostgresStores.store(Self.shop([.searchColumn, .foldedIndex]), at: server)
        try fill()
        #expect(try plan(store, "title ==[cd] 'title 17'").contains("Book_title_cd"))
        #expect(try plan(store, "title BEGINSWITH[cd] 'title 17 o'").contains("Book_title_cd"))
        let search = try explain(store, request(store, "title CONTAINS[cd] 'le 17'"))
        #expect(search.statement.sql.contains("_search1_title"))
        #expect(try count(store, "title CONTAINS[cd] 'le 17'") == 111)
    }

    @Test func `a table with rows gets the column only with all changes`() throws {
        try PostgresStores.store(Self.shop([]), at: server).close()
        try fill(20)
        let store = try PostgresStores.store(Self.shop(.searchColumn), at: server)
        #expect(try !columns().contains("_search1_title"))
        let warnings = Locked<[String]>([])
        _ = store.addWarningListener { warning in warnings.withLock { $0.append(warning.message) } }
        #expect(warnings.withLock { $0 }.count == 1)
        #expect(warnings.withLock { $0 }.first?.contains("'Book.title'") == true)
        #expect(try count(store, "title CONTAINS[cd] 'ODD'") == 10)
        store.close()
        var all = server
        all.changes = .all
        let options = try PostgresStores.migrationOptions(Self.shop(.searchColumn))
        let model = try Self.shop(.searchColumn).compiled()
        let plan = try PostgresMigrations.plan(all, model: model, options: options)
        #expect(plan.count == 1 && plan[0].contains("GENERATED ALWAYS AS"), "\(plan)")
        try PostgresMigrations.run(all, model: model, options: options)
        #expect(try columns().contains("_search1_title"))
        let later = try PostgresStores.store(Self.shop(.searchColumn), at: server)
        #expect(try explain(later, request(later, "title CONTAINS[cd] 'ODD'")).statement.sql.contains("_search1_title"))
        #expect(try count(later, "title CONTAINS[cd] 'ODD'") == 10)
    }

    @Test func `a renamed attribute has its own column, and the old one goes with its attribute`() throws {
        try PostgresStores.store(Self.shop(.searchColumn), at: server).close()
        let renamed = VersionedShop.version { shop in
            shop.attribute("title").serverTraits = .searchColumn
            shop.rename(shop.attribute("title"), to: "name")
        }
        let store = try PostgresStores.store(renamed, at: server)
        try store.migrate()
        store.close()
        #expect(try columns().isSuperset(of: ["title", "name", "_search1_title", "_search1_name"]))
        _ = try PostgresMigrations.contract(server, options: StoreOptions())
        let left = try columns()
        #expect(left.isSuperset(of: ["name", "_search1_name"]))
        #expect(left.isDisjoint(with: ["title", "_search1_title"]))
    }

    // MARK: Exact dates

    @Test func `a date with the option is stored with all its digits`() throws {
        let model = VersionedShop.version { shop in
            shop.attribute("published").serverTraits = .exactDate
            shop.book.properties.append(Build.attribute("sold", .dateAttributeType))
        }
        let store = try PostgresStores.store(model, at: server)
        #expect(
            try run(
                "SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = '@\"Book\"'::regclass AND attname IN ('published', 'sold') ORDER BY attname"
            ) == ["double precision", "timestamp with time zone"])
        let book = try #require(store.model.entity(named: "Book")).number
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7)
        try store.insert(
            book, ["title": .string("a"), "year": .int(1), "published": .date(date), "sold": .date(date)])
        #expect(try store.values(book, "published") == [.date(date)])
        #expect(try store.values(book, "sold") != [.date(date)])
        // A new attribute of a later version, too.
        let next = VersionedShop.version { shop in
            shop.attribute("published").serverTraits = .exactDate
            shop.book.properties.append(Build.attribute("sold", .dateAttributeType))
            shop.book.properties.append(Build.attribute("read", .dateAttributeType) { $0.serverTraits = .exactDate })
        }
        let later = try PostgresStores.store(next, at: server)
        try later.insert(book, ["title": .string("b"), "year": .int(1), "read": .date(date)])
        #expect(try Set(later.values(book, "read").map(\.uniqueKey)).contains(AttributeValue.date(date).uniqueKey))
    }

    @Test func `the options are in archived models, and not in versions`() throws {
        let (plain, marked) = (Self.shop([]), Self.shop([.foldedIndex, .searchColumn]))
        #expect(try plain.compiled().versionHashes == marked.compiled().versionHashes)
        let archived = try StoredModel.model(inCache: marked.storeCache(), source: "the test").model
        #expect(
            archived.entitiesByName["Book"]?.attributesByName["title"]?.serverTraits == [.foldedIndex, .searchColumn])
        let attribute = NSAttributeDescription()
        attribute.userInfo = ["other": "kept"]
        attribute.serverTraits = .exactDate
        #expect(attribute.serverTraits == .exactDate && attribute.userInfo?.count == 2)
        attribute.serverTraits = []
        #expect(attribute.userInfo as? [String: String] == ["other": "kept"])
    }
}
#endif
