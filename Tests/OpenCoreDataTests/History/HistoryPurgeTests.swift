import Foundation
@testable import OpenCoreData
import SwormSQLite
import TestSupport
import Testing

@Suite("Deleting old history", .overEachStore)
struct HistoryPurgeTests {
    private func lines(_ library: HistoryLibrary, _ sql: String) throws -> [String] {
        try library.folder.raw().lines(sql)
    }

    @Test func `transactions are deleted with their changes and with the strings that only they need`() throws {
        let library = try HistoryLibrary()
        let context = library.context
        for author in ["ann", "bob", "ann"] { try library.saveTag("x", author: author) }
        let last = try #require(try context.transactions().last)
        #expect(
            try context.history(.deleteHistory(before: last), .statusOnly, as: Bool.self))
        #expect(try lines(library, "SELECT Z_PK FROM ATRANSACTION") == ["3"])
        #expect(try lines(library, "SELECT ZTRANSACTIONID FROM ACHANGE") == ["3"])
        let texts = try lines(library, "SELECT ZNAME FROM ATRANSACTIONSTRING")
        #expect(texts.contains("ann") && !texts.contains("bob"))
        #expect(
            try lines(library, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT IN (16001, 16002)") == ["3", "3"])
        try library.saveTag("y", author: "bob")
        #expect(try context.transactions().map(\.transactionNumber) == [3, 4])
        #expect(try context.transactions().map(\.author) == ["ann", "bob"])
        #expect(try context.all("Tag").count == 4)
        try library.verify()
    }

    @Test func `numbers are not reused, also where the records of them are too low`() throws {
        let library = try HistoryLibrary()
        for _ in 1...3 { try library.saveTag("x") }
        try library.folder.raw().execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT > 16000")
        try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
        #expect(try lines(library, "SELECT count(*) FROM ACHANGE") == ["0"])
        #expect(try lines(library, "SELECT count(*) FROM ATRANSACTIONSTRING") == ["0"])
        try library.saveTag("y")
        #expect(try lines(library, "SELECT Z_PK, ZTRANSACTIONID FROM ACHANGE") == ["4|4"])
        try library.verify()
    }

