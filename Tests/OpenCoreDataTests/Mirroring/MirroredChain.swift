import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A mirrored store that is written, migrated and copied at random. After each step, what must stay is compared with what
/// was before.
final class MirroredChain {
    enum Step: CaseIterable { case save, batch, export, migration, copy, misuse }

    private var random: SeededRandom
    private var version = MirroredVersion(["Book", "Label", "Person"])
    private var store: MigratedStore
    private var uid = 0
    /// The object of each change of the history, by the change's key.
    private var changes: [Int64: Int] = [:]
    private(set) var counts: [Step: Int] = [:]
    /// How many migrations were made, and how many were rejected because records would be lost.
    private(set) var migrations = (made: 0, rejected: 0)

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        let generation = random.pick(MirroringSQL.Generation.allCases) ?? .assetTables
        store = try MigratedStore(version.model(), options: [NSPersistentHistoryTrackingKey: true])
        try insert(3)
        try store.mirror(generation, identity: "ZUID")
        try note(changesSince: MirroredPairs(store))
    }

    func run(_ steps: Int) throws {
        for index in 0..<steps {
            let kinds: [Step] = [.save, .save, .save, .save, .save, .batch, .export, .migration, .migration, .misuse]
            var step = random.chance(5) ? .copy : random.pick(kinds) ?? .save
            // Each kind occurs.
            if Step.allCases.indices.contains(index) { step = Step.allCases[index] }
            switch step {
            case .save: try keeping { try self.save() }
            case .batch: try keeping { try self.batch() }
            case .export: try export()
            case .migration: try migrate()
            case .copy: try copy()
            case .misuse: try misuse()
            }
            counts[step, default: 0] += 1
        }
        let findings = try StoreVerification.findings(of: store.url, model: store.model.compiled())
        #expect(findings.map(\.message) == [])
    }

    // MARK: Checks

    /// Runs a step that may only add to the history, and checks that it does.
    private func keeping(_ step: () throws -> Void) throws {
        let before = try MirroringState(store.url)
        let places = try MirroredPairs(store)
        try step()
        #expect(try MirroringState(store.url).differences(from: before) == [])
        try note(changesSince: places)
        try checkPairs()
    }

    private func checkPairs() throws {
        #expect(try MirroredPairs(store).issues() == [])
        #expect(
            try store.lines(
                "SELECT s.ZNAME FROM ATRANSACTION t JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS WHERE s.ZNAME LIKE 'NSCloudKit%'"
            ) == [])
    }

    private func historyRows(after key: Int64) throws -> [(key: Int64, entity: Int, row: Int64, type: Int)] {
        let connection = try Connection(.file(path: store.url.path))
        var statement = try connection.statement(
            "SELECT Z_PK, ZENTITY, ZENTITYPK, ZCHANGETYPE FROM ACHANGE WHERE Z_PK > ? ORDER BY Z_PK")
        try statement.bind(key, at: 1)
        var rows: [(key: Int64, entity: Int, row: Int64, type: Int)] = []
        while try statement.step() {
            rows.append((statement.int64(0), statement.int(1), statement.int64(2), statement.int(3)))
        }
        return rows
    }

    /// Notes the objects of new changes.
    private func note(changesSince before: MirroredPairs) throws {
        let after = try MirroredPairs(store)
        for change in try historyRows(after: changes.keys.max() ?? 0) {
            guard let root = after.root(of: change.entity) else { continue }
            let place = MirroredPairs.Place(root: root, key: change.row)
            // A deleted object is known from before.
            let row = after.rows[place] ?? before.rows[place]
            #expect(row != nil, "the history names no object with the change \(change)")
            changes[change.key] = row?.uid
        }
    }

    /// Checks that each change of the history still names its object, if that exists.
    private func checkChanges() throws {
        let pairs = try MirroredPairs(store)
        var issues: [String] = []
        for change in try historyRows(after: 0) {
            guard let root = pairs.root(of: change.entity), let uid = changes[change.key] else {
                issues.append("the change \(change) has no entity")
                continue
            }
            let found = pairs.rows[.init(root: root, key: change.row)]?.uid
            if let found, found != uid { issues.append("the change \(change) of \(uid) names \(found)") }
            if found == nil, pairs.rows.values.contains(where: { $0.uid == uid }) {
                issues.append("the change \(change) of \(uid) names nothing")
            }
        }
        #expect(issues == [])
    }

    // MARK: Writing

    private func insert(_ count: Int) throws {
        try store.write(options: mirroredOptions) { context in
            for _ in 0..<count {
                guard let entity = random.pick(version.entities) else { return }
                uid += 1
                try context.make(entity.name, ["uid": uid, "text": "new"])
            }
        }
    }

    private func save() throws {
        try store.write(options: mirroredOptions) { context in
            context.transactionAuthor = random.pick([nil, "server", "import"]) ?? nil
            var objects: [NSManagedObject] = []
            for entity in version.entities where entity.parent == nil { objects += try context.all(entity.name) }
            objects.sort { ($0.value(forKey: "uid") as? Int ?? 0) < ($1.value(forKey: "uid") as? Int ?? 0) }
            for object in objects {
                if random.chance(10), objects.count > 10 {
                    context.delete(object)
                } else if random.chance(20) {
                    object.setValue("text \(random.pick(100))", forKey: "text")
                }
            }
            for _ in 0..<random.pick(4) {
                guard let entity = random.pick(version.entities) else { continue }
                uid += 1
                objects.append(try context.make(entity.name, ["uid": uid]))
            }
            for object in objects where !object.isDeleted && random.chance(15) {
                guard let name = random.pick(object.entity.relationshipsByName.keys.sorted()),
                    let relationship = object.entity.relationshipsByName[name]
                else { continue }
                let fitting = objects.filter { other in
                    !other.isDeleted
                        && relationship.destinationEntity.map { other.entity.isKindOf(entity: $0) } ?? false
                }
                if relationship.isToMany {
                    object.setValue(Set(fitting.prefix(2)), forKey: name)
                } else {
                    object.setValue(random.pick(fitting), forKey: name)
                }
            }
        }
    }

    private func batch() throws {
        try store.write(options: mirroredOptions) { context in
            guard let entity = random.pick(version.entities) else { return }
            switch random.pick(3) {
            case 0:
                let request = NSBatchUpdateRequest(entityName: entity.name)
                request.propertiesToUpdate = ["text": "batch \(random.pick(100))"]
                try context.execute(request)
            case 1:
                let fetch = NSFetchRequest<NSManagedObject>(entityName: entity.name)
                fetch.predicate = NSPredicate(format: "uid == %@", argumentArray: [1 + random.pick(max(1, uid))])
                try context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
            default:
                let objects = (0..<2).map { _ -> [String: Any] in
                    uid += 1
                    return ["uid": uid]
                }
                try context.execute(NSBatchInsertRequest(entityName: entity.name, objects: objects))
            }
        }
    }

    /// Plants what Core Data's export does: the records of deleted objects go, and new objects get records.
    private func export() throws {
        let connection = try Connection(.file(path: store.url.path))
        let pairs = try MirroredPairs(store)
        for record in pairs.records where pairs.rows[record.place] == nil && random.chance(70) {
            try connection.execute(
                "DELETE FROM ANSCKRECORDMETADATA WHERE ZCKRECORDNAME = '\(MirroringSQL.recordPrefix)\(record.uid)'")
        }
        if random.chance(70) { try store.plantRecords(identity: "ZUID") }
        try connection.execute("UPDATE ANSCKRECORDMETADATA SET ZNEEDSUPLOAD = abs(random()) % 2")
        try checkPairs()
    }

    // MARK: Migrations and copies

    private func migrate() throws {
        var next = version
        for _ in 0..<(1 + random.pick(3)) { next.change(&random) }
        let model = next.model()
        let (old, new) = (store.model, model)
        guard new.entityVersionHashesByName != old.entityVersionHashesByName,
            (try? ModelMapping.inferred(from: old, to: new)) != nil
        else { return }
        let kept = Set(next.entities.map(\.first))
        let records = try MirroredPairs(store).records
        let lost = version.entities.filter { entity in
            let number = (try? old.compiled())?.entity(named: entity.name)?.number
            return !kept.contains(entity.first) && records.contains { $0.entity == number }
        }
        let moving: Set = ["ZENTITYID", "ZENTITYPK"]
        let before = try (MirroringState(store.url), MirroringState(store.url, without: moving))
        let options = mirroredOptions.merging([
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]) { $1 }
        let error = coreDataError {
            let coordinator = try GraphLibrary.coordinator(at: store.url, model: model, options: options)
            for open in coordinator.persistentStores { try coordinator.remove(open) }
        }
        let isMade = error == nil
        #expect(isMade == lost.isEmpty, "\(error?.message ?? "no error"), lost: \(lost.map(\.name))")
        guard isMade else {
            #expect(try MirroringState(store.url) == before.0)
            for entity in lost { #expect(error?.message.contains("'\(entity.name)'") == true) }
            migrations.rejected += 1
            return
        }
        try store.adopt(model, afterMigration: true)
        migrations.made += 1
        next.settle()
        version = next
        // The model without renaming identifiers is the one of the next step.
        try store.adopt(version.model())
        #expect(try MirroringState(store.url, without: moving).differences(from: before.1) == [])
        let present = Set(try historyRows(after: 0).map(\.key))
        changes = changes.filter { present.contains($0.key) }
        try checkPairs()
        try checkChanges()
    }

    /// Copies the store in one of several ways, and sometimes continues with the copy.
    private func copy() throws {
        var options = StoreOptions()
        options.writesMirroredStores = true
        let before = try MirroringState(store.url)
        let target = try StoreFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        if random.chance(50) {
            let open = try SQLiteStore.open(url: store.url, model: store.model.compiled(), options: options)
            try open.backup(to: target.url())
            open.close()
        } else {
            try coordinator.replacePersistentStore(
                at: target.url(), withPersistentStoreFrom: store.url, ofType: NSSQLiteStoreType)
        }
        #expect(try MirroringState(target.url()) == before)
        if random.chance(50) { store = try MigratedStore(copyOf: target.url(), model: store.model) }
        try checkPairs()
    }

    /// Attempts what would harm the mirroring.
    private func misuse() throws {
        let before = try MirroringState(store.url)
        try store.write(options: mirroredOptions) { context in
            let deletion = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
            #expect(coreDataError { try context.execute(deletion) } != nil)
            context.transactionAuthor = "NSCloudKitMirroringDelegate.import"
            if let entity = random.pick(version.entities) { try context.make(entity.name) }
            #expect(coreDataError { try context.save() } != nil)
            context.rollback()
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: store.model)
        let plain = try MigratedStore(store.model)
        let error = coreDataError {
            try coordinator.replacePersistentStore(
                at: store.url, withPersistentStoreFrom: plain.url, ofType: NSSQLiteStoreType)
        }
        #expect(error != nil)
        #expect(try MirroringState(store.url) == before)
    }
}
