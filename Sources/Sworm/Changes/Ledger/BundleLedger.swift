import Foundation
import SwormPredicates

/// The records of a store, during one call that holds the write lock.
///
/// The records are brought up to the history first (``scan()``). They then contain, for each property of each object, the
/// newest write that the store knows. Bundles are created from them, and merged into them. The objects of the store are
/// changed to what the records require.
final class BundleLedger {
    struct RowKey: Hashable {
        var root: String
        var row: Int64
    }

    let context: ManagedObjectContext
    /// The present time, with which the times of transactions are compared.
    let now: Date
    let entities: [String: BundleEntity]
    let store: String
    var state: LedgerState
    private var stateHandle: ManagedObject<BundleRecord>?
    private var isStateChanged = false
    private(set) var entries: [BundleIdentity: LedgerEntry] = [:]
    private var rows: [RowKey: LedgerEntry] = [:]
    private var origins: [String: Int] = [:]
    /// Whether the store has no records yet, so that none has to be searched for.
    private var isNew = false
    /// The records of objects that this store has inserted, for which relations of other records may be waiting.
    var arrived: [LedgerEntry] = []
    /// The relations to-many that the present transaction has changed, with whether all their links are new.
    var dirtyLinks: [LinkEnd: Bool] = [:]

    private static let stateIdentity = BundleIdentity(entity: "", key: "state")

    /// Reads the records of a store; a store without records gets them for all its objects.
    init(_ context: ManagedObjectContext, now: Date) throws {
        (self.context, self.now) = (context, now)
        let instance = context.instance
        guard let position = try translatingErrors({ try instance.changePosition() }) else {
            throw StoreError.historyNeeded
        }
        let model = instance.persistentStoreCoordinator?.managedObjectModel
        guard model?.entitiesByName[BundleRecord.entityName] != nil else {
            throw StoreError(
                .unknownName,
                "Bundles need the entity \(BundleRecord.entityName) in the model. Add `BundleRecord.self` to the types of the container, or the entity to the model file.",
                entity: BundleRecord.entityName)
        }
        entities = try instance.bundleEntities(without: BundleRecord.entityName)
        store = position.store
        stateHandle = try Self.fetch(Self.stateIdentity, in: context)
        if let stateHandle {
            state = try Self.decode(LedgerState.self, from: stateHandle.decode(\.state), of: Self.stateIdentity)
        } else {
            state = LedgerState(origins: [UUID().uuidString], token: position)
        }
        for (index, origin) in state.origins.enumerated() { origins[origin] = index }
        if stateHandle == nil {
            isStateChanged = true
            isNew = true
            try recordAllObjects()
        }
    }

    // MARK: Stamps

    /// The identifier of the store.
    var origin: String { state.origins[0] }

    func index(ofOrigin name: String) -> Int {
        if let known = origins[name] { return known }
        origins[name] = state.origins.count
        state.origins.append(name)
        isStateChanged = true
        return state.origins.count - 1
    }

    /// Returns whether a write decides over another one: the later one, or that of the greater origin.
    func isLater(_ one: BundleStamp, than other: BundleStamp?) -> Bool {
        guard let other else { return true }
        if one.clock != other.clock { return one.clock > other.clock }
        if one.origin != other.origin { return state.origins[one.origin] > state.origins[other.origin] }
        return one.number > other.number
    }

    /// Returns the stamp of the next transaction of this store.
    ///
    /// - Parameters:
    ///   - time: The time of the transaction, in microseconds.
    ///   - seen: The numbers up to which the transaction knew those of other origins; nil for the applied ones.
    func nextStamp(time: Int64, seen: [Int: Int64]? = nil) -> BundleStamp {
        state.number += 1
        state.clock = max(time, state.clock + 1)
        isStateChanged = true
        return BundleStamp(clock: state.clock, origin: 0, number: state.number, seen: seen ?? state.applied)
    }

    func changeState(_ change: (inout LedgerState) -> Void) {
        change(&state)
        isStateChanged = true
    }

    /// The latest time of a transaction that is accepted.
    var latestTime: Int64 { now.addingTimeInterval(86_400).bundleTime }

    // MARK: Records

    func entity(named name: String) throws -> BundleEntity {
        if let entity = entities[name] { return entity }
        throw StoreError(
            .unknownName,
            "The bundle contains objects of the entity '\(excerpt(name))', which the model does not have. Update the program that applies it.",
            entity: name)
    }

    /// Returns the record of an identity, which is created if it does not exist.
    func entry(_ identity: BundleIdentity) throws -> LedgerEntry {
        if let entry = try existingEntry(identity) { return entry }
        return keep(LedgerEntry(identity, of: try entity(named: identity.entity)))
    }

    /// Returns the record of an identity, if it exists.
    func existingEntry(_ identity: BundleIdentity) throws -> LedgerEntry? {
        if let known = entries[identity] { return known }
        guard !isNew, entities[identity.entity] != nil else { return nil }
        return try Self.fetch(identity, in: context).flatMap { try entry($0) }
    }

    func existingEntry(text: String) throws -> LedgerEntry? {
        try BundleIdentity(text: text).flatMap { try existingEntry($0) }
    }

    /// Returns the record that belongs to a row, if it exists.
    func entry(ofRow row: Int64, in entity: BundleEntity) throws -> LedgerEntry? {
        let key = RowKey(root: entity.root, row: row)
        if let known = rows[key] { return known }
        if isNew { return nil }
        for handle in try context.fetch(BundleRecord.all.where { $0.row == row }) {
            if let entry = try self.entry(handle), entry.entity.root == entity.root, entry.row == row { return entry }
        }
        return nil
    }

    func entry(of object: NSManagedObject) throws -> LedgerEntry? {
        guard let entity = entities[object.entity.stableName] else { return nil }
        return try entry(ofRow: object.objectID.reference.key, in: entity)
    }

