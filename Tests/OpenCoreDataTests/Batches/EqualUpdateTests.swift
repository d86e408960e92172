import Foundation
import SwormPredicates
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Updates by statements with unchanged values", .overEachStore) struct EqualUpdateTests {
    private func store(keepingHistory: Bool, _ folder: StoreFolder, _ counter: StatementCounter = StatementCounter())
        throws -> NSManagedObjectContext
    {
        var options = counter.options
        options[NSPersistentHistoryTrackingKey] = keepingHistory
        let context = GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), options: options))
        for index in 1...4 { try context.make("Book", ["title": "t\(index)", "year": index, "isbn": "i\(index)"]) }
        try context.save()
        return context
    }

    @Test(arguments: [false, true]) func `are no change for anybody, and count what they find`(keepsHistory: Bool)
        throws
    {
        let folder = try StoreFolder()
        let context = try store(keepingHistory: keepsHistory, folder)
        let raw = try folder.raw()
        func version() throws -> [String] { try raw.lines("PRAGMA data_version") }
        func rows() throws -> [String] { try raw.lines("SELECT Z_OPT, ZTITLE, ZSTOCK FROM ZBOOK ORDER BY Z_PK") }
        let coordinator = try #require(context.persistentStoreCoordinator)
        let other = GraphLibrary.context(coordinator)
        let stale = try other.all("Book", sort: "year")
        stale[0].setValue("mine", forKey: "title")
        let (before, beforeRows) = (try version(), try rows())
        let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
        #expect(try context.update("Book", nil, ["stock": .int(7)]) == 4)
        #expect(try context.update("Book", "year < 3", ["stock": .int(7)]) == 2)
        #expect(try context.update("Book", "isbn == 'i2'", ["title": .string("t2"), "stock": .int(7)]) == 1)
        #expect(try context.update("Book", "isbn == 'none'", ["stock": .int(7)]) == 0)
        var limited = try context.specification("Book", nil, limit: 3)
        limited.sorts = [FetchSpecification.Sort(path: ["year"], ascending: false)]
        guard case .attribute(let slot)? = context.compiledModel?.entity(named: "Book")?.slot(named: "stock") else {
            return
        }
        #expect(try context.update(limited, setting: [(slot, .int(7))]) == 3)
        #expect(try version() == before && rows() == beforeRows)
        #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) == token)
        try other.save()
        // One row differs: it alone is changed.
        #expect(try context.update("Book", nil, ["title": .string("t3")]) == 4)
        #expect(try rows() == ["3|t3|7", "2|t3|7", "1|t3|7", "2|t3|7"])
        #expect(try context.update("Book", nil, ["title": .string("t3"), "stock": .null]) == 4)
        #expect(try context.update("Book", nil, ["stock": .null]) == 4)
        #expect(try rows() == ["4|t3|NULL", "3|t3|NULL", "2|t3|NULL", "3|t3|NULL"])
        if keepsHistory {
            let changes = try context.transactions(.fetchHistory(after: token)).map { ($0.changes ?? []).map(\.text) }
            #expect(
                changes == [
                    ["update Book/p1"], ["update Book/p1", "update Book/p2", "update Book/p4"],
                    ["update Book/p1", "update Book/p2", "update Book/p3", "update Book/p4"],
                ])
        }
    }

    @Test func `of a row with a unique value are one statement, and refresh nothing`() throws {
        let (folder, counter) = (try StoreFolder(), StatementCounter())
        let context = try store(keepingHistory: false, folder, counter)
        let book = try #require(try context.all("Book", "isbn == 'i2'").first)
        #expect(book.text("title") == "t2")
        #expect(try counter.expect(1) { try context.update("Book", "isbn == 'i2'", ["title": .string("new")]) } == 1)
        #expect(book.text("title") == "new")
        #expect(try counter.expect(2) { try context.update("Book", "isbn == 'i2'", ["title": .string("new")]) } == 1)
        // Its values are at hand as they were.
        #expect(!book.isFault)
        // Of rows that may be many, those that differ are counted first.
        #expect(try counter.expect(2) { try context.update("Book", "year < 3", ["title": .string("x")]) } == 2)
        #expect(try counter.expect(1) { try context.update("Book", "year < 3", ["title": .string("x")]) } == 2)
    }

    @Test func `of Core Data's request give every row its next version, as there`() throws {
        let folder = try StoreFolder()
        let context = try store(keepingHistory: false, folder)
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.propertiesToUpdate = ["stock": 7]
        request.resultType = .updatedObjectsCountResultType
        #expect((try context.execute(request) as? NSBatchUpdateResult)?.result as? Int == 4)
        #expect(try folder.raw().lines("SELECT DISTINCT Z_OPT FROM ZBOOK") == ["2"])
    }
}
