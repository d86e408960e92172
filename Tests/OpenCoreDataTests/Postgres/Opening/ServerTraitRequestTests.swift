#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: requests for columns for searches and exact dates", .enabled(if: PostgresServer.isEnabled))
struct ServerTraitRequestTests {
    private let server: PostgresOptions

    init() throws { server = try PostgresStores.migrationServer() }

    /// Returns the types of the columns of a table by their names.
    private func columns(_ table: String) throws -> [String: String] {
        var columns: [String: String] = [:]
        for line in try PostgresStores.runMigrated(
            "SELECT attname::text || '=' || format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = '\(server.schema).\"\(table)\"'::regclass AND attnum > 0 AND NOT attisdropped"
        ).compactMap(\.self) {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            columns[parts[0]] = parts[1]
        }
        return columns
    }

    @Test func `groups are chosen by a search in the attribute by which they are made`() throws {
        let model = VersionedShop.version { $0.attribute("title").serverTraits = .searchColumn }
        let context = GraphLibrary.context(try PostgresStores.coordinator(of: model, at: server))
        // The search uses the column only if there is one.
        #expect(try columns("Book").keys.contains("_search1_title"))
        for (index, title) in ["Odd one", "Odd one", "ÖDD two", "even"].enumerated() {
            try context.make("Book", ["title": title, "year": index])
        }
        try context.save()
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["title"]
        request.propertiesToGroupBy = ["title"]
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        for (format, expected) in [
            ("title CONTAINS[cd] 'odd'", ["Odd one", "ÖDD two"]), ("title ENDSWITH[cd] 'ÖNE'", ["Odd one"]),
            ("NOT title CONTAINS[cd] 'odd'", ["even"]), ("title ==[cd] 'EVEN'", ["even"]),
        ] {
            request.havingPredicate = NSPredicate(format: format)
            #expect(try context.fetch(request).compactMap { $0["title"] as? String } == expected, "\(format)")
        }
    }

    @Test func `a date is compared in memory as the column of its own entity has it`() throws {
        let model = VersionedShop.version { shop in
            shop.tag.properties.append(
                Build.attribute("published", .dateAttributeType) { $0.serverTraits = .exactDate })
        }
        let coordinator = try PostgresStores.coordinator(of: model, at: server)
        #expect(try columns("Book")["published"] == "timestamp with time zone")
        #expect(try columns("Tag")["published"] == "double precision")
        // Both are the same microsecond.
        let date = Date(timeIntervalSinceReferenceDate: 1_000.123_456_78)
        let later = Date(timeIntervalSinceReferenceDate: 1_000.123_456_88)
        #expect(date.roundedForServer == later.roundedForServer && date.roundedForServer != date)
        let writer = GraphLibrary.context(coordinator)
        let tag = try writer.make("Tag", ["label": "exact", "published": date])
        try writer.make("Tag", ["label": "later", "published": later])
        try writer.make("Book", ["title": "a", "year": 1, "published": date, "tags": Set([tag])])
        try writer.make("Book", ["title": "b", "year": 2, "published": date.addingTimeInterval(1)])
        try writer.save()
        let context = GraphLibrary.context(coordinator)
        for format in [
            "published == %@", "published == %@ OR title MATCHES 'never'",
            "ANY tags.published == %@ OR title MATCHES 'never'",
            "SUBQUERY(tags, $t, $t.published == %@).@count > 0 OR title MATCHES 'never'",
        ] {
            #expect(try context.all("Book", format, date).map { $0.text("title") } == ["a"], "\(format)")
        }
        for format in [
            "published == %@", "published == %@ OR label MATCHES 'never'",
            "ANY books.published == %@ OR label MATCHES 'never'",
            "SUBQUERY(books, $b, $b.published == %@).@count > 0 OR label MATCHES 'never'",
        ] {
            #expect(try context.all("Tag", format, date).map { $0.text("label") } == ["exact"], "\(format)")
        }
    }
}
#endif