    /// Reads the records of many identities at once.
    func load(_ identities: Set<BundleIdentity>) throws {
        let missing = Dictionary(grouping: identities.filter { entries[$0] == nil }, by: \.entity)
        for (entity, identities) in missing where entities[entity] != nil {
            let keys = identities.map(\.key)
            for start in stride(from: 0, to: keys.count, by: 500) {
                let part = keys[start..<min(start + 500, keys.count)]
                let request = BundleRecord.all.where { $0.kind == entity && $0.key.isIn(part) }
                for handle in try context.fetch(request) { _ = try entry(handle) }
            }
        }
    }

    /// Returns the records with changes of this store after a number.
    func entries(after number: Int64) throws -> [LedgerEntry] {
        for handle in try context.fetch(BundleRecord.all.where { $0.number > number }) { _ = try entry(handle) }
        // Those of this call are not written yet.
        return entries.values.filter { $0.number > number }
    }

    /// Returns all records of objects.
    func allEntries() throws -> [LedgerEntry] {
        for handle in try context.fetch(BundleRecord.all.where { $0.kind != "" }) { _ = try entry(handle) }
        return Array(entries.values)
    }

    /// Returns the record of a handle; nil if the model does not have its entity any more, so that it concerns no object.
    private func entry(_ handle: ManagedObject<BundleRecord>) throws -> LedgerEntry? {
        let record = try handle.decode()
        guard let entity = entities[record.kind] else { return nil }
        let identity = BundleIdentity(entity: record.kind, key: record.key)
        if let known = entries[identity] { return known }
        let entry = LedgerEntry(identity, of: entity)
        (entry.handle, entry.number) = (handle, record.number)
        entry.state = try Self.decode(RecordState.self, from: record.state, of: identity)
        keep(entry)
        setRow(record.row, of: entry)
        entry.isChanged = false
        return entry
    }

    @discardableResult
    private func keep(_ entry: LedgerEntry) -> LedgerEntry {
        entries[entry.identity] = entry
        return entry
    }

    /// Assigns a row to a record, which is taken from the record that had it.
    func setRow(_ row: Int64, of entry: LedgerEntry) {
        let old = RowKey(root: entry.entity.root, row: entry.row)
        if rows[old] === entry { rows[old] = nil }
        entry.row = row
        entry.isChanged = true
        if row == 0 { entry.object = nil } else { rows[RowKey(root: entry.entity.root, row: row)] = entry }
    }

    // MARK: Objects

    /// Returns the object of a record; nil if it is not in the store.
    func object(of entry: LedgerEntry) throws -> NSManagedObject? {
        if let object = entry.object { return object }
        if entry.row == 0 { return nil }
        let reference = ObjectReference(storeIdentifier: store, entityName: entry.identity.entity, key: entry.row)
        entry.object = try context.instance.objectIfExists(reference)
        return entry.object
    }

    /// Returns the identity of an object.
    func identity(of object: NSManagedObject, _ entity: BundleEntity) throws -> BundleIdentity {
        let values = try entity.key.map { name in
            guard let attribute = entity.attributes[name] else { return AttributeValue.null }
            let value = try object.bundleValue(attribute)
            if value == .null {
                throw StoreError(
                    .uniqueKeyNeeded,
                    "Bundles name objects by their unique attributes, but '\(name)' of the object \(object.objectID.reference.url) is nil. Give it a value.",
                    entity: entity.name, attribute: name)
            }
            return value
        }
        return try BundleIdentity(ChangeBundle.Key(entity: entity.name, values: values))
    }

    /// Returns the identity of an object of any entity.
    func identity(of object: NSManagedObject) throws -> BundleIdentity {
        try identity(of: object, try entity(named: object.entity.stableName))
    }

    // MARK: Saving

    /// Writes the changed records.
    func save() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for entry in entries.values where entry.isChanged {
            entry.isChanged = false
            let data = try encoder.encode(entry.state)
            if let handle = entry.handle {
                try handle.encode(\.row, entry.row)
                try handle.encode(\.number, entry.number)
                try handle.encode(\.state, data)
            } else {
                var record = BundleRecord()
                (record.kind, record.key) = (entry.identity.entity, entry.identity.key)
                (record.row, record.number, record.state) = (entry.row, entry.number, data)
                entry.handle = try context.insert(record)
            }
        }
        guard isStateChanged else { return }
        isStateChanged = false
        let data = try encoder.encode(state)
        if let stateHandle {
            try stateHandle.encode(\.state, data)
        } else {
            var record = BundleRecord()
            (record.key, record.state) = (Self.stateIdentity.key, data)
            stateHandle = try context.insert(record)
        }
    }

    /// Removes all records.
    static func removeAll(in context: ManagedObjectContext) throws { try context.delete(BundleRecord.all) }

    /// Returns whether a store has records.
    static func exists(in context: ManagedObjectContext) throws -> Bool {
        let model = context.instance.persistentStoreCoordinator?.managedObjectModel
        guard model?.entitiesByName[BundleRecord.entityName] != nil else { return false }
        return try fetch(stateIdentity, in: context) != nil
    }

    private static func fetch(
        _ identity: BundleIdentity, in context: ManagedObjectContext
    ) throws -> ManagedObject<BundleRecord>? {
        let (entity, key) = (identity.entity, identity.key)
        return try context.fetchOne(BundleRecord.all.where { $0.kind == entity && $0.key == key })
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data, of identity: BundleIdentity
    ) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw StoreError(
                .storeFailed,
                "The record '\(excerpt(identity.text))' of the synchronization is damaged. Start again with `resetChangeBundles()`.",
                entity: BundleRecord.entityName, cause: error)
        }
    }
}
