import Foundation
@testable import OpenCoreData
import TestSupport
import Testing

@Suite("Reading a history", .overEachStore)
struct HistoryReadingTests {
    @Test func `a transaction has the author, the changes and the date of a save`() throws {
        let library = try HistoryLibrary()
        let before = Date()
        library.context.name = "main"
        let tag = try library.saveTag("a", author: "ann")
        tag.setValue("b", forKey: "name")
        try library.context.make("Author", ["name": "Leo"])
        try library.context.save()
        library.context.transactionAuthor = nil
        library.context.name = nil
        library.context.delete(tag)
        try library.context.save()

        let transactions = try library.context.transactions()
        #expect(transactions.map(\.transactionNumber) == [1, 2, 3])
        #expect(transactions.map(\.author) == ["ann", "ann", nil])
        #expect(transactions.map(\.contextName) == ["main", "main", nil])
        let process = ProcessInfo.processInfo.processName
        #expect(transactions.allSatisfy { $0.processID == process && !$0.bundleID.isEmpty })
        #expect(transactions.allSatisfy { $0.timestamp >= before && $0.timestamp <= Date() })
        let identifier = try library.store.identifier
        #expect(Set(transactions.map(\.storeID)) == [identifier])
        #expect(transactions[0].changes?.map(\.text) == ["insert Tag/p1"])
        #expect(Set(transactions[1].changes?.map(\.text) ?? []) == ["insert Author/p1", "update Tag/p1"])
        #expect(transactions[2].changes?.map(\.text) == ["delete Tag/p1"])
        #expect(transactions[2].changes?.first?.transaction == transactions[2])
        #expect(transactions[0] != transactions[1])
        #expect(transactions[1].changes?.map(\.changeID) == [2, 3])
        #expect(transactions[2].changes?.first?.changedObjectID.uriRepresentation().host == identifier)
    }

    @Test func `the result has the form that was asked for`() throws {
        let library = try HistoryLibrary()
        let tag = try library.saveTag("a")
        tag.setValue("b", forKey: "name")
        try library.context.save()
        try library.saveTag("c")
        let context = library.context
        #expect(try context.history(.init(), .statusOnly, as: Bool.self))
        #expect(try context.history(.init(), .count, as: Int.self) == 3)
        let ids = try context.history(.init(), .objectIDs, as: [NSManagedObjectID].self)
        #expect(ids.map { $0.uriRepresentation().lastPathComponent } == ["p1", "p2"])
        #expect(ids.first == tag.objectID)
        let bare = try context.history(.init(), .transactionsOnly, as: [NSPersistentHistoryTransaction].self)
        #expect(bare.map(\.transactionNumber) == [1, 2, 3])
        #expect(bare.allSatisfy { $0.changes == nil })
        #expect(try context.changeTexts() == ["insert Tag/p1", "update Tag/p1", "insert Tag/p2"])
        #expect(NSPersistentHistoryChangeRequest().resultType == .transactionsAndChanges)
    }

    @Test func `reading continues after a token, a transaction and a moment`() throws {
        let library = try HistoryLibrary()
        let context = library.context
        try library.saveTag("a")
        let token = try #require(library.token)
        let first = try #require(try context.transactions().first)
        #expect(first.token == token)
        Thread.sleep(forTimeInterval: 0.02)
        let moment = Date()
        try library.saveTag("b")
        for request in [
            NSPersistentHistoryChangeRequest.fetchHistory(after: token), .fetchHistory(after: first),
            .fetchHistory(after: moment),
        ] {
            #expect(try context.changeTexts(request) == ["insert Tag/p2"])
        }
        #expect(NSPersistentHistoryChangeRequest.fetchHistory(after: token).token == token)
        #expect(try context.changeTexts(.fetchHistory(after: library.token)) == [])
        let nowhere: NSPersistentHistoryToken? = nil
        #expect(try context.changeTexts(.fetchHistory(after: nowhere)).count == 2)
        #expect(try context.changeTexts(.fetchHistory(after: Date.distantPast)).count == 2)
        #expect(try context.changeTexts(.fetchHistory(after: Date.distantFuture)) == [])
    }

