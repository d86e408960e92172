import Foundation
@testable import OpenCoreData
import Testing

@Suite("Histories that Apple's framework wrote", .enabled(if: AppleStores.folder != nil, AppleStores.missing))
struct AppleStoreHistoryTests {
    private static let tables: Set = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]

    /// The stores with a history. That of the earliest systems has its texts in the transactions themselves.
    static let stores = AppleStores.soundStores.filter { historyTables(of: $0).contains("ACHANGE") }

    private static func historyTables(of store: AppleStore) -> Set<String> {
        tables.intersection((try? PlainStore(copyOf: store.url))?.tables.keys.map { $0 } ?? [])
    }

    @Test(arguments: stores.filter { historyTables(of: $0) == tables })
    func `a new history has the schema of Apple's`(_ fixture: AppleStore) throws {
        let real = try PlainStore(copyOf: fixture.url)
        try #require(real.frameworkVersion >= 969)
        let folder = try StoreFolder()
        try folder.openWithHistory(fixture.model.make().compiled()).close()
        let new = try PlainStore(copyOf: folder.url())
        #expect(
            new.schema.filter { Self.tables.contains($0.table) }
                == real.schema.filter { Self.tables.contains($0.table) })
        // After everything else, in both.
        #expect(new.schema.suffix(11).allSatisfy { Self.tables.contains($0.table) })
    }

    /// No row has a text that can be changed.
    private struct NoSubject: Error {}

    /// An entity with a row of its own, and an attribute on which no other value depends.
    private func subject(_ plain: PlainStore, _ model: PlainModel) throws -> (PlainModel.Entity, PlainModel.Attribute) {
        let descriptions = model.entities.flatMap(\.attributes).map(\.description)
        let sources = descriptions.compactMap { ($0 as? NSDerivedAttributeDescription)?.derivation }
            .map { $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.last.map(String.init) }
        let unique = Set(model.entities.flatMap { $0.description.uniquenessNames.flatMap { $0 } })
        for entity in model.entities {
            guard plain.rows[entity.table]?.contains(where: { $0["Z_ENT"] == .integer(Int64(entity.number)) }) == true
            else { continue }
            let text = entity.attributes.first {
                $0.type == .stringAttributeType && !$0.isTransient && !$0.name.contains(".")
                    && !($0.description is NSDerivedAttributeDescription) && !sources.contains($0.name)
                    && !unique.contains($0.name)
            }
            if let text { return (entity, text) }
        }
        throw NoSubject()
    }

    /// Gives an object of the store another value.
    private func changeValue(
        _ entity: PlainModel.Entity, _ attribute: PlainModel.Attribute, _ context: NSManagedObjectContext
    ) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
        request.fetchLimit = 1
        request.includesSubentities = false
        let object = try #require(try context.fetch(request).first)
        var values = ValueSource()
        let current = object.storedValue(attribute.name, attribute.type)
        let value = values.value(for: attribute, current: current)
        object.setStoredValue(value, attribute.name, attribute.type)
        try context.save()
        return object
    }

    @Test(arguments: stores) func `Apple's rows stay, and ours follow them`(_ fixture: AppleStore) throws {
        let (folder, url) = try fixture.copied()
        let before = try PlainStore(copyOf: url)
        let model = try fixture.model.make()
        let (entity, attribute) = try subject(before, PlainModel(model))
        // An author that Apple's framework has written already, where it keeps texts by themselves.
        let texts = before.rows["ATRANSACTIONSTRING"]
        let known = texts?.first
        let author = if case .text(let text)? = known?["ZNAME"] { text } else { "somebody" }
        let key = try fixture.withContext(at: url) { context in
            context.transactionAuthor = author
            context.name = "a name"
            let object = try changeValue(entity, attribute, context)
            return Int64(object.objectID.uriRepresentation().lastPathComponent.dropFirst())
        }
        let after = try PlainStore(copyOf: url)
        for table in Self.tables {
            let old = before.rows[table] ?? []
            #expect(Array((after.rows[table] ?? []).prefix(old.count)) == old, "\(table)")
        }
        #expect(after.schema == before.schema)
        func new(_ table: String) -> [PlainStore.Row] {
            Array((after.rows[table] ?? []).dropFirst(before.rows[table]?.count ?? 0))
        }
        let change = try #require(new("ACHANGE").first)
        #expect(new("ACHANGE").count == 1)
        let transaction = try #require(new("ATRANSACTION").first)
        #expect(new("ATRANSACTION").count == 1)
        #expect(change["ZTRANSACTIONID"] == transaction["Z_PK"])
        #expect(change["ZCHANGETYPE"] == .integer(1))
        #expect(change["ZENTITY"] == .integer(Int64(entity.number)))
        #expect(change["ZENTITYPK"]?.integer == key)
        if let texts {
            let stored = (after.rows["ATRANSACTIONSTRING"] ?? []).filter { $0["ZNAME"] == .text(author) }
            #expect(stored.count == 1)
            #expect(known == nil ? texts.isEmpty : stored.first == known)
            #expect(transaction["ZAUTHORTS"] == stored.first?["Z_PK"])
            #expect(Set(new("ATRANSACTIONSTRING").map { $0["Z_ENT"] }) == [.integer(16003)])
        } else {
            #expect(transaction["ZAUTHOR"] == .text(author) && transaction["ZCONTEXTNAME"] == .text("a name"))
        }
        #expect(try StoreVerification.issues(of: url, model: model.compiled()) == [])
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: stores) func `every row that Apple's framework wrote is read, and not a byte changes`(
        _ fixture: AppleStore
    ) throws {
        let plain = try PlainStore(copyOf: fixture.url)
        let before = try Data(contentsOf: fixture.url)
        let texts = Dictionary(
            (plain.rows["ATRANSACTIONSTRING"] ?? []).map { ($0["Z_PK"], $0["ZNAME"]) }, uniquingKeysWith: { $1 })
        // By itself, or in the transaction.
        func text(_ row: PlainStore.Row, _ column: String) -> String? {
            let own = row[column + "TS"].flatMap { texts[$0] ?? nil } ?? row[column]
            return if case .text(let text)? = own { text } else { nil }
        }
        func moment(_ row: PlainStore.Row) -> Double? {
            if case .real(let seconds)? = row["ZTIMESTAMP"] { seconds } else { nil }
        }
        let model = try fixture.model.make().compiled()
        try fixture.withContext(readOnly: true) { context in
            let transactions = try context.transactions()
            let rows = plain.rows["ATRANSACTION"] ?? []
            #expect(transactions.map(\.transactionNumber) == rows.map { $0["Z_PK"]?.integer ?? 0 })
            #expect(transactions.map(\.author) == rows.map { text($0, "ZAUTHOR") })
            #expect(transactions.map(\.contextName) == rows.map { text($0, "ZCONTEXTNAME") })
            #expect(transactions.map(\.bundleID) == rows.map { text($0, "ZBUNDLEID") ?? "" })
            #expect(transactions.map(\.processID) == rows.map { text($0, "ZPROCESSID") ?? "" })
            #expect(transactions.map(\.timestamp.timeIntervalSinceReferenceDate) == rows.map { moment($0) ?? 0 })
            #expect(transactions.contains { !$0.processID.isEmpty })
            for transaction in transactions {
                let expected = (plain.rows["ACHANGE"] ?? []).filter {
                    $0["ZTRANSACTIONID"]?.integer == transaction.transactionNumber
                }
                let changes = try #require(transaction.changes)
                #expect(changes.map(\.changeID) == expected.map { $0["Z_PK"]?.integer ?? 0 })
                #expect(changes.map { Int64($0.changeType.rawValue) } == expected.map { $0["ZCHANGETYPE"]?.integer })
                #expect(
                    changes.map { $0.changedObjectID.uriRepresentation().absoluteString }
                        == expected.map { row in
                            let name = row["ZENTITY"]?.integer.flatMap { model.entity(numbered: $0) }?.name ?? ""
                            return "x-coredata://\(plain.identifier)/\(name)/p\(row["ZENTITYPK"]?.integer ?? 0)"
                        })
                // Whatever was inserted in the only transaction is still there.
                let ids = Set(changes.filter { $0.changeType == .insert }.prefix(50).map(\.changedObjectID))
                for id in ids where transactions.count == 1 { _ = try context.existingObject(with: id) }
            }
        }
        #expect(try Data(contentsOf: fixture.url) == before)
    }

    @Test(arguments: stores) func `a history of Apple's is read on after our saves, and purged`(
        _ fixture: AppleStore
    ) throws {
        let (folder, url) = try fixture.copied()
        let model = try fixture.model.make()
        let (entity, attribute) = try subject(PlainStore(copyOf: url), PlainModel(model))
        try fixture.withContext(at: url) { context in
            let coordinator = try #require(context.persistentStoreCoordinator)
            let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
            #expect(try context.transactions(.fetchHistory(after: token)).isEmpty)
            context.transactionAuthor = "ours"
            let object = try changeValue(entity, attribute, context)
            let ours = try #require(try context.transactions(.fetchHistory(after: token)).first)
            #expect(ours.author == "ours")
            #expect(ours.changes?.map(\.changedObjectID) == [object.objectID])
            #expect(ours.changes?.first?.updatedProperties?.map(\.name) == [attribute.name])
            try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: ours))
            #expect(try context.transactions() == [ours])
        }
        #expect(try PlainStore(copyOf: url).rows["ACHANGE"]?.count == 1)
        #expect(try StoreVerification.issues(of: url, model: model.compiled()) == [])
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: AppleStores.soundStores.filter { store in !stores.contains { $0.url == store.url } })
    func `a store that gains a history names whatever changes in it`(_ fixture: AppleStore) throws {
        let (folder, url) = try fixture.copied()
        var options = StoreOptions()
        options.tracksHistory = true
        try SQLiteStore.open(url: url, model: fixture.model.make().compiled(), options: options).close()
        #expect(try PlainStore(copyOf: url).rows["ACHANGE"] == [])
        let run = try StoreChanges(fixture, url: url)
        try run.insert()
        try run.update()
        try run.relate()
        try run.unrelate()
        try run.delete()
        #expect(try PlainStore(copyOf: url).rows["ATRANSACTION"]?.count ?? 0 >= 3)
        withExtendedLifetime(folder) {}
    }
}