    @Test func `a date keeps transactions that are as old or younger, and nil deletes nothing`() throws {
        let library = try HistoryLibrary()
        for _ in 1...3 { try library.saveTag("x") }
        try library.folder.raw().execute("UPDATE ATRANSACTION SET ZTIMESTAMP = Z_PK * 10")
        let nothing: NSPersistentHistoryToken? = nil
        try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: nothing))
        let none: NSPersistentHistoryTransaction? = nil
        try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: none))
        #expect(try library.context.transactions().count == 3)
        let moment = Date(timeIntervalSinceReferenceDate: 20)
        try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: moment))
        #expect(try library.context.transactions().map(\.transactionNumber) == [2, 3])
        let filtered = NSPersistentHistoryChangeRequest.deleteHistory(before: moment)
        filtered.fetchRequest = NSPersistentHistoryTransaction.fetchRequest
        #expect(throws: CocoaError.self) { try library.context.execute(filtered) }
        try library.verify()
    }

    @Test func `a token of transactions that the store never had deletes nothing`() throws {
        let library = try HistoryLibrary()
        for _ in 1...3 { try library.saveTag("x") }
        func error(_ token: NSPersistentHistoryToken) -> CoreDataError? {
            coreDataError { try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: token)) }
        }
        let identifier = try library.store.identifier
        for number in [4, Int64.max] {
            let refused = error(NSPersistentHistoryToken([identifier: number]))
            #expect(refused?.errorCode == NSPersistentHistoryTokenExpiredError)
            #expect(refused?.message.contains("the number 3") == true)
        }
        let foreign = error(NSPersistentHistoryToken([UUID().uuidString: 1]))
        #expect(foreign?.errorCode == NSPersistentHistoryTokenExpiredError)
        #expect(try library.context.transactions().map(\.transactionNumber) == [1, 2, 3])
        // What was saved behind the view of a context counts.
        try library.context.setQueryGenerationFrom(.current)
        #expect(try library.context.all("Tag").count == 3)
        let other = try GraphLibrary.context(at: library.folder.url())
        try other.make("Tag", ["name": "y"])
        try other.save()
        #expect(error(try #require(library.token)) == nil)
        #expect(try other.transactions().map(\.transactionNumber) == [4])
    }

    @Test(arguments: ["NULL", "'no time'", "x'00'"])
    func `a transaction without a valid date is older than every date`(_ moment: String) throws {
        let library = try HistoryLibrary()
        for _ in 1...3 { try library.saveTag("x") }
        try library.folder.raw().execute(
            "UPDATE ATRANSACTION SET ZTIMESTAMP = CASE Z_PK WHEN 1 THEN \(moment) ELSE Z_PK * 10 END")
        let date = Date(timeIntervalSinceReferenceDate: 5)
        #expect(try library.context.transactions(.fetchHistory(after: date)).map(\.transactionNumber) == [2, 3])
        try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: date))
        #expect(try library.context.transactions().map(\.transactionNumber) == [2, 3])
    }

    @Test func `a read-only store keeps its history, and one with unsaved changes keeps those`() throws {
        let library = try HistoryLibrary()
        try library.saveTag("x")
        let coordinator = try GraphLibrary.coordinator(
            at: library.folder.url(), options: [NSReadOnlyPersistentStoreOption: true])
        let reader = GraphLibrary.context(coordinator)
        #expect(try reader.changeTexts() == ["insert Tag/p1"])
        let error = coreDataError {
            try reader.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date()))
        }
        #expect(error?.message.contains("read-only") == true)
        let tag = try library.context.make("Tag", ["name": "unsaved"])
        try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date()))
        #expect(library.context.insertedObjects == [tag])
        try library.context.save()
        #expect(try library.context.changeTexts() == ["insert Tag/p2"])
    }

    @Test func `one of several stores that is read-only stops the deletion before it begins`() throws {
        let folder = try StoreFolder()
        let model = GraphLibrary.model()
        for name in ["One", "Two"] {
            let context = GraphLibrary.context(
                try GraphLibrary.coordinator(
                    at: folder.url(name), model: model, options: [NSPersistentHistoryTrackingKey: true]))
            try context.make("Tag")
            try context.save()
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let stores = try ["One", "Two"].map { name in
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url(name),
                options: [NSReadOnlyPersistentStoreOption: name == "Two"])
        }
        let context = GraphLibrary.context(coordinator)
        let request = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
        let error = coreDataError { try context.execute(request) }
        #expect(error?.message.contains("affectedStores") == true)
        #expect(try context.transactions().count == 2)
        request.affectedStores = [stores[0]]
        try context.execute(request)
        #expect(try context.transactions().map(\.storeID) == [stores[1].identifier])
    }

    @Test func `a save during reads and purges is read once, and completely`() async throws {
        let library = try HistoryLibrary()
        let url = library.folder.url()
        let first = library.token
        async let written: Void = Self.write(150, at: url)
        var token = first
        var keys: [String] = []
        // An end, in case the writer fails.
        for _ in 0..<30_000 where keys.count < 150 {
            let transactions = try library.context.transactions(.fetchHistory(after: token))
            keys += transactions.flatMap { $0.changes ?? [] }.map(\.text)
            token = transactions.last?.token ?? token
            try library.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: token))
            // Other tests need the cores, too.
            try await Task.sleep(for: .milliseconds(2))
        }
        try await written
        #expect(keys == (1...150).map { "insert Tag/p\($0)" })
        #expect(try library.context.transactions().map(\.transactionNumber) == [150])
        try library.verify()
    }

    private static func write(_ count: Int, at url: URL) async throws {
        let context = try GraphLibrary.context(at: url)
        for _ in 0..<count {
            try context.performAndWait {
                try context.make("Tag")
                try context.save()
            }
            await Task.yield()
        }
    }
}