    @Test func `an update names its properties, relationships included`() throws {
        let library = try HistoryLibrary()
        let context = library.context
        let novel = try context.make("Novel", ["title": "War"])
        let tag = try context.make("Tag", ["name": "long"])
        try context.save()
        let token = library.token
        novel.setValue("Peace", forKey: "title")
        novel.setValue("epic", forKey: "genre")
        novel.mutableSetValue(forKey: "tags").add(tag)
        try context.save()
        let changes = try context.history(
            .fetchHistory(after: token), .changesOnly, as: [NSPersistentHistoryChange].self)
        let names = Dictionary(
            changes.map { ($0.changedObjectID, $0.updatedProperties?.map(\.name).sorted()) }, uniquingKeysWith: { $1 })
        #expect(names == [novel.objectID: ["genre", "tags", "title"], tag.objectID: ["books"]])
        #expect(changes.allSatisfy { $0.tombstone == nil })
        let inserts = try context.history(.init(), .changesOnly, as: [NSPersistentHistoryChange].self).prefix(2)
        #expect(inserts.allSatisfy { $0.updatedProperties == nil })
    }

    @Test func `a deletion leaves the values that the model preserves`() throws {
        let kept: [(String, NSAttributeType)] = [
            ("text", .stringAttributeType), ("number", .integer16AttributeType), ("id", .UUIDAttributeType),
            ("day", .dateAttributeType), ("flag", .booleanAttributeType), ("price", .decimalAttributeType),
            ("bytes", .binaryDataAttributeType), ("place", .URIAttributeType), ("none", .stringAttributeType),
        ]
        let model = Build.model(
            Build.entity(
                "Thing",
                kept.map { name, type in
                    Build.attribute(name, type) { $0.preservesValueInHistoryOnDeletion = true }
                } + [Build.attribute("lost")]), Build.entity("Plain", [Build.attribute("name")]))
        let library = try HistoryLibrary(model: model)
        let context = library.context
        let (id, day) = (UUID(), Date(timeIntervalSinceReferenceDate: 1000.5))
        let thing = try context.make(
            "Thing",
            [
                "text": "x", "number": 7, "id": id, "day": day, "flag": true, "price": Decimal(3) / 2,
                "bytes": Data([1, 2]), "place": try #require(URL(string: "https://a.b/c")), "lost": "y",
            ])
        let plain = try context.make("Plain", ["name": "z"])
        try context.save()
        let token = library.token
        context.delete(thing)
        context.delete(plain)
        try context.save()
        let changes = try context.history(
            .fetchHistory(after: token), .changesOnly, as: [NSPersistentHistoryChange].self)
        let tombstone = try #require(changes.first { $0.changedObjectID == thing.objectID }?.tombstone)
        #expect(tombstone["text"] as? String == "x")
        #expect(tombstone["number"] as? Int == 7)
        #expect(tombstone["id"] as? UUID == id)
        #expect(tombstone["day"] as? Date == day)
        #expect(tombstone["flag"] as? Bool == true)
        #expect((tombstone["price"] as? NSDecimalNumber)?.decimalValue == Decimal(3) / 2)
        #expect(tombstone["bytes"] as? Data == Data([1, 2]))
        #expect((tombstone["place"] as? URL)?.absoluteString == "https://a.b/c")
        #expect(tombstone.count == 8)
        #expect(changes.first { $0.changedObjectID == plain.objectID }?.tombstone == nil)
        try library.verify()
    }

