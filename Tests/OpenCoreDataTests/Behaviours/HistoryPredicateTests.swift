import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Behaviours: predicates of a history")
struct HistoryPredicateTests {
    private let library: HistoryLibrary

    init() throws {
        library = try HistoryLibrary()
        for (index, author) in ["ann", "bob", "ann"].enumerated() { try library.saveTag("\(index)", author: author) }
        library.context.transactionAuthor = "eve"
        try library.context.make("Novel", ["title": "War"])
        context.delete(try #require(try context.all("Tag", "name == '0'").first))
        try library.context.save()
    }

    private var context: NSManagedObjectContext { library.context }

    private func transactions(_ format: String, _ arguments: Any...) throws -> [Int64] {
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = NSPredicate(format: format, argumentArray: arguments)
        return try context.transactions(.fetchHistory(withFetch: fetch)).map(\.transactionNumber)
    }

    private func changes(_ format: String, _ arguments: Any...) throws -> [String] {
        let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
        fetch.predicate = NSPredicate(format: format, argumentArray: arguments)
        return try context.changeTexts(.fetchHistory(withFetch: fetch))
    }

    @Test func `transactions are compared with tokens`() throws {
        let all = try context.transactions()
        let token = all[1].token
        #expect(try transactions("token == %@", token) == [2])
        #expect(try transactions("%K == %@", "token", token) == [2])
        #expect(try transactions("token != %@", token) == [1, 3, 4])
        #expect(try transactions("token > %@", token) == [3, 4])
        #expect(try transactions("token <= %@ AND author == 'ann'", token) == [1])
        #expect(try transactions("token IN %@", [all[0].token, all[3].token]) == [1, 4])
        #expect(try transactions("token BETWEEN {%@, %@}", token, all[2].token) == [2, 3])
        let newest = try #require(library.token)
        #expect(try transactions("NOT (token > %@)", newest) == [1, 2, 3, 4])
        // The whole history of a store that the token does not contain comes after it.
        let other = NSPersistentHistoryToken([UUID().uuidString: 3])
        #expect(try transactions("token > %@", other) == [1, 2, 3, 4])
        #expect(try transactions("token == %@", other) == [])
    }

    @Test func `a token of several stores is that of each of them`() throws {
        let folder = try StoreFolder()
        let second = try library.coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url("Second.sqlite"),
            options: [NSPersistentHistoryTrackingKey: true])
        for name in ["x", "y"] {
            let tag = try context.make("Tag", ["name": name])
            context.assign(tag, to: second)
            try context.save()
        }
        let first = try library.store.identifier
        let token = NSPersistentHistoryToken([first: 3, second.identifier: 1])
        #expect(try transactions("token > %@", token) == [4, 2])
        #expect(try transactions("token == %@", token) == [3, 1])
    }

    @Test func `transactions are chosen by their changes`() throws {
        #expect(try transactions("ANY changes.changeType == 2") == [4])
        #expect(try transactions("changes.@count > 1") == [4])
        #expect(try transactions("ANY changes.changedEntity == 'Tag' AND author != 'ann'") == [2, 4])
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = NSPredicate(format: "ANY changes.changeType == %d", 2)
        let bare = try context.history(
            .fetchHistory(withFetch: fetch), .transactionsOnly, as: [NSPersistentHistoryTransaction].self)
        #expect(bare.map(\.transactionNumber) == [4] && bare.first?.changes == nil)
    }

    @Test func `changes are chosen by their entity, object and kind`() throws {
        let entities = library.coordinator.managedObjectModel.entitiesByName
        let (tag, novel) = (try #require(entities["Tag"]), try #require(entities["Novel"]))
        #expect(try changes("changedEntity == %@", novel) == ["insert Novel/p1"])
        #expect(try changes("changedEntity == %@ AND changeType == 2", tag) == ["delete Tag/p1"])
        #expect(try changes("changedEntity IN %@ AND changeType == 0", [tag, novel]).count == 4)
        #expect(try changes("changedEntity == 'Novel'") == ["insert Novel/p1"])
        let second = try #require(try context.all("Tag", "name == '1'").first)
        #expect(try changes("changedObjectID == %@", second.objectID) == ["insert Tag/p2"])
        #expect(try changes("changedObjectID IN %@", [second.objectID]) == ["insert Tag/p2"])
        #expect(try changes("changedObjectID == %@", second) == ["insert Tag/p2"])
        #expect(try changes("changeType == %d", NSPersistentHistoryChangeType.update.rawValue) == [])
    }

    @Test func `changes are chosen by their transaction`() throws {
        let all = try context.transactions()
        #expect(try changes("transaction.author == 'bob'") == ["insert Tag/p2"])
        #expect(try changes("transaction.token > %@ AND changedEntity == 'Tag'", all[2].token) == ["delete Tag/p1"])
        #expect(try changes("transaction == %@", all[2]) == ["insert Tag/p3"])
        #expect(try changes("transaction.timestamp > %@", Date.distantFuture) == [])
        #expect(throws: (any Error).self) { try changes("transaction.writer == 'bob'") }
    }

    @Test func `the history entities describe these keys`() throws {
        let transaction = try #require(NSPersistentHistoryTransaction.entityDescription)
        #expect(transaction.attributesByName["token"] != nil && transaction.relationshipsByName["changes"] != nil)
        let change = try #require(NSPersistentHistoryChange.entityDescription)
        #expect(change.attributesByName["changedEntity"] != nil && change.relationshipsByName["transaction"] != nil)
        #expect(change.relationshipsByName["transaction"]?.isToMany == false)
    }
}
