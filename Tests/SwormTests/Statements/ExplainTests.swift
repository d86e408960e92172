import Foundation
import Sworm
import SwormTools
import Testing

#if !canImport(CoreData)
@Suite("Explaining requests")
struct ExplainTests {
    private func explain(_ request: Request<Kiosk.Book>) throws -> RequestExplanation {
        try Kiosk.store().container.perform { try request.explain(in: $0) }
    }

    @Test func `a condition without an index names the attribute that needs one`() throws {
        let explanation = try explain(Kiosk.Book.all.where { $0.title == "it's" })
        #expect(explanation.sql.contains("ZTITLE = ?1"))
        #expect(explanation.bindings == ["'it''s'"])
        #expect(explanation.plan.contains { $0.hasPrefix("SCAN t0") })
        #expect(explanation.scannedEntities == ["Book"])
        #expect(
            explanation.advice == ["All rows of Book are scanned: no index covers title. Add .indexed to it."])
    }

    @Test func `a condition with an index has nothing to be said about`() throws {
        for request in [
            Kiosk.Book.all.where { $0.year == 1869 }, Kiosk.Book.all.where { $0.year == 1869 && $0.title == "x" },
            Kiosk.Book.all.where { $0.author.name == "Leo" },
        ] {
            let explanation = try explain(request)
            #expect(explanation.plan.contains { $0.hasPrefix("SEARCH") })
            #expect(explanation.scannedEntities == [], "\(explanation)")
            #expect(explanation.advice == [], "\(explanation)")
        }
    }

    @Test func `a full scan is not reported for a request of all rows`() throws {
        let explanation = try explain(Kiosk.Book.all)
        #expect(explanation.plan.contains { $0.hasPrefix("SCAN t0") })
        #expect(explanation.advice == [])
    }

    @Test func `one index is enough for conditions that must all hold, and each alternative needs its own`() throws {
        let both = try explain(Kiosk.Book.all.where { $0.title == "a" && $0.shelf > "b" })
        #expect(both.advice.first?.contains("covers title or shelf. Add .indexed to one of them.") == true)
        let either = try explain(Kiosk.Book.all.where { $0.title == "a" || $0.shelf == "b" || $0.year == 3 })
        #expect(either.advice.first?.contains("covers shelf and title. Add .indexed to each of them.") == true)
    }

    @Test func `a condition that no index can serve is called that`() throws {
        for request in [
            Kiosk.Book.all.where { $0.title.contains("peace") }, Kiosk.Book.all.where { $0.year != 1869 },
            Kiosk.Book.all.where(raw: "title ==[c] 'x'"),
        ] {
            let explanation = try explain(request)
            #expect(explanation.advice == ["All rows of Book are scanned: no index can serve the condition."])
        }
    }

    @Test func `an attribute through a relation is named with its entity`() throws {
        let explanation = try explain(Kiosk.Book.all.where { $0.author.town == "Tula" })
        #expect(explanation.advice.joined().contains("town"), "\(explanation)")
    }

    @Test func `a sort without an index is reported, and one with an index is not`() throws {
        let explanation = try explain(Kiosk.Book.all.sort(\.title))
        #expect(
            explanation.advice == [
                "The matching rows are sorted by title in a temporary B-tree: no index has that order. Add .indexed to title."
            ])
        #expect(try explain(Kiosk.Book.all.sort(\.year)).advice == [])
        let filtered = try explain(Kiosk.Book.all.where { $0.year == 1869 }.sort(\.title))
        #expect(
            filtered.advice == ["The matching rows are sorted by title in a temporary B-tree."])
    }

    @Test func `counts and projections are explained too`() throws {
        try Kiosk.store().container.perform { context in
            let count = try context.explainCount(of: Kiosk.Book.all.where { $0.title > "m" }.limit(5))
            #expect(count.sql.contains("COUNT(*)"))
            #expect(count.bindings == ["'m'", "5"])
            #expect(count.scannedEntities == ["Book"])
            let columns = try context.explain(Kiosk.Book.all.where { $0.shelf == "a" }.select(\.title, \.year))
            #expect(columns.advice == ["All rows of Book are scanned: no index covers shelf. Add .indexed to it."])
            let groups = try Kiosk.Book.all.grouped(by: \.shelf).select { ($0.key, $0.count) }.explain(in: context)
            #expect(groups.sql.contains("GROUP BY"))
            #expect(groups.advice.count == 1)
        }
    }

    @Test func `nothing is run, and wrong requests throw as they would`() throws {
        let store = try Kiosk.store(authors: 3)
        try store.container.perform { context in
            try expectStatements(0, in: store.container) {
                _ = try context.explain(Kiosk.Book.all.where { $0.title == "a" })
            }
            #expect(throws: StoreError.self) { try context.explain(Kiosk.Book.all.limit(-1)) }
            #expect(throws: StoreError.self) { try context.explain(Kiosk.Book.all.where(raw: "nothing == 1")) }
        }
    }

    @Test func `unsaved changes are mentioned where they bear on the request`() throws {
        try Kiosk.store().container.perform { context in
            try context.insert(Kiosk.Book(title: "new"))
            #expect(try context.explain(Kiosk.Book.all).advice.first?.contains("Unsaved changes") == true)
            #expect(try context.explain(Kiosk.Author.all).advice == [])
        }
    }

    @Test func `the description has everything`() throws {
        let explanation = try explain(Kiosk.Book.all.where { $0.title == "War" }.sort(\.shelf))
        let text = "\(explanation)"
        for part in [explanation.sql, "?1 = 'War'", "SCAN t0", "no index covers title", "sorted by shelf"] {
            #expect(text.contains(part))
        }
    }
}
#endif