    @Test func `transactions and changes are chosen by a predicate`() throws {
        let library = try HistoryLibrary()
        let context = library.context
        for author in ["ann", "bob", nil] { try library.saveTag("of \(author ?? "nobody")", author: author) }
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = NSPredicate(format: "author == %@ OR author == nil", "ann")
        #expect(try context.changeTexts(.fetchHistory(withFetch: fetch)) == ["insert Tag/p1", "insert Tag/p3"])
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: try context.transactions()[0])
        request.fetchRequest = fetch
        #expect(try context.changeTexts(request) == ["insert Tag/p3"])
        fetch.predicate = nil
        fetch.fetchLimit = 2
        #expect(try context.changeTexts(.fetchHistory(withFetch: fetch)) == ["insert Tag/p1", "insert Tag/p2"])

        let tag = try #require(try context.all("Tag", "name == %@", "of bob").first)
        tag.setValue("x", forKey: "name")
        context.delete(try #require(try context.all("Tag", "name == %@", "of ann").first))
        try context.save()
        let changes = try #require(NSPersistentHistoryChange.fetchRequest)
        changes.predicate = NSPredicate(format: "changedObjectID == %@ AND changeType == 1", tag.objectID)
        let chosen = try context.transactions(.fetchHistory(withFetch: changes))
        #expect(chosen.map { $0.changes?.map(\.text) ?? [] } == [["update Tag/p2"]])
        #expect(
            try context.history(
                .fetchHistory(withFetch: changes), .transactionsOnly, as: [NSPersistentHistoryTransaction].self
            ).map(\.transactionNumber) == [4])
    }

    @Test func `what a history cannot be asked is an error that says what it can`() throws {
        let library = try HistoryLibrary()
        let context = library.context
        try library.saveTag("a")
        func error(_ change: (NSFetchRequest<any NSFetchRequestResult>) -> Void) throws -> CoreDataError {
            let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
            change(fetch)
            return try #require(coreDataError { try context.execute(.history(fetch)) })
        }
        #expect(try error { $0.entity = nil }.errorCode == NSPersistentStoreUnsupportedRequestTypeError)
        #expect(
            try error { $0.sortDescriptors = [NSSortDescriptor(key: "author", ascending: true)] }.message.contains(
                "sort descriptors"))
        let unknown = try #require(NSPersistentHistoryTransaction.fetchRequest)
        unknown.predicate = NSPredicate(format: "writer == %@", "x")
        #expect(throws: (any Error).self) { try context.execute(.history(unknown)) }
        let ordinary = coreDataError { try context.execute(NSFetchRequest<NSManagedObject>(entityName: "Tag")) }
        #expect(ordinary?.errorCode == NSPersistentStoreUnsupportedRequestTypeError)
        #expect(ordinary?.message.contains("fetch(_:)") == true)
        let bare = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        expectError(.coreData) { try bare.execute(NSPersistentHistoryChangeRequest()) }
    }

    @Test func `a store without a history has none to read or delete, and no token`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let context = GraphLibrary.context(coordinator)
        for request in [NSPersistentHistoryChangeRequest(), .deleteHistory(before: Date())] {
            let error = coreDataError { try context.execute(request) }
            #expect(error?.errorCode == NSPersistentStoreUnsupportedRequestTypeError)
            #expect(error?.message.contains(NSPersistentHistoryTrackingKey) == true)
        }
        #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
    }

    @Test(.over(.memory)) func `a store in memory keeps a history, too`() throws {
        let coordinator = try GraphLibrary.coordinator(options: [NSPersistentHistoryTrackingKey: true])
        let context = GraphLibrary.context(coordinator)
        try context.setQueryGenerationFrom(.current)
        #expect(try context.all("Tag").isEmpty)
        try context.make("Tag")
        try context.save()
        #expect(try context.changeTexts() == ["insert Tag/p1"])
        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
        #expect(try context.changeTexts() == [])
        #expect(try context.all("Tag").count == 1)
    }
}

extension NSPersistentStoreRequest {
    fileprivate static func history(_ fetch: NSFetchRequest<any NSFetchRequestResult>)
        -> NSPersistentHistoryChangeRequest
    {
        .fetchHistory(withFetch: fetch)
    }
}
