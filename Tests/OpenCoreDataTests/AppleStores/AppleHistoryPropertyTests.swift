import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// The changed properties that Apple's framework noted in histories, beside what it changed in the rows.
@Suite("Changed properties in histories of Apple's", .enabled(if: Fixtures.folder != nil, AppleStores.missing))
struct AppleHistoryPropertyTests {
    /// A store with a history, whatever its model.
    struct Subject: Sendable, CustomTestStringConvertible {
        let url: URL
        var testDescription: String { Fixtures.relative(url) }

        /// The model, by the store's own copy.
        func model() throws -> NSManagedObjectModel {
            let folder = try StoreFolder()
            return try StoredModel(ofStoreAt: try Fixtures.copy(url, to: folder.url(""))).model
        }
    }

    static let subjects = Fixtures.databases.map(Subject.init).filter { subject in
        (try? PlainStore(copyOf: subject.url))?.rows["ACHANGE"]?.isEmpty == false && (try? subject.model()) != nil
    }

    private func properties(_ model: CompiledModel) -> [HistoryProperties] {
        let layout = StoreLayout(model: model)
        return model.entities.map { HistoryProperties($0, layout: layout, tombstones: 0) }
    }

    /// The slots of the properties that a change names.
    private func slots(_ names: [String], of entity: CompiledEntity) -> Set<PropertySlot> {
        var slots: Set<PropertySlot> = []
        for name in names {
            if let slot = entity.slot(named: name) { slots.insert(slot) }
            for leaf in entity.composites[name] ?? [] { slots.insert(.attribute(leaf)) }
        }
        return slots
    }

    @Test(arguments: subjects) func `every string of bits has the right length, and is written as it was read`(
        _ subject: Subject
    ) throws {
        let model = try subject.model().compiled()
        let properties = properties(model)
        var count = 0
        for row in try PlainStore(copyOf: subject.url).rows["ACHANGE"] ?? [] {
            guard case .blob(let bits)? = row["ZCOLUMNS"] else { continue }
            let number = try #require(row["ZENTITY"]?.integer)
            let entity = try #require(model.entity(numbered: number))
            let own = properties[entity.number - 1]
            let names = try #require(own.names(bits), "\(entity.name): \(Array(bits))")
            let slots = slots(names, of: entity)
            // No name without a property.
            #expect(names.allSatisfy { entity.slot(named: $0) != nil || entity.composites[$0] != nil }, "\(names)")
            if entity.composites.isEmpty { #expect(own.bits(slots) == bits, "\(entity.name): \(names)") }
            count += 1
        }
        if subject.testDescription.hasPrefix("truthsocial/") { #expect(count == 287) }
    }

    @Test(arguments: subjects.filter { FileManager.default.fileExists(atPath: $0.url.path + "-wal") })
    func `the names of a change cover the columns that its commit changed`(_ subject: Subject) throws {
        let model = try subject.model().compiled()
        let (properties, layout) = (properties(model), StoreLayout(model: model))
        let log = try LogReplay(of: subject.url)
        var before = try log.state(afterCommits: 0)
        var count = 0
        for number in 1...max(1, log.commits.count) where !log.commits.isEmpty {
            let after = try log.state(afterCommits: number)
            defer { before = after }
            let known = Set((before.rows["ACHANGE"] ?? []).map { $0["Z_PK"] })
            var named: [String: Set<String>] = [:]
            var updated: [(entity: CompiledEntity, table: String, key: Int64)] = []
            for change in after.rows["ACHANGE"] ?? [] where !known.contains(change["Z_PK"]) {
                guard change["ZCHANGETYPE"] == .integer(1), case .blob(let bits)? = change["ZCOLUMNS"],
                    let key = change["ZENTITYPK"]?.integer,
                    let entity = change["ZENTITY"]?.integer.flatMap({ model.entity(numbered: $0) })
                else { continue }
                let table = layout.table(of: model[entity.root])
                named["\(table) \(key)", default: []].formUnion(properties[entity.number - 1].names(bits) ?? [])
                updated.append((entity, table, key))
            }
            for (entity, table, key) in updated {
                func row(_ state: PlainStore) -> PlainStore.Row? {
                    state.rows[table]?.first { $0["Z_PK"] == .integer(key) }
                }
                guard let old = row(before), let new = row(after) else { continue }
                var changed: Set<String> = []
                for (slot, attribute) in entity.attributes.enumerated() where attribute.derivation == nil {
                    guard let column = layout.column(ofAttribute: slot, in: entity.number) else { continue }
                    if old[column] != new[column] { changed.insert(attribute.propertyName) }
                }
                for (slot, relationship) in entity.relationships.enumerated() {
                    guard let toOne = layout.toOne(slot, in: entity.number) else { continue }
                    if old[toOne.column] != new[toOne.column] { changed.insert(relationship.name) }
                }
                let names = named["\(table) \(key)"] ?? []
                #expect(changed.isSubset(of: names), "\(entity.name) \(key): \(changed.subtracting(names)) in \(names)")
                count += 1
            }
        }
        if subject.testDescription.hasPrefix("truthsocial/") { #expect(count == 138) }
    }

    @Test(arguments: subjects.filter { $0.testDescription.hasPrefix("plaso-knowledgec/") })
    func `values of deleted objects are those of the attributes that keep them`(_ subject: Subject) throws {
        let folder = try StoreFolder()
        let url = try Fixtures.copy(subject.url, to: folder.url(""))
        let model = try subject.model()
        let coordinator = try GraphLibrary.coordinator(at: url, model: model)
        let changes = try GraphLibrary.context(coordinator).history(
            .init(), .changesOnly, as: [NSPersistentHistoryChange].self)
        let deletions = changes.filter { $0.changeType == .delete && $0.tombstone?.isEmpty == false }
        let ids = deletions.compactMap { $0.tombstone?["uuid"] }
        #expect(ids.count == deletions.count)
        #expect(ids.allSatisfy { $0 is UUID || ($0 as? String).flatMap { UUID(uuidString: $0) } != nil })
        if subject.testDescription.hasSuffix("10.13.db") { #expect(deletions.count == 507) }
    }
}

/// The states of a store after each commit of its log.
struct LogReplay {
    private let url: URL
    private let log: Data
    /// The lengths of the log behind each commit.
    let commits: [Int]

    init(of url: URL) throws {
        let log = try Data(contentsOf: URL(fileURLWithPath: url.path + "-wal"))
        var ends: [Int] = []
        func number(_ start: Int) -> Int { log[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
        if log.count > 32 {
            let frame = 24 + number(8)
            var start = 32
            // Frames of an earlier round of the log have other salts.
            while start + frame <= log.count, log[start + 8..<start + 16] == log[16..<24] {
                if number(start + 4) != 0 { ends.append(start + frame) }
                start += frame
            }
        }
        (self.url, self.log, commits) = (url, log, ends)
    }

    func state(afterCommits count: Int) throws -> PlainStore {
        let folder = try StoreFolder()
        let copy = folder.url("")
            .appendingPathComponent(url.lastPathComponent)
        try FileManager.default.copyItem(at: url, to: copy)
        if count > 0 { try log.prefix(commits[count - 1]).write(to: URL(fileURLWithPath: copy.path + "-wal")) }
        return try PlainStore(copyOf: copy)
    }
}
