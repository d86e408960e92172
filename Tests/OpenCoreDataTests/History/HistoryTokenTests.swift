import Foundation
@testable import OpenCoreData
import SwormSQLite
import TestSupport
import Testing

@Suite("History tokens", .overEachStore)
struct HistoryTokenTests {
    @Test func `a token is kept as data`() throws {
        let library = try HistoryLibrary()
        let empty = try #require(library.token)
        try library.saveTag("a")
        let token = try #require(library.token)
        #expect(token != empty)
        let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        let again = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data))
        #expect(again == token)
        #expect(again.hash == token.hash)
        #expect(Set([token, again, empty]).count == 2)
        try library.saveTag("b")
        #expect(try library.context.changeTexts(.fetchHistory(after: again)) == ["insert Tag/p2"])
    }

    @Test func `data that is not a token returns nil`() throws {
        func token(_ transactions: String) throws -> NSPersistentHistoryToken? {
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            archiver.encode(NSData(data: Data(transactions.utf8)), forKey: "transactions")
            archiver.finishEncoding()
            let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
            unarchiver.decodingFailurePolicy = .setErrorAndReturn
            return NSPersistentHistoryToken(coder: unarchiver)
        }
        let identifier = UUID().uuidString
        #expect(try token(#"{"\#(identifier)": 3}"#) != nil)
        for text in ["", "[]", "{\"\": 1}", #"{"\#(identifier)": -3}"#, #"{"\#(identifier)": 1e99}"#] {
            #expect(try token(text) == nil)
        }
        let other = try NSKeyedArchiver.archivedData(withRootObject: NSNumber(value: 1), requiringSecureCoding: true)
        #expect((try? NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: other)) == nil)
    }

    @Test func `a token is decoded from data that may be damaged`() throws {
        let token = NSPersistentHistoryToken([UUID().uuidString: 7, UUID().uuidString: .max])
        let data = try JSONEncoder().encode(token)
        #expect(try JSONDecoder().decode(NSPersistentHistoryToken.self, from: data) == token)
        for text in ["[]", "{\"\": 1}", "{\"a\": -1}", "{\"a\": 1e99}", "7", ""] {
            #expect(throws: (any Error).self) {
                try JSONDecoder().decode(NSPersistentHistoryToken.self, from: Data(text.utf8))
            }
        }
        var random = SeededRandom(seed: 11)
        for _ in 0..<2000 {
            var damaged = data
            damaged[random.pick(damaged.count)] = UInt8.random(in: 0...255, using: &random)
            let found = try? JSONDecoder().decode(NSPersistentHistoryToken.self, from: damaged)
            #expect(found.map { $0.transactions.values.allSatisfy { $0 >= 0 } } ?? true)
        }
    }

    @Test func `a token whose next transactions were deleted has expired`() throws {
        let library = try HistoryLibrary()
        let context = library.context
        let tokens = try (1...4).map { number in
            try library.saveTag("\(number)")
            return try #require(library.token)
        }
        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: tokens[2]))
        #expect(try context.transactions().map(\.transactionNumber) == [3, 4])
        #expect(try context.transactions(.fetchHistory(after: tokens[1])).map(\.transactionNumber) == [3, 4])
        let expired = coreDataError {
            try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: tokens[0]))
        }
        #expect(expired?.errorCode == NSPersistentHistoryTokenExpiredError)
        #expect(expired?.message.contains("the transaction 2 was deleted") == true)
        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
        #expect(library.token == tokens[3])
        #expect(try context.transactions(.fetchHistory(after: tokens[3])).isEmpty)
        #expect(
            coreDataError { try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: tokens[2])) }?
                .errorCode == NSPersistentHistoryTokenExpiredError)
        try library.saveTag("5")
        #expect(try context.transactions(.fetchHistory(after: tokens[3])).map(\.transactionNumber) == [5])
    }

    @Test func `a token of a later or another store has expired`() throws {
        let library = try HistoryLibrary()
        try library.saveTag("a")
        let early = try library.folder.contents()
        try library.saveTag("b")
        let late = try #require(library.token)
        for store in library.coordinator.persistentStores { try library.coordinator.remove(store) }
        // The store is put back from a copy that was made before.
        let restored = try StoreFolder()
        for (name, data) in early { try data.write(to: restored.url(name)) }
        let context = try GraphLibrary.context(at: restored.url())
        let expired = coreDataError { try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: late)) }
        #expect(expired?.errorCode == NSPersistentHistoryTokenExpiredError)

        let other = try HistoryLibrary()
        let foreign = coreDataError {
            try other.context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: late))
        }
        #expect(foreign?.errorCode == NSPersistentHistoryTokenExpiredError)
        #expect(foreign?.message.contains("other stores") == true)
    }

    @Test func `two stores of one coordinator have one entry each`() throws {
        let folder = try StoreFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: GraphLibrary.model())
        let stores = try ["One", "Two", "Plain"].map { name in
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url(name),
                options: [NSPersistentHistoryTrackingKey: name != "Plain"])
        }
        let context = GraphLibrary.context(coordinator)
        func save(_ names: [String]) throws {
            for (name, store) in zip(names, stores) where !name.isEmpty {
                context.assign(try context.make("Tag", ["name": name]), to: store)
            }
            try context.save()
        }
        try save(["a", "b", "c"])
        try save(["", "d"])
        let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        let first = try #require(coordinator.currentPersistentHistoryToken(fromStores: [stores[0]]))
        #expect(coordinator.currentPersistentHistoryToken(fromStores: [stores[2]]) == nil)
        #expect(token != first)
        let transactions = try context.transactions()
        #expect(
            transactions.map { "\($0.storeID == stores[0].identifier ? 1 : 2): \($0.transactionNumber)" } == [
                "1: 1", "2: 1", "2: 2",
            ])
        try save(["e", "f"])
        #expect(try context.changeTexts(.fetchHistory(after: token)) == ["insert Tag/p2", "insert Tag/p3"])
        // A store that the token does not name is read from its beginning.
        #expect(try context.changeTexts(.fetchHistory(after: first)).count == 4)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: first)
        request.affectedStores = [stores[0]]
        #expect(try context.changeTexts(request) == ["insert Tag/p2"])
        request.affectedStores = [stores[2]]
        #expect(coreDataError { try context.execute(request) } != nil)

        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: first))
        #expect(try context.transactions().count == 5)
        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: try context.transactions()[4]))
        #expect(
            try context.transactions().map { $0.storeID == stores[0].identifier } == [true, true, false])
    }
}
